import { isDeviceName, lastingName } from '../../../helpers/device-names.ts';
import type { FailureFacts } from '../../../helpers/failure.ts';
import type {
  Device,
  DeviceDescription,
  DeviceRequest,
  ScanRequest,
} from '../../../helpers/ipc/messages.ts';
import { chooseDevice } from '../../../helpers/scanner/device-choice.ts';
import { describeDevice } from '../../../helpers/scanner/device-description.ts';
import { detectsPaper, fitRequest } from '../../../helpers/scanner/fit-request.ts';
import { checkScan, inactiveOptions } from '../../../helpers/scanner/option-checks.ts';
import { parseOptions, type ScannerOption } from '../../../helpers/scanner/option-lines.ts';
import { parseDeviceList } from '../../../helpers/scanner/scanimage.ts';
import { sensorsOf, type Sensors } from '../../../helpers/scanner/sensors.ts';
import { sourceInUse, type SourceInUse } from '../../../helpers/scanner/sources.ts';
import {
  isUnknownSource,
  namesFeeder,
  usualMode,
  usualResolution,
  usualSource,
} from '../../../helpers/scanner-words.ts';
import { suggestedProfile } from '../../../service/profiles/suggested-profile.ts';
import { assert, suite, thrown } from '../../support/suite.ts';
import { AIRSCAN_ADF, BARE, FUJITSU_ADF, KODAK_ADF, REQUEST } from './device-samples.ts';
import { printed, RECORDED_DEVICES, RECORDED_LISTS } from './recorded-devices.ts';

const reading = suite('options as scanimage prints them');

const range = (...[min, max, step]: number[]): object => ({ kind: 'range', min, max, step });
const words = (...values: string[]): object => ({ kind: 'words', values });
const numbers = (...values: number[]): object => ({ kind: 'numbers', values });
const [BOOL, BUTTON, ANY] = ['bool', 'button', 'any'].map((kind) => ({ kind }));

const UNSETTABLE = { settable: false, current: 'no' };
const INACTIVE = { active: false, current: undefined };
const LINES: Readonly<Record<string, readonly [object | undefined, Partial<ScannerOption>?]>> = {
  '--source Flatbed|ADF|ADF Duplex [Flatbed]': [
    words('Flatbed', 'ADF', 'ADF Duplex'),
    { name: 'source', unit: '', current: 'Flatbed', active: true, settable: true },
  ],
  '--resolution 100|150|600dpi [300]': [numbers(100, 150, 600), { unit: 'dpi', current: '300' }],
  '--df-thickness 0|1|auto mm [0]': [words('0', '1', 'auto mm')],
  '--mode |Gray []': [words('', 'Gray')],
  '--page-width 0..224.846mm (in steps of 0.0211639) [215.872]': [
    range(0, 224.846, 0.0211639),
    { unit: 'mm', current: '215.872' },
  ],
  '--brightness -127..127 [0]': [range(-127, 127, 0), { unit: '' }],
  '--brightness 0..0 [inactive]': [range(0, 0, 0), INACTIVE],
  '--compression None|JPEG [JPEG] [advanced]': [words('None', 'JPEG'), { current: 'JPEG' }],
  '--exposure 1e-05..2.5e+06us (in steps of 1e-05) [3]': [range(1e-5, 2.5e6, 1e-5)],
  '-x 0..215.9mm [215.9]': [range(0, 215.9, 0), { name: 'x', unit: 'mm' }],
  '--swdeskew[=(yes|no)] [no] [advanced]': [BOOL, { current: 'no', active: true, settable: true }],
  '--gamma[=(auto|yes|no)] [yes]': [BOOL],
  '--page-height 0..2750.47mm (in steps of 0.02) [inactive]': [range(0, 2750.47, 0.02), INACTIVE],
  '--three-pass[=(yes|no)] [inactive]': [BOOL, { active: false }],
  '--scan[=(yes|no)] [no] [hardware]': [BOOL, UNSETTABLE],
  '--page-loaded[=(yes|no)] [yes] [read-only]': [BOOL, { settable: false }],
  '--scan[=(yes|no)] [inactive] [hardware]': [BOOL, { settable: false, active: false }],
  '--calibrate': [BUTTON],
  '--calibrate [inactive]': [BUTTON, { active: false }],
  '--string <string> [This [is] the contents]': [ANY, { current: 'This [is] the contents' }],
  '--int <int> [42] [advanced]': [ANY],
  '--fixed <float> [inactive]': [ANY],
  '--red-gamma-table 0..255,... (in steps of 1) [advanced]': [
    range(0, 255, 1),
    { current: undefined },
  ],
  // `auto` is not a resolution.
  '--resolution auto|75|150dpi [75]': [numbers(75, 150)],
};
for (const [line, [constraint, expected = {}]] of Object.entries(LINES)) {
  reading(`"${line}" is read`, () => {
    const found = parseOptions(`  Group:\n    ${line}\n        An explanation.\n`);
    assert.is(found.length, 1);
    assert.equal(found[0]?.constraint, constraint);
    assert.equal({ ...found[0], ...expected }, found[0]);
  });
}

