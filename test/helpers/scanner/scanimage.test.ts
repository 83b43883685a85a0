import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeviceRequest } from '../../../helpers/ipc/messages.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import {
  describeProgram,
  listProgram,
  parseDeviceList,
  scanProgram,
  setting,
  sourceAndMode,
  type ClaimedDevice,
} from '../../../helpers/scanner/scanimage.ts';
import { sourceInUse } from '../../../helpers/scanner/sources.ts';
import { AIRSCAN_ADF, BARE, FUJITSU_ADF, KODAK_ADF } from './device-samples.ts';

const test = suite('the command lines of scanimage');

const TOOL = { file: 'scanimage', env: { SANE_CONFIG_DIR: '/etc/sane.d' } };
const REQUEST: DeviceRequest = {
  device: 'auto',
  source: 'ADF Duplex',
  mode: 'Gray',
  resolution: 300,
  page_size: { width_mm: 210, height_mm: 297 },
  max_pages: 10,
  scanner_options: {},
  directory: '/scans/100%d',
  first_page: 4,
  first_sheet: 1,
};

function claimed(
  name: string,
  output: string,
  changes: Partial<DeviceRequest> = {},
): ClaimedDevice {
  const request = { ...REQUEST, ...changes };
  const options = parseOptions(output);
  return { name, request, options, source: sourceInUse(request, options) };
}

const args = (output: string, changes: Partial<DeviceRequest> = {}): readonly string[] =>
  scanProgram(TOOL, claimed("airscan:e0:Büro's 1", output, changes)).args;

test('a scan says source, settings, area and batch, in this order', () => {
  assert.equal(args(AIRSCAN_ADF), [
    "--device-name=airscan:e0:Büro's 1",
    '--source=ADF Duplex',
    '--mode=Gray',
    '--resolution=300',
    '-l',
    '0',
    '-t',
    '0',
    '-x',
    '210',
    '-y',
    '297',
    '--format=tiff',
    '--batch=page-%04d.tif',
    '--batch-start=4',
    '--batch-print',
    '--batch-prompt',
  ]);
});

test('a scan runs in its directory, whose name is in no argument', () => {
  const program = scanProgram(TOOL, claimed('a:b', AIRSCAN_ADF));
  assert.is(program.cwd, '/scans/100%d');
  assert.not.match(program.args.join(' '), '/scans');
});

test('a glass gives one page, a feeder is not counted', () => {
  assert.ok(args(AIRSCAN_ADF, { source: 'Flatbed' }).includes('--batch-count=1'));
  assert.ok(args(AIRSCAN_ADF, { source: 'Auto' }).includes('--batch-count=1'));
  assert.not.match(args(AIRSCAN_ADF, { source: 'ADF' }).join(' '), '--batch-count');
});

test('without a source the one that the scanner starts with counts', () => {
  assert.not.match(args(AIRSCAN_ADF, { source: undefined }).join(' '), /--source|--batch-count/u);
});

test('the size of the paper is set before the area where the device has it', () => {
  const fujitsu = args(FUJITSU_ADF).join(' ');
  assert.match(fujitsu, '--page-width=210 --page-height=297 -l 0 -t 0 -x 210 -y 297');
  assert.match(args(KODAK_ADF).join(' '), '--pagewidth=210 --pageheight=297 -l 0');
});

test('the size of the paper is kept within what the device takes', () => {
  const page_size = { width_mm: 221.5, height_mm: 297 };
  assert.match(args(FUJITSU_ADF, { page_size }).join(' '), '--page-width=221.121 ');
});

test('options that the device has not are not given', () => {
  assert.equal(args(BARE, { source: undefined }).slice(1, 3), [
    '--resolution=300',
    '--format=tiff',
  ]);
});

test('further options are given as they are, before the area', () => {
  const scanner_options = { swdeskew: true, ald: false, 'df-action': 'Stop', brightness: -3, l: 1 };
  assert.match(
    args(FUJITSU_ADF, { scanner_options }).join(' '),
    '--resolution=300 --swdeskew=yes --ald=no --df-action=Stop --brightness=-3 -l 1 --page-width',
  );
});

test('a value is never taken for an option', () => {
  assert.equal(setting('source', '--batch'), ['--source=--batch']);
});

test('a device is described with its settings made', () => {
  const { args, cwd } = describeProgram(TOOL, 'a:b', ['--source=ADF']);
  assert.equal(args, ['--device-name=a:b', '--source=ADF', '--all-options']);
  assert.is(cwd, '/');
  assert.equal(describeProgram(TOOL, 'a:b').args, ['--device-name=a:b', '--all-options']);
  assert.equal(sourceAndMode({ source: 'ADF', mode: 'Gray' }), ['--source=ADF', '--mode=Gray']);
  assert.equal(sourceAndMode({ mode: 'Gray' }), ['--mode=Gray']);
});

test('the list of devices is read field by field', () => {
  const { args } = listProgram(TOOL);
  const lines = [
    'airscan:e0:Büro | 1\u001FeSCL\u001FBüro | 1\u001Fip=127.0.0.1',
    'test:0\u001F\u001F\u001F',
    'a line of another kind',
    '\u001Fno\u001Fname\u001F',
    '',
  ].join('\n');
  assert.equal(args, ['--formatted-device-list=%d\u001F%v\u001F%m\u001F%t%n']);
  assert.equal(parseDeviceList(lines), [
    { name: 'airscan:e0:Büro | 1', vendor: 'eSCL', model: 'Büro | 1', type: 'ip=127.0.0.1' },
    { name: 'test:0', vendor: '', model: '', type: '' },
  ]);
});

test.run();
