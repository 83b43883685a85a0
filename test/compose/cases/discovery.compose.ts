import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { attach, until } from '../appliance.ts';
import { assert, suite } from '../../support/suite.ts';

/** Time limit from an announcement to SANE's list. On a busy machine, each search takes seconds. */
const FOUND_MS = 120_000;

const test = suite('discovery of network scanners');
const appliance = await attach();

const airscan = path.join(appliance.facts.workspace, 'sane.d', 'airscan.conf');
const SEARCH = { env: { DISCOVERY: 'on' } };
const searching = ['--profile', 'discovery'];

async function devices(): Promise<string> {
  const scanner = await appliance.container('scanner');
  return appliance.docker.run(['exec', scanner, 'scanimage', '-L']);
}

test('with the profile "discovery", an unconfigured scanner scans', async () => {
  const configured = await readFile(airscan, 'utf8');
  await writeFile(airscan, '[options]\ndiscovery = disable\n');
  try {
    assert.match(await devices(), /No scanners were identified/);
    const parts = ['scanner', 'discovery', 'announcer'];
    await appliance.compose([...searching, 'up', '--detach', '--no-build', ...parts], SEARCH);
    await until(FOUND_MS, 'the scanner to be found', async () =>
      (await devices()).includes('airscan:e0:Found by itself'),
    );
    await appliance.ready();
    await appliance.load('scanner', { pages: ['letter-bank.jpg'] });
    assert.is((await appliance.scanned({ profile: 'found' })).page_count, 1);
  } finally {
    await writeFile(airscan, configured);
    await appliance.compose([...searching, 'rm', '--stop', '--force', 'discovery', 'announcer']);
    await appliance.compose(['up', '--detach', '--no-build']);
  }
  await appliance.ready();
});
