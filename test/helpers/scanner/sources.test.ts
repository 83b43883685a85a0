import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isUnknownSource, namesFeeder } from '../../../helpers/scanner-words.ts';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { sourceInUse, type SourceInUse } from '../../../helpers/scanner/sources.ts';
import { AIRSCAN_ADF, BARE } from './device-samples.ts';

const test = suite('sources');

const NAMES: Readonly<Record<string, readonly string[]>> = {
  feeder: ['ADF', 'ADF Duplex', 'ADF Front', 'adf', 'Automatic Document Feeder', 'Card Front'],
  glass: ['Flatbed', 'FlatBed', 'Normal', 'Transparency Unit', 'fb', 'Negative', 'Document Table'],
  unknown: ['Auto'],
};

for (const [kind, names] of Object.entries(NAMES)) {
  for (const name of names) {
    test(`${name} is ${kind}`, () => {
      assert.equal(
        [namesFeeder(name), isUnknownSource(name)],
        [kind === 'feeder', kind === 'unknown'],
      );
    });
  }
}

function inUse(
  source: string | undefined,
  output = '',
  scanner_options: Readonly<Record<string, string | boolean>> = {},
): SourceInUse {
  return sourceInUse({ source, scanner_options }, parseOptions(output));
}

test('without a source the one that the scanner starts with counts', () => {
  assert.equal(inUse(undefined, AIRSCAN_ADF), { name: 'ADF', feeder: true, duplex: false });
  assert.not(inUse('Flatbed', AIRSCAN_ADF).feeder);
  const only = '    --source ADF [ADF] [read-only]';
  assert.equal(inUse(undefined, only), { name: 'ADF', feeder: true, duplex: false });
});

test('a scanner without a source to choose is a feeder where its list or its options say so', () => {
  assert.ok(inUse(undefined, BARE).feeder);
  assert.ok(inUse(undefined, '    --page-loaded[=(yes|no)] [yes] [hardware]').feeder);
  assert.ok(
    inUse(undefined, '    --source Flatbed [inactive]\n    --page-width 0..220mm [216]').feeder,
  );
  assert.ok(sourceInUse({ scanner_options: {} }, [], true).feeder);
});

test('any other scanner without a source is a glass', () => {
  assert.not(inUse(undefined).feeder);
  assert.not(inUse(undefined, '    --page-loaded[=(yes|no)] [inactive] [hardware]').feeder);
  assert.not(inUse(undefined, '    --source Flatbed [Flatbed]\n    --eject []').feeder);
});

test('duplex is in the name or in an option beside a feeder', () => {
  assert.ok(inUse('ADF Duplex').duplex);
  assert.ok(inUse('adf', '', { duplex: true }).duplex);
  assert.ok(inUse('adf', '', { duplex: 'yes' }).duplex);
  assert.ok(inUse('Automatic Document Feeder', '', { 'adf-mode': 'Duplex' }).duplex);
  assert.not(inUse('Automatic Document Feeder', '', { 'adf-mode': 'Simplex' }).duplex);
  assert.not(inUse('ADF', '', { duplex: false }).duplex);
  assert.not(inUse('Flatbed', '', { duplex: true }).duplex);
  assert.not(inUse(undefined).duplex);
  const device = '    --adf-mode Simplex|Duplex [Duplex]\n';
  assert.ok(inUse('Automatic Document Feeder', device).duplex);
  assert.not(inUse('Automatic Document Feeder', device, { 'adf-mode': 'Simplex' }).duplex);
});

test.run();
