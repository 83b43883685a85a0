import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attach } from '../appliance.ts';

const test = suite('who reaches whom');
const appliance = await attach();
await appliance.ready();

/** Longer than any container here takes to answer another one. */
const CONNECT_MS = 2000;

/** Whether a part gets a connection to a host and port: `connected`, or the code of the error. */
async function connects(part: string, host: string, port: number): Promise<string> {
  const printed = await appliance.node(
    part,
    `const socket = require('net').connect({host: '${host}', port: ${port}});
     const say = (text) => { console.log(text); process.exit(); };
     socket.on('connect', () => say('connected')).on('error', (error) => say(error.code));
     setTimeout(() => say('silence'), ${CONNECT_MS});`,
  );
  return printed.trim();
}

/** Addresses of a container in all its networks. */
async function addresses(part: string): Promise<string[]> {
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
  const printed = await appliance.docker.run([
    'inspect',
    '-f',
    format,
    await appliance.container(part),
  ]);
  return printed.trim().split(/\s+/);
}

/** Addresses that answer everybody who can reach them at all. */
const INTERNET = ['1.1.1.1', '9.9.9.9'];
const PORTS = { paperless: 8000, processor: 8081, service: 8080 };
const dms = appliance.facts.dms === 'sample' ? 'sample-dms' : 'paperless';

test('the service reaches the processor and the DMS', async () => {
  assert.is(await connects('service', 'processor', 8081), 'connected');
  assert.is(await connects('service', 'paperless', 8000), 'connected');
});

test('the processor has no way out: not to the DMS, not to the scanners, not to the internet', async () => {
  assert.is.not(await connects('processor', 'paperless', 8000), 'connected');
  for (const part of [dms, 'virtual-scanner']) {
    for (const address of await addresses(part)) {
      assert.is.not(await connects('processor', address, part === dms ? 8000 : 8089), 'connected');
    }
  }
  for (const address of INTERNET) {
    assert.is.not(await connects('processor', address, 443), 'connected');
  }
});

test('the scanner runtime reaches the scanners, and neither the DMS nor the processor', async () => {
  assert.is(await connects('scanner', 'virtual-scanner', 8089), 'connected');
  for (const name of ['paperless', 'processor', 'service'] as const) {
    assert.is.not(await connects('scanner', name, PORTS[name]), 'connected');
  }
  for (const [name, port] of Object.entries(PORTS)) {
    for (const address of await addresses(name === 'paperless' ? dms : name)) {
      assert.is.not(await connects('scanner', address, port), 'connected');
    }
  }
});

test('nobody but the service publishes a port', async () => {
  for (const part of ['scanner', 'processor']) {
    const ports = await appliance.docker.run(['port', await appliance.container(part)]);
    assert.is(ports.trim(), '');
  }
});

test.run();
