import { load as parseYaml } from 'js-yaml';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { suggestedProfile } from '../../../service/profiles/suggested-profile.ts';
import type { SourceDescription } from '../../../service/scanner/scanner-list.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('the profile that a scanner is shown with');

const source = (
  name: string | null,
  change: Partial<SourceDescription> = {},
): SourceDescription => ({
  source: name,
  modes: ['Color', 'Gray'],
  resolutions: [100, 200, 300, 600],
  max_page: { width_mm: 216, height_mm: 356 },
  options: [],
  ...change,
});

/** The fields of a suggestion, which has to load as it is. */
function suggested(...sources: SourceDescription[]): Record<string, unknown> {
  const text = suggestedProfile({ name: 'fake:0: a "name"', sources }, undefined) ?? '';
  const given = parseYaml(text) as Record<string, unknown>;
  const { error } = profileSchema({ output_dir: '/scans' }).validate(given);
  assert.is(error, undefined);
  return given;
}

test('scans both sides where the scanner can, in gray at 300 dpi, A4', () => {
  const given = suggested(source('Flatbed'), source('ADF'), source('ADF Duplex'));
  const { device, mode, resolution, page_size } = given;
  assert.equal(given['source'], 'ADF Duplex');
  assert.equal([device, mode, resolution, page_size], ['fake:0: a "name"', 'Gray', 300, 'a4']);
});

test('takes what comes nearest where the scanner has something else', () => {
  const small = { width_mm: 105.4, height_mm: 148 };
  const given = suggested(
    source(null, { modes: ['24bit Color'], resolutions: { min: 50, max: 200 }, max_page: small }),
  );
  assert.not.ok('source' in given);
  assert.equal(given['mode'], '24bit Color');
  assert.equal(given['resolution'], 200);
  assert.equal(given['page_size'], { width_mm: 105, height_mm: 148 });
});

test('there is none for a scanner whose sources are not known', () => {
  assert.is(suggestedProfile({ name: 'fake:0', sources: [] }, undefined), undefined);
});
