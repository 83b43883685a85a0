import { EventEmitter, once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import { createLog } from '../../../helpers/log.ts';
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
import { capturedLog } from '../../support/captured-log.ts';
import { PAGE_FACTS } from '../../support/page-facts.ts';
import { playedParts } from '../../support/scan-parts.ts';
import { serve } from '../../support/serve.ts';
import { assert, failure, rejection, withFixture, within } from '../../support/suite.ts';

const OPTIONS = { languages: ['eng', 'deu'], deskew: true, rotate_pages: false, optimize: 2 };
const FACTS: PageFacts = { ...PAGE_FACTS, turned: 180, confidence: 91.5 };
const EVENT_MS = 60_000;
const never = new AbortController().signal;

/** Of loopback; what listens or connects on this machine uses 127.0.0.1. */
const OWN_ADDRESS = '127.0.0.77';

interface Served {
  readonly client: ProcessorClient;
  readonly recognize: (signal?: AbortSignal) => Promise<RecognizedPage>;
  readonly assemble: (pageCount: number) => Promise<AssembledDocument>;
}

const test = withFixture('the client of the processor', async (directory) => {
  const inside = (name: string): string => path.join(directory, name);
  await writeFile(inside('page-0001.tif'), 'raw page');
  const logged = capturedLog();
  const clientOf = (baseUrl: string, log = logged.log): Served => {
    const client = createProcessorClient({ baseUrl, log, patienceMs: 1500 });
    const outFile = inside('page-0001.pdf');
    const pageFile = inside('page-0001.tif');
    const page = { pageFile, outFile, options: OPTIONS };
    return {
      client,
      recognize: (signal = never) => client.recognizePage({ ...page, signal }),
      assemble: (pageCount) => {
        const options = { title: 'Tea', output_type: 'pdfa' } as const;
        const pdfs = [inside('page-0001.tif')];
        return client.assembleDocument({ pdfs, pageCount, outFile, options, signal: never });
      },
    };
  };
  let close = (): Promise<void> => Promise.resolve();
  return {
    inside,
    logged,
    files: () => readdir(directory),
    clientOf,
    /** A client of a server that misbehaves as a test wants it. */
    serve: async (listener: RequestListener): Promise<Served> => {
      await close();
      const server = await serve(listener);
      ({ close } = server);
      return clientOf(server.url);
    },
    close: () => close(),
  };
});

/** Answers when the whole request is there; undefined takes a header away. */
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

const PDF = '%PDF-1.7';

test('streams a page with its options, stores the answer', async ({ serve, inside }) => {
  const seen: string[] = [];
  const { recognize } = await serve((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['content-length']}`);
    answering(PDF)(request, response);
  });
  assert.equal(await recognize(), { facts: FACTS, warnings: ['faint'], file: true });
  assert.is(await readFile(inside('page-0001.pdf'), 'utf8'), PDF);
  const query = 'languages=eng%2Cdeu&deskew=true&rotate_pages=false&optimize=2';
  assert.equal(seen, [`POST /pages?${query} 8`]);
});

test('takes a document only with as many pages as were sent', async ({ serve }) => {
  const { assemble } = await serve(answering(PDF));
  const { page_count: count, bytes, warnings } = await assemble(2);
  assert.equal([count, bytes, warnings], [2, 8, ['faint']]);
  const { message } = await failure('processing_failed', assemble(3));
  assert.match(message, /with a document of 2 pages instead of 3/);
});

test('an answer that lacks something leaves no file', async ({ serve, files }) => {
  const leftOut: PageFacts = { ...FACTS, left_out: 'blank', blank: { score: 0.02, mark: null } };
  const blank = { [PAGE_FACTS_HEADER]: writePageFacts(leftOut) };
  const none = { ...blank, 'Content-Type': undefined, 'Content-Length': undefined };
  const refusal = '{"error":"unreadable_page","message":"the TIFF image is damaged"}';
  for (const [listener, expected] of [
    [answering(PDF, 200, { [PAGE_FACTS_HEADER]: undefined }), /without readable facts/],
    [answering(PDF, 200, { [WARNINGS_HEADER]: undefined }), /without readable facts/],
    [answering(PDF, 200, blank), /with a page that was left out/],
    [answering('', 204, { ...none, [PAGE_FACTS_HEADER]: writePageFacts(FACTS) }), /without a page/],
    [answering('<html>'), /with an incomplete file/],
    [answering(refusal, 422, { 'Content-Type': 'application/json' }), /TIFF image is damaged/],
  ] as const) {
    const { recognize } = await serve(listener);
    assert.match((await failure('processing_failed', recognize())).message, expected);
  }
  const { recognize } = await serve(answering('', 204, none));
  assert.equal(await recognize(), { facts: leftOut, warnings: ['faint'], file: false });
  assert.ok((await files()).every((name) => name.startsWith('page-0001.')));
});

test('a connection that broke once is tried again', async ({ serve, logged }) => {
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

test('one that never stands is unreachable', async ({ clientOf }) => {
  const nobody = clientOf('http://127.0.0.1:9');
  await failure('processor_unreachable', nobody.client.health(never));
  assert.match(
    (await failure('processor_unreachable', nobody.recognize())).message,
    /ECONNREFUSED/,
  );
});

test('a processor that is gone for seconds is waited for', async ({ inside }) => {
  // At an address of its own: nobody else takes a port there meanwhile.
  const gone = await serve(() => {}, OWN_ADDRESS);
  await gone.close();
  // More tries than fit into the 1.2 seconds that it was once given.
  const triedOften = Promise.withResolvers<void>();
  let tries = 0;
  const log = createLog('test', 'warn', {
    write: () => void ((tries += 1) === 4 && triedOften.resolve()),
  });
  const client = createProcessorClient({ baseUrl: gone.url, log });
  const files = { pageFile: inside('page-0001.tif'), outFile: inside('page-0001.pdf') };
  const recognized = client.recognizePage({ ...files, options: OPTIONS, signal: never });
  await within(EVENT_MS, Promise.race([triedOften.promise, recognized]), 'the fourth try');
  const server = createServer(answering(PDF)).listen(gone.port, OWN_ADDRESS);
  try {
    assert.equal((await recognized).facts, FACTS);
  } finally {
    server.close();
  }
});

test('a page that gives no bytes is named', async ({ serve, inside, logged }) => {
  const { client } = await serve((request) => request.resume());
  const pageFile = inside('page-0002.tif');
  // Can be opened; the first address of every process answers EIO.
  await symlink('/proc/self/mem', pageFile);
  const files = { pageFile, outFile: inside('page-0002.pdf') };
  const unread = client.recognizePage({ ...files, options: OPTIONS, signal: never });
  const { message } = await failure('insufficient_storage', unread);
  const past = `move the file out of ${path.dirname(pageFile)} to go on without this page.`;
  const cannot = 'page-0002.tif of the scan cannot be read (EIO). Check the disk and try again, or';
  assert.is(message, `${cannot} ${past}`);
  const said = logged.lines().map(({ event, what }) => [event, what]);
  assert.ok(said.length > 0);
  for (const line of said) assert.equal(line, ['file_unreadable', 'Recognition of page-0002.tif']);
});

const HEALTH = { status: 'ok', versions: { tesseract: '5.5.0' }, languages: ['eng'], workers: 4 };

test('its health is what it says, and anything else is not', async ({ serve }) => {
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

test('an address is told without its credentials, and a strange answer as such', () => {
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

test('a file that cannot be sent is named where it is known, and what is no word of its file system is a bug', () => {
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

test('only the word of the processor says that it is stopping', () => {
  const text = '{"error":"shutting_down","message":"send it to another one"}';
  const late = text.replace('shutting_down', 'request_timeout');
  assert.is(isTemporary({ status: 503, text }), true);
  assert.is(isTemporary({ status: 408, text: late }), true);
  assert.is(isTemporary({ status: 503, text: 'Service Unavailable' }), false);
  assert.is(isTemporary({ status: 503, text: text.replace('shutting_down', 'other') }), false);
});

test('it may be starting until it answers for the first time, and for a minute', async () => {
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

test('its languages are known once it answers, and stay', async ({ logged }) => {
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
    // When it is asked a second time, the answer to the first question has arrived.
    for (let times = 0; times < 2; times += 1) await within(EVENT_MS, once(asked, 'asked'));
    assert.equal(watch.value(), step?.toSorted() ?? ['eng', 'fra']);
  }
  watch.close();
});

test('languages are missing only where the profile has text read here', () => {
  const languages = ['eng', 'fra'];
  assert.equal(languagesMissing({ ocr: true, languages }, ['eng']), ['fra']);
  assert.equal(languagesMissing({ ocr: false, languages }, ['eng']), []);
});
