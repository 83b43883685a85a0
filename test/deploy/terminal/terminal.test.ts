import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ClientError } from '../../../deploy/terminal/client-error.ts';
import { type FollowedService, followScan } from '../../../deploy/terminal/follow-scan.ts';
import { type Call, parseOptions, USAGE } from '../../../deploy/terminal/options.ts';
import { type Answer, describeAnswer, EXIT, exitCodeOf } from '../../../deploy/terminal/outcome.ts';
import {
  eventLine,
  type Progress,
  progressAfter,
  progressLine,
} from '../../../deploy/terminal/progress.ts';
import { Failure } from '../../../helpers/failure.ts';
import type { StreamEvent } from '../../../service/page/event-stream.js';
import {
  createNetworkFaultProxy,
  type NetworkFaultProxy,
} from '../../support/network-fault-proxy.ts';
import { COMPILE_CACHE, type WatchedProgram, watchProgram } from '../../support/programs.ts';
import { feedPages, heldFeed } from '../../support/scan-parts.ts';
import { serve } from '../../support/serve.ts';
import { assert, rejection, suite, withFixture } from '../../support/suite.ts';
import { createWatchedService } from './watched-service.ts';

const MAIN = path.resolve(import.meta.dirname, '../../../deploy/terminal/main.ts');

/** Time limit of the client, which takes a second or two for a simulated scan on a busy machine. */
const END_MS = 30_000;

const test = withFixture('the terminal client', createWatchedService);

const watch = (...program: [string, ...string[]]): WatchedProgram =>
  watchProgram(program, { env: COMPILE_CACHE, withinMs: END_MS });

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

function startClient(port: number, ...args: readonly string[]): WatchedProgram {
  return watch(process.execPath, MAIN, '--url', urlOf(port), ...args);
}

test('sends the given settings, and reports invalid ones', () => {
  const options = '--mode Color --resolution 600 --page-size a5 --page-grouping per_page';
  const more = '--remove-blank-pages all --languages eng,deu --source ADF';
  const { call } = parseOptions(['receipts', ...options.split(' '), ...more.split(' ')], {});
  assert.equal(JSON.parse(JSON.stringify(call)), {
    kind: 'scan',
    body: {
      profile: 'receipts',
      settings: {
        source: 'ADF',
        mode: 'Color',
        resolution: 600,
        page_size: 'a5',
        page_grouping: 'per_page',
        remove_blank_pages: 'all',
        languages: ['eng', 'deu'],
      },
    },
  });
  assert.throws(() => parseOptions(['--resolution', 'fine'], {}), /must be a whole number/);
  assert.throws(
    () => parseOptions(['--continue', 'x', '--mode', 'Gray'], {}),
    /keeps the profile, settings/,
  );
});

test('prints a line per event into a pipe, then the outcome', async ({ start, port }) => {
  await start({ feed: feedPages(2) });
  const { code, stdout, stderr } = await startClient(port()).ended();
  assert.is(stderr, '');
  assert.match(
    stdout,
    /^scan \S+ has begun\npage 1: front of sheet 1\n[^]*the feeder is free, take your paper\n[^]*2 pages, 1 document in /,
  );
  assert.not.match(stdout, '\u001b');
  assert.is(code, EXIT.done);
});

test('lists the scans that fed paper, with their titles', async ({ start, port }) => {
  await start({ feed: feedPages(2) });
  const nothing = await startClient(port(), '--list').ended();
  assert.equal([nothing.stdout, nothing.code], ['There are no scans yet.\n', EXIT.done]);
  await startClient(port(), '--title', 'Bill of May').ended();
  const { code, stdout, stderr } = await startClient(port(), '--list').ended();
  assert.is(stderr, '');
  assert.match(stdout, /^\S+Z-\w{6}  finished     2 pages, 1 document  Bill of May\n$/);
  assert.is(code, EXIT.done);
});

test('says why listing failed', async ({ start, port }) => {
  await start({}, 'a-token');
  const { code, stdout } = await startClient(port(), '--list').ended();
  assert.match(stdout, 'SCAN_API_TOKEN');
  assert.is(code, EXIT.other);
});

