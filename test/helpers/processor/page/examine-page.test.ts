import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CodeReader } from '../../../../helpers/processor/codes/code-reader.ts';
import { STILL } from '../../../../helpers/processor/page/motion.ts';
import { examinePage, type Examined } from '../../../../helpers/processor/page/examine-page.ts';
import { openPage } from '../../../../helpers/processor/page/open-page.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import type { PageWork } from '../../../../helpers/processor/page/page-work.ts';
import { rejection } from '../../../support/rejection.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { composed, printedCode } from '../support/code-images.ts';
import { keptToolbox } from '../support/job-context.ts';
import { pageBench, pageTiff, recognized, type WorkOptions } from '../support/page-samples.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

const DPI = 300;
const CODE = { type: 'qr', text: 'ASN1', x_mm: 1, y_mm: 1, width_mm: 9, height_mm: 9 } as const;

const toolbox = keptToolbox();
const tests = suite('examining a page');
tests.after(() => toolbox.close());
const test = withFixture(tests, async () => {
  const bench = await pageBench(toolbox);
  const { directory } = bench;
  const tiff = path.join(directory, 'page.tif');
  await writeTiff(tiff, graySample(600, 600));
  const image = { file: tiff, width: 600, height: 600, dpi: DPI, bilevel: false };
  return {
    directory,
    workOn: bench.workOn,
    tiff,
    /** Examines an empty page, with a reader of codes that does as the test says. */
    examine: (given: WorkOptions, read?: CodeReader['read']): Promise<Examined> => {
      const work = bench.workOn(tiff, given);
      const codes = read ? { ...work.parts.codes, read } : work.parts.codes;
      const parts = { ...work.parts, codes };
      return examinePage(
        { image, motion: STILL, turned: 0, cropped: null, warnings: [] },
        { ...work, parts },
      );
    },
    close: () => bench.close(),
  };
});

/** The same, but that so many looks at the page fail. */
function withoutLook(work: PageWork, times: number): PageWork {
  const { python } = work.parts.toolbox;
  let left = times;
  const run: typeof python.run = (job, context) => {
    if (job.job === 'examine' && left-- > 0) return Promise.reject(new Error('in pieces'));
    return python.run(job, context);
  };
  const toolbox = { ...work.parts.toolbox, python: { ...python, run } };
  return { ...work, parts: { ...work.parts, toolbox } };
}

test('nothing is looked for that was not asked for', async ({ examine }) => {
  const never = (): Promise<never> => Promise.reject(new Error('not expected'));
  const { findings, warnings } = await examine({ options: { ocr: false } }, never);
  assert.equal(findings, { skew: null, blank: null, codes: [], left_out: null });
  assert.equal(warnings, []);
  const examined = await examine({ options: { examine: true } }, never);
  assert.equal(examined.findings.blank, { score: 0, mark: null });
  assert.is(examined.findings.left_out, null);
});

test('a blank page is left out if it may be, a separator always', async ({ examine }) => {
  const read = (): Promise<(typeof CODE)[]> => Promise.resolve([CODE]);
  for (const [options, expected] of [
    [{ drop_blank: true }, 'blank'],
    [{ drop_blank: true, codes: true, separators: ['PATCHT'] }, 'blank'],
    [{ drop_blank: true, separators: ['PATCHT', 'ASN1'] }, 'separator'],
    [{ separators: ['ASN'] }, null],
  ] as const) {
    const { findings } = await examine({ options }, read);
    assert.is(findings.left_out, expected, JSON.stringify(options));
  }
});

test('codes that do not fit are not listed, and still count', async ({ examine }) => {
  const long = { ...CODE, text: 'x'.repeat(301) };
  const codes = Array.from({ length: 21 }, () => CODE);
  const options = { separators: [long.text.slice(0, 100), long.text] };
  const { findings, warnings } = await examine({ options }, () =>
    Promise.resolve([...codes, long]),
  );
  assert.is(findings.codes.length, 20);
  assert.is(findings.left_out, 'separator');
  assert.equal(warnings, ['2 codes are not listed: there are too many, or they are too long']);
});

test('hostile texts of codes come through as they are', async ({ directory, workOn }) => {
  const texts = [
    '../../etc/passwd',
    '<script>alert(1)</script>',
    '{profile}\u0000\u001B[31m',
    '🖨‮',
  ];
  const file = path.join(directory, 'hostile.tif');
  const things = await Promise.all(
    texts.map(async (text, index) => ({
      png: await printedCode({ format: 'QRCode', text, width_mm: 20 }, DPI),
      x_mm: 10 + (index % 2) * 40,
      y_mm: 10 + Math.floor(index / 2) * 40,
    })),
  );
  const page = await composed({ width_mm: 100, height_mm: 100 }, things, DPI);
  const { width, height } = await page
    .withMetadata({ density: DPI })
    .tiff({ compression: 'none' })
    .toFile(file);
  const image = { file, width, height, dpi: DPI, bilevel: false };
  const work = workOn(file, { options: { codes: true } });
  const { findings, warnings } = await examinePage(
    { image, motion: STILL, turned: 0, cropped: null, warnings: [] },
    work,
  );
  assert.equal(findings.codes.map(({ text }) => text).toSorted(), texts.toSorted());
  assert.equal(warnings, []);
});

test('a reader of codes that fails costs the codes, with a warning', async ({ examine }) => {
  const { findings, warnings } = await examine(
    { options: { drop_blank: true, separators: ['PATCHT'] } },
    () => Promise.reject(new Error('in pieces')),
  );
  assert.is(findings.left_out, 'blank');
  assert.equal(warnings, ['reading codes failed: the page counts as one without codes']);
});

