import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const CHECKOUT = path.resolve(import.meta.dirname, '../../..');
const fileOf = (name: string): Promise<string> => readFile(path.join(CHECKOUT, name), 'utf8');

const test = suite('rights to USB devices');

test('systemd and Compose give them by the number of USB devices, which does not depend on what the kernel has loaded', async () => {
  const unit = await fileOf('deploy/systemd/scan-service-scanner.service');
  const compose = await fileOf('docker-compose.yml');
  const allowed = [...unit.matchAll(/^DeviceAllow=(.*)$/gmu)].map(([, rule]) => rule);
  const [, major] = /^ *device_cgroup_rules: \['c (\d+):\* rmw'\]$/mu.exec(compose) ?? [];
  assert.is(major, '189');
  assert.equal(allowed, [`char-${major} rw`]);
});

test.run();
