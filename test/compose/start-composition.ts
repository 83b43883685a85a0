import { existsSync, rmdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { serve } from '../support/serve.ts';
import { createAppliance, until } from './appliance.ts';
import {
  createComposition,
  type Composition,
  type CompositionFacts,
  type DmsKind,
} from './composition.ts';
import { createDocker, type Commands } from './engine/docker.ts';
import { makeWorkspace } from './workspace.ts';

/** The same images as in docker-compose.yml. */
const PAPERLESS_IMAGES = [
  'ghcr.io/paperless-ngx/paperless-ngx:3.0.5',
  'docker.io/valkey/valkey:9-alpine',
];
/** Time limit of a pull. The image of Paperless-ngx has more than a gigabyte. */
const PULL_MS = 20 * 60_000;
/** Time limit for the token. At its first start, Paperless-ngx creates its database before that. */
const TOKEN_MS = 15 * 60_000;
const PARTS = ['service', 'scanner', 'processor'];
const LOG_LINES = '60';
const USB = '/dev/bus/usb';

interface StartOptions {
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  readonly undo: (what: string, run: () => Promise<void>) => void;
}

export interface RunningComposition {
  readonly factsFile: string;
  /** True if the engine runs containers of others. */
  readonly neighbours: boolean;
  logs(): Promise<string>;
}

export async function startComposition(
  commands: Commands,
  { signal, say, undo }: StartOptions,
): Promise<RunningComposition> {
  const dms = await findDms(commands, signal);
  say(`DMS: ${DMS_NAMES[dms]}`);
  const facts = await makeFacts(commands, dms, undo);
  const composition = createComposition(facts);
  const others = await composition.docker.run(['ps', '--quiet']);
  removeMadeUsb(undo);
  undo('taking the composition down', async () => {
    const down = ['down', '--volumes', '--remove-orphans', '--timeout', '5'];
    await composition.compose(['--profile', '*', ...down]);
    await composition.docker.try(['rmi', ...imagesOf(facts)]);
  });
  say('building the images …');
  await composition.compose(['build'], { signal });
  say('starting the composition …');
  const asked = Date.now();
  try {
    await composition.compose(['up', '--detach', '--no-build'], { signal });
    await createAppliance(composition).ready();
  } catch (error) {
    say(await logsOf(composition));
    throw error;
  }
  say(`ready ${((Date.now() - asked) / 1000).toFixed(1)} s after "docker compose up"`);
  if (dms === 'paperless') await untilTokenIsThere(facts);
  return {
    factsFile: path.join(facts.workspace, 'facts.json'),
    neighbours: others.trim() !== '',
    logs: async () => logsOf(composition),
  };
}

async function logsOf(composition: Composition): Promise<string> {
  const options = ['--no-color', '--tail', LOG_LINES];
  const { stdout, stderr } = await composition.tryCompose(['logs', ...options, ...PARTS]);
  return stdout + stderr;
}

const DMS_NAMES: Readonly<Record<DmsKind, string>> = {
  paperless: 'Paperless-ngx, the real one',
  sample: 'the sample of Paperless-ngx, as its image cannot be pulled',
};

async function findDms({ docker: file }: Commands, signal: AbortSignal): Promise<DmsKind> {
  const docker = createDocker(file);
  for (const image of PAPERLESS_IMAGES) {
    const there = await docker.try(['image', 'inspect', image]);
    if (there.exitCode === 0) continue;
    const pulled = await docker.try(['pull', '--quiet', image], { timeoutMs: PULL_MS, signal });
    if (pulled.exitCode !== 0) return 'sample';
  }
  return 'paperless';
}

async function makeFacts(
  commands: Commands,
  dms: DmsKind,
  undo: StartOptions['undo'],
): Promise<CompositionFacts> {
  const workspace = await makeWorkspace(dms);
  undo('removing the workspace', async () => workspace.remove());
  const [service = 0, scanner = 0, slowScanner = 0, dmsPort = 0, archive = 0] = await freePorts(5);
  const facts: CompositionFacts = {
    commands,
    project: `scan-service-test-${process.pid}`,
    dms,
    workspace: workspace.directory,
    ports: { service, scanner, slowScanner, dms: dmsPort, archive },
    environment: {
      ...workspace.environment,
      IMAGE_TAG: `test-${process.pid}`,
      LISTEN_ADDRESS: '127.0.0.1',
      LISTEN_PORT: String(service),
      PAPERLESS_PORT: String(dmsPort),
      TEST_SCANNER_PORT: String(scanner),
      TEST_SLOW_SCANNER_PORT: String(slowScanner),
      TEST_ARCHIVE_PORT: String(archive),
      LOG_LEVEL: 'debug',
      // Ignores an operator's own .env.
      COMPOSE_DISABLE_ENV_FILE: '1',
      COMPOSE_PROFILES: dms === 'paperless' ? 'paperless' : '',
    },
  };
  await writeFile(path.join(workspace.directory, 'facts.json'), JSON.stringify(facts));
  return facts;
}

function imagesOf({ environment }: CompositionFacts): string[] {
  return PARTS.map((part) => `scan-service/${part}:${environment['IMAGE_TAG']}`);
}

/** A container obtains the token of Paperless-ngx and writes it to a file. */
async function untilTokenIsThere({ workspace }: CompositionFacts): Promise<void> {
  await until(TOKEN_MS, "Paperless-ngx's token", async () =>
    existsSync(path.join(workspace, 'secrets', 'dms_api_token')),
  );
}

/** On a machine without USB, the engine creates the mounted directory. */
function removeMadeUsb(undo: StartOptions['undo']): void {
  if (existsSync(USB)) return;
  undo(`removing ${USB}`, async () => {
    if (existsSync(USB) && process.getuid?.() === 0) {
      rmdirSync(USB);
      rmdirSync(path.dirname(USB));
    }
  });
}

/** Ports that restarted containers keep, unlike ports that Docker chooses. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => serve(() => {})));
  await Promise.all(servers.map(({ close }) => close()));
  return servers.map(({ port }) => port);
}