test('rewrites one line in a terminal', async ({ start, port }) => {
  await start({ feed: feedPages(2) });
  const command = `${process.execPath} ${MAIN} --url ${urlOf(port())}`;
  const script = watch('/usr/bin/script', '-qec', command, '/dev/null');
  const { code, stdout } = await script.ended();
  assert.is(code, EXIT.done);
  const [, ...lines] = stdout.split('\r\u001b[2K');
  assert.ok(lines.length > 5, stdout);
  assert.equal(lines.slice(0, 2), ['0 pages', '1 page']);
  assert.match(lines.at(-1) ?? '', /^2 pages, 1 document in/);
  for (const line of lines.slice(0, -1)) assert.not.match(line, '\n');
});

test('prints each event as JSON, the result last', async ({ start, port }) => {
  await start({ feed: feedPages(1) });
  const { code, stdout } = await startClient(port(), '--json', '--title', 'Bill').ended();
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; status?: number });
  assert.is(lines[0]?.event, 'begun');
  assert.equal([lines.at(-1)?.event, lines.at(-1)?.status], ['result', 200]);
  assert.is(code, EXIT.done);
});

test('reports the outcome by its exit code, and how to continue', async ({ start, port }) => {
  await start({ feed: feedPages(0) });
  assert.is((await startClient(port()).ended()).code, EXIT.feederEmpty);
  await start({ feed: feedPages(1, new Failure('scanner_jammed', 'Paper is stuck.')) });
  const { code, stdout } = await startClient(port()).ended();
  assert.is(code, EXIT.endedEarly);
  const [, resume = ''] = /npm run scan -- (--url \S+ --resume \S+)/.exec(stdout) ?? [];
  const [, , ...args] = resume.split(' ');
  assert.is((await startClient(port(), ...args).ended()).code, EXIT.done);
  assert.is((await startClient(port(), 'none').ended()).code, EXIT.other);
  assert.is((await startClient(1).ended()).code, EXIT.other);
});

test('after Ctrl-C, the scan continues and can be watched', async ({
  bench,
  start,
  port,
  drained,
}) => {
  const { feed, goOn } = heldFeed();
  await start({ feed });
  const client = startClient(port());
  await client.printed('page 1');
  assert.is((await startClient(port()).ended()).code, EXIT.busy);
  client.child.kill('SIGINT');
  const { code, stderr } = await client.ended();
  assert.is(code, EXIT.interrupted);
  const [, id = ''] = /The scan goes on\. Watch it:\n.* --watch (\S+)/.exec(stderr) ?? [];
  const watcher = startClient(port(), '--watch', id);
  await watcher.printed('has 1 page');
  goOn();
  const watched = await watcher.ended();
  assert.match(watched.stdout, '1 page, 1 document in');
  assert.is(watched.code, EXIT.done);
  await drained();
  assert.is((await bench.stored(id)).state, 'finished');
});

const at = (port: number): FollowedService => ({ baseUrl: urlOf(port), token: undefined });

/** `silent` exceeds the silences that occur on busy machines. */
const TIMES = { silent: 1500, lost: 60_000, pause: 10 };

const flow = withFixture('following a scan', async () => {
  const service = await createWatchedService();
  await service.start({ feed: feedPages(2) });
  const proxies: NetworkFaultProxy[] = [];
  return {
    ...service,
    /** The service behind a new proxy, so that no connection is reused. */
    through: async (...toxics: Parameters<NetworkFaultProxy['setToxic']>) => {
      const proxy = await createNetworkFaultProxy({ port: service.port() });
      proxies.push(proxy);
      proxy.setToxic(...toxics);
      return { proxy, service: { ...at(proxy.port), times: TIMES } };
    },
    close: async () => {
      for (const proxy of proxies) await proxy.close();
      await service.close();
    },
  };
});

const SCAN: Call = { kind: 'scan', body: {} };

interface Story {
  readonly events: readonly StreamEvent[];
  readonly answer: Answer;
}

async function follow(service: FollowedService, call: Call): Promise<Story> {
  const events: StreamEvent[] = [];
  const following = followScan(service, call, { scanId: undefined, lastId: '' });
  for (;;) {
    const next = await following.next();
    if (next.done === true) return { events, answer: next.value };
    events.push(next.value);
  }
}

const scanCount = async (root: string): Promise<number> =>
  (await readdir(root)).filter((name) => !name.startsWith('.')).length;

const numbersOf = ({ events }: Story): number[] => events.map(({ id }) => Number(id));

/** Byte positions of cuts in an answer: after its first event, and within later events. */
const CUTS = [1250, 1450, 1650, 1950, 2250, 2550];

