import { EventEmitter, once } from 'node:events';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { Failure } from '../../../helpers/failure.ts';
import type { PageFacts } from '../../../helpers/page-facts.ts';
import {
  PAGE_COUNT_HEADER,
  PAGE_FACTS_HEADER,
  WARNINGS_HEADER,
  writePageFacts,
  writeWarnings,
} from '../../../helpers/processor-contract.ts';
import { languagesMissing, watchLanguages } from '../../../service/processor/languages.ts';
import {
  createProcessorClient,
  type AssembledDocument,
  type ProcessorClient,
  type RecognizedPage,
} from '../../../service/processor/processor-client.ts';
import {
  isTemporary,
  refused,
  sendingFailed,
  unexpected,
  unreachable,
} from '../../../service/processor/processor-failures.ts';
import { watchStart } from '../../../service/processor/processor-start.ts';
import {
  sendRequest,
  REQUEST_TIMEOUTS_MS,
  type ProcessorRequest,
} from '../../../service/processor/send-request.ts';
import { IncompleteAnswer, storeAnswer } from '../../../service/processor/store-answer.ts';
import { createReplicas, type Claim } from '../../../service/processor/replicas.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { PAGE_FACTS } from '../../support/page-facts.ts';
import { playedParts, sha256 } from '../../support/scan-parts.ts';
import { smallPdf } from '../../support/small-pdf.ts';
import { serve, type Served } from '../../support/serve.ts';
import {
  assert,
  EVENT_MS,
  failure,
  rejection,
  suite,
  withFixture,
  within,
} from '../../support/suite.ts';

const OPTIONS = { languages: ['eng', 'deu'], deskew: true, rotate_pages: false, optimize: 2 };
const FACTS: PageFacts = { ...PAGE_FACTS, turned: 180, confidence: 91.5 };
const never = new AbortController().signal;

interface ServedClient {
  readonly client: ProcessorClient;
  readonly recognize: () => Promise<RecognizedPage>;
  readonly assemble: (pageCount: number) => Promise<AssembledDocument>;
}

const test = withFixture('the client of the processor', async (directory) => {
  const pageFile = path.join(directory, 'page-0001.tif');
  const made = path.join(directory, 'made');
  const outFile = path.join(made, 'page-0001.pdf');
  await writeFile(pageFile, 'raw page');
  await mkdir(made);
  const logged = capturedLog();
  const clientOf = (baseUrl: string): ServedClient => {
    const client = createProcessorClient({ baseUrl, log: logged.log, retryForMs: 1500 });
    const given = { outFile, signal: never };
    return {
      client,
      recognize: () => client.recognizePage({ ...given, pageFile, options: OPTIONS }),
      assemble: (pageCount) => {
        const options = { title: 'Tea', output_type: 'pdfa' } as const;
        return client.assembleDocument({ ...given, pdfs: [pageFile], pageCount, options });
      },
    };
  };
  let server: Served | undefined;
  const listen = async (listener: RequestListener): Promise<string> => {
    await server?.close();
    server = await serve(listener);
    return server.url;
  };
  return {
    pageFile,
    outFile,
    logged,
    files: () => readdir(made),
    clientOf,
    serve: async (listener: RequestListener) => clientOf(await listen(listener)),
    send: async (listener: RequestListener, given: Partial<ProcessorRequest> = {}) =>
      sendRequest({
        url: new URL('pages', await listen(listener)),
        headers: { 'content-type': 'image/tiff', 'content-length': '8' },
        body: source('raw ', 'page'),
        outFile,
        replicas: createReplicas('127.0.0.1'),
        signal: never,
        ...given,
      }),
    close: async () => server?.close(),
  };
});

async function* source(...parts: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield await Promise.resolve(Buffer.from(part, 'latin1'));
  }
}

