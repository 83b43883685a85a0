import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../../../support/within.ts';
import { startBench } from '../support/processor-bench.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const test = suite('the HTTP interface of the processor');

/** One for all tests: a start takes a second. */
const bench = await startBench();
const { url, nextLine } = bench;

interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly allow: string | undefined;
}

/** The answer to a request whose body never comes. */
async function refusalOf(
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
): Promise<Refusal> {
  const { port } = bench.processor;
  const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false });
  request.on('error', () => {});
  request.flushHeaders();
  const came = once(request, 'response') as Promise<[IncomingMessage]>;
  const [response] = await within(EVENT_MS, came, 'the answer');
  assert.match(response.headers['content-type'] ?? '', /^application\/json/);
  const { error, message } = (await json(response)) as Record<'error' | 'message', string>;
  request.destroy();
  return { status: response.statusCode ?? 0, error, message, allow: response.headers.allow };
}

test('tells what is installed, and how many pages it works on at once', async () => {
  const response = await fetch(`${url}/health`);
  assert.is(response.status, 200);
  const health = (await response.json()) as {
    status: string;
    versions: Record<string, string>;
    languages: string[];
    workers: number;
  };
  assert.is(health.status, 'ok');
  assert.is(health.workers, 2);
  assert.ok(health.languages.includes('eng'));
  assert.not.ok(health.languages.includes('osd'));
  assert.match(health.versions['ocrmypdf'] ?? '', /^\d/);
  for (const version of Object.values(health.versions)) assert.match(version, /^\d+\.\d+/);
});

test('a path that is not there is not_found, exactly as it is written', async () => {
  for (const path of ['/', '/Health', '/health/', '/pages/1', '/..%2fetc', '/%00']) {
    const { status, error } = await refusalOf('GET', path);
    assert.equal([status, error], [404, 'not_found'], path);
  }
});

const METHODS = [
  ['GET', '/pages', 405, 'method_not_allowed', 'POST'],
  ['DELETE', '/health', 405, 'method_not_allowed', 'HEAD, GET'],
  ['PROPFIND', '/documents', 405, 'method_not_allowed', 'POST'],
] as const;

for (const [method, path, ...expected] of METHODS) {
  test(`${method} ${path} is ${expected[1]}, and names the methods that are there`, async () => {
    const { status, error, allow } = await refusalOf(method, path);
    assert.equal([status, error, allow], expected);
  });
}

const TIFF = { 'content-type': 'image/tiff', 'content-length': '10' };
const GIGABYTE_AND_ONE = String(1024 ** 3 + 1);

const BODIES: readonly (readonly [string, string, OutgoingHttpHeaders, number, string])[] = [
  [
    'a PDF',
    '/pages',
    { ...TIFF, 'content-type': 'application/pdf' },
    415,
    'unsupported_media_type',
  ],
  ['no type', '/pages', { 'content-length': '10' }, 415, 'unsupported_media_type'],
  ['an encoding', '/pages', { ...TIFF, 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
  ['no length', '/pages', { 'content-type': 'image/tiff' }, 411, 'length_required'],
  [
    'more than a gigabyte',
    '/pages',
    { ...TIFF, 'content-length': GIGABYTE_AND_ONE },
    413,
    'body_too_large',
  ],
  ['an image', '/documents', TIFF, 415, 'unsupported_media_type'],
  [
    'a form without a boundary',
    '/documents',
    { ...TIFF, 'content-type': 'multipart/form-data' },
    400,
    'invalid_body',
  ],
  ['wrong options', '/pages?deskew=perhaps', TIFF, 400, 'invalid_parameter'],
  [
    'a language that is not installed',
    '/pages?languages=eng,xyz_abc',
    TIFF,
    400,
    'language_missing',
  ],
];

for (const [what, path, headers, status, error] of BODIES) {
  test(`${what} to ${path} is ${error}, before any of the body is read`, async () => {
    const refusal = await refusalOf('POST', path, headers);
    assert.equal([refusal.status, refusal.error], [status, error], refusal.message);
  });
}

test('the type of a body may have parameters, and capital letters', async () => {
  const headers = { 'Content-Type': 'Image/TIFF; application=x' };
  const answer = await fetch(`${url}/pages`, { method: 'POST', body: 'no image', headers });
  assert.is(answer.status, 422, await answer.text());
});

test('a missing language is named with those that are there, and with its package', async () => {
  const { message } = await refusalOf('POST', '/pages?languages=eng,xyz_abc', TIFF);
  assert.match(message, /xyz_abc; it has .*eng.*tesseract-ocr-xyz-abc/);
});

test('logs a line for each request, probes only at level debug', async () => {
  const probe = nextLine(/"msg":"request"/);
  await fetch(`${url}/health`);
  const seen = JSON.parse(await probe) as Record<string, unknown>;
  assert.equal([seen['level'], seen['path'], seen['status']], ['debug', '/health', 200]);
  const other = nextLine(/"msg":"request"/);
  await fetch(`${url}/nothing?secret=1`);
  const line = await other;
  assert.match(line, /"level":"info".*"path":"\/nothing","status":404/);
  assert.not.match(line, 'secret');
});

test('ends, and leaves nothing', () => bench.close());

test.run();
