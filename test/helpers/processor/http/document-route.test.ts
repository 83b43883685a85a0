import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../../../support/within.ts';
import { archiveLevelOf, factsOf, imagesOf, placedWords } from '../support/inspect-pdf.ts';
import { pageTiff } from '../support/page-samples.ts';
import { startBench } from '../support/processor-bench.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const test = suite('POST /documents');

/** One for all tests: a start takes a second. */
const bench = await startBench();

/** Pages as POST /pages makes them, each of its own width. */
async function blankPages(widths: readonly number[]): Promise<string[]> {
  const pages: string[] = [];
  for (const width of widths) {
    const file = path.join(bench.directory, `blank-${width}.tif`);
    await writeTiff(file, graySample(width, 200));
    const { file: pdf, status } = await bench.postPage(file);
    assert.is(status, 200);
    pages.push(pdf);
  }
  return pages;
}

test('answers with the document of the pages, as it was asked for', async () => {
  const [first = '', last = ''] = await blankPages([300, 500]);
  const { file } = await pageTiff(bench.directory, 'invoice', { height: 700 });
  const { file: middle } = await bench.postPage(file);
  const options = { title: 'Größe', output_type: 'pdfa' };
  const answer = await bench.postDocument([first, middle, last], options);
  assert.is(answer.status, 200, answer.message);
  assert.is(answer.headers.get('Content-Type'), 'application/pdf');
  assert.is(answer.headers.get('X-Page-Count'), '3');
  assert.equal(answer.warnings, []);
  assert.is(await archiveLevelOf(answer.file), '2B');
  assert.is((await factsOf(answer.file))['Title'], 'Größe');
  const widths = (await imagesOf(answer.file)).map(({ width }) => width);
  assert.equal(widths, [300, 2480, 500]);
  assert.equal(await placedWords(answer.file, 2), await placedWords(middle));
  await bench.emptied();
});

test('pages that are no PDFs are unreadable_page, and count where a PDF has several', async () => {
  const [page = ''] = await blankPages([300]);
  const { file: two } = await bench.postDocument([page, page], {});
  const bad = path.join(bench.directory, 'bad.pdf');
  await writeFile(bad, 'no PDF');
  const cut = path.join(bench.directory, 'empty.pdf');
  await writeFile(cut, '');
  for (const [pages, message] of [
    [[page, bad], /Page 2 is not a PDF/],
    [[cut], /Page 1 is not a PDF/],
    [[two, bad], /Page 3 is not a PDF/],
  ] as const) {
    const answer = await bench.postDocument(pages, {});
    assert.equal([answer.status, answer.error], [422, 'unreadable_page']);
    assert.match(answer.message, message);
  }
});

/** Sends the start of a form and gives the answer to it. */
async function sendStart(body: string): Promise<{ status: number; text: string }> {
  const headers: OutgoingHttpHeaders = {
    'content-type': 'multipart/form-data; boundary=cut',
    'content-length': 1_000_000,
  };
  const request = httpRequest(`${bench.url}/documents`, { method: 'POST', headers, agent: false });
  request.on('error', () => {});
  request.write(body);
  const [response] = (await within(EVENT_MS, once(request, 'response'), 'the answer')) as [
    AsyncIterable<Buffer> & { statusCode: number },
  ];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  request.destroy();
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
}

test('a wrong part is told at once, while the body is still on its way', async () => {
  const answer = await sendStart(
    '--cut\r\nContent-Disposition: form-data; name="wrong"; filename="x"\r\nContent-Type: application/pdf\r\n\r\nabc',
  );
  assert.is(answer.status, 400);
  assert.match(answer.text, /"invalid_body".*expected \\"page\\" of type application\/pdf/);
  await bench.emptied();
});

test('a client that goes away in a page leaves nothing', async () => {
  const noticed = bench.nextLine(/"path":"\/documents".*"aborted":true/);
  const headers = {
    'content-type': 'multipart/form-data; boundary=cut',
    'content-length': 1_000_000,
  };
  const request = httpRequest(`${bench.url}/documents`, { method: 'POST', headers, agent: false });
  request.on('error', () => {});
  const start =
    '--cut\r\nContent-Disposition: form-data; name="page"; filename="x"\r\nContent-Type: application/pdf\r\n\r\n%PDF';
  await new Promise((resolve) => void request.write(start, resolve));
  request.destroy();
  await noticed;
  await bench.emptied();
});

test('ends, and leaves nothing', () => bench.close());

test.run();
