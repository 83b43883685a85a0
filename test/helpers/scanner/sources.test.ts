import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseOptions } from '../../../helpers/scanner/option-lines.ts';
import { isDuplex, isFeeder, isUnknownSource } from '../../../helpers/scanner/sources.ts';

const test = suite('sources');

for (const source of [
  'ADF',
  'ADF Duplex',
  'ADF Front',
  'adf',
  'Automatic Document Feeder',
  'Card Front',
]) {
  test(`${source} is a feeder`, () => {
    assert.ok(isFeeder(source));
    assert.not(isUnknownSource(source));
  });
}

for (const source of ['Flatbed', 'Normal', 'Transparency Unit', 'fb', 'Negative']) {
  test(`${source} is a glass`, () => {
    assert.not(isFeeder(source));
    assert.not(isUnknownSource(source));
  });
}

test('a source that says neither is unknown and counts as a glass', () => {
  assert.ok(isUnknownSource('Auto'));
  assert.not(isFeeder('Auto'));
  assert.not(isFeeder(undefined));
  assert.not(isUnknownSource(undefined));
});

test('duplex is in the name or in an option beside a feeder', () => {
  assert.ok(isDuplex('ADF Duplex', {}, []));
  assert.ok(isDuplex('adf', { duplex: true }, []));
  assert.ok(isDuplex('adf', { duplex: 'yes' }, []));
  assert.ok(isDuplex('Automatic Document Feeder', { 'adf-mode': 'Duplex' }, []));
  assert.not(isDuplex('Automatic Document Feeder', { 'adf-mode': 'Simplex' }, []));
  assert.not(isDuplex('ADF', { duplex: false }, []));
  assert.not(isDuplex('Flatbed', { duplex: true }, []));
  assert.not(isDuplex(undefined, {}, []));
  const device = parseOptions('    --adf-mode Simplex|Duplex [Duplex]\n');
  assert.ok(isDuplex('Automatic Document Feeder', {}, device));
  assert.not(isDuplex('Automatic Document Feeder', { 'adf-mode': 'Simplex' }, device));
});

test.run();
