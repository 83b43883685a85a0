import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../../helpers/failure.ts';
import {
  feedDuplexPages,
  feedPages,
  type Feed,
  type PartFaults,
} from '../../../support/scan-parts.ts';
import { assert, failure, withFixture, within } from '../../../support/suite.ts';
import {
  aborted,
  createScanBench,
  EVENT_MS,
  heldDeadline,
  type ScanBench,
} from '../call/scan-bench.ts';

const test = withFixture<ScanBench>('pages that are merged ahead', () => createScanBench());

const DOCUMENT = 'document-0001.pdf';
const COMBINED = { page_grouping: 'combined', remove_blank_pages: 'none' } as const;

/** Names of the recognised pages from one number to another. */
function pages(first: number, last: number): string[] {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return numbers.map((number) => `page-${String(number).padStart(4, '0')}.pdf`);
}

/** The pages in the order in which the played document holds them. */
async function held(bench: ScanBench, id: string): Promise<string[]> {
  const lines = (await readFile(bench.file(id, DOCUMENT), 'utf8')).trim().split('\n');
  return lines.map((line) => (line.split(' ')[0] ?? '').replace('.tif', '.pdf'));
}

interface Stack {
  readonly sides?: 1 | 2;
  /** What the processor does about each file that it is to make. */
  readonly assemble?: PartFaults['assemble'];
}

/** A feeder that stops after so many pages until so many bundles have been begun; some more pages then follow. */
function pausedStack(
  [before, bundles, after]: readonly [number, number, number],
  { sides = 1, assemble }: Stack = {},
): Required<Pick<PartFaults, 'feed' | 'assemble'>> {
  const feedSides = sides === 1 ? feedPages : feedDuplexPages;
  const begun = Promise.withResolvers<void>();
  let count = 0;
  const feed: Feed = async (request, options) => {
    await feedSides(before)(request, options);
    await begun.promise;
    const rest = { first_page: before + 1, first_sheet: before / sides + 1 };
    return feedSides(after)({ ...request, ...rest }, options);
  };
  return {
    feed,
    assemble: async (outFile, signal) => {
      count += 1;
      if (count === bundles) begun.resolve();
      await assemble?.(outFile, signal);
    },
  };
}

test('twenty at a time, while the feeder runs; the document is made of them and of the pages that are left', async (bench) => {
  const { scans, parts } = await bench.start(pausedStack([40, 2, 5]));
  const { scan_id: id, documents } = await within(
    EVENT_MS,
    scans.scan(bench.call({ assembly: COMBINED })),
  );
  assert.equal(parts.merged.get('bundle-0001.pdf'), pages(1, 20));
  assert.equal(parts.merged.get('bundle-0021.pdf'), pages(21, 40));
  const made = ['bundle-0001.pdf', 'bundle-0021.pdf', ...pages(41, 45)];
  assert.equal(parts.merged.get(DOCUMENT), made);
  assert.equal(await held(bench, id), pages(1, 45));
  assert.is(documents[0]?.pages.length, 45);
  assert.not.ok((await readdir(path.join(bench.root, id))).includes('recognized'));
});

test('not with the last page: the document itself can be made then', async (bench) => {
  const fed = Promise.withResolvers<void>();
  const { scans, parts } = await bench.start(
    {
      feed: feedPages(20),
      recognize: async (file) => {
        if (file.endsWith('page-0020.tif')) await fed.promise;
      },
    },
    {
      listener: (_, { state }) => {
        if (state === 'processing') fed.resolve();
      },
    },
  );
  await scans.scan(bench.call({ assembly: COMBINED }));
  assert.equal([...parts.merged], [[DOCUMENT, pages(1, 20)]]);
});

test('without the blank pages that no document gets', async (bench) => {
  const { scans, parts } = await bench.start({
    ...pausedStack([20, 1, 4], { sides: 2 }),
    facts: (number) => (number % 4 === 0 ? { blank: { score: 0.2, mark: null } } : {}),
  });
  const assembly = { ...COMBINED, remove_blank_pages: 'backs' };
  const { scan_id: id } = await scans.scan(bench.call({ assembly }));
  const kept = pages(1, 24).filter((_, index) => index % 4 !== 3);
  assert.equal(parts.merged.get('bundle-0001.pdf'), kept.slice(0, 15));
  assert.equal(parts.merged.get(DOCUMENT), ['bundle-0001.pdf', ...kept.slice(15)]);
  assert.equal(await held(bench, id), kept);
});

test('a page that is recognised anew is taken by itself, and so are those beside it', async (bench) => {
  const { scans, parts } = await bench.start({
    ...pausedStack([40, 2, 1]),
    facts: (number) =>
      number === 7
        ? { turned: 0, characters: 2, confidence: 20 }
        : { turned: 180, characters: 400, confidence: 90 },
  });
  const call = bench.call({ assembly: COMBINED, processing: { rotate_pages: true } });
  const { scan_id: id } = await scans.scan(call);
  assert.is(parts.recognized.filter((name) => name === 'page-0007.tif').length, 2);
  assert.ok(parts.merged.get('bundle-0001.pdf')?.includes('page-0007.pdf'));
  const made = [...pages(1, 20), 'bundle-0021.pdf', 'page-0041.pdf'];
  assert.equal(parts.merged.get(DOCUMENT), made);
  assert.equal(await held(bench, id), pages(1, 41));
});

test('where they cannot be, the document is made of single pages, and the log says why', async (bench) => {
  const refuseBundle = (file: string): Promise<void> =>
    file.endsWith(DOCUMENT)
      ? Promise.resolve()
      : Promise.reject(new Failure('processing_failed', 'No bundle.'));
  const stack = pausedStack([20, 1, 1], { assemble: refuseBundle });
  const { scans, parts } = await bench.start(stack);
  const result = await scans.scan(bench.call({ assembly: COMBINED }));
  assert.equal(parts.merged.get(DOCUMENT), pages(1, 21));
  assert.equal(await held(bench, result.scan_id), pages(1, 21));
  assert.equal(result.warnings, []);
  assert.match(bench.logged.text(), /"bundle_failed".*No bundle/);
});

test('what hangs is ended with the scan, and a resume files the pages', async (bench) => {
  const { times, pass } = heldDeadline();
  let underWay = 0;
  const hang: PartFaults['assemble'] = async (_, signal) => {
    underWay += 1;
    pass();
    await aborted(signal);
    underWay -= 1;
    throw signal.reason;
  };
  const { scans } = await bench.start(pausedStack([20, 1, 1], { assemble: hang }), { times });
  const error = await failure('timeout', scans.scan(bench.call({ assembly: COMBINED })));
  assert.is(underWay, 0);
  assert.not.match(bench.logged.text(), /bundle_failed/);
  const next = await bench.start();
  const { scan_id: id } = await next.scans.resume(String(error.facts['scan_id']));
  assert.ok((await held(bench, id)).length >= 20);
});

for (const page_grouping of ['per_page', 'per_sheet', 'blank_page'] as const) {
  test(`not with ${page_grouping}`, async (bench) => {
    const { scans, parts } = await bench.start({ feed: feedPages(22) });
    await scans.scan(bench.call({ assembly: { page_grouping } }));
    assert.not.match([...parts.merged.keys()].join(), 'bundle');
  });
}
