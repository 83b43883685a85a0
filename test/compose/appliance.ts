import got, { type Response } from 'got';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../simulators/virtual-scanner/faults.ts';
import { createComposition, type Composition, type CompositionFacts } from './composition.ts';

export const FACTS_VARIABLE = 'SCAN_SERVICE_COMPOSITION';

/** Time limit for a restart. Docker restarts a killed container after 0.1 s, then ever later. */
const READY_MS = 120_000;
const LOOK_EVERY_MS = 100;
/** Exceeds the time limit of scans in the test profiles. */
const SCAN_MS = 910_000;
/** Time limit for feeding: the slow scanner takes two seconds per sheet. */
const FED_MS = 120_000;
const ANSWER_MS = 30_000;

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface Destination {
  readonly status: string;
  readonly task_id?: string;
  readonly error?: string;
}

export interface ScanResult {
  readonly scan_id: string;
  readonly page_count: number;
  readonly pages: readonly string[];
  readonly documents: readonly {
    readonly filename: string;
    readonly page_count: number;
    readonly sha256: string;
    readonly destinations: readonly Destination[];
  }[];
}

export type Scanner = 'scanner' | 'slowScanner';

export interface Loaded {
  sent(pages: number): Promise<void>;
}

export interface Appliance extends Composition {
  get(url: string): Promise<Answer>;
  put(url: string, body: object): Promise<Answer>;
  /** POST /scan; rejects if the connection is lost. */
  scan(body: object): Promise<Answer>;
  scanned(body: object): Promise<ScanResult>;
  ready(): Promise<void>;
  /** Waits until a part passes the health check of its image. */
  healthy(part: string): Promise<void>;
  /** Puts paper into a virtual scanner: `{"stack": …}` or `{"pages": […]}`. */
  load(scanner: Scanner, paper: object): Promise<Loaded>;
  setFault(scanner: Scanner, fault: Fault | null): Promise<void>;
  idle(scanner: Scanner): Promise<void>;
}

export async function attach(): Promise<Appliance> {
  const file = process.env[FACTS_VARIABLE];
  if (file === undefined) throw new Error('These tests are run by "npm run test:compose".');
  const facts: CompositionFacts = JSON.parse(await readFile(file, 'utf8'));
  const appliance = createAppliance(createComposition(facts));
  await appliance.ready();
  return appliance;
}

export function createAppliance(composition: Composition): Appliance {
  const { ports } = composition.facts;
  const service = `http://127.0.0.1:${ports.service}`;
  const get: Appliance['get'] = async (url) => answerOf(await request(`${service}${url}`));
  const put: Appliance['put'] = async (url, body) =>
    answerOf(await request(`${service}${url}`, { method: 'PUT', body }));
  const scan: Appliance['scan'] = async (body) =>
    answerOf(await request(`${service}/scan`, { body, timeoutMs: SCAN_MS }));
  const control = (scanner: Scanner, what: string): string =>
    `http://127.0.0.1:${ports[scanner]}/control/${what}`;
  const state = async (scanner: Scanner): Promise<Record<string, unknown>> =>
    answerOf(await request(control(scanner, 'state'))).body;
  const pagesSent = async (scanner: Scanner): Promise<number> =>
    Number((await state(scanner))['pagesSent']);
  return {
    ...composition,
    get,
    put,
    scan,
    scanned: async (body) => {
      const answer = await scan(body);
      if (answer.status !== 200) throw new Error(`POST /scan: ${JSON.stringify(answer)}`);
      return answer.body as unknown as ScanResult;
    },
    ready: async () =>
      until(READY_MS, 'the service to be ready', async () => {
        const answer = await get('/ready').catch(() => undefined);
        return answer?.status === 200;
      }),
    healthy: async (part) => {
      const id = await composition.container(part);
      const format = ['inspect', '-f', '{{.State.Health.Status}}', id];
      await until(READY_MS, `${part} to be healthy`, async () => {
        return (await composition.docker.run(format)).trim() === 'healthy';
      });
    },
    load: async (scanner, body) => {
      const before = await pagesSent(scanner);
      const { statusCode, body: text } = await request(control(scanner, 'load'), { body });
      if (statusCode !== 200) throw new Error(`the virtual scanner took no paper: ${text}`);
      return {
        sent: async (pages) =>
          until(FED_MS, `page ${pages}`, async () => (await pagesSent(scanner)) >= before + pages),
      };
    },
    setFault: async (scanner, fault) => {
      const { statusCode, body } = await request(control(scanner, 'fault'), { body: fault });
      if (statusCode !== 200) throw new Error(`the virtual scanner refused a fault: ${body}`);
    },
    idle: async (scanner) =>
      until(
        FED_MS,
        'the scanner to stop',
        async () => (await state(scanner))['scanning'] === false,
      ),
  };
}

/** Polls `look` until it returns true. Throws after `ms`. */
export async function until(
  ms: number,
  what: string,
  look: () => Promise<boolean>,
  everyMs = LOOK_EVERY_MS,
): Promise<void> {
  const giveUp = Date.now() + ms;
  while (!(await look())) {
    if (Date.now() > giveUp) throw new Error(`waited ${ms / 1000} s for ${what}`);
    await sleep(everyMs);
  }
}

interface RequestSettings {
  /** By default POST with a body, otherwise GET. */
  readonly method?: 'POST' | 'PUT';
  readonly body?: object | null;
  readonly timeoutMs?: number;
}

async function request(
  url: string,
  { method = 'POST', body, timeoutMs = ANSWER_MS }: RequestSettings = {},
): Promise<Response<string>> {
  return got(url, {
    ...(body !== undefined && { method, json: body }),
    timeout: { request: timeoutMs },
    retry: { limit: 0 },
    throwHttpErrors: false,
  });
}

function answerOf({ statusCode, body }: Response<string>): Answer {
  return { status: statusCode, body: JSON.parse(body) as Record<string, unknown> };
}

export async function secret({ facts }: Composition, name: string): Promise<string> {
  return (await readFile(path.join(facts.workspace, 'secrets', name), 'utf8')).trim();
}