flow('receives each event once, wherever the connection breaks', async ({ port, through }) => {
  const whole = await follow(at(port()), SCAN);
  assert.is(whole.answer.status, 200);
  assert.is(whole.answer.body['page_count'], 2);
  const numbers = numbersOf(whole);
  assert.equal(
    numbers,
    [...numbers.keys()].map((index) => index + 1),
  );
  for (const bytes of CUTS) {
    for (const kind of ['reset', 'hang'] as const) {
      const { service, proxy } = await through({ kind, to: 'client', bytes }, undefined);
      const story = await follow(service, SCAN);
      assert.equal(numbersOf(story), numbers, `${kind} after ${bytes}`);
      assert.is(story.answer.status, 200);
      assert.is(story.answer.body['page_count'], 2);
      assert.ok(proxy.connections() > 1);
    }
  }
});

flow('gives up on a connection that stays lost, while the scan continues', async ({ through }) => {
  const lost = await through({ kind: 'reset', to: 'client', bytes: 1250 }, { kind: 'down' });
  const error = await rejection(follow({ ...lost.service, times: { ...TIMES, lost: 100 } }, SCAN));
  assert.match(String(error), /is lost \(.*\)\. The scan goes on\./);
  const closed = { ...at(1), times: TIMES };
  assert.match(String(await rejection(follow(closed, SCAN))), /cannot be reached/);
  const early = await through({ kind: 'reset', to: 'client', bytes: 450 }, { kind: 'down' });
  assert.match(
    String(await rejection(follow({ ...early.service, times: { ...TIMES, lost: 100 } }, SCAN))),
    /is lost \(.*\)\. GET \/scans shows whether the scan began\./,
  );
});

flow('repeats a call that broke early, and scans once', async ({ bench, through }) => {
  const before = await scanCount(bench.root);
  for (const bytes of [1, 450]) {
    const { service } = await through({ kind: 'reset', to: 'client', bytes }, undefined);
    const { answer } = await follow(service, SCAN);
    assert.is(answer.status, 200, `${bytes}`);
    assert.is(answer.body['page_count'], 2);
  }
  assert.is(await scanCount(bench.root), before + 2);
});

