import { once } from 'node:events';
import { Failure } from '../../../helpers/failure.ts';
import type { FedStack } from '../../../helpers/ipc/messages.ts';
import type { AskOptions, RequestClient } from '../../../helpers/ipc/request-client.ts';
import type { RequestHandlers } from '../../../helpers/ipc/request-server.ts';
import { listen } from '../../../helpers/ipc/transport.ts';
import { assert, EVENT_MS, failure, rejection, withFixture, within } from '../../support/suite.ts';
import { LOOK, openBench, page, REQUEST, SCAN, SUMMARY } from './ipc-bench.ts';

type Options = Partial<AskOptions>;

/** What a client asks in these tests; `options` and `changes` differ from the usual. */
interface Asking {
  readonly health: (options?: Options) => Promise<unknown>;
  readonly describe: (options?: Options, device?: string) => Promise<unknown>;
  readonly scan: (options?: Options, changes?: object) => Promise<FedStack>;
  readonly close: () => void;
}

function asking(client: RequestClient): Asking {
  return {
    health: ({ signal = LOOK.signal } = {}) => client.ask('health', {}, { ...LOOK, signal }),
    describe: ({ signal = LOOK.signal, ...options } = {}, device = 'a:b') =>
      client.ask('describe_device', { device }, { ...LOOK, ...options, signal }),
    scan: ({ signal = LOOK.signal, ...options } = {}, changes = {}) =>
      client.ask('scan', { ...REQUEST, ...changes }, { ...SCAN, ...options, signal }),
    close: client.close,
  };
}

const test = withFixture('requests to the runtime', async (directory) => {
  const bench = await openBench(directory);
  const connect = (): Asking => asking(bench.client());
  return {
    ...bench,
    connect,
    /** Has a runtime serve, and connects to it. */
    begin: async (...served: Parameters<typeof bench.serve>): Promise<Asking> => {
      await bench.serve(...served);
      return connect();
    },
  };
});

const HEALTHY = { status: 'ok', scanning: [] } as const;
const MAY_HAVE_PASSED = 'After page 1, up to 2 sheets may have passed';

interface Held {
  readonly scan: RequestHandlers['scan'];
  readonly begun: Promise<void>;
  /** By what it was stopped. */
  readonly stopped: () => Promise<unknown>;
}

/** A scan of a page that waits until it is stopped, and then ends like that: by itself it has another page, and was cancelled. */
function untilStopped(end?: () => FedStack, first = page(1)): Held {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<unknown>();
  const scan: Held['scan'] = async (_request, { signal, onPage }) => {
    onPage(first);
    begun.resolve();
    await once(signal, 'abort');
    stopped.resolve(signal.reason);
    if (end) return end();
    onPage(page(2));
    throw new Failure('timeout', 'The scan was cancelled.', { facts: { page_count: 2 } });
  };
  return { scan, begun: begun.promise, stopped: () => within(EVENT_MS, stopped.promise) };
}

/** Has pages listed by their numbers. */
function listing(): { pages: number[]; onPage: (page: { number: number }) => void } {
  const pages: number[] = [];
  return { pages, onPage: ({ number }) => void pages.push(number) };
}

test('for a scan tell each page, in order, before the end', async ({ begin }) => {
  const { pages, onPage } = listing();
  assert.equal(await (await begin()).scan({ onPage }), SUMMARY);
  assert.equal(pages, [1, 2]);
});

test('that fail carry code, message and facts', async ({ begin }) => {
  const facts = { page_count: 3 };
  const scan = (): Promise<never> =>
    Promise.reject(new Failure('scanner_jammed', 'Jam.', { facts }));
  const jam = await failure('scanner_jammed', (await begin({ scan })).scan());
  assert.equal([jam.message, jam.facts], ['Jam.', facts]);
});

test('that meet a bug say so without its details, which are in the log', async (bench) => {
  const health = (): Promise<never> => Promise.reject(new Error('secret detail'));
  const { message } = await failure('internal_error', (await bench.begin({ health })).health());
  assert.not.match(message, 'secret detail');
  assert.match(bench.serverLog.text(), 'secret detail');
});

