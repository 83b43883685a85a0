import { load, YAML11_SCHEMA } from 'js-yaml';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = path.resolve(import.meta.dirname, '../../..');

interface Network {
  readonly name: string;
  readonly driver?: string;
  readonly attachable?: boolean;
  readonly internal?: boolean;
}

interface Stack {
  readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly networks: Readonly<Record<string, Network>>;
}

function read(file: string): Stack {
  // Compose's own tags say how a value replaces that of another file; here only the values count.
  const text = readFileSync(path.join(ROOT, file), 'utf8').replaceAll('!override', '');
  return load(text, { schema: YAML11_SCHEMA }) as Stack;
}

const stack = read('deploy/swarm/stack.yml');
const composed = read('docker-compose.yml');
const over = read('deploy/swarm/compose.yml');
const processor = stack.services['processor'] ?? {};

const test = suite('deploy/swarm');

test('a replica is set up as the processor of docker-compose.yml', () => {
  const same = ['user', 'init', 'read_only', 'cap_drop', 'logging', 'stop_grace_period'];
  for (const key of same) {
    assert.equal(processor[key], composed.services['processor']?.[key], key);
  }
  assert.equal(processor['networks'], ['processing']);
  assert.is(processor['ports'], undefined);
});

test('its network has no way out, and the scan machine joins it by its name', () => {
  assert.equal(stack.networks['processing'], {
    name: 'scan-service-processing',
    driver: 'overlay',
    attachable: true,
    internal: true,
  });
  assert.equal(over.networks['processing'], { name: 'scan-service-processing', external: true });
});

test.run();
