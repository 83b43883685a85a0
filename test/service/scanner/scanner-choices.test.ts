import { choicesOf, profilesFor } from '../../../service/scanner/scanner-choices.ts';
import type { ListedScanner, SourceDescription } from '../../../service/scanner/scanner-list.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('choices of a scanner');

const source = (fields: Partial<SourceDescription>): SourceDescription => ({
  source: 'ADF',
  feeder: true,
  sides: ['one', 'both'],
  modes: ['Gray', 'Color'],
  resolutions: [75, 150, 300, 1200],
  max_page: { width_mm: 210, height_mm: 297 },
  options: [],
  ...fields,
});

const scanner = (name: string, model: string, ...sources: SourceDescription[]): ListedScanner => ({
  name,
  vendor: 'ACME',
  model,
  type: 'scanner',
  sources,
  problem: null,
});

test('are its sources with their modes, resolutions and sizes, in its spelling', () => {
  const duplex = source({
    source: 'ADF Duplex',
    sides: ['both'],
    modes: ['24bit Color', 'True Gray', 'Lineart', 'Halftone'],
  });
  const glass = source({
    source: 'Flatbed',
    feeder: false,
    sides: ['one'],
    modes: ['Halftone'],
    resolutions: { min: 200, max: 599 },
    max_page: null,
  });
  const choices = choicesOf(
    scanner('a', 'One', source({}), duplex, glass, source({ source: null, sides: ['one'] })),
  );
  assert.equal(
    choices.map(({ kind }) => kind),
    ['feeder', 'both_sides', 'both_sides', 'glass', 'feeder'],
  );
  assert.equal(choices[0], {
    source: 'ADF',
    sides: 'one',
    kind: 'feeder',
    modes: [
      { mode: 'Gray', kind: 'gray' },
      { mode: 'Color', kind: 'color' },
      { mode: 'Lineart', kind: 'black_and_white' },
    ],
    resolutions: [150, 300],
    // Letter is 5.9 mm wider than the scanner; the rest is cut off with a warning.
    page_sizes: ['auto', 'a4', 'a5', 'a6', 'b5', 'letter'],
  });
  assert.equal(
    choices.map(({ sides }) => sides),
    ['one', 'both', null, null, null],
  );
  assert.equal(
    choices[2]?.modes.map(({ mode }) => mode),
    ['24bit Color', 'True Gray', 'Lineart'],
  );
  assert.equal([choices[3]?.modes, choices[3]?.resolutions], [[], [200, 300]]);
  assert.is(choices[3]?.page_sizes.length, 8);
});

test('belong to the profiles of that scanner', () => {
  const [one, two] = [scanner('net:1', 'One'), scanner('net:2', 'Two')];
  const profiles = [
    { name: 'any', device: 'auto' },
    { name: 'exact', device: 'net:1' },
    { name: 'part', device: 'acme t' },
  ];
  assert.equal(profilesFor(one, [one, two], profiles), ['exact']);
  assert.equal(profilesFor(two, [one, two], profiles), ['part']);
  assert.equal(profilesFor(one, [one], profiles), ['any', 'exact']);
});
