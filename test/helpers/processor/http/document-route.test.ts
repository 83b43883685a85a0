import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
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

function part(disposition: string, content: string, type?: string): string {
  const typeLine = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  return `--cut\r\nContent-Disposition: form-data; ${disposition}\r\n${typeLine}\r\n${content}\r\n`;
}

const OPTIONS = part('name="options"', '{"title":"T"}');
const PAGE = part('name="page"; filename="x.pdf"', '%PDF', 'application/pdf');
const END = '--cut--\r\n';
const FORM = { 'Content-Type': 'multipart/form-data; boundary=cut' };

async function postForm(body: string | Buffer): Promise<{ status: number; text: string }> {
  const response = await fetch(`${bench.url}/documents`, { method: 'POST', body, headers: FORM });
  return { status: response.status, text: await response.text() };
}

const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ['no options', `${PAGE}${END}`, /\\"options\\" is missing/],
  ['no page', `${OPTIONS}${END}`, /no part \\"page/],
  ['options twice', `${OPTIONS}${OPTIONS}${PAGE}${END}`, /more than one part \\"options/],
  ['options that are no JSON', `${part('name="options"', '{')}${PAGE}${END}`, /not JSON/],
  [
    'too long options',
    `${part('name="options"', 'x'.repeat(20_000))}${PAGE}${END}`,
    /more than 16384 bytes/,
  ],
  ['another field', `${part('name="other"', 'x')}${PAGE}${END}`, /a part \\"other/],
  ['another file', `${OPTIONS}${PAGE.replace('"page"', '"other"')}${END}`, /a file \\"other/],
  ['a page of another type', `${OPTIONS}${PAGE.replace('/pdf', '/x')}${END}`, /application\/x;/],
  [
    'more pages than a scan can have',
    `${OPTIONS}${PAGE.repeat(10_000)}${END}`,
    /more than 9999 parts \\"page/,
  ],
  ['nothing at all', '', /./],
  ['no end', `${OPTIONS}${PAGE}`, /cannot be read/],
  ['no form', '{"title":"T"}', /./],
];

for (const [what, body, message] of REFUSED) {
  test(`${what} is invalid_body`, async () => {
    const { status, text } = await postForm(body);
    assert.is(status, 400, text);
    assert.match(text, /"invalid_body"/);
    assert.match(text, message);
  });
}

test('the options may come last, and the name of a file is of no matter', async () => {
  const [pdf = ''] = await blankPages([300]);
  const [head = '', tail = ''] = PAGE.replace('x.pdf', '../../evil.pdf').split('%PDF');
  const body = Buffer.concat([
    Buffer.from(head),
    await readFile(pdf),
    Buffer.from(`${tail}${OPTIONS}${END}`),
  ]);
  assert.is((await postForm(body)).status, 200);
  assert.not((await readdir(bench.directory, { recursive: true })).join().includes('evil'));
});

/** Begins a form that does not end. */
function sendStart(body: string): ClientRequest {
  const headers = { ...FORM, 'content-length': 1_000_000 };
  const request = httpRequest(`${bench.url}/documents`, { method: 'POST', headers, agent: false });
  request.on('error', () => {});
  request.write(body);
  return request;
}

test('a wrong part is told at once, while the body is still on its way', async () => {
  const request = sendStart(PAGE.replace('"page"', '"wrong"').slice(0, -2));
  const came = once(request, 'response') as Promise<[IncomingMessage]>;
  const [response] = await within(EVENT_MS, came, 'the answer');
  assert.is(response.statusCode, 400);
  request.destroy();
  await bench.emptied();
});

test('a client that goes away in a page leaves nothing', async () => {
  const noticed = bench.nextLine(/"path":"\/documents".*"aborted":true/);
  const request = sendStart('');
  await new Promise((resolve) => void request.write(PAGE.slice(0, -2), resolve));
  request.destroy();
  await noticed;
  await bench.emptied();
});

test('ends, and leaves nothing', () => bench.close());

test.run();
