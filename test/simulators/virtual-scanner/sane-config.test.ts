import { readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeSaneConfig } from '../../../simulators/virtual-scanner/virtual-scanner.ts';

const test = suite('private SANE configuration');

test('names its scanners and nothing else', async () => {
  const directory = await temporaryDirectory();
  const target = `${directory.path}/new/sane`;
  const scanners = [
    { name: 'Virtual', url: 'http://127.0.0.1:1/eSCL' },
    { name: 'Büro 2', url: 'http://127.0.0.1:2/eSCL' },
  ];
  assert.is(await writeSaneConfig(target, scanners), target);
  assert.is(await readFile(`${target}/dll.conf`, 'utf8'), 'airscan\n');
  assert.is(
    await readFile(`${target}/airscan.conf`, 'utf8'),
    `[devices]
"Virtual" = http://127.0.0.1:1/eSCL, eSCL
"Büro 2" = http://127.0.0.1:2/eSCL, eSCL
[options]
discovery = disable
`,
  );
  await directory.remove();
});

test.run();
