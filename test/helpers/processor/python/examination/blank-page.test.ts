import path from 'node:path';
import { BLANK_BELOW } from '../../../../../helpers/page-facts.ts';
import { PAGES_DIR } from '../../../../../simulators/pages/manifest.ts';
import { outputOf } from '../../../../support/programs.ts';
import { assert, suite } from '../../../../support/suite.ts';

/**
 * A generated set of pages, the same on every machine: blank ones with everything that scanners and paper add, nearly empty ones,
 * and dense ones. The two errors do not cost the same: a blank page that is kept is a page too many, a page that is dropped
 * may be the only one of its kind. See blank-set/measure.py.
 */
interface ScoredPage {
  readonly label: 'blank' | 'content';
  readonly kind: string;
  readonly mode: string;
  readonly score: number;
  readonly mark: { readonly x_mm: number } | null;
}

const PYTHON_DIR = path.resolve(import.meta.dirname, '../../../../../helpers/processor/python');
/** Forty seconds of CPU where nothing else runs. */
const TIMEOUT_MS = 15 * 60_000;
/** Of a hundred. What stays are sharp specks, soiled coloured paper after JPEG, and dirt that a threshold made sharp. */
const LEAST_DROPPED_SHARE = 0.85;

const pages = await scoredPages();
const test = suite('telling blank pages from others');

async function scoredPages(): Promise<ScoredPage[]> {
  const script = path.join(import.meta.dirname, 'blank-set/measure.py');
  const args = ['-B', script, PYTHON_DIR, PAGES_DIR];
  const scored = await outputOf('/usr/bin/python3', args, { timeoutMs: TIMEOUT_MS });
  return scored
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function having(label: ScoredPage['label']): ScoredPage[] {
  return pages.filter((page) => page.label === label);
}

function isBlank({ score }: ScoredPage): boolean {
  return score < BLANK_BELOW;
}

test('the set is large enough, and has every mode', () => {
  assert.ok(pages.length >= 200, String(pages.length));
  assert.ok(having('blank').length >= 80);
  const modes = new Set(pages.map(({ mode }) => mode));
  assert.equal([...modes].toSorted(), ['128', '170', 'colour', 'dithered', 'gray', 'local']);
});

test('no page with content is taken for blank, wherever it stands and however faint it is', () => {
  const lost = having('content').filter(isBlank);
  assert.equal(lost, []);
});

test('most blank pages are found, whatever dirt is on them', () => {
  const blank = having('blank');
  const dropped = blank.filter(isBlank).length;
  assert.ok(dropped / blank.length >= LEAST_DROPPED_SHARE, `${dropped} of ${blank.length}`);
});

test('clean pages are found in every mode, on every paper', () => {
  const kept = having('blank').filter((page) => page.kind === 'plain' && !isBlank(page));
  assert.equal(kept, []);
});