test('a reader of codes that fails once is asked again', async ({ examine }) => {
  const failures = [new Error('no thread')];
  const { findings, warnings } = await examine({ options: { separators: ['PATCHT'] } }, () => {
    const failed = failures.pop();
    return failed ? Promise.reject(failed) : Promise.resolve([{ ...CODE, text: 'PATCHT' }]);
  });
  assert.is(findings.left_out, 'separator');
  assert.equal(warnings, []);
});

test('a page that can be looked at the second time is examined, one that cannot is kept as it was scanned, with a warning', async ({
  directory,
  workOn,
}) => {
  const { file } = await pageTiff(directory, 'invoice', { height: 600 });
  const options = { deskew: true, drop_blank: true, separators: ['PATCHT'] };
  const work = workOn(file, { options });
  assert.equal((await recognized(withoutLook(work, 1))).warnings, []);
  const { facts, warnings } = await recognized(withoutLook(work, 2));
  assert.equal(warnings, ['examining the page failed: it is kept as it was scanned']);
  assert.equal(
    [facts.turned, facts.skew, facts.blank, facts.codes, facts.left_out],
    [0, null, null, [], null],
  );
  assert.ok(facts.words > 10);
});

test('an image that is no page, too coarse or too small is kept', async ({ directory, workOn }) => {
  const cases = [
    ['one pixel', { ...graySample(9, 9), width: 1, height: 1, pixels: Buffer.alloc(1) }, 1],
    ['a line', { ...graySample(9, 9), width: 3000, height: 1, pixels: Buffer.alloc(3000) }, 1],
    ['too coarse', { ...graySample(600, 600), dpi: [100, 100] as const }, 9],
    ['black', { ...graySample(600, 600), pixels: Buffer.alloc(600 * 600) }, 9],
  ] as const;
  for (const [what, sample, least] of cases) {
    const file = path.join(directory, 'odd.tif');
    await writeTiff(file, sample);
    const [dpi] = sample.dpi ?? [DPI];
    const image = { file, width: sample.width, height: sample.height, dpi, bilevel: false };
    const work = workOn(file, { options: { examine: true, codes: true } });
    const { findings, warnings } = await examinePage(
      { image, motion: STILL, turned: 0, cropped: null, warnings: [] },
      work,
    );
    assert.equal(warnings, [], what);
    assert.ok((findings.blank?.score ?? 0) >= least, `${what}: ${findings.blank?.score}`);
  }
});

test('a page that is given up rejects with the reason', async ({ examine }) => {
  const signal = AbortSignal.abort(new Error('the deadline'));
  for (const options of [{ examine: true }, { codes: true }]) {
    assert.match(String(await rejection(examine({ options, signal }))), /the deadline/);
  }
});

test('ink of a colour on coloured paper is seen', async ({ directory, workOn }) => {
  const file = path.join(directory, 'colour.tif');
  const svg = `<svg width="800" height="800"><rect width="100%" height="100%" fill="#f7ec99"/><path d="M200 400l30 30 60-80" stroke="#d8d8a0" stroke-width="6" fill="none"/></svg>`;
  const { width, height } = await sharp(Buffer.from(svg))
    .removeAlpha()
    .withMetadata({ density: DPI })
    .tiff({ compression: 'none' })
    .toFile(file);
  const image = { file, width, height, dpi: DPI, bilevel: false };
  const work = workOn(file, { options: { examine: true } });
  const { blank } = (
    await examinePage({ image, motion: STILL, turned: 0, cropped: null, warnings: [] }, work)
  ).findings;
  assert.ok((blank?.score ?? 0) > 1, JSON.stringify(blank));
  assert.ok(Math.abs((blank?.mark?.x_mm ?? 0) - 17) < 1, JSON.stringify(blank));
});

/** A page of text with dark lines from edge to edge, 34 mm and 4 mm from the left, and rules of a table, at 60 and 150 mm. */
async function dirtyPage(directory: string, skew: number): Promise<PageImage> {
  const page = await pageTiff(directory, 'letter-landlord');
  const file = path.join(directory, `dirty${skew}.tif`);
  const line = (mm: number, from: number, to: number): string =>
    `<rect x="${(mm / 25.4) * DPI - 2}" y="${from}" width="4" height="${to - from}" fill="#444"/>`;
  const { width, height } = page;
  const rules = line(60, 200, height - 200) + line(150, 200, height - 200);
  const drawn = (lines: string): Buffer =>
    Buffer.from(`<svg width="${width}" height="${height}">${lines}</svg>`);
  const printed = await sharp(page.file)
    .composite([{ input: drawn(rules) }])
    .png({ compressionLevel: 0 })
    .toBuffer();
  // The paper is askew; what is on the glass is not.
  const askew = await sharp(printed)
    .rotate(skew, { background: 'white' })
    .resize(width, height, { fit: 'cover' })
    .png({ compressionLevel: 0 })
    .toBuffer();
  await sharp(askew)
    .composite([{ input: drawn(line(34, 0, height) + line(4, 0, height)) }])
    .toColourspace('b-w')
    .withMetadata({ density: DPI })
    .tiff({ compression: 'none' })
    .toFile(file);
  return { ...page, file };
}

test('streaks of dirty glass have their place on the page as it was scanned; rules of tables and the edge of paper are none', async ({
  directory,
  workOn,
}) => {
  for (const [skew, rotate, found] of [
    [0, 0, [34]],
    [2, 0, [34]],
    [0, 180, [34]],
    [0, 90, undefined],
  ] as const) {
    const { file } = await dirtyPage(directory, skew);
    const opened = await openPage(workOn(file, { options: { rotate } }));
    const { findings } = await examinePage(opened, workOn(file));
    assert.equal(findings.streaks?.map(Math.round), found, `${skew}° askew, turned by ${rotate}°`);
  }
});

test.run();
