import type { ScanRequest, Sides } from '../../../helpers/ipc/messages.ts';
import { describeDevice } from '../../../helpers/scanner/device-description.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { suggestedProfile } from '../../../service/profiles/suggested-profile.ts';
import { createFakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import { assert, failure, suite } from '../../support/suite.ts';
import { REPORTED_DEVICES, type ReportedDevice } from './reported-devices.ts';

type Name = keyof typeof REPORTED_DEVICES;

/** Scanning both sides is a single setting, however the driver spells it. */
const offering = suite('both sides in the description of a scanner');

const FEEDER = 'Automatic Document Feeder';
const [LEFT, LEFT_BOTH] = [`${FEEDER}(left aligned)`, `${FEEDER}(left aligned,Duplex)`];

/** The sides of each source (`glass` is a flatbed), and what a new profile suggests. */
const OFFERS: readonly (readonly [Name, sides: string, source: string | null, said: boolean])[] = [
  ['EPSON2', 'glass one / one,both', FEEDER, true],
  ['EPSON2_INACTIVE', 'glass one / one,both', FEEDER, true],
  ['EPSON', 'glass one / one,both', FEEDER, true],
  ['HPAIO', 'glass one / one,both', 'ADF', true],
  ['HPAIO_OLD', 'glass one / one / both', 'Duplex', false],
  ['KVS20XX', 'one,both / glass one', 'adf', true],
  ['MATSUSHITA', 'one,both', null, true],
  ['FUJITSU', 'one / one / both / one / one / both', 'ADF Duplex', false],
  ['BROTHER4', 'glass one / one / both / one / both', LEFT_BOTH, false],
  ['HP5590', 'glass one / one / both', 'ADF Duplex', false],
  ['ONE_SIDED', 'glass one / one', FEEDER, false],
];
for (const [name, expected, source, said] of OFFERS) {
  offering(`${name}: ${expected}`, () => {
    const { '': first = '', ...others }: ReportedDevice = REPORTED_DEVICES[name];
    const printed = Object.values(others).length > 0 ? Object.values(others) : [first];
    const described = printed.map((options) => describeDevice('a:b', parseOptions(options)));
    const found = described.map(({ feeder, sides }) => `${feeder ? '' : 'glass '}${sides.join()}`);
    assert.is(found.join(' / '), expected);
    const sources = described.map((one) => ({
      ...one,
      source: one.source ?? null,
      max_page: null,
    }));
    const profile = suggestedProfile({ name: 'a:b', sources }, undefined) ?? '';
    if (source === null) assert.not.match(profile, 'source:');
    else assert.match(profile, `source: ${source}\n`);
    assert.is(profile.includes('sides: both\n'), said);
  });
}

const scanning = suite('a scan with a choice of sides');

const TWO_PAGES = 'prompt 1; page 1; prompt 2; page 2; prompt 3';
const SIMPLEX = { scanner_options: { 'adf-mode': 'Simplex' } };

/** The device, the request, scanimage's arguments, and whether two pages form one sheet. */
const SCANS: readonly (readonly [
  Name,
  asks: Partial<ScanRequest>,
  told: RegExp | string,
  duplex: boolean,
])[] = [
  ['EPSON2', { sides: 'both' }, `--source=${FEEDER} .*--adf-mode=Duplex `, true],
  ['EPSON2', { sides: 'both', source: FEEDER }, '--adf-mode=Duplex ', true],
  ['EPSON2', { sides: 'one', source: FEEDER }, `--source=${FEEDER} (?!.*adf-mode)`, false],
  ['EPSON2', { sides: 'both', ...SIMPLEX }, '--adf-mode=Duplex (?!.*Simplex)', true],
  ['EPSON2_INACTIVE', { sides: 'both' }, `--source=${FEEDER} .*--adf-mode=Duplex `, true],
  ['EPSON', { sides: 'both' }, '--adf_mode=Duplex ', true],
  ['HPAIO', { sides: 'both', source: 'ADF' }, '--source=ADF .*--duplex=yes ', true],
  ['HPAIO_OLD', { sides: 'both', source: 'ADF' }, '--source=Duplex ', true],
  ['HPAIO_OLD', { sides: 'one', source: 'Duplex' }, '--source=ADF ', false],
  ['KVS20XX', { sides: 'one', source: 'adf' }, '--duplex=no ', false],
  ['KVS20XX', { sides: 'both' }, '--source=adf (?!.*duplex)', true],
  ['MATSUSHITA', { sides: 'both' }, '--duplex=yes ', true],
  ['FUJITSU', { sides: 'both' }, '--source=ADF Duplex (?!.*--duplex)', true],
  ['FUJITSU', { sides: 'both', source: 'Card Front' }, '--source=Card Duplex ', true],
  ['FUJITSU', { sides: 'one', source: 'ADF Duplex' }, '--source=ADF Front ', false],
  ['BROTHER4', { sides: 'both', source: LEFT }, /--source=[\w ]+\(left aligned,Duplex\) /u, true],
  ['BROTHER4', { sides: 'one', source: LEFT_BOTH }, /--source=[\w ]+\(left aligned\) /u, false],
  ['EPSON2', { source: FEEDER }, `--source=${FEEDER} (?!.*adf-mode)`, false],
  [
    'EPSON2',
    { source: FEEDER, scanner_options: { 'adf-mode': 'Duplex' } },
    '--adf-mode=Duplex ',
    true,
  ],
  ['HP5590', { source: 'ADF Duplex' }, '--source=ADF Duplex ', true],
];
for (const [name, asks, told, duplex] of SCANS) {
  scanning(`${name}: ${JSON.stringify(asks)} calls scanimage with ${told}`, async () => {
    const bench = await createFakeBench({ options: REPORTED_DEVICES[name], scan: TWO_PAGES });
    try {
      const summary = await bench.scan(await bench.request({ source: undefined, ...asks }));
      assert.is(summary.duplex, duplex);
      const scan = (await bench.readFile('calls'))
        .split('\n')
        .find((call) => /--batch/u.test(call));
      assert.match(scan ?? '', new RegExp(told));
      const sides = bench.pages.map(({ sheet, side }) => `${sheet} ${side}`);
      assert.equal(sides, duplex ? ['1 front', '1 back'] : ['1 front', '2 front']);
    } finally {
      await bench.close();
    }
  });
}

const REFUSED: readonly (readonly [Name, Partial<ScanRequest>, said: string, valid: Sides])[] = [
  ['EPSON2', { sides: 'both', source: 'Flatbed' }, 'from the source "Flatbed"', 'one'],
  ['ONE_SIDED', { sides: 'both' }, `from the source "${FEEDER}"`, 'one'],
  ['ONE_SIDED', { sides: 'both', source: FEEDER }, '"side": "backs"', 'one'],
];
for (const [name, asks, said, valid] of REFUSED) {
  scanning(`${name}: ${JSON.stringify(asks)} is refused before feeding`, async () => {
    const bench = await createFakeBench({ options: REPORTED_DEVICES[name], scan: TWO_PAGES });
    try {
      const request = await bench.request({ source: undefined, ...asks });
      const { message, facts } = await failure('scan_option_rejected', bench.scan(request));
      assert.match(message, said);
      assert.equal([facts['option'], facts['valid_values']], ['sides', [valid]]);
      assert.not.match(await bench.readFile('calls'), '--batch');
    } finally {
      await bench.close();
    }
  });
}

scanning('refuses a wrong source and suggests the nearest one, whatever the sides', async () => {
  const bench = await createFakeBench({ options: REPORTED_DEVICES.EPSON2, scan: TWO_PAGES });
  try {
    const request = await bench.request({ source: 'ADF', sides: 'both' });
    const { facts } = await failure('scan_option_rejected', bench.scan(request));
    assert.equal([facts['option'], facts['nearest']], ['source', FEEDER]);
  } finally {
    await bench.close();
  }
});
