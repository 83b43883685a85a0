import { readdirSync, readlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { readDeployedService } from '../../bench/service/deployed-service.ts';
import { createPart, type Part } from '../../support/appliance/part.ts';
import { storeScan } from '../../support/stored-scan.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';
import { sendTo, type TestAnswer } from '../../support/test-app.ts';
import { within } from '../../support/within.ts';
import { collectGarbage, COLLECTS_GARBAGE } from '../memory-support/garbage.ts';
import { resourcesOf } from '../support/process-resources.ts';

export interface AbuseContext {
  temporary: TemporaryDirectory;
  service: Part;
  /** What the service takes when nobody asks it anything. */
  calm: { sockets: number; megabytes: number };
}

/** What a test that has ended may have left of memory, and for how long a socket may be there after its end. */
export const GROWTH_MB = 30;
const SOCKETS_MS = 8000;
/** Only a hang takes so long. */
const ANSWER_MS = 20_000;

export type AbuseTest = ((
  title: string,
  body: (context: AbuseContext) => Promise<void>,
) => void) & { readonly run: () => void };

/**
 * Runs a suite against the real program; its scanner and its processor are not there, which no test gets as far as to need. After
 * each test the service answers, has kept no socket and little memory, and did nothing that it takes for a bug.
 */
export function abuseSuite(tests: Test<AbuseContext>): AbuseTest {
  tests.before(start);
  tests.after(async ({ service, temporary }) => {
    await service.stop();
    await temporary.remove();
  });
  const test = (title: string, body: (context: AbuseContext) => Promise<void>): void => {
    tests(title, async (context) => {
      await body(context);
      await checkUnharmed(context);
    });
  };
  return Object.assign(test, { run: () => tests.run() });
}

async function start(context: AbuseContext): Promise<void> {
  context.temporary = await temporaryDirectory();
  const inside = (name: string): string => path.join(context.temporary.path, name);
  await mkdir(inside('profiles'));
  await writeFile(inside('profiles/default.yaml'), '{ name: default, destinations: [] }');
  await storeScan(inside('scans'));
  const deployed = await readDeployedService();
  const environment = (): Record<string, string> => ({
    ...deployed.environment,
    PORT: '0',
    PROFILES_DIR: inside('profiles'),
    OUTPUT_DIR: inside('scans'),
    SCANNER_SOCKET: inside('scanner.sock'),
    PROCESSOR_URL: 'http://127.0.0.1:1',
    SECRETS_DIR: inside('secrets'),
    LOG_LEVEL: 'info',
  });
  context.service = createPart('the service', 'service/main.ts', environment, {
    nodeOptions: [...deployed.nodeOptions, COLLECTS_GARBAGE],
  });
  await context.service.start();
  for (let times = 0; times < 400; times += 1) {
    await post(context.service, '/scan', '{"profile":5}');
    await sendTo(context.service.port(), { path: '/scans' });
  }
  const megabytes = await megabytesKept(context.service);
  context.calm = { sockets: socketsOf(context.service), megabytes };
}

async function checkUnharmed(context: AbuseContext): Promise<void> {
  const { service, calm } = context;
  const until = Date.now() + SOCKETS_MS;
  let sockets: number;
  do {
    const { status } = await within(
      ANSWER_MS,
      sendTo(service.port(), { path: '/health' }),
      'health',
    );
    assert.is(status, 200);
    // The kernel tells nobody that another process closed a socket.
    sockets = socketsOf(service);
  } while (sockets > calm.sockets && Date.now() < until);
  assert.ok(sockets <= calm.sockets, `${sockets} sockets are left`);
  const growth = (await megabytesKept(service)) - calm.megabytes;
  assert.ok(growth < GROWTH_MB, `${growth} MB more than before`);
  assert.not.match(service.output(), /"event":"internal_error"/);
}

export function socketsOf(service: Part): number {
  const directory = `/proc/${service.pid()}/fd`;
  const targets = readdirSync(directory).map((name) => {
    try {
      return readlinkSync(path.join(directory, name));
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith('socket:')).length;
}

/** Resident memory once the garbage is collected, which V8 would else leave until it needs the room. */
async function megabytesKept(service: Part): Promise<number> {
  await collectGarbage(service);
  return Math.round(resourcesOf(service.pid()).megabytes);
}

export function post(
  service: Part,
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const json = { 'Content-Type': 'application/json' };
  const request = { method: 'POST', path: url, headers: { ...json, ...headers }, body };
  return within(ANSWER_MS, sendTo(service.port(), request), `the answer of POST ${url}`);
}

/**
 * Writes to the service as it stands and gives what came back until it hung up, at most 1 MB of it. `more` is written
 * again and again until then.
 */
export async function exchange(
  service: Part,
  request: string | Buffer,
  more?: (socket: Socket) => Promise<void>,
): Promise<string> {
  const socket = connect(service.port(), '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.length < 1000 && received.push(chunk));
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(request);
  void (async () => {
    if (more === undefined) return;
    while (!socket.destroyed) await more(socket);
  })();
  try {
    await within(ANSWER_MS, closed, `the end of ${String(request).slice(0, 80)}`);
  } finally {
    socket.destroy();
  }
  return Buffer.concat(received).toString('latin1').slice(0, 1_048_576);
}

export const ask = (lines: string[], body = ''): string => `${lines.join('\r\n')}\r\n\r\n${body}`;

/** Status codes of the answers in what came back. */
export const statusesIn = (answer: string): number[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));

/** Head of a request that scans. */
export const JSON_POST = ['POST /scan HTTP/1.1', 'Host: a', 'Content-Type: application/json'];

export const CLOSE = 'Connection: close';
