import { once } from 'node:events';
import { openAsBlob, readFileSync } from 'node:fs';
import { mkdtemp, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import sharp from 'sharp';
import {
  PAGE_FACTS_HEADER,
  pageQuery,
  readPageFacts,
  type ProcessorHealth,
} from '../../../../helpers/processor-contract.ts';
import { ERROR_WORDS } from '../../../../helpers/processor/http/app.ts';
import { PACE_LIMIT } from '../../../../helpers/processor/http/receive-body.ts';
import { receivePages } from '../../../../helpers/processor/http/receive-pages.ts';
import {
  readDocumentOptions,
  readPageOptions,
} from '../../../../helpers/processor/http/request-options.ts';
import { tiffFile } from '../../../support/fake-scanimage/tiff-file.ts';
import { makePipe } from '../../../support/make-pipe.ts';
import { recoveredShare, shippedPage } from '../../../support/pages.ts';
import { stillAlive } from '../../../support/processes.ts';
import { serve } from '../../../support/serve.ts';
import { assert, EVENT_MS, rejection, suite, thrown, within } from '../../../support/suite.ts';
import { archiveLevelOf, factsOf, imagesOf, placedWords, textOf } from '../support/inspect-pdf.ts';
import { startedProgram } from '../../../support/native-programs.ts';
import { pageTiff } from '../support/page-samples.ts';
import { startBench, type Answer } from '../support/processor-bench.ts';
import { graySample, writeTiff, type TiffSample } from '../support/tiff-sample.ts';

const test = suite('the HTTP interface of the processor');

const bench = await startBench({ workers: 2, memoryBytes: 1024 * 1024 * 1024 });

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

test('reports what is installed, and how many pages it processes in parallel', async () => {
  const response = await fetch(`${bench.url}/health`);
  assert.is(response.status, 200);
  const health = (await response.json()) as ProcessorHealth;
  assert.is(health.status, 'ok');
  assert.is(health.workers, 2);
  assert.ok(health.languages.includes('eng'));
  assert.not.ok(health.languages.includes('osd'));
  for (const name of ['ocrmypdf', 'tesseract', 'python', 'pikepdf', 'pillow', 'numpy'])
    assert.match(health.versions[name] ?? '', /^\d+(?:\.\d+)+/, name);
});

test('an unknown path is not_found, exactly as written', async () => {
  for (const path of ['/', '/Health', '/health/', '/pages/1', '/..%2fetc', '/%00']) {
    assert.is((await refusalOf('GET', path))[0], '404 not_found', path);
  }
});

for (const [method, path, allowed] of [
  ['GET', '/pages', 'POST'],
  ['DELETE', '/health', 'HEAD, GET'],
  ['PROPFIND', '/documents', 'POST'],
] as const) {
  test(`${method} ${path} is not allowed, and the answer names the valid methods`, async () => {
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

test('a full disk is insufficient_storage, whichever part notices', () => {
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

test('a missing language is named with the installed ones and its package', async () => {
  const [, message] = await refusalOf('POST', UNKNOWN, TIFF);
  assert.match(message, /xyz_abc; it has .*eng.*tesseract-ocr-xyz-abc/);
});

test('logs a line per request, and probes only at level debug', async () => {
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

test('answers with a searchable page and its changes, and leaves no files', async () => {
  const { file } = await pageTiff(bench.directory, 'letter-bank', { turned: 180, height: 820 });
  const answer = await bench.postPage(file, 'languages=eng&rotate_pages=true&deskew=false');
  assert.is(answer.status, 200, answer.message);
  assert.is(answer.headers.get('Content-Type'), 'application/pdf');
  const facts = readPageFacts(answer.headers.get(PAGE_FACTS_HEADER) ?? '');
  const { turned, words = 0, characters = 0, confidence } = facts ?? {};
  assert.is(turned, 180);
  assert.ok(words > 30 && characters > words && Number(confidence) > 80, JSON.stringify(facts));
  assert.equal(answer.warnings, []);
  assert.ok(recoveredShare(await textOf(answer.file), shippedPage('letter-bank').text) > 0.9);
  assert.is((await factsOf(answer.file))['Pages'], '1');
  await bench.emptied();
});

test('an omitted page has facts but no content, and is not recognized', async () => {
  await bench.withPrograms({ tesseract: 'exit 1' }, async () => {
    const { file } = await pageTiff(bench.directory, 'blank-back-dust', { height: 1200 });
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

test('a client that disconnects ends its Tesseract', async () => {
  await bench.withPrograms({ tesseract: 'sleep 600' }, async () => {
    const noticed = bench.nextLine(/"path":"\/pages".*"aborted":true/);
    const stop = new AbortController();
    const body = await openAsBlob(await bench.blankPage(), { type: 'image/tiff' });
    const asked = fetch(`${bench.url}/pages`, { method: 'POST', body, signal: stop.signal });
    asked.catch(() => {});
    const pid = await startedProgram('tesseract', bench.directory);
    stop.abort();
    await noticed;
    assert.equal(await stillAlive([pid]), []);
    await bench.emptied();
  });
});

async function blankPages(widths: readonly number[]): Promise<string[]> {
  const pages: string[] = [];
  for (const width of widths) {
    const { file: pdf, status } = await bench.postPage(await bench.blankPage(width));
    assert.is(status, 200);
    pages.push(pdf);
  }
  return pages;
}

test('answers with the requested document of the pages', async () => {
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

test('pages that are not PDFs are unreadable_page, and PDFs with several pages count them', async () => {
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

const LIMITS = { signal: new AbortController().signal, pace: PACE_LIMIT, mostPages: 3 };

test('too many pages for a scan are invalid_body', async () => {
  const refused = Promise.withResolvers<unknown>();
  const served = await serve((request, response) => {
    refused.resolve(rejection(receivePages(request, bench.directory, LIMITS)));
    response.end();
  });
  const body = `${OPTIONS}${PAGE.repeat(4)}${END}`;
  await fetch(served.url, { method: 'POST', body, headers: FORM });
  assert.match(String(await refused.promise), /more than 3 parts "page"/);
  await served.close();
});

test('pages exist once they are written, not once they arrived', async () => {
  const directory = await mkdtemp(path.join(bench.directory, 'slow-disk-'));
  const slow = path.join(directory, 'page-0001.pdf');
  await makePipe(slow);
  let isReceived = false;
  const receive = async (request: IncomingMessage): Promise<void> => {
    await receivePages(request, directory, LIMITS);
    isReceived = true;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = receive(request);
    await once(request, 'end');
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    response.end(String(isReceived));
    await received;
  };
  const served = await serve((request, response) => void answer(request, response));
  const body = `${OPTIONS}${PAGE}${END}`;
  const response = await fetch(served.url, { method: 'POST', body, headers: FORM });
  const answered = await response.text();
  assert.is(await readFile(slow, 'utf8'), '%PDF');
  await served.close();
  assert.is(answered, 'false');
});

test('the options may come last, and file names do not matter', async () => {
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

function sendStart(body: string): ClientRequest {
  const headers = { ...FORM, 'content-length': 1_000_000 };
  const request = httpRequest(`${bench.url}/documents`, { method: 'POST', headers, agent: false });
  request.on('error', () => {});
  request.write(body);
  return request;
}

test('a wrong part is refused immediately, while the body is still arriving', async () => {
  const request = sendStart(PAGE.replace('"page"', '"wrong"').slice(0, -2));
  assert.is((await responseTo(request)).statusCode, 400);
  request.destroy();
  await bench.emptied();
});

test('a client that disconnects within a page leaves nothing', async () => {
  const noticed = bench.nextLine(/"path":"\/documents".*"aborted":true/);
  const request = sendStart('');
  await new Promise((resolve) => void request.write(PAGE.slice(0, -2), resolve));
  request.destroy();
  await noticed;
  await bench.emptied();
});

test('200 connections and 60 health pollers do not slow down a page', async () => {
  const page = await bench.blankPage();
  const idle = Array.from({ length: 200 }, () => connect(bench.processor.port, '127.0.0.1'));
  for (const socket of idle) socket.on('error', () => {});
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  const stop = new AbortController();
  const statuses: number[] = [];
  const poll = async (): Promise<void> => {
    while (!stop.signal.aborted) statuses.push((await fetch(`${bench.url}/health`)).status);
  };
  const pollers = Array.from({ length: 60 }, poll);
  assert.is((await bench.postPage(page)).status, 200);
  stop.abort();
  await Promise.all(pollers);
  for (const socket of idle) socket.destroy();
  assert.ok(statuses.length > 60);
  assert.ok(statuses.every((status) => status === 200));
});

test('foreign host names and web pages are refused', async () => {
  const ask = async (headers: OutgoingHttpHeaders): Promise<string> =>
    (await refusalOf('GET', '/health', headers))[0];
  assert.match(await ask({ host: 'processor:8081' }), /^200 /);
  assert.is(await ask({ host: 'evil.example' }), '421 misdirected_host');
  assert.is(await ask({ origin: 'http://evil.example' }), '403 forbidden_origin');
});

const gray = graySample(600, 400);

/** The processor must answer in time, leave no files, and serve the next request. */
async function postHostile(
  content: Buffer | TiffSample,
  query = 'rotate_pages=false',
): Promise<Answer> {
  const file = path.join(bench.directory, 'hostile.tif');
  if (Buffer.isBuffer(content)) await writeFile(file, content);
  else await writeTiff(file, content);
  const answer = await within(EVENT_MS, bench.postPage(file, query), 'the answer');
  await bench.emptied();
  return answer;
}

function withTag(tag: number, value: number): Buffer {
  const bytes = tiffFile({ ...gray, byteOrder: 'II', rowsPerStrip: gray.height });
  const start = bytes.readUInt32LE(4);
  for (let entry = start + 2; ; entry += 12) {
    if (bytes.readUInt16LE(entry) !== tag) continue;
    bytes.writeUInt16LE(4, entry + 2);
    bytes.writeUInt32LE(value, entry + 8);
    return bytes;
  }
}

const NO_IMAGES: Readonly<Record<string, Buffer>> = {
  'no byte': Buffer.alloc(0),
  'a header only': Buffer.from('II*\0\x08\0\0\0', 'latin1'),
  'a header that points beyond the end': Buffer.from('II*\0\xFF\xFF\xFF\x7F', 'latin1'),
  'a JPEG': readFileSync(shippedPage('receipt').file),
  PostScript: Buffer.from('%!PS\n(/etc/passwd) run\n'),
  'random bytes': Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919 + 13) % 256)),
};

function assertRefused(answer: Answer, code: string, what = answer.message): void {
  assert.equal([answer.status, answer.error], [422, code], what);
}

for (const [what, content] of Object.entries(NO_IMAGES)) {
  test(`${what} is unreadable_page`, async () => {
    assertRefused(await postHostile(content), 'unreadable_page');
  });
}

const REFUSAL = /^422 (?:unreadable_page|page_too_large)$/;

/** Tags that contradict the content of the file. */
const LIES: readonly (readonly [string, number, number])[] = [
  ['no width', 256, 0],
  ['35,000 pixels of width', 256, 35_000],
  ['4 thousand million pixels of width', 256, 0xff_ff_ff_ff],
  ['a greater height', 257, 100_000],
  ['64 bits a sample', 258, 64],
  ['a compression that nobody knows', 259, 54_321],
  ['JPEG compression where there is none', 259, 7],
  ['a strip beyond the end', 273, 0x7f_ff_ff_f0],
  ['a strip of 4 thousand million bytes', 279, 0xff_ff_ff_ff],
  ['no row in a strip', 278, 0],
  ['200 samples a pixel', 277, 200],
];

for (const [what, tag, value] of LIES) {
  test(`a header that claims ${what} leads to a page or a refusal`, async () => {
    const answer = await postHostile(withTag(tag, value));
    if (answer.status === 200) assert.ok((await imagesOf(answer.file)).length === 1);
    else assert.match(`${answer.status} ${answer.error}`, REFUSAL, answer.message);
  });
}

test('35,000 × 35,000 pixels are refused without using memory', async () => {
  const answer = await postHostile({ ...gray, width: 35_000, height: 35_000 });
  assertRefused(answer, 'page_too_large');
  assert.match(answer.message, /lower resolution.*needs \d+ MB, there are 1024 MB/);
});

test('a small file that unpacks to a huge image is refused', async () => {
  // In group 4 compression, a white row takes one bit.
  const [width, height] = [18_000, 17_000];
  const pixels = Buffer.alloc(height / 8, 0xff);
  const bits = { width, height, bitsPerSample: 1, photometric: 0, pixels };
  assertRefused(await postHostile({ ...gray, ...bits, compression: 4 }), 'page_too_large');
});

test('a small file does not grow due to uneven resolutions', async () => {
  // Scaled to the finer resolution, the page is 96,000 pixels wide. The second pair is invalid.
  for (const dpi of [
    [30, 4800],
    [Number.NaN, Infinity],
  ] as const) {
    const answer = await postHostile({ ...gray, dpi });
    assert.is(answer.status, 200, answer.message);
    const [image] = await imagesOf(answer.file);
    assert.equal([image?.width, image?.height], [600, 400]);
  }
  // A fax with uneven resolutions is scaled only if the result is small enough.
  const [width, height] = [12_000, 8000];
  const fax = { ...gray, width, height, pixels: Buffer.alloc((width * height) / 8) };
  const uneven = { ...fax, bitsPerSample: 1, dpi: [1200, 300] } as const;
  assertRefused(await postHostile(uneven), 'page_too_large');
});

test('a truncated file is unreadable_page, wherever it ends', async () => {
  const file = path.join(bench.directory, 'whole.tif');
  const raw = sharp(shippedPage('receipt').file).grayscale().toColourspace('b-w');
  for (const compression of ['none', 'lzw'] as const) {
    const image = raw.clone().extract({ left: 0, top: 0, width: 800, height: 400 });
    await image.tiff({ compression, xres: 12, yres: 12 }).toFile(file);
    const whole = await readFile(file);
    for (const share of [0.1, 0.5, 0.99]) {
      const answer = await postHostile(whole.subarray(0, Math.floor(whole.length * share)));
      assertRefused(answer, 'unreadable_page', `${compression} ${share}`);
    }
  }
});

test('ends and leaves nothing behind', () => bench.close());

const options = suite('options of requests');

const pageOptions = (query: string): unknown => readPageOptions(new URLSearchParams(query));

function refused(read: () => unknown, expected: RegExp, wanted = 'invalid_parameter'): void {
  const { code, message } = thrown(read);
  assert.is(code, wanted);
  assert.match(message, expected);
}

const DEFAULTS = {
  languages: ['eng'],
  deskew: false,
  rotate_pages: true,
  optimize: 1,
  examine: false,
  codes: false,
  separators: [],
  drop_blank: false,
  rotate: 0,
  crop: false,
  cut: null,
  find_paper: false,
  lineart: false,
  ocr: true,
  usual_turn: 0,
};

options('a page has defaults', () => {
  assert.equal(pageOptions(''), DEFAULTS);
});

options('a page accepts all options, including those that the service sends', () => {
  const query =
    'languages=deu,script/Latin&examine=true&separators=PATCHT,Trenn%20Blatt&rotate=180';
  const given = {
    languages: ['deu', 'script/Latin'],
    examine: true,
    separators: ['PATCHT', 'Trenn Blatt'],
    rotate: 180 as const,
  };
  assert.equal(pageOptions(query), { ...DEFAULTS, ...given });
  assert.equal(pageOptions('separators='), DEFAULTS);
  const cut = { x: 0.1, y: 0.000_001, width: 0.5, height: 0.4, angle: -1.5 };
  const others = {
    deskew: true,
    rotate_pages: false,
    optimize: 3,
    codes: true,
    drop_blank: true,
    cut,
    find_paper: true,
  };
  const asked = { ...given, ...others, output_type: 'pdf', languages: ['chi_sim_vert'] };
  const { output_type: _, ...expected } = asked;
  assert.equal(readPageOptions(pageQuery(asked)), { ...DEFAULTS, ...expected });
});

options('invalid options are refused by name', () => {
  for (const [query, said] of [
    ['deskew=perhaps', /deskew/],
    ['optimize=4', /optimize/],
    ['optimize=0.5', /optimize/],
    ['optimise=1', /optimise/],
    ['rotate=45', /"rotate" must be 0, 90, 180 or 270/],
    ['separators=a,,b', /separators.*without commas/],
    ['cut=0,0,1,1', /"cut" must be a JSON object/],
    ['cut={"x":0.6,"y":0,"width":0.5,"height":1}', /"cut" must lie on the page/],
    ['deskew=true&deskew=false', /"deskew" is given twice/],
    ['deskew=x&optimize=9', /deskew.*optimize/s],
  ] as const)
    refused(() => pageOptions(query), said);
});

options('a language is the name of a model and never a path or an option', () => {
  const paths = ['../../etc/passwd', 'eng/../x', '/etc', 'script/'];
  for (const language of ['', 'e', ...paths, '-psm', 'eng+deu', 'eng deu', 'ö', 'a'.repeat(41)]) {
    refused(
      () => pageOptions(new URLSearchParams({ languages: language }).toString()),
      /languages/,
    );
  }
  refused(() => pageOptions('languages=eng,eng'), /different languages/);
  const eleven = Array.from({ length: 11 }, (_, index) => `l${index}`);
  refused(() => pageOptions(`languages=${eleven.join(',')}`), /10/);
});

options('a document has defaults and accepts all options', () => {
  const defaults = { title: '', output_type: 'pdfa' };
  assert.equal(readDocumentOptions('{}'), defaults);
  const given = { title: 'Ärger & <Müll> 🖨', output_type: 'pdf' };
  assert.equal(readDocumentOptions(JSON.stringify(given)), given);
  assert.ok(Object.isFrozen(readDocumentOptions('{}')));
});

options('options of a document that are no JSON object of these are refused', () => {
  refused(() => readDocumentOptions('{'), /not JSON/, 'invalid_body');
  for (const text of [
    'null',
    '[]',
    '"x"',
    '{"title":1}',
    '{"title":"a\\nb"}',
    '{"output_type":"pdfx"}',
    '{"optimize":"1"}',
    '{"x":1}',
    '{"languages":["eng"]}',
  ]) {
    refused(() => readDocumentOptions(text), /The part "options" is wrong/, 'invalid_body');
  }
});
