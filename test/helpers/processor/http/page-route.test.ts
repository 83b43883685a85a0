import { openAsBlob } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGE_FACTS_HEADER, readPageFacts } from '../../../../helpers/processor-contract.ts';
import { recoveredShare, shippedPage } from '../../../support/pages.ts';
import { stillAlive } from '../../../support/processes.ts';
import { factsOf, textOf } from '../support/inspect-pdf.ts';
import { startedProgram } from '../support/own-programs.ts';
import { pageTiff } from '../support/page-samples.ts';
import { startBench } from '../support/processor-bench.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

const test = suite('POST /pages');

/** One for all tests: a start takes a second. */
const bench = await startBench();

async function blankPage(): Promise<string> {
  const file = path.join(bench.directory, 'blank.tif');
  await writeTiff(file, graySample(300, 200));
  return file;
}

test('answers with a searchable page, what was done to it, and leaves nothing', async () => {
  const { file } = await pageTiff(bench.directory, 'letter-bank', { turned: 180, height: 900 });
  const answer = await bench.postPage(file, 'languages=eng&rotate_pages=true&deskew=false');
  assert.is(answer.status, 200, answer.message);
  assert.is(answer.headers.get('Content-Type'), 'application/pdf');
  const facts = readPageFacts(answer.headers.get(PAGE_FACTS_HEADER) ?? '');
  assert.ok(facts, 'no facts');
  assert.is(facts.turned, 180);
  assert.ok(facts.words > 30 && facts.characters > facts.words, JSON.stringify(facts));
  assert.ok((facts.confidence ?? 0) > 80, JSON.stringify(facts));
  assert.equal(answer.warnings, []);
  const start = shippedPage('letter-bank').text.slice(0, 200);
  assert.ok(recoveredShare(start, await textOf(answer.file)) > 0.9);
  assert.is((await factsOf(answer.file))['Pages'], '1');
  await bench.emptied();
});

test('a page that is left out has facts and no content, and is not recognised', async () => {
  await bench.withPrograms({ tesseract: 'exit 1' }, async () => {
    const { file } = await pageTiff(bench.directory, 'blank-back-dust');
    const answer = await bench.postPage(file, 'drop_blank=true&separators=PATCHT');
    assert.is(answer.status, 204, answer.message);
    assert.equal(answer.warnings, []);
    const facts = readPageFacts(answer.headers.get(PAGE_FACTS_HEADER) ?? '');
    assert.is(facts?.left_out, 'blank');
    assert.ok(facts?.blank && facts.blank.score < 1);
    const kept = await bench.postPage(file, 'examine=true&codes=true');
    assert.is(kept.status, 200);
    assert.equal(kept.warnings.length, 1);
    await bench.emptied();
  });
});

test('a client that goes away while Tesseract works ends it', async () => {
  await bench.withPrograms({ tesseract: 'sleep 600' }, async () => {
    const noticed = bench.nextLine(/"path":"\/pages".*"aborted":true/);
    const stop = new AbortController();
    const body = await openAsBlob(await blankPage(), { type: 'image/tiff' });
    const asked = fetch(`${bench.url}/pages`, { method: 'POST', body, signal: stop.signal });
    asked.catch(() => {});
    const pid = await startedProgram('tesseract', bench.directory);
    stop.abort();
    await noticed;
    assert.equal(await stillAlive([pid]), []);
    await bench.emptied();
  });
});

test('ends, and leaves nothing', () => bench.close());

test.run();