reading('titles, explanations and messages are no options', () => {
  const output = `Output format is not set, using pnm as a default.

All options specific to device \`airscan:e0:Büro 1':
  Standard:
        --source is explained here [Flatbed]
    --mode Color|Gray [Color]
        Selects the scan mode.
    - not an option`;
  assert.equal(
    parseOptions(output).map(({ name }) => name),
    ['mode'],
  );
  assert.equal(parseOptions(''), []);
});

const recorded = suite('recorded devices');

for (const device of RECORDED_DEVICES) {
  const options = parseOptions(printed(device));
  const description = describeDevice(device.name, options);

  recorded(`${device.name}: every option is read with its values`, () => {
    assert.is(options.length, device.options.length);
    const { sources, source, modes, resolutions } = description;
    assert.is(sources.join('|'), device.sources ?? '');
    assert.is(source, device.source);
    assert.is(modes.join('|'), device.modes ?? 'Lineart|Gray|Color');
    assert.equal(resolutions, device.resolutions);
    const [width_mm, height_mm] = device.max_page;
    assert.equal(description.max_page, { width_mm, height_mm });
    const offered = device.options.filter(
      (line) => !/\[(?:inactive|hardware|read-only)\]/u.test(line),
    );
    const names = offered.map((line) => /^[\w-]+(?: \d(?=\[))?/u.exec(line)?.[0]);
    assert.equal(description.options, names);
    // An empty word in a list, or a number with its unit, indicates a parse error.
    const odd = options.filter(
      ({ name, constraint }) =>
        name !== 'df-diff' &&
        constraint.kind === 'words' &&
        constraint.values.some((word) => /^$|^\d+(?:dpi|mm)?$/u.test(word)),
    );
    assert.equal(odd, []);
  });

  recorded(
    `${device.name}: the suggested profile is gray, uses both sides if possible, and is accepted`,
    () => {
      const [source, mode] = device.suggested ?? [undefined, 'Gray'];
      const resolution = usualResolution(description.resolutions);
      assert.equal(
        [usualSource(description.sources), usualMode(description.modes)],
        [source, mode],
      );
      assert.is(resolution, 300);
      const page_size = { width_mm: 148, height_mm: 210 };
      const request = { ...REQUEST, device: device.name, source, mode, resolution, page_size };
      checkScan(request, options);
      const offered = { ...description, source: source ?? null, max_page: null };
      const profile = suggestedProfile({ name: device.name, sources: [offered] }, undefined) ?? '';
      assert.match(profile, `mode: ${mode}\nresolution: 300\n`);
    },
  );
}

for (const list of RECORDED_LISTS) {
  recorded(`a list of ${list.length} is read completely`, () => {
    const found = parseDeviceList(list.map((fields) => `${fields.join('\u001F')}\n`).join(''));
    assert.equal(
      found.map(({ name, vendor, model, type }) => [name, vendor, model, type]),
      list,
    );
  });
}

recorded('of these devices, only fujitsu and epjitsu ones report paper and have a button', () => {
  const reporting = RECORDED_DEVICES.filter((device) => {
    const found = sensorsOf(parseOptions(printed(device)));
    return found.paper === false && found.sensors['scan'] === false;
  });
  assert.is(reporting.length, 4);
});

const describing = suite('the description of a device');

const describe = (output: string): DeviceDescription => describeDevice('a:b', parseOptions(output));

describing('lists the resolutions of a range with large steps', () => {
  const steps = describe('    --resolution 100..600dpi (in steps of 100) [100]').resolutions;
  assert.equal(steps, [100, 200, 300, 400, 500, 600]);
  const fine = describe('    --resolution 75..1200dpi (in steps of 5) [75]').resolutions;
  assert.equal(fine, { min: 75, max: 1200 });
});

describing('takes the paper size as the largest page if it can be set', () => {
  assert.equal(describe(KODAK_ADF).max_page, { width_mm: 215.9, height_mm: 355.6 });
});

describing('omits missing capabilities', () => {
  assert.equal(describe(BARE), {
    device: 'a:b',
    sources: [],
    source: undefined,
    feeder: true,
    sides: ['one'],
    modes: [],
    resolutions: [300],
    max_page: undefined,
    options: ['resolution', 'x', 'y', 'eject'],
  });
  assert.equal(describe('').resolutions, []);
  assert.equal(describe('    --mode 1|2 [1]').modes, ['1', '2']);
});

const NAMES: Readonly<Record<string, readonly string[]>> = {
  feeder: ['ADF', 'ADF Duplex', 'ADF Front', 'adf', 'Automatic Document Feeder', 'Card Front'],
  glass: ['Flatbed', 'FlatBed', 'Normal', 'Transparency Unit', 'fb', 'Negative', 'Document Table'],
  unknown: ['Auto'],
};
describing('the name of a source tells a feeder, a flatbed or neither', () => {
  for (const [kind, names] of Object.entries(NAMES)) {
    for (const name of names) {
      const found = [namesFeeder(name), isUnknownSource(name)];
      assert.equal(found, [kind === 'feeder', kind === 'unknown'], name);
    }
  }
});

const IN_ADF = { name: 'ADF', feeder: true, duplex: false };
const SIMPLEX = { 'adf-mode': 'Simplex' };
const PAPER_WIDTH = '    --source Flatbed [inactive]\n    --page-width 0..220mm [216]';
const ADF_MODE = '    --adf-mode Simplex|Duplex [Duplex]\n';
const ADF_IN_WORDS = 'Automatic Document Feeder';
const IN_USE: readonly (readonly [
  source: string | undefined,
  device: string,
  options: Readonly<Record<string, string | boolean>>,
  expected: Partial<SourceInUse>,
])[] = [
  // Without a requested source, the scanner's default applies.
  [undefined, AIRSCAN_ADF, {}, IN_ADF],
  ['Flatbed', AIRSCAN_ADF, {}, { feeder: false }],
  [undefined, '    --source ADF [ADF] [read-only]', {}, IN_ADF],
  // Without a choice of source, the options decide whether the device is a feeder or a flatbed.
  [undefined, BARE, {}, { feeder: true }],
  [undefined, '    --page-loaded[=(yes|no)] [yes] [hardware]', {}, { feeder: true }],
  [undefined, PAPER_WIDTH, {}, { feeder: true }],
  [undefined, '', {}, { feeder: false, duplex: false }],
  [undefined, '    --page-loaded[=(yes|no)] [inactive] [hardware]', {}, { feeder: false }],
  [undefined, '    --source Flatbed [Flatbed]\n    --eject []', {}, { feeder: false }],
  ['ADF Duplex', '', {}, { duplex: true }],
  ['adf', '', { duplex: true }, { duplex: true }],
  ['adf', '', { duplex: 'yes' }, { duplex: true }],
  [ADF_IN_WORDS, '', { 'adf-mode': 'Duplex' }, { duplex: true }],
  [ADF_IN_WORDS, '', SIMPLEX, { duplex: false }],
  ['ADF', '', { duplex: false }, { duplex: false }],
  ['Flatbed', '', { duplex: true }, { duplex: false }],
  [ADF_IN_WORDS, ADF_MODE, {}, { duplex: true }],
  [ADF_IN_WORDS, ADF_MODE, SIMPLEX, { duplex: false }],
];
for (const [index, [source, device, scanner_options, expected]] of IN_USE.entries()) {
  describing(`source ${source} with ${JSON.stringify(scanner_options)} is known (${index})`, () => {
    const found = sourceInUse({ source, scanner_options }, parseOptions(device));
    assert.equal({ ...found, ...expected }, found);
  });
}

describing('a scanner listed as sheet-fed is a feeder', () => {
  assert.ok(sourceInUse({ scanner_options: {} }, [], true).feeder);
});

const SENSORS: Readonly<Record<string, Sensors>> = {
  'resolution 50..600dpi (in steps of 1) [600], ald[=(yes|no)] [yes] [advanced], page-loaded[=(yes|no)] [yes] [hardware], scan[=(yes|no)] [no] [hardware], function <int> [7] [hardware]':
    { sensors: { 'page-loaded': true, scan: false }, paper: true, function: 7 },
  // A numeric button counts as pressed unless it is 0.
  'button-1 <int> [0] [hardware], button-2 <int> [1] [read-only]': {
    sensors: { 'button-1': false, 'button-2': true },
  },
  // Inactive sensors, texts and arrays are ignored.
  'page-loaded[=(yes|no)] [inactive] [hardware], serial <string> [1] [yes] [read-only], source Document Table [Document Table] [read-only], x-resolution 50..1200dpi [75.5] [read-only], gamma-table 0..255,... [hardware]':
    { sensors: {} },
  'adf-loaded[=(yes|no)] [no] [hardware]': { sensors: { 'adf-loaded': false }, paper: false },
  'doc-in-adf[=(yes|no)] [yes] [read-only]': { sensors: { 'doc-in-adf': true }, paper: true },
};
for (const [lines, found] of Object.entries(SENSORS)) {
  describing(`of ${lines} the sensors are known`, () => {
    const options = lines.split(', ').map((line) => `    --${line}`);
    assert.equal(sensorsOf(parseOptions(options.join('\n'))), found);
  });
}

const checking = suite('checking a request against the device');

type Changes = Partial<DeviceRequest>;

const size = (width_mm: number, height_mm: number): Changes => ({
  page_size: { width_mm, height_mm },
});
const option = (scanner_options: DeviceRequest['scanner_options']): Changes => ({
  scanner_options,
});
const NO_SOURCE = { source: undefined };
const STEPS = '    --resolution 50..600dpi (in steps of 50) [600]';
const WITH_FEEDER = '    --source Flatbed|Automatic Document Feeder [Flatbed]';
const LIST = `${AIRSCAN_ADF}    --depth 8|16 [8]\n    --note <string> [x]\n`;

function check(changes: Changes, device = AIRSCAN_ADF): void {
  checkScan({ ...REQUEST, ...changes }, parseOptions(device));
}

const TAKEN: readonly (readonly [what: string, changes: Changes, device?: string])[] = [
  ['both sides', {}],
  ['both sides, of fujitsu', {}, FUJITSU_ADF],
  ['both sides, of kodak', {}, KODAK_ADF],
  ['no source', NO_SOURCE],
  ['a source without a list of values', { source: 'Anything' }, '    --source <string> [x]'],
  ['another mode', { mode: 'Lineart' }, FUJITSU_ADF],
  ['the least of a range', { resolution: 50 }, FUJITSU_ADF],
  ['the most of a range', { resolution: 600 }, FUJITSU_ADF],
  ['a step of a range', { resolution: 300, ...NO_SOURCE }, STEPS],
  ['a page as large as the scanner', size(215.9, 355.6)],
  ['half a millimetre more', size(216.3, 356)],
  ['the size of the paper where the area depends on it', size(220, 2000), FUJITSU_ADF],
  ['any page where the device has no size', { ...NO_SOURCE, ...size(900, 900) }, BARE],
  ['its options', option({ swdeskew: true, 'df-action': 'Stop', swskip: 1.5 }), FUJITSU_ADF],
  ['its options as text', option({ swdeskew: 'no', brightness: '12' }), FUJITSU_ADF],
  ['a button', { ...NO_SOURCE, ...option({ eject: true }) }, BARE],
  ['numbers of a list, and any text', option({ depth: '16', note: 'as you like' }), LIST],
];
for (const [what, changes, device] of TAKEN) {
  checking(`${what}: taken`, () => check(changes, device));
}

const SOURCES = ['Flatbed', 'ADF', 'ADF Duplex'];
const RESOLUTIONS = [100, 150, 200, 300, 400, 600];
const BY_50 = '50 to 600 in steps of 50';
const DID_YOU_MEAN = /swdesqew.*df-action.*Did you mean swdeskew\?/s;
const OWN_FIELD = /fields of the profile/;
const REFUSED: readonly (readonly [
  changes: Changes,
  facts: FailureFacts,
  said?: RegExp | string,
  device?: string,
])[] = [
  ...['ADF duplex', 'ADF-Duplex', 'Duplex', 'adf duplex', 'ADF Duplex ', 'ADF_DUPLEX'].map(
    (source) =>
      [
        { source },
        { option: 'source', value: source, valid_values: SOURCES, nearest: 'ADF Duplex' },
        new RegExp(`"${source}".*Flatbed, ADF, ADF Duplex.*Did you mean ADF Duplex\\?`, 's'),
      ] as const,
  ),
  [{ source: 'ADF' }, { nearest: 'Automatic Document Feeder' }, '', WITH_FEEDER],
  [{ source: 'flat' }, { nearest: 'Flatbed' }, '', WITH_FEEDER],
  [{ source: 'ADF' }, { nearest: undefined }, '', '    --source Flatbed [Flatbed]'],
  [{ source: 'ADF' }, { valid_values: [] }, 'leave source out', BARE],
  [{ mode: 'gray' }, { option: 'mode', nearest: 'Gray' }],
  [{ mode: 'Lineart' }, { option: 'mode' }],
  [
    { resolution: 250 },
    { option: 'resolution', value: 250, valid_values: RESOLUTIONS, nearest: 200 },
    '100, 150, 200, 300, 400, 600',
  ],
  [{ resolution: 5000 }, { nearest: 600 }],
  [{ resolution: 1200 }, { nearest: 600, valid_values: ['50 to 600'] }, '50 to 600', FUJITSU_ADF],
  [{ resolution: 49 }, { nearest: 50 }, '', FUJITSU_ADF],
  [{ resolution: 310, ...NO_SOURCE }, { nearest: 300, valid_values: [BY_50] }, '', STEPS],
  [
    size(222, 297),
    { option: 'page_size', value: '222 x 297 mm', nearest: 'a4' },
    '215.9 x 355.6 mm',
  ],
  [size(210, 361.7), { option: 'page_size', nearest: 'legal' }],
  [size(227.2, 297), { option: 'page_size' }, '', FUJITSU_ADF],
  [option({ swdesqew: true }), { nearest: 'swdeskew' }, DID_YOU_MEAN, FUJITSU_ADF],
  [{ ...option({ x1: 1 }), ...NO_SOURCE }, { option: 'x1', nearest: undefined }, '', ''],
  ...['batch', 'format', 'device-name', 'output-file'].map(
    (name) => [option({ [name]: '/etc/x' }), { option: name }] as const,
  ),
  [option({ scan: true }), { option: 'scan' }, '', FUJITSU_ADF],
  [option({ threshold: 5 }), { option: 'threshold' }, 'inactive', FUJITSU_ADF],
  ...['source', 'mode', 'resolution', 'x', 'page-width', 'pagewidth'].map(
    (name) => [option({ [name]: 1 }), { option: name }, OWN_FIELD] as const,
  ),
  [option({ swdeskew: 'maybe' }), { value: 'maybe' }, '', FUJITSU_ADF],
  [option({ 'df-action': 'stop' }), { nearest: 'Stop' }, '', FUJITSU_ADF],
  [option({ brightness: 200 }), { nearest: 127 }, '', FUJITSU_ADF],
  [option({ brightness: 'much' }), { nearest: -127 }, '', FUJITSU_ADF],
  [option({ brightness: true }), { option: 'brightness' }, '', FUJITSU_ADF],
  [option({ depth: 12 }), { nearest: 8 }, '', LIST],
];
for (const [index, [changes, expected, said = '', device]] of REFUSED.entries()) {
  checking(`${JSON.stringify(changes)} is refused (${index})`, () => {
    const { code, facts, message } = thrown(() => check(changes, device));
    assert.is(code, 'scan_option_rejected');
    for (const [name, value] of Object.entries(expected)) assert.equal(facts[name], value, name);
    assert.match(message, said);
  });
}

checking('inactive options of a request are found', () => {
  const request = { ...REQUEST, scanner_options: { 'df-skew': true, swdeskew: true, nothing: 1 } };
  assert.equal(inactiveOptions(request, parseOptions(FUJITSU_ADF)), ['df-skew']);
});

const fitting = suite('a request adapted to the device');

const MODES: readonly (readonly [string, string, string])[] = [
  ['Lineart', 'Lineart|Gray', 'Lineart'],
  ['Lineart', 'Color|Gray', 'Gray'],
  ['Lineart', 'Black & White|Gray[Error Diffusion]|True Gray|24bit Color', 'True Gray'],
  ['Lineart', '24bit Color', '24bit Color'],
  ['Lineart', 'Infrared', 'Lineart'],
  // Unlisted modes are passed on for the device to refuse.
  ['Gris', 'Color|Gray', 'Gris'],
];
for (const [mode, modes, expected] of MODES) {
  fitting(`${mode} on a device with ${modes} is scanned as ${expected}`, () => {
    const options = parseOptions(`    --mode ${modes} [${modes.split('|')[0]}]`);
    assert.is(fitRequest({ ...REQUEST, mode }, options).mode, expected);
  });
}

const AUTO: ScanRequest = { ...REQUEST, page_size: 'auto' };
const SWCROP = '    --swcrop[=(yes|no)] [no] [advanced]\n';

fitting('page size auto means the largest page', () => {
  const fitted = fitRequest(AUTO, parseOptions(AIRSCAN_ADF));
  assert.equal(fitted.page_size, { width_mm: 215.9, height_mm: 355.6 });
  assert.ok(fitRequest(AUTO, parseOptions(BARE)).page_size.height_mm > 300);
});

/** Detects the paper size if the device can, unless the profile disables it or sets a page size. */
const DETECTION: readonly (readonly [ScanRequest, device: string, object, detects: boolean])[] = [
  [AUTO, AIRSCAN_ADF, {}, false],
  [AUTO, FUJITSU_ADF + SWCROP, { swcrop: true }, true],
  [AUTO, `${FUJITSU_ADF}    --swcrop[=(yes|no)] [inactive]\n`, {}, false],
  [{ ...AUTO, scanner_options: { swcrop: false } }, FUJITSU_ADF + SWCROP, { swcrop: false }, false],
  [REQUEST, FUJITSU_ADF + SWCROP, {}, false],
];
for (const [index, [request, device, options, detects]] of DETECTION.entries()) {
  fitting(`the driver detects the paper, or not (${index})`, () => {
    const fitted = fitRequest(request, parseOptions(device));
    assert.equal(fitted.scanner_options, options);
    assert.is(detectsPaper(fitted), detects);
  });
}

const choosing = suite('selecting a device');

const device = (...[name, vendor, model]: [string, string, string]): Device => ({
  name,
  vendor,
  model,
  type: 'scanner',
});
const CAMERA = device('v4l:/dev/video0', 'Noname', 'Webcam');
const FUJITSU = device('fujitsu:fi-7160:4711', 'FUJITSU', 'fi-7160');
const TWIN = device('fujitsu:fi-7160:4712', 'FUJITSU', 'fi-7160');
const BROTHER = device('airscan:e0:Brother ADS', 'eSCL', 'Brother ADS');

choosing('a name with a backend is a device name', () => {
  for (const name of ['test:0', 'airscan:e2:Büro 1', 'net:host:fujitsu:fi', 'mustek_pp:x']) {
    assert.ok(isDeviceName(name), name);
  }
  for (const name of ['auto', 'Fujitsu', 'fi-7160', 'test:', ':0', 'a b:c']) {
    assert.not(isDeviceName(name), name);
  }
});

choosing(
  'a device whose name is a position is offered by its model, unless another has that model',
  () => {
    const usb = device('genesys:libusb:001:006', 'Canon', 'LiDE 220');
    const longer = device('airscan:e1:Brother ADS 2', 'eSCL', 'Brother ADS 2');
    assert.is(lastingName(usb, [usb, FUJITSU]), 'LiDE 220');
    assert.is(lastingName(FUJITSU, [usb, FUJITSU]), FUJITSU.name);
    assert.is(lastingName(BROTHER, [BROTHER, longer]), BROTHER.name, 'both hold these words');
    assert.is(lastingName(longer, [BROTHER, longer]), 'Brother ADS 2');
  },
);

const CHOSEN: readonly (readonly [string, readonly Device[], Device])[] = [
  ['auto', [CAMERA, FUJITSU], FUJITSU],
  ['fujitsu', [FUJITSU, BROTHER], FUJITSU],
  ['brother ads', [FUJITSU, BROTHER], BROTHER],
  ['Fujitsu FI', [FUJITSU, BROTHER], FUJITSU],
];
for (const [wanted, devices, { name }] of CHOSEN) {
  choosing(`"${wanted}" is ${name}`, () => assert.is(chooseDevice(wanted, devices), name));
}

const BOTH = [FUJITSU.name, 'Brother ADS'];
const REJECTED = 'scan_option_rejected';
const NOT_CHOSEN: readonly (readonly [
  wanted: string,
  devices: readonly Device[],
  code: string,
  valid: readonly string[] | undefined,
  said: RegExp,
])[] = [
  ['auto', [FUJITSU, CAMERA, BROTHER], REJECTED, BOTH, /fujitsu:fi-7160:4711.*eSCL Brother ADS/s],
  ['fi-7160', [FUJITSU, TWIN], REJECTED, [FUJITSU.name, TWIN.name], /4711.*4712/s],
  ['auto', [CAMERA], 'no_scanner_detected', undefined, /Switch it on/],
  ['Canon', [FUJITSU], 'no_scanner_detected', undefined, /Canon.*fujitsu:fi-7160:4711/s],
];
for (const [wanted, devices, code, valid_values, said] of NOT_CHOSEN) {
  choosing(`"${wanted}" of ${devices.length} is ${code}, naming the devices`, () => {
    const refusal = thrown(() => chooseDevice(wanted, devices));
    assert.is(refusal.code, code);
    assert.match(refusal.message, said);
    if (valid_values)
      assert.equal(refusal.facts, { option: 'device', value: wanted, valid_values });
  });
}
