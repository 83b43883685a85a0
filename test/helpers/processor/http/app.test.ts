import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import {
  PAGE_FACTS_HEADER,
  readPageFacts,
  type ProcessorHealth,
} from '../../../../helpers/processor-contract.ts';
import { ERROR_WORDS } from '../../../../helpers/processor/http/app.ts';
import { recoveredShare, shippedPage } from '../../../support/pages.ts';
import { stillAlive } from '../../../support/processes.ts';
import { assert, suite, within } from '../../../support/suite.ts';
import { archiveLevelOf, factsOf, imagesOf, placedWords, textOf } from '../support/inspect-pdf.ts';
import { startedProgram } from '../../../support/native-programs.ts';
import { pageTiff } from '../support/page-samples.ts';
import { startBench } from '../support/processor-bench.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const test = suite('the HTTP interface of the processor');

/** One for all tests: a start takes a second. */
const bench = await startBench();

/** The answer to a request whose body never comes: its status and code, what it says and allows. */
async function refusalOf(
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
): Promise<[refusal: string, message: string, allow: string | undefined]> {
  const { port } = bench.processor;
  const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false });
  request.on('error', () => {});
  request.flushHeaders();
  const response = await responseTo(request);
  assert.match(response.headers['content-type'] ?? '', /^application\/json/);
  const { error, message } = (await json(response)) as Record<'error' | 'message', string>;
  request.destroy();
  return [`${response.statusCode} ${error}`, message, response.headers.allow];
}

async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  const came = once(request, 'response') as Promise<[IncomingMessage]>;
  return (await within(EVENT_MS, came, 'the answer'))[0];
}

test('tells what is installed, and how many pages it works on at once', async () => {
  const response = await fetch(`${bench.url}/health`);
  assert.is(response.status, 200);
  const health = (await response.json()) as ProcessorHealth;
  assert.is(health.status, 'ok');
  assert.is(health.workers, 2);
  assert.ok(health.languages.includes('eng'));
  assert.not.ok(health.languages.includes('osd'));
  assert.match(health.versions['ocrmypdf'] ?? '', /^\d/);
  for (const version of Object.values(health.versions)) assert.match(version, /^\d+\.\d+/);
});

test('a path that is not there is not_found, exactly as it is written', async () => {
  for (const path of ['/', '/Health', '/health/', '/pages/1', '/..%2fetc', '/%00']) {
    assert.is((await refusalOf('GET', path))[0], '404 not_found', path);
  }
});

for (const [method, path, allowed] of [
  ['GET', '/pages', 'POST'],
  ['DELETE', '/health', 'HEAD, GET'],
  ['PROPFIND', '/documents', 'POST'],
] as const) {
  test(`${method} ${path} is not allowed, and names the methods that are there`, async () => {
    const [refusal, , allow] = await refusalOf(method, path);
    assert.equal([refusal, allow], ['405 method_not_allowed', allowed]);
  });
}

const TIFF = { 'content-type': 'image/tiff', 'content-length': '10' };
const HUGE = { ...TIFF, 'content-length': String(1024 ** 3 + 1) };
const FORM_ONLY = { ...TIFF, 'content-type': 'multipart/form-data' };
const NO_TYPE = '415 unsupported_media_type';
const UNKNOWN = '/pages?languages=eng,xyz_abc';

const BODIES: readonly (readonly [string, string, OutgoingHttpHeaders, string])[] = [
  ['a PDF', '/pages', { ...TIFF, 'content-type': 'application/pdf' }, NO_TYPE],
  ['no type', '/pages', { 'content-length': '10' }, NO_TYPE],
  ['an encoding', '/pages', { ...TIFF, 'content-encoding': 'gzip' }, NO_TYPE],
  ['no length', '/pages', { 'content-type': 'image/tiff' }, '411 length_required'],
  ['more than a gigabyte', '/pages', HUGE, '413 body_too_large'],
  ['an image', '/documents', TIFF, NO_TYPE],
  ['a form without a boundary', '/documents', FORM_ONLY, '400 invalid_body'],
  ['wrong options', '/pages?deskew=perhaps', TIFF, '400 invalid_parameter'],
  ['a language that is not installed', UNKNOWN, TIFF, '400 language_missing'],
];
for (const [what, path, headers, expected] of BODIES) {
  test(`${what} to ${path} is ${expected}, before any of the body is read`, async () => {
    const [refusal, message] = await refusalOf('POST', path, headers);
    assert.is(refusal, expected, message);
  });
}

