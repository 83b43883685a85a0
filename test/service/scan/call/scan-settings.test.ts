import { readFile } from 'node:fs/promises';
import { EVENT_FILE } from '../../../../service/archive/event-file.ts';
import { detailsOf } from '../../../../service/archive/scan-details.ts';
import { type ScanSettings, withSettings } from '../../../../service/profiles/scan-settings.ts';
import { DEFAULT_REDELIVERY } from '../../../../service/archive/upload-decision.ts';
import type { ScanCall } from '../../../../service/scan/scan.ts';
import { pagesOf } from '../../documents/stack.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { assert, failure } from '../../../support/suite.ts';
import { type ScanBench, scanTests } from './scan-bench.ts';

const test = scanTests('the settings of one scan');

const CHOSEN: ScanSettings = { mode: 'Color', resolution: 600, page_grouping: 'per_page' };

function callWith({ profile }: ScanBench, settings: ScanSettings): ScanCall {
  return { profile: withSettings(profile(), settings), settings, metadata: {} };
}

test('apply to the scanner and the documents, and are recorded and shown', async (bench) => {
  const { scans, parts, archive } = await bench.start({ feed: feedPages(2) });
  const result = await scans.scan(callWith(bench, CHOSEN));
  assert.equal(pagesOf(result), [[1], [2]]);
  const [asked] = parts.fed;
  assert.equal([asked?.mode, asked?.resolution, asked?.source], ['Color', 600, undefined]);
  const lines = await readFile(bench.file(result.scan_id, EVENT_FILE), 'utf8');
  const begun = JSON.parse(lines.split('\n')[0] ?? '') as { asked_settings: unknown };
  assert.equal(begun.asked_settings, CHOSEN);
  const { record } = await archive.find(result.scan_id);
  const { settings, asked_settings } = detailsOf(record, false);
  assert.equal(asked_settings, CHOSEN);
  assert.equal(settings, {
    source: null,
    sides: null,
    mode: 'Color',
    resolution: 600,
    page_size: 'a4',
    page_grouping: 'per_page',
    remove_blank_pages: 'none',
    languages: ['eng'],
  });
});

test('are kept when paper is added after a restart, and on a resume with a corrected profile', async (bench) => {
  const first = await bench.start({ feed: feedPages(1) });
  const { scan_id: id } = await first.scans.scan({ ...callWith(bench, CHOSEN), hold: true });
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  await scans.continueScan(id, { hold: true });
  assert.is(parts.fed[0]?.resolution, 600);
  const profile = bench.profile({ mode: 'Gray', max_pages: 7 });
  const result = await scans.resume(id, { redelivery: DEFAULT_REDELIVERY, profile });
  assert.equal(pagesOf(result), [[1], [2]]);
  const { settings } = await bench.stored(id);
  assert.equal([settings.mode, settings.resolution, settings.max_pages], ['Color', 600, 7]);
});

test('with a language that the processor lacks are refused before feeding, with the nearest one', async (bench) => {
  const { scans, parts, archive } = await bench.start({ feed: feedPages(1) });
  const { facts } = await failure(
    'scan_option_rejected',
    scans.scan(callWith(bench, { languages: ['eng', 'emg'] })),
  );
  assert.equal(facts, { option: 'languages', value: 'emg', valid_values: ['eng'], nearest: 'eng' });
  assert.equal([parts.fed, (await archive.list(10)).scans], [[], []]);
});

test('with a source let the source decide on the sides, unless sides are given, too', (bench) => {
  const profile = bench.profile({ source: 'ADF', sides: 'both' });
  assert.is(withSettings(profile, { mode: 'Color' }).sides, 'both');
  assert.is(withSettings(profile, { source: 'Flatbed' }).sides, undefined);
  assert.is(withSettings(profile, { source: 'ADF', sides: 'one' }).sides, 'one');
});

test('with separators have separator codes, even if the profile has none', async (bench) => {
  const { assembly } = withSettings(bench.profile(), { page_grouping: 'separator' });
  assert.equal(assembly.barcodes?.separator, ['PATCHT']);
});
