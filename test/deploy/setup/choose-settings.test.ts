import { chooseSettings, type ScanSettings } from '../../../deploy/setup/choose-settings.ts';
import { parseOptions as parseArguments } from '../../../deploy/setup/options.ts';
import { createQuestions } from '../../../deploy/setup/questions.ts';
import { describeDevice } from '../../../helpers/scanner/device-description.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { REPORTED_DEVICES, type ReportedDevice } from '../../helpers/scanner/reported-devices.ts';
import { assert, suite } from '../../support/suite.ts';

type Fields = Readonly<Record<string, unknown>>;

const test = suite('the settings that set-up suggests for a scanner');

async function suggested(
  device: ReportedDevice,
  { args = [], earlier }: { readonly args?: readonly string[]; readonly earlier?: Fields } = {},
): Promise<ScanSettings> {
  const describe = (source = ''): ReturnType<typeof describeDevice> =>
    describeDevice('a:b', parseOptions(device[source] ?? ''));
  return chooseSettings({ describeDevice: async (_name, source) => describe(source) }, describe(), {
    questions: createQuestions(false, () => {}),
    options: parseArguments(args, {}),
    earlier,
  });
}

const FEEDER = 'Automatic Document Feeder';
const ADF = ['--source', FEEDER];
/** The device, the options, the existing profile, and the resulting source and sides. */
const SIDES: readonly (readonly [
  keyof typeof REPORTED_DEVICES,
  args: readonly string[],
  earlier: Fields | undefined,
  source: string | undefined,
  sides: string | undefined,
])[] = [
  // A feeder with a duplex option: both sides by default.
  ['EPSON2', ADF, undefined, FEEDER, 'both'],
  ['EPSON2_INACTIVE', ADF, undefined, FEEDER, 'both'],
  ['EPSON2', [...ADF, '--sides', 'one'], undefined, FEEDER, 'one'],
  ['EPSON2', ADF, { sides: 'one' }, FEEDER, 'one'],
  ['EPSON2', ['--source', 'Flatbed'], { sides: 'both' }, 'Flatbed', undefined],
  ['MATSUSHITA', [], undefined, undefined, 'both'],
  // The source determines the sides.
  ['HP5590', [], undefined, 'ADF Duplex', undefined],
  ['HP5590', [], { sides: 'both', source: 'ADF' }, 'ADF', 'both'],
  ['HP5590', ['--source', 'ADF', '--sides', 'both'], undefined, 'ADF', 'both'],
  ['ONE_SIDED', [], undefined, FEEDER, undefined],
];
for (const [name, args, earlier, source, sides] of SIDES) {
  test(`${name}, ${args.join(' ')}, ${JSON.stringify(earlier)}: ${source}, ${sides}`, async () => {
    const found = await suggested(REPORTED_DEVICES[name], { args, ...(earlier && { earlier }) });
    assert.equal([found.source, found.sides], [source, sides]);
  });
}

const PAPER: readonly (readonly [
  keyof typeof REPORTED_DEVICES,
  args: readonly string[],
  before: string | undefined,
  expected: string | Fields,
])[] = [
  ['HP5590', [], undefined, 'a4'],
  ['HP5590', [], 'letter', 'letter'],
  ['LETTER', [], undefined, 'letter'],
  ['LETTER', [], 'auto', 'auto'],
  ['LETTER', [], 'a4', 'letter'],
  ['SMALL', [], undefined, { width_mm: 200, height_mm: 200 }],
  ['SMALL', ['--page-size', '200 x 200 mm'], 'a4', { width_mm: 200, height_mm: 200 }],
  ['CANON_PIXMA', [], undefined, 'a4'],
];
for (const [name, args, before, expected] of PAPER) {
  test(`${name}, ${args.join(' ')}, ${before}: ${JSON.stringify(expected)}`, async () => {
    const earlier = before === undefined ? {} : { page_size: before };
    assert.equal((await suggested(REPORTED_DEVICES[name], { args, earlier })).page_size, expected);
  });
}

test('invalid sides are refused', () => {
  assert.throws(() => parseArguments(['--sides', 'three'], {}), '--sides must be one or both.');
});