/** Answers once the whole request has been read. Omits headers that are undefined. */
function answering(
  body: string,
  status = 200,
  changes: Readonly<Record<string, string | undefined>> = {},
): RequestListener {
  const headers = {
    'Content-Type': 'application/pdf',
    'Content-Length': String(body.length),
    [PAGE_FACTS_HEADER]: writePageFacts(FACTS),
    [WARNINGS_HEADER]: writeWarnings(['faint']),
    [PAGE_COUNT_HEADER]: '2',
    ...changes,
  };
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return (request, response) => {
    request.resume();
    request.on('end', () =>
      response.writeHead(status, Object.fromEntries(given) as Record<string, string>).end(body),
    );
  };
}

const PDF = smallPdf().toString();
const STORED = { bytes: PDF.length, sha256: sha256(PDF) };
const TWO_PAGES = smallPdf(2).toString();

test('streams a page with its options and stores the answer', async ({ serve, outFile }) => {
  const seen: string[] = [];
  const { recognize } = await serve((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['content-length']}`);
    answering(PDF)(request, response);
  });
  assert.equal(await recognize(), { facts: FACTS, warnings: ['faint'], file: STORED });
  assert.is(await readFile(outFile, 'utf8'), PDF);
  const query = 'languages=eng%2Cdeu&deskew=true&rotate_pages=false&optimize=2';
  assert.equal(seen, [`POST /pages?${query} 8`]);
});

test('accepts a document only with the number of pages sent', async ({ serve }) => {
  const { assemble } = await serve(answering(TWO_PAGES));
  const { page_count: count, bytes, warnings } = await assemble(2);
  assert.equal([count, bytes, warnings], [2, TWO_PAGES.length, ['faint']]);
  const { message } = await failure('processing_failed', assemble(3));
  assert.match(message, /with a document of 2 pages instead of 3/);
  const { assemble: lying } = await serve(answering(PDF));
  const { message: found } = await failure('processing_failed', lying(2));
  assert.match(found, /with a document of 1 pages instead of 2/);
});

test('an incomplete answer leaves no file', async ({ serve, files }) => {
  const leftOut: PageFacts = { ...FACTS, left_out: 'blank', blank: { score: 0.02, mark: null } };
  const blank = { [PAGE_FACTS_HEADER]: writePageFacts(leftOut) };
  const none = { ...blank, 'Content-Type': undefined, 'Content-Length': undefined };
  const refusal = '{"error":"unreadable_page","message":"the TIFF image is damaged"}';
  for (const [listener, expected] of [
    [answering(PDF, 200, { [PAGE_FACTS_HEADER]: undefined }), /without readable facts/],
    [answering(PDF, 200, { [WARNINGS_HEADER]: undefined }), /without readable facts/],
    [answering(PDF, 200, blank), /with a page that was left out/],
    [answering(TWO_PAGES), /with a PDF of 2 pages instead of one/],
    [
      answering(PDF.slice(0, 200)),
      /with an incomplete file \(it is no whole PDF: its end is missing\)/,
    ],
    [answering('', 204, { ...none, [PAGE_FACTS_HEADER]: writePageFacts(FACTS) }), /without a page/],
    [answering('<html>'), /with an incomplete file/],
    [
      answering('<html>', 200, { 'Content-Type': 'text/html' }),
      /a body that is not the processor's/,
    ],
    [answering(refusal, 422, { 'Content-Type': 'application/json' }), /TIFF image is damaged/],
  ] as const) {
    const { recognize } = await serve(listener);
    assert.match((await failure('processing_failed', recognize())).message, expected);
  }
  const { recognize } = await serve(answering('', 204, none));
  assert.equal(await recognize(), { facts: leftOut, warnings: ['faint'], file: null });
  assert.equal(await files(), ['page-0001.pdf'], 'no temporary one');
});

test('a connection that broke once is retried', async ({ serve, logged }) => {
  let tries = 0;
  const { recognize } = await serve((request, response) => {
    tries += 1;
    if (tries === 1) request.socket.resetAndDestroy();
    else if (tries === 2)
      answering('{"error":"shutting_down","message":"x"}', 503)(request, response);
    else answering(PDF)(request, response);
  });
  await recognize();
  assert.is(tries, 3);
  assert.equal(
    logged.lines().map(({ event, reason }) => [event, reason]),
    [
      ['processor_awaited', 'ECONNRESET'],
      ['processor_awaited', 'it answered 503'],
    ],
  );
});

test('a processor that never accepts connections is unreachable', async ({ clientOf }) => {
  const nobody = clientOf('http://127.0.0.1:9');
  await failure('processor_unreachable', nobody.client.health(never));
  assert.match(
    (await failure('processor_unreachable', nobody.recognize())).message,
    /ECONNREFUSED/,
  );
});

test('a page that cannot be read is named', async ({ serve, pageFile, logged }) => {
  const { recognize } = await serve((request) => request.resume());
  await rm(pageFile);
  // Opens normally, but reading address 0 of a process fails with EIO.
  await symlink('/proc/self/mem', pageFile);
  const { message } = await failure('insufficient_storage', recognize());
  const past = `move the file out of ${path.dirname(pageFile)} to go on without this page.`;
  const cannot = 'page-0001.tif of the scan cannot be read (EIO). Check the disk and try again, or';
  assert.is(message, `${cannot} ${past}`);
  const said = logged.lines().map(({ event, what }) => [event, what]);
  assert.ok(said.length > 0);
  for (const line of said) assert.equal(line, ['file_unreadable', 'Recognition of page-0001.tif']);
});

const HEALTH = { status: 'ok', versions: { tesseract: '5.5.0' }, languages: ['eng'], workers: 4 };

test('its health is what it reports; anything else is an error', async ({ serve }) => {
  const health = async (listener: RequestListener, signal = never): Promise<unknown> =>
    (await serve(listener)).client.health(signal);
  assert.equal(await health(answering(JSON.stringify(HEALTH))), HEALTH);
  const wrong = [{ status: 'bad' }, { workers: '4' }, { workers: 0 }, { languages: 'eng' }];
  for (const body of [
    '',
    '<html>',
    '[]',
    ...wrong.map((one) => JSON.stringify({ ...HEALTH, ...one })),
  ]) {
    const { message } = await failure('processing_failed', health(answering(body)));
    assert.match(message, /a body that is not its health/);
  }
  const bug = answering(JSON.stringify({ error: 'internal_error', message: 'a bug' }), 500);
  assert.match((await failure('processing_failed', health(bug))).message, /a bug/);
  const elsewhere = answering('', 302, { Location: 'http://127.0.0.1:9/' });
  assert.match((await failure('processing_failed', health(elsewhere))).message, /HTTP 302/);
  const signal = AbortSignal.timeout(200);
  assert.is(await rejection(health(() => {}, signal)), signal.reason);
  const endless: RequestListener = (_request, response) => {
    const more = (): void => void response.write('x'.repeat(65_536), more);
    more();
  };
  await failure('processing_failed', health(endless));
});

const URL_WITH_SECRET = new URL('http://user:secret@processor:8081/base/');

test('an address is reported without credentials, and an unexpected answer as such', () => {
  const told = [
    unreachable(URL_WITH_SECRET, 'ECONNREFUSED'),
    unexpected(URL_WITH_SECRET, 'the health check', 'HTTP 502'),
  ];
  const strange = ['', '<html>', '{}', '{"error":1,"message":"x"}', '[]', 'null'];
  for (const text of [...strange, '{"error":"x","message":"y","more":1}']) {
    const one = refused(URL_WITH_SECRET, 'the page', { status: 502, text });
    assert.is(one.code, 'processing_failed');
    assert.match(one.message, /HTTP 502/, text);
    assert.equal(one.facts, {});
    told.push(one);
  }
  for (const { message } of told) {
    assert.match(message, 'http://processor:8081/base/');
    assert.not.match(message, 'secret');
  }
});

test('an unreadable file is named if known, and errors that are not from its file system are bugs', () => {
  const one = { paths: ['/scans/1/page-0001.tif'], without: 'go on without this page' };
  const two = { paths: ['/scans/1/a.pdf', '/scans/1/b.pdf'], without: 'have it made again' };
  const read = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  const opened = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/scans/1/b.pdf' });
  assert.match(
    String(sendingFailed(one, read)),
    /page-0001\.tif of the scan cannot be read \(EIO\)/,
  );
  const named = /b\.pdf of the scan cannot be read \(EACCES\)\. .* to have it made again\.$/;
  assert.match(String(sendingFailed(two, opened)), named);
  assert.is(sendingFailed(two, read), read);
  const bug = new TypeError('a bug');
  assert.is(sendingFailed(one, bug), bug);
});

test('only the processor itself can report that it is stopping', () => {
  const text = '{"error":"shutting_down","message":"send it to another one"}';
  const late = text.replace('shutting_down', 'request_timeout');
  assert.is(isTemporary({ status: 503, text }), true);
  assert.is(isTemporary({ status: 408, text: late }), true);
  assert.is(isTemporary({ status: 503, text: 'Service Unavailable' }), false);
  assert.is(isTemporary({ status: 503, text: text.replace('shutting_down', 'other') }), false);
});

test('it counts as starting until its first answer, for at most a minute', async () => {
  let isThere = false;
  let seconds = 1;
  const gone = new Failure('processor_unreachable', 'No processor.');
  const played = playedParts({
    processorHealth: () => (isThere ? Promise.resolve() : Promise.reject(gone)),
  });
  const { processor, mayBeStarting } = watchStart(played.processor, () => seconds);
  assert.equal(Object.keys(processor), Object.keys(played.processor));
  await failure('processor_unreachable', processor.health(never));
  assert.ok(mayBeStarting());
  [59, 60].forEach((now) => {
    seconds = now;
    assert.is(mayBeStarting(), now === 59);
  });
  seconds = 1;
  isThere = true;
  await processor.health(never);
  isThere = false;
  await failure('processor_unreachable', processor.health(never));
  assert.not.ok(mayBeStarting());
});

test('its languages are known once it answers, and are kept', async ({ logged }) => {
  let languages: readonly string[] | undefined;
  const asked = new EventEmitter();
  const health = async (): Promise<object> => {
    asked.emit('asked');
    if (languages === undefined) throw new Error('not there');
    return { ...HEALTH, languages };
  };
  const watch = await watchLanguages({ health } as never, logged.log, 10);
  assert.is(watch.value(), undefined);
  assert.match(logged.text(), 'does not list its languages');
  for (const step of [['eng', 'deu'], ['eng', 'fra'], undefined]) {
    languages = step;
    // The second request shows that the first answer has been processed.
    for (let times = 0; times < 2; times += 1) await within(EVENT_MS, once(asked, 'asked'));
    assert.equal(watch.value(), step?.toSorted() ?? ['eng', 'fra']);
  }
  watch.close();
});

test('languages are missing only if the profile recognizes text here', () => {
  const languages = ['eng', 'fra'];
  assert.equal(languagesMissing({ ocr: true, languages }, ['eng']), ['fra']);
  assert.equal(languagesMissing({ ocr: false, languages }, ['eng']), []);
});

const PDF_HEADERS = {
  'Content-Type': 'application/pdf',
  'Content-Length': String(PDF.length),
};

test('an endless refusal is not read completely', async ({ send }) => {
  const outcome = await send((request, response) => {
    request.resume();
    response.writeHead(500, { 'Content-Type': 'text/plain' });
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(10_000))) continue;
      response.once('drain', more);
    };
    more();
  });
  assert.is(outcome.kind, 'refused');
  if (outcome.kind === 'refused') assert.is(outcome.text.length, 65_536);
});

const LOSSES: readonly (readonly [string, RequestListener])[] = [
  ['is reset at once', (request) => void request.socket.resetAndDestroy()],
  ['is closed without an answer', (request) => void request.socket.destroy()],
  [
    'breaks within the answer',
    (request, response) => {
      request.resume();
      response.writeHead(200, { ...PDF_HEADERS, 'Content-Length': '100' });
      response.write('%PDF-1.7', () => request.socket.resetAndDestroy());
    },
  ],
  ['speaks no HTTP', (request) => void request.socket.end('no HTTP\r\n\r\n')],
];

for (const [what, listener] of LOSSES) {
  test(`a connection that ${what} counts as lost, and leaves no files`, async ({ send, files }) => {
    const released: boolean[] = [];
    const claim = (): Claim => ({
      ...createReplicas('127.0.0.1').claim(),
      release: (wasLost) => void released.push(wasLost),
    });
    const outcome = await send(listener, { replicas: { claim } });
    assert.equal(released, [true]);
    assert.is(outcome.kind, 'lost', JSON.stringify(outcome));
    assert.equal(await files(), []);
  });
}

test('a silent processor counts as lost after its time limit', async ({ send }) => {
  const timeouts = { ...REQUEST_TIMEOUTS_MS, request: 200 };
  const outcome = await send((request) => void request.resume(), { timeouts });
  assert.equal(outcome, { kind: 'lost', code: 'ETIMEDOUT' });
});

test('an abort during the answer leaves no file', async ({ send, files }) => {
  const stop = new AbortController();
  const error = await rejection(
    send(
      (request, response) => {
        request.resume();
        response.writeHead(200, { ...PDF_HEADERS, 'Content-Length': '100' });
        response.write('%PDF-1.7', () => stop.abort(new Error('the deadline')));
      },
      { signal: stop.signal },
    ),
  );
  assert.match(String(error), /the deadline/);
  assert.equal(await files(), []);
});

test('a body is closed once its reader is gone', async ({ send }) => {
  const ended = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield await Promise.resolve(Buffer.alloc(100_000));
    } finally {
      ended.resolve();
    }
  }
  const headers = { 'content-type': 'image/tiff', 'content-length': '1000000000' };
  const reset: RequestListener = (request) => {
    request.once('data', () => request.socket.resetAndDestroy());
  };
  const outcome = await send(reset, { headers, body: endless() });
  assert.is(outcome.kind, 'lost');
  // The client does not wait for the body, since reading a file may hang.
  await within(60_000, ended.promise, 'the end of the body');
});

test('each chunk of a body is sent before the next one is read', async ({ send }) => {
  const buffer = Buffer.alloc(300_000);
  const count = 20;
  async function* reused(): AsyncGenerator<Uint8Array> {
    for (let piece = 0; piece < count; piece += 1) yield await Promise.resolve(buffer.fill(piece));
    buffer.fill(255);
  }
  const came: Buffer[] = [];
  const listener: RequestListener = (request, response) => {
    request.on('data', (chunk: Buffer) => came.push(chunk));
    request.on('end', () => response.writeHead(200, PDF_HEADERS).end(PDF));
  };
  const headers = { 'content-type': 'image/tiff', 'content-length': String(count * buffer.length) };
  assert.is((await send(listener, { headers, body: reused() })).kind, 'stored');
  const pieces = Array.from({ length: count }, (_, piece) => Buffer.alloc(buffer.length, piece));
  assert.ok(Buffer.concat(came).equals(Buffer.concat(pieces)));
});

test('a failed body is never mistaken for a complete one', async ({ send, files }) => {
  let ended = false;
  const listener: RequestListener = (request, response) => {
    request.resume();
    request.on('end', () => {
      ended = true;
      response.writeHead(200, PDF_HEADERS).end(PDF);
    });
  };
  const gone = Object.assign(new Error('the disk is gone'), { code: 'EIO' });
  const outcome = await send(listener, { body: source('raw ', gone) }).catch(() => undefined);
  assert.is.not(outcome?.kind, 'stored');
  assert.is(ended, false);
  assert.equal(await files(), []);
});

test('a file has the received content, with size and hash', async ({ outFile: file, files }) => {
  const content = smallPdf(3, 600).fill('\0\xFF', 250, 260, 'latin1');
  const text = content.toString('latin1');
  const pieces = [text.slice(0, 2), text.slice(2, 5), text.slice(5)];
  const stored = await storeAnswer(source(...pieces), file, content.length);
  assert.equal(stored, { bytes: content.length, sha256: sha256(content), page_count: 3 });
  assert.ok((await readFile(file)).equals(content));
  assert.equal(await files(), ['page-0001.pdf']);
});

test('an endless answer is not read completely', async ({ outFile: file, files }) => {
  let bytes = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      bytes += 100_000;
      yield await Promise.resolve(Buffer.alloc(100_000, '%PDF-'));
    }
  }
  assert.instance(await rejection(storeAnswer(endless(), file, 1_000_000)), IncompleteAnswer);
  assert.is(bytes, 1_100_000);
  assert.equal(await files(), []);
});

const INCOMPLETE: readonly (readonly [string, string, number])[] = [
  ['too few bytes', '%PDF-1.7', 9],
  ['too many bytes', '%PDF-1.7', 7],
  ['no announced length', '%PDF-1.7', Number.NaN],
  ['no PDF', '<html></html>', 13],
  ['half a PDF', PDF.slice(0, PDF.length / 2), PDF.length / 2],
  ['a PDF whose second half is zeros', PDF.slice(0, 200).padEnd(PDF.length, '\0'), PDF.length],
  ['a PDF with more behind its end', `${PDF}<html>`, PDF.length + 6],
  ['a PDF without its page tree', PDF.replace('/Pages 2 0 R', '/Pages 9 0 R'), PDF.length],
  ['a PDF without pages', PDF.replace('/Count 1', '/Count 0'), PDF.length],
  ['nothing', '', 0],
];

for (const [what, text, announced] of INCOMPLETE) {
  test(`${what} is incomplete, and keeps the earlier file`, async ({ outFile: file, files }) => {
    await writeFile(file, 'of an earlier try');
    const error = await rejection(storeAnswer(source(text), file, announced));
    assert.instance(error, IncompleteAnswer);
    assert.is(await readFile(file, 'utf8'), 'of an earlier try');
    assert.equal(await files(), ['page-0001.pdf']);
  });
}

const replicas = suite('the replicas of the processor');

const THREE = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];

const resolveTo = (addresses: readonly string[]) => (): Promise<LookupAddress[]> =>
  Promise.resolve(addresses.map((address) => ({ address, family: isIP(address) })));

/** The address used for a request with this claim, or the error code of the lookup. */
function addressOf(claim: Claim): Promise<unknown> {
  return new Promise((resolve) => {
    claim.lookup('processor', {}, (error, address) => resolve(error?.code ?? address));
  });
}

replicas('are the addresses of the name', async () => {
  assert.is(await createReplicas('processor', resolveTo(THREE)).count(), 3);
  assert.is(await createReplicas('processor', resolveTo(['10.0.0.1', '10.0.0.1'])).count(), 1);
});

replicas('share requests evenly', async () => {
  const replicas = createReplicas('processor', resolveTo(THREE));
  const used: unknown[] = [];
  for (let request = 0; request < 6; request += 1) used.push(await addressOf(replicas.claim()));
  for (const address of THREE) assert.is(used.filter((one) => one === address).length, 2);
});

replicas('with a finished request get the next one', async () => {
  const replicas = createReplicas('processor', resolveTo(THREE));
  const claims = THREE.map(() => replicas.claim());
  const used = await Promise.all(claims.map(addressOf));
  claims[1]?.release(false);
  assert.is(await addressOf(replicas.claim()), used[1]);
});

replicas('that lost a request are the last choice', async () => {
  const replicas = createReplicas('processor', resolveTo(THREE));
  const claim = replicas.claim();
  const dead = await addressOf(claim);
  claim.release(true);
  for (let request = 0; request < 6; request += 1) {
    assert.is.not(await addressOf(replicas.claim()), dead);
  }
});

replicas(
  'with addresses of both families count once, by IPv4 first and by IPv6 if that fails',
  async () => {
    const replicas = createReplicas('processor', resolveTo(['::1', '127.0.0.1']));
    assert.is(await replicas.count(), 1);
    const claim = replicas.claim();
    assert.is(await addressOf(claim), '127.0.0.1');
    claim.release(true);
    assert.is(await addressOf(replicas.claim()), '::1');
  },
);

replicas('fail the request if the lookup fails or finds nothing', async () => {
  const failure = Object.assign(new Error('x'), { code: 'EAI_AGAIN' });
  const failing = createReplicas('processor', () => Promise.reject(failure));
  assert.is(await addressOf(failing.claim()), 'EAI_AGAIN');
  assert.is(await addressOf(createReplicas('processor', resolveTo([])).claim()), 'ENOTFOUND');
});