test('a full disk is insufficient_storage, whoever noticed it', () => {
  for (const code of ['ENOSPC', 'EDQUOT']) {
    const failure = ERROR_WORDS.failureOf?.(Object.assign(new Error('write'), { code }));
    assert.equal([failure?.status, failure?.code], [507, 'insufficient_storage']);
  }
});

test('the type of a body may have parameters, and capital letters', async () => {
  const headers = { 'Content-Type': 'Image/TIFF; application=x' };
  const answer = await fetch(`${bench.url}/pages`, { method: 'POST', body: 'no image', headers });
  assert.is(answer.status, 422, await answer.text());
});

test('a missing language is named with those that are there, and with its package', async () => {
  const [, message] = await refusalOf('POST', UNKNOWN, TIFF);
  assert.match(message, /xyz_abc; it has .*eng.*tesseract-ocr-xyz-abc/);
});

test('logs a line for each request, probes only at level debug', async () => {
  const probe = bench.nextLine(/"msg":"request"/);
  await fetch(`${bench.url}/health`);
  const seen = JSON.parse(await probe) as Record<string, unknown>;
  assert.equal([seen['level'], seen['path'], seen['status']], ['debug', '/health', 200]);
  const other = bench.nextLine(/"msg":"request"/);
  await fetch(`${bench.url}/nothing?secret=1`);
  const line = await other;
  assert.match(line, /"level":"info".*"path":"\/nothing","status":404/);
  assert.not.match(line, 'secret');
});

/** An empty page of that width. */
async function blankPage(width = 300): Promise<string> {
  const file = path.join(bench.directory, `blank-${width}.tif`);
  await writeTiff(file, graySample(width, 200));
  return file;
}

test('answers with a searchable page, what was done to it, and leaves nothing', async () => {
  const { file } = await pageTiff(bench.directory, 'letter-bank', { turned: 180, height: 900 });
  const answer = await bench.postPage(file, 'languages=eng&rotate_pages=true&deskew=false');
  assert.is(answer.status, 200, answer.message);
  assert.is(answer.headers.get('Content-Type'), 'application/pdf');
  const facts = readPageFacts(answer.headers.get(PAGE_FACTS_HEADER) ?? '');
  const { turned, words = 0, characters = 0, confidence } = facts ?? {};
  assert.is(turned, 180);
  assert.ok(words > 30 && characters > words && Number(confidence) > 80, JSON.stringify(facts));
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

/** Pages as POST /pages makes them, each of its own width. */
async function blankPages(widths: readonly number[]): Promise<string[]> {
  const pages: string[] = [];
  for (const width of widths) {
    const { file: pdf, status } = await bench.postPage(await blankPage(width));
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
  assert.is(answer.headers.get('Content-Length'), String((await stat(answer.file)).size));
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
  for (const [pages, which] of [
    [[page, bad], 2],
    [[cut], 1],
    [[two, bad], 3],
  ] as const) {
    const answer = await bench.postDocument(pages, {});
    assert.equal([answer.status, answer.error], [422, 'unreadable_page']);
    assert.match(answer.message, `Page ${which} is not a PDF`);
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

const LONG = part('name="options"', 'x'.repeat(20_000));
const OTHER = part('name="other"', 'x');
const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ['no options', `${PAGE}${END}`, /\\"options\\" is missing/],
  ['no page', `${OPTIONS}${END}`, /no part \\"page/],
  ['options twice', `${OPTIONS}${OPTIONS}${PAGE}${END}`, /more than one part \\"options/],
  ['options that are no JSON', `${part('name="options"', '{')}${PAGE}${END}`, /not JSON/],
  ['too long options', `${LONG}${PAGE}${END}`, /more than 16384 bytes/],
  ['another field', `${OTHER}${PAGE}${END}`, /a part \\"other/],
  ['another file', `${OPTIONS}${PAGE.replace('"page"', '"other"')}${END}`, /a file \\"other/],
  ['a page of another type', `${OPTIONS}${PAGE.replace('/pdf', '/x')}${END}`, /application\/x;/],
  ['too many pages for a scan', `${OPTIONS}${PAGE.repeat(10_000)}${END}`, /more than 9999 parts/],
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
  assert.is((await responseTo(request)).statusCode, 400);
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