test('with wrong fields are refused by the runtime', async ({ begin }) => {
  const { scan } = await begin();
  assert.match((await failure('invalid_body', scan({}, { mode: 3 }))).message, 'mode');
});

test('run side by side, each with its own answer', async ({ begin }) => {
  const held = untilStopped();
  const { scan, health } = await begin({ scan: held.scan });
  const cancel = new AbortController();
  const scanned = failure('timeout', scan(cancel));
  await held.begun;
  await Promise.all(Array.from({ length: 10 }, () => health()));
  cancel.abort();
  await scanned;
});

test('beyond the limit of a connection are refused; scans go on', async ({ begin }) => {
  const { scan, health, describe } = await begin();
  const stop = new AbortController();
  const questions = Array.from({ length: 60 }, () => rejection(describe(stop)));
  const first = (await within(EVENT_MS, Promise.race(questions))) as Failure;
  assert.is(first.code, 'too_many_requests');
  assert.equal(await health(), HEALTHY);
  assert.equal(await scan(), SUMMARY);
  stop.abort();
  await Promise.all(questions);
});

test('about health crowd out no scan, however many are open', async ({ begin }) => {
  const answered = Promise.withResolvers<{ status: 'ok'; scanning: [] }>();
  const { scan, health } = await begin({ health: () => answered.promise });
  const open = Array.from({ length: 200 }, () => health());
  assert.equal(await scan(), SUMMARY);
  answered.resolve({ status: 'ok', scanning: [] });
  await Promise.all(open);
});

test('for too many scans are too many, not a busy scanner', async ({ begin }) => {
  const held = untilStopped();
  const { scan } = await begin({ scan: held.scan }, { question: 1, scan: 1 });
  const cancel = new AbortController();
  const first = failure('timeout', scan(cancel));
  await held.begun;
  await failure('too_many_requests', scan());
  cancel.abort();
  await first;
});

test('wait for a runtime that is just starting', async ({ connect, serve }) => {
  const asked = connect().health();
  await serve();
  assert.equal(await asked, HEALTHY);
});

test('work again after the runtime was restarted', async ({ serve, connect, clientLog }) => {
  const { health } = connect();
  for (let restart = 0; restart < 3; restart += 1) {
    const server = await serve();
    assert.equal(await health(), HEALTHY, `restart ${restart}`);
    await server.close();
  }
  const lost = clientLog.lines().filter(({ msg }) => msg === 'lost the scanner runtime');
  assert.ok(lost.length >= 2);
});

test('that are too large to send fail', async ({ begin }) => {
  const { health, describe } = await begin();
  await health();
  await failure('scanner_runtime_unreachable', describe({}, 'x'.repeat(2_000_000)));
  assert.equal(await health(), HEALTHY);
});

test('for a scan end with the last word of the runtime when aborted', async ({ begin }) => {
  const held = untilStopped();
  const { scan } = await begin({ scan: held.scan });
  const cancel = new AbortController();
  const { pages, onPage } = listing();
  const scanned = failure('timeout', scan({ signal: cancel.signal, onPage }));
  await held.begun;
  cancel.abort();
  assert.is((await scanned).facts['page_count'], 2);
  assert.is(await held.stopped(), 'cancelled');
  assert.equal(pages, [1, 2], 'pages finished meanwhile are told');
});

test('for a scan that goes on in spite of a cancel are given up', async ({ begin }) => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<FedStack>();
  const goesOn: RequestHandlers['scan'] = (_request, { onPage }) => {
    onPage(page(1));
    begun.resolve();
    return end.promise;
  };
  const { scan } = await begin({ scan: goesOn });
  const cancel = new AbortController();
  const options = { cancelWaitMs: 100, signal: cancel.signal, onPage: () => {} };
  const scanned = failure('timeout', scan(options));
  await begun.promise;
  cancel.abort(new Failure('timeout', 'The deadline passed.'));
  const { message, facts } = await within(EVENT_MS, scanned);
  assert.equal([message, facts['page_count']], ['The deadline passed.', 1]);
  assert.match(String(facts['warnings']), MAY_HAVE_PASSED);
  end.resolve(SUMMARY);
});

