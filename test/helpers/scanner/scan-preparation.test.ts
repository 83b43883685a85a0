import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment } from '../../../helpers/child-process.ts';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import { settable } from '../../../helpers/scanner/device-description.ts';
import {
  listDevices,
  prepareScan,
  readOptions,
} from '../../../helpers/scanner/scan-preparation.ts';
import type { Scanimage } from '../../../helpers/scanner/scanimage.ts';
import { REQUEST as PLAIN } from './device-samples.ts';
import { failure } from '../../support/rejection.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

/** With the real scanimage and SANE's `test` backend, whose two devices are `test:0` and `test:1`. */
const test = suite<{ directory: TemporaryDirectory; tool: Scanimage }>('looking at a device');

test.before(async (context) => {
  context.directory = await temporaryDirectory();
  const configDir = path.join(context.directory.path, 'sane');
  await mkdir(configDir);
  await writeFile(path.join(configDir, 'dll.conf'), 'test\n');
  const env = programEnvironment({ SANE_CONFIG_DIR: configDir });
  context.tool = { file: 'scanimage', env };
});
test.after(async ({ directory }) => directory.remove());

const NEVER = new AbortController().signal;
const FEEDER = 'Automatic Document Feeder';
const REQUEST: ScanRequest = {
  ...PLAIN,
  device: 'test:0',
  source: FEEDER,
  resolution: 100,
  page_size: { width_mm: 100, height_mm: 100 },
};

test('without any device the list is empty', async ({ directory }) => {
  const none = path.join(directory.path, 'none');
  await mkdir(none);
  await writeFile(path.join(none, 'dll.conf'), '\n');
  const env = programEnvironment({ SANE_CONFIG_DIR: none });
  assert.equal(await listDevices({ file: 'scanimage', env }, NEVER), []);
});

test('options are those of the source', async ({ tool }) => {
  assert.is(
    settable(await readOptions(tool, 'test:0', undefined, NEVER), 'source')?.current,
    'Flatbed',
  );
  assert.is(settable(await readOptions(tool, 'test:0', FEEDER, NEVER), 'source')?.current, FEEDER);
});

test('a source in another case is refused although scanimage takes it', async ({ tool }) => {
  const { facts } = await failure(
    'scan_option_rejected',
    readOptions(tool, 'test:0', FEEDER.toLowerCase(), NEVER),
  );
  assert.is(facts['nearest'], FEEDER);
});

test('a source that scanimage refuses is refused with the list', async ({ tool }) => {
  const { facts } = await failure(
    'scan_option_rejected',
    readOptions(tool, 'test:0', 'ADF', NEVER),
  );
  assert.equal(facts['valid_values'], ['Flatbed', FEEDER]);
});

test('a device that is not there is told', async ({ tool }) => {
  await failure('no_scanner_detected', readOptions(tool, 'test:9', undefined, NEVER));
  await failure('no_scanner_detected', prepareScan(tool, 'test:9', REQUEST, NEVER));
});

test('an option that another one makes active is taken', async ({ tool }) => {
  const scanner_options = { 'read-delay': true, 'read-delay-duration': 2000 };
  const request = { ...REQUEST, scanner_options };
  const { options } = await prepareScan(tool, 'test:0', request, NEVER);
  assert.ok(settable(options, 'read-delay-duration'));
});

test('an option that stays inactive is refused', async ({ tool }) => {
  const scanner_options = { 'three-pass': true };
  const { facts, message } = await failure(
    'scan_option_rejected',
    prepareScan(tool, 'test:0', { ...REQUEST, scanner_options }, NEVER),
  );
  assert.is(facts['option'], 'three-pass');
  assert.match(message, 'inactive');
  await prepareScan(tool, 'test:0', { ...REQUEST, mode: 'Color', scanner_options }, NEVER);
});

test('an option is refused before another look at the device', async ({ tool }) => {
  const scanner_options = { 'read-delay': 'perhaps', 'read-delay-duration': 2000 };
  const { facts } = await failure(
    'scan_option_rejected',
    prepareScan(tool, 'test:0', { ...REQUEST, scanner_options }, NEVER),
  );
  assert.is(facts['option'], 'read-delay');
});

test.run();
