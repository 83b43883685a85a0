import { attach } from '../appliance.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('which parts reach each other');
const appliance = await attach();

/** Time limits for a container to answer another, and for being sure that it does not. */
const ANSWER_MS = 60_000;
const SILENCE_MS = 3000;

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Connects from a part to all targets at once. Returns `connected` or the error code for each. */
async function connects(part: string, targets: readonly Target[], ms: number): Promise<string[]> {
  const printed = await appliance.node(
    part,
    `const net = require('net');
     const attempt = (target) => new Promise((resolve) => {
       const socket = net.connect(target, () => resolve('connected'));
       socket.on('error', (error) => resolve(error.code));
       setTimeout(() => resolve('silence'), ${ms});
     });
     Promise.all(${JSON.stringify(targets)}.map(attempt))
       .then((ends) => { console.log(JSON.stringify(ends)); process.exit(); });`,
  );
  return JSON.parse(printed) as string[];
}

async function assertReaches(part: string, targets: readonly Target[]): Promise<void> {
  const ends = await connects(part, targets, ANSWER_MS);
  for (const [index, { host }] of targets.entries()) {
    assert.is(ends[index], 'connected', `${part} to ${host}: ${ends[index]}`);
  }
}

async function assertReachesNone(part: string, targets: readonly Target[]): Promise<void> {
  const ends = await connects(part, targets, SILENCE_MS);
  assert.is(ends.length, targets.length);
  for (const [index, { host }] of targets.entries()) {
    assert.is.not(ends[index], 'connected', `${part} to ${host}`);
  }
}

async function addresses(part: string): Promise<string[]> {
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
  const id = await appliance.container(part);
  return (await appliance.docker.run(['inspect', '-f', format, id])).trim().split(/\s+/);
}

async function targetsOf(part: string, port: number): Promise<Target[]> {
  return (await addresses(part)).map((host) => ({ host, port }));
}

/** Public addresses that accept connections from anywhere. */
const INTERNET = ['1.1.1.1', '9.9.9.9'].map((host) => ({ host, port: 443 }));
const PAPERLESS = { host: 'paperless', port: 8000 };
const PROCESSOR = { host: 'processor', port: 8081 };
const SERVICE = { host: 'service', port: 8080 };
const SCANNER = { host: 'virtual-scanner', port: 8089 };
const dms = appliance.facts.dms === 'sample' ? 'sample-dms' : 'paperless';

test('the service reaches the processor and the DMS', async () => {
  await assertReaches('service', [PROCESSOR, PAPERLESS]);
});

test('the processor reaches neither the DMS, the scanners nor the internet', async () => {
  await assertReachesNone('processor', [
    PAPERLESS,
    SCANNER,
    ...(await targetsOf(dms, PAPERLESS.port)),
    ...(await targetsOf('virtual-scanner', SCANNER.port)),
    ...INTERNET,
  ]);
});

test('the scanner runtime reaches only the scanners, not the DMS or the processor', async () => {
  await assertReaches('scanner', [SCANNER]);
  await assertReachesNone('scanner', [
    PAPERLESS,
    PROCESSOR,
    SERVICE,
    ...(await targetsOf(dms, PAPERLESS.port)),
    ...(await targetsOf('processor', PROCESSOR.port)),
    ...(await targetsOf('service', SERVICE.port)),
  ]);
});
