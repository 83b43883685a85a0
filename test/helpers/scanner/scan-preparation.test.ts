import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment } from '../../../helpers/child-process.ts';
import type { Failure } from '../../../helpers/failure.ts';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import { settable } from '../../../helpers/scanner/device-description.ts';
import {
  listDevices,
  prepareScan,
  readOptions,
} from '../../../helpers/scanner/scan-preparation.ts';
import type { Scanimage } from '../../../helpers/scanner/scanimage.ts';
import { REQUEST as PLAIN } from './device-samples.ts';
import {
  type TemporaryDirectory,
  assert,
  failure,
  temporaryDirectory,
  suite,
} from '../../support/suite.ts';

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

const read = (tool: Scanimage, source?: string): ReturnType<typeof readOptions> =>
  readOptions(tool, 'test:0', source, NEVER);
const prepare = (tool: Scanimage, changes: Partial<ScanRequest>): ReturnType<typeof prepareScan> =>
  prepareScan(tool, 'test:0', { ...REQUEST, ...changes }, NEVER);
const refused = (asked: Promise<unknown>): Promise<Failure> =>
  failure('scan_option_rejected', asked);

test('options are those of the source', async ({ tool }) => {
  assert.is(settable(await read(tool), 'source')?.current, 'Flatbed');
  assert.is(settable(await read(tool, FEEDER), 'source')?.current, FEEDER);
});

test('a source in another case is refused although scanimage takes it', async ({ tool }) => {
  assert.is((await refused(read(tool, FEEDER.toLowerCase()))).facts['nearest'], FEEDER);
});

test('a source that scanimage refuses is refused with the list', async ({ tool }) => {
  assert.equal((await refused(read(tool, 'ADF'))).facts['valid_values'], ['Flatbed', FEEDER]);
});

test('a device that is not there is told', async ({ tool }) => {
  await failure('no_scanner_detected', readOptions(tool, 'test:9', undefined, NEVER));
  await failure('no_scanner_detected', prepareScan(tool, 'test:9', REQUEST, NEVER));
});

test('an option that another one makes active is taken', async ({ tool }) => {
  const scanner_options = { 'read-delay': true, 'read-delay-duration': 2000 };
  const { options } = await prepare(tool, { scanner_options });
  assert.ok(settable(options, 'read-delay-duration'));
});

test('an option that stays inactive is refused', async ({ tool }) => {
  const scanner_options = { 'three-pass': true };
  const { facts, message } = await refused(prepare(tool, { scanner_options }));
  assert.is(facts['option'], 'three-pass');
  assert.match(message, 'inactive');
  await prepare(tool, { mode: 'Color', scanner_options });
});

test('an option is refused before another look at the device', async ({ tool }) => {
  const scanner_options = { 'read-delay': 'perhaps', 'read-delay-duration': 2000 };
  assert.is((await refused(prepare(tool, { scanner_options }))).facts['option'], 'read-delay');
});