test('for a scan that ends while it is cancelled are its summary', async ({ begin }) => {
  const held = untilStopped(() => SUMMARY);
  const { scan } = await begin({ scan: held.scan });
  const cancel = new AbortController();
  const scanned = scan(cancel);
  await held.begun;
  cancel.abort();
  assert.equal(await scanned, SUMMARY);
});

test('that are aborted end at once, and the runtime is told', async ({ begin }) => {
  const stopped = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<void>();
  const { describe } = await begin({
    describe_device: async (_ask, { signal }) => {
      begun.resolve();
      await once(signal, 'abort');
      stopped.resolve(signal.reason);
      throw new Failure('timeout', 'Stopped.');
    },
  });
  const stop = new AbortController();
  const refused = failure('timeout', describe(stop));
  await begun.promise;
  stop.abort();
  await refused;
  assert.is(await within(EVENT_MS, stopped.promise), 'cancelled');
});

test('that were aborted before, or are while no runtime is there, end at once', async (bench) => {
  const stop = new AbortController();
  const asked = failure('timeout', bench.connect().health(stop));
  stop.abort();
  await asked;
  await failure('timeout', (await bench.begin()).health(stop));
});

test('that were aborted before never reach the runtime', async ({ begin }) => {
  const asked: string[] = [];
  const { health, describe } = await begin({
    describe_device: async ({ device }) => {
      asked.push(device);
      throw new Failure('no_scanner_detected', 'There is none.');
    },
  });
  assert.equal(await health(), HEALTHY);
  await failure('timeout', describe({ signal: AbortSignal.abort() }));
  await failure('no_scanner_detected', describe());
  assert.is(asked.length, 1);
});

test('that a stalled runtime does not accept are cancelled', async ({ socket, connect }) => {
  const cancelled = Promise.withResolvers<void>();
  const runtime = await listen(socket, {
    onRequest: (_peer, event) => void (event === 'cancel' && cancelled.resolve()),
    onLost: () => {},
  });
  const { scan, close } = connect();
  await failure('scanner_runtime_unreachable', scan());
  await within(EVENT_MS, cancelled.promise);
  close();
  await runtime.close();
});

test('have a deadline', async ({ begin }) => {
  const asked = (await begin()).describe({ deadlineMs: 200 });
  assert.match((await failure('scanner_runtime_unreachable', asked)).message, 'within 0.2 s');
});

test('fail within two seconds when no runtime is there', async ({ connect }) => {
  const asked = failure('scanner_runtime_unreachable', connect().health());
  assert.match((await within(EVENT_MS, asked)).message, 'SCANNER_SOCKET');
});

test('fail when their connection is lost, and the scan is stopped', async ({ begin }) => {
  const held = untilStopped();
  const { scan, health, close } = await begin({ scan: held.scan });
  const failed = failure('scanner_runtime_unreachable', scan({ onPage: () => {} }));
  await held.begun;
  await health();
  close();
  const { facts } = await failed;
  assert.is(facts['page_count'], 1);
  assert.match(String(facts['warnings']), MAY_HAVE_PASSED);
  assert.is(await held.stopped(), 'connection_lost');
});

test('end, cancelled, when a page cannot be taken', async ({ begin }) => {
  const held = untilStopped();
  const { scan } = await begin({ scan: held.scan });
  const onPage = (): never => {
    throw new Error('no room for it');
  };
  assert.match(String(await rejection(scan({ onPage }))), 'no room for it');
  assert.is(await held.stopped(), 'cancelled');
});

test('for a scan with a page not understood are cancelled', async ({ begin }) => {
  const held = untilStopped(undefined, { ...page(1), number: 0 });
  const { scan } = await begin({ scan: held.scan });
  assert.match((await failure('scanner_runtime_unreachable', scan())).message, 'same version');
  assert.is(await held.stopped(), 'cancelled');
});
