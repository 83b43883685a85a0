import { attach } from '../appliance.ts';
import { assertShared, assertSurvivesKill, scanPages } from '../two-processors.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('docker compose up --scale processor=2');
const appliance = await attach();

async function scaleTo(count: number): Promise<string[]> {
  const up = ['up', '--detach', '--no-build', '--no-recreate', '--wait'];
  await appliance.compose([...up, '--scale', `processor=${count}`, 'processor']);
  return appliance.containers('processor');
}

const processors = await scaleTo(2);

test('two processors share the pages of one scan', () => assertShared(appliance, processors));

test('a scan survives the death of one processor', () =>
  assertSurvivesKill(appliance, processors[0] ?? ''));

test('one processor can be removed again', async () => {
  assert.is((await scaleTo(1)).length, 1);
  await scanPages(appliance, 1);
});