flow('waits while a proxy reports that the service is unavailable', async () => {
  let looks = 0;
  const { url: baseUrl, close } = await serve(({ method }, response) => {
    if (method === 'GET' && (looks += 1) < 3) {
      response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>');
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(
      method === 'POST'
        ? 'id: 1\nevent: begun\ndata: {"scan_id":"one"}\n\n'
        : 'event: result\ndata: {"status":200,"body":{"page_count":1}}\n\n',
    );
  });
  const { answer } = await follow({ baseUrl, token: undefined, times: TIMES }, SCAN);
  await close();
  assert.equal(answer, { status: 200, body: { page_count: 1 } });
});

flow('can be stopped while the connection is lost', async ({ through }) => {
  const { service } = await through({ kind: 'reset', to: 'client', bytes: 1000 }, { kind: 'down' });
  const stop = new AbortController();
  const following = follow({ ...service, signal: stop.signal }, SCAN);
  setTimeout(() => stop.abort(new Error('stopped')), 100);
  assert.match(String(await rejection(following)), 'stopped');
});

flow('watches a finished scan, whatever its outcome', async ({ bench, start, port }) => {
  await start({ feed: feedPages(1, new Failure('scanner_jammed', 'Paper is stuck.')) });
  const service = at(port());
  const { answer } = await follow(service, SCAN);
  const scanId = String(answer.body['scan_id']);
  const watched = await follow(service, { kind: 'watch', scanId });
  assert.equal(
    watched.events.map(({ event }) => event),
    ['snapshot'],
  );
  assert.is(watched.answer.body['error'], 'scanner_jammed');
  assert.is(watched.answer.body['page_count'], 1);

  const resumed = await follow(service, { kind: 'resume', scanId });
  assert.is(resumed.answer.status, 200);
  assert.is((await bench.stored(scanId)).state, 'finished');
  assert.is((await follow(service, { kind: 'watch', scanId })).answer.status, 200);
  const missing = await follow(service, { kind: 'watch', scanId: 'none' });
  assert.is(missing.answer.body['error'], 'scan_not_found');
});

flow('presents the token', async ({ start, port }) => {
  await start({ feed: feedPages(1) }, 'secret');
  assert.is((await follow(at(port()), SCAN)).answer.status, 401);
  assert.is((await follow({ ...at(port()), token: 'secret' }, SCAN)).answer.status, 200);
});

flow('reports that something else answered', async () => {
  const { url: baseUrl, close } = await serve((_, response) => response.end('<html>'));
  const { answer } = await follow({ baseUrl, token: undefined }, SCAN);
  await close();
  assert.match(String(answer.body['message']), /answered 200, and not as a scan service does/);
});

const options = suite('options of the terminal client');

function scanning(body: object): object {
  const unsaid = { profile: undefined, title: undefined, tags: undefined, created: undefined };
  return { kind: 'scan', body: { ...unsaid, hold: undefined, ...body } };
}

function continuing(body: object): object {
  return { kind: 'scan', body: { continue_scan: 'X', side: undefined, hold: undefined, ...body } };
}

options('scans with the default profile at the usual address', () => {
  assert.equal(parseOptions([], {}), {
    help: false,
    json: false,
    list: false,
    baseUrl: 'http://127.0.0.1:8080',
    token: undefined,
    call: scanning({}),
  });
});

options('reads address and token from the environment; options take precedence', () => {
  const environment = { SCAN_URL: 'http://scanner.local:8080/', SCAN_API_TOKEN: 'secret' };
  const { baseUrl, token } = parseOptions([], environment);
  assert.equal([baseUrl, token], ['http://scanner.local:8080', 'secret']);
  assert.is(parseOptions(['--url', 'https://a/scan/'], environment).baseUrl, 'https://a/scan');
});

const CALLS: readonly [string, object][] = [
  ['duplex --title Bill', scanning({ profile: 'duplex', title: 'Bill' })],
  ['--tags a,2026 --created 2026-11-24', scanning({ tags: ['a', '2026'], created: '2026-11-24' })],
  ['--continue X --hold', continuing({ hold: true })],
  ['--continue X --side backs', continuing({ side: 'backs' })],
  ['--resume X', { kind: 'resume', scanId: 'X' }],
  ['--watch X', { kind: 'watch', scanId: 'X' }],
];

for (const [args, call] of CALLS) {
  options(`understands ${args}`, () => {
    assert.equal(parseOptions(args.split(' '), {}).call, call);
  });
}

const REFUSED: readonly [string, RegExp][] = [
  ['a b', /Only one profile/],
  ['--resume X --watch Y', /only one of --continue, --resume and --watch/],
  ['--watch X duplex', /A scan keeps the profile/],
  ['--resume X --side backs', /--side is for --continue/],
  ['--resume X --hold', /--hold is for calls that feed paper/],
  ['--nonsense', /nonsense/],
  ['--url scanner', /--url must be an address such as/],
];

for (const [args, message] of REFUSED) {
  options(`refuses ${args}, and shows the usage`, () => {
    assert.throws(
      () => parseOptions(args.split(' '), {}),
      (error: unknown) =>
        error instanceof ClientError &&
        error.exitCode === EXIT.usage &&
        message.test(error.message) &&
        error.message.includes('Usage: npm run scan'),
    );
  });
}

options('the usage lists every exit code', () => {
  for (const code of Object.values(EXIT)) assert.match(USAGE, new RegExp(`^ {2}${code} `, 'm'));
});

const outcomes = suite('how the terminal client ends');

const SUBMITTED = { status: 'submitted', task_id: 't-1' };
const FAILED = { status: 'failed', error: 'The token is wrong.' };

function result(fields: object, ...destinations: readonly object[]): Answer {
  const document = { filename: 'document-0001.pdf', page_count: 2, destinations };
  const body = { scan_id: 'S', state: 'finished', page_count: 2, duration_ms: 8342, warnings: [] };
  return { status: 200, body: { ...body, documents: [document], ...fields } };
}

function refused(error: string, facts: object = {}): Answer {
  return { status: 500, body: { error, message: 'What happened. What to do.', ...facts } };
}

const ENDS: readonly [string, Answer, number, RegExp][] = [
  ['everything accepted', result({}, SUBMITTED), EXIT.done, /1 document in 8\.3 s.*task t-1/s],
  [
    'no destination',
    result({}),
    EXIT.done,
    /2 pages, 1 document.*http:\/\/scanner:8080\/#scan=S$/s,
  ],
  ['a delivery failed', result({}, SUBMITTED, FAILED), EXIT.deliveryFailed, /failed: The token/],
  ['a warning', result({ warnings: ['One sheet.'] }), EXIT.done, /Warning: One sheet\./],
  [
    'held',
    result({ state: 'held', documents: [] }),
    EXIT.done,
    /--continue S --hold.*--resume S.*http:\/\/scanner:8080\/#scan=S/s,
  ],
  ['an empty feeder', refused('no_documents', { page_count: 0 }), EXIT.feederEmpty, /What to do/],
  ['a busy scanner', refused('scanner_busy', { busy_with: 'B' }), EXIT.busy, /scan --watch B/],
  ['one that someone else uses', refused('scanner_busy_elsewhere'), EXIT.busy, /What to/],
  ['a busy scan', refused('scan_in_progress', { scan_id: 'S' }), EXIT.busy, /scan --watch S/],
  [
    'a jam',
    refused('scanner_jammed', { scan_id: 'S', page_count: 2 }),
    EXIT.endedEarly,
    /scan --resume S.*scan --continue S/s,
  ],
  [
    'the same after some pages',
    refused('scanner_busy_elsewhere', { scan_id: 'S', page_count: 2 }),
    EXIT.endedEarly,
    /scan --continue S/,
  ],
  ['a jam at the first page', refused('scanner_jammed', { page_count: 0 }), EXIT.other, /What to/],
  ['a wrong profile', refused('profile_not_found'), EXIT.other, /What happened/],
];

for (const [what, answer, code, message] of ENDS) {
  outcomes(`${what}: exit code ${code}`, () => {
    assert.is(exitCodeOf(answer), code);
    assert.match(
      describeAnswer(answer, { command: 'scan', baseUrl: 'http://scanner:8080' }),
      message,
    );
  });
}

const progress = suite('progress in a terminal');

const BEGUN: Progress = {
  stage: 'scan',
  page_count: 0,
  recognized_count: 0,
  document_count: 0,
  upload: null,
};

const lineAfter = (change: Partial<Progress>): string => progressLine({ ...BEGUN, ...change });

progress('shows how far a scan is', () => {
  assert.is(lineAfter({}), '0 pages');
  assert.is(lineAfter({ page_count: 1 }), '1 page');
  assert.is(lineAfter({ page_count: 2, recognized_count: 1 }), '2 pages · 1 read');
  const fed = { stage: 'process', page_count: 2, recognized_count: 1 } as const;
  assert.is(lineAfter(fed), '2 pages · reading 1/2 · the feeder is free, take your paper');
  assert.is(lineAfter({ ...fed, document_count: 1 }), '2 pages · 1 document made');
  const upload = { title: 'Bill' };
  assert.is(lineAfter({ ...fed, document_count: 1, upload }), '2 pages · sending "Bill"');
});

progress('follows the view of an event, or a snapshot', () => {
  const event = (name: string, data: object): StreamEvent => ({
    id: '1',
    event: name,
    data: JSON.stringify(data),
  });
  assert.equal(progressAfter(event('page', { number: 1, view: BEGUN })), BEGUN);
  assert.equal(progressAfter(event('snapshot', BEGUN)), BEGUN);
  assert.is(progressAfter(event('something_new', {})), undefined);
});

const STORY: readonly [string, object, string | undefined][] = [
  ['begun', { scan_id: 'S' }, 'scan S has begun'],
  ['page', { number: 2, sheet: 1, side: 'back' }, 'page 2: back of sheet 1'],
  ['recognized', { page: 1 }, 'page 1 is read'],
  ['fed', { complete: false }, undefined],
  ['fed', { complete: true }, 'the feeder is free, take your paper'],
  ['something_new', {}, undefined],
  ['assembled', { document: 0 }, 'document 1 is made'],
  ['upload_begun', { document: 0, title: 'Bill' }, 'sending "Bill"'],
  ['upload_ended', { document: 0, outcome: 'unknown' }, 'document 1 is not submitted'],
  ['snapshot', { scan_id: 'S', page_count: 3 }, 'scan S has 3 pages'],
  ['ended', {}, undefined],
];

progress('prints a line for each event that matters to a person', () => {
  for (const [name, data, kept] of STORY) {
    assert.is(eventLine({ id: '1', event: name, data: JSON.stringify(data) }), kept, name);
  }
});
