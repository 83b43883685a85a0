import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFixture } from '../../support/with-fixture.ts';
import { readDeployedService, startDeployedAppliance } from './deployed-service.ts';

const test = withFixture(suite('the service that the benchmark measures'), async () => {
  const appliance = await startDeployedAppliance({ profiles: [{ name: 'default' }] });
  return { service: appliance.service, close: () => appliance.close() };
});

test('it runs with the settings of its image, from code that was compiled before', async ({
  service,
}) => {
  const ofProcess = (name: string): string[] =>
    readFileSync(`/proc/${service.pid()}/${name}`, 'utf8').split('\0');
  const { environment, nodeOptions } = await readDeployedService();
  const variables = ofProcess('environ');
  for (const [name, value] of Object.entries(environment)) {
    assert.ok(variables.includes(`${name}=${value}`), name);
  }
  assert.equal(ofProcess('cmdline').slice(1, 1 + nodeOptions.length), nodeOptions);
  const cache = variables.find((line) => line.startsWith('NODE_COMPILE_CACHE='))?.split('=')[1];
  const files = readdirSync(cache ?? '', { recursive: true }).map(String);
  assert.ok(files.filter((file) => path.dirname(file) !== '.').length > 100, String(files.length));
});

test.run();
