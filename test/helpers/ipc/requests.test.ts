import { once } from 'node:events';
import { Failure } from '../../../helpers/failure.ts';
import type { FedStack, ScannedPage } from '../../../helpers/ipc/messages.ts';
import type { RequestHandlers } from '../../../helpers/ipc/request-server.ts';
import { listen } from '../../../helpers/ipc/transport.ts';
import { assert, failure, rejection, withFixture, within } from '../../support/suite.ts';
import { EVENT_MS, LOOK, openBench, page, REQUEST, SCAN, SUMMARY } from './ipc-bench.ts';

const test = withFixture('requests to the runtime', openBench);

const HEALTHY = { status: 'ok', scanning: [] } as const;
const DEVICE = { device: 'a:b' };

/** A handler for scans that ends when it is stopped, and tells by what. */
function stoppable(): {
  scan: RequestHandlers['scan'];
  begun: Promise<void>;
  stopped: Promise<unknown>;
} {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<unknown>();
  const scan: RequestHandlers['scan'] = async (_request, { signal, onPage }) => {
    onPage(page(1));
    begun.resolve();
    await once(signal, 'abort');
    stopped.resolve(signal.reason);
    onPage(page(2));
    throw new Failure('timeout', 'The scan was cancelled.', { facts: { page_count: 2 } });
  };
  return { scan, begun: begun.promise, stopped: stopped.promise };
}

/** Options of a scan whose pages are listed. */
function listing(): { pages: number[]; onPage: (page: ScannedPage) => void } {
  const pages: number[] = [];
  return { pages, onPage: ({ number }) => void pages.push(number) };
}

test('for a scan tell each page, in order, before the end', async ({ serve, client }) => {
  await serve();
  const { pages, onPage } = listing();
  assert.equal(await client().ask('scan', REQUEST, { ...SCAN, onPage }), SUMMARY);
  assert.equal(pages, [1, 2]);
});

test('that fail carry code, message and facts', async ({ serve, client }) => {
  const facts = { page_count: 3 };
  const scan = (): Promise<never> => {
    throw new Failure('scanner_jammed', 'Jam.', { facts });
  };
  await serve({ scan });
  const jam = await failure('scanner_jammed', client().ask('scan', REQUEST, SCAN));
  assert.equal([jam.message, jam.facts], ['Jam.', facts]);
});

test('that meet a bug say so without its details, which are in the log', async (bench) => {
  const health = (): Promise<never> => {
    throw new Error('secret detail');
  };
  await bench.serve({ health });
  const { message } = await failure('internal_error', bench.client().ask('health', {}, LOOK));
  assert.not.match(message, 'secret detail');
  assert.match(bench.serverLog.text(), 'secret detail');
});

test('with wrong fields are refused by the runtime', async ({ serve, client }) => {
  await serve();
  const asked = client().ask('scan', { ...REQUEST, mode: 3 as never }, SCAN);
  assert.match((await failure('invalid_body', asked)).message, 'mode');
});

test('run side by side, each with its own answer', async ({ serve, client }) => {
  const held = stoppable();
  await serve({ scan: held.scan });
  const asking = client();
  const cancel = new AbortController();
  const scanned = failure(
    'timeout',
    asking.ask('scan', REQUEST, { ...SCAN, signal: cancel.signal }),
  );
  await held.begun;
  await Promise.all(Array.from({ length: 10 }, () => asking.ask('health', {}, LOOK)));
  cancel.abort();
  await scanned;
});

test('beyond the limit of a connection are refused; scans go on', async ({ serve, client }) => {
  await serve();
  const asking = client();
  const stop = new AbortController();
  const options = { ...LOOK, signal: stop.signal };
  const questions = Array.from({ length: 60 }, () =>
    rejection(asking.ask('describe_device', DEVICE, options)),
  );
  const first = (await within(EVENT_MS, Promise.race(questions))) as Failure;
  assert.is(first.code, 'too_many_requests');
  assert.equal(await asking.ask('health', {}, LOOK), HEALTHY);
  assert.equal(await asking.ask('scan', REQUEST, SCAN), SUMMARY);
  stop.abort();
  await Promise.all(questions);
});

test('about health crowd out no scan, however many are open', async ({ serve, client }) => {
  const answered = Promise.withResolvers<{ status: 'ok'; scanning: [] }>();
  await serve({ health: () => answered.promise });
  const asking = client();
  const open = Array.from({ length: 200 }, () => asking.ask('health', {}, LOOK));
  assert.equal(await asking.ask('scan', REQUEST, SCAN), SUMMARY);
  answered.resolve({ status: 'ok', scanning: [] });
  await Promise.all(open);
});

test('for too many scans are too many, not a busy scanner', async ({ serve, client }) => {
  const held = stoppable();
  await serve({ scan: held.scan }, { question: 1, scan: 1 });
  const asking = client();
  const cancel = new AbortController();
  const options = { ...SCAN, signal: cancel.signal };
  const first = failure('timeout', asking.ask('scan', REQUEST, options));
  await held.begun;
  await failure('too_many_requests', asking.ask('scan', REQUEST, SCAN));
  cancel.abort();
  await first;
});

test('wait for a runtime that is just starting', async ({ serve, client }) => {
  const asked = client().ask('health', {}, LOOK);
  await serve();
  assert.equal(await asked, HEALTHY);
});

test('work again after the runtime was restarted', async ({ serve, client, clientLog }) => {
  const asking = client();
  for (let restart = 0; restart < 3; restart += 1) {
    const server = await serve();
    assert.equal(await asking.ask('health', {}, LOOK), HEALTHY, `restart ${restart}`);
    await server.close();
  }
  const lost = clientLog.lines().filter(({ msg }) => msg === 'lost the scanner runtime');
  assert.ok(lost.length >= 2);
});

test('that are too large to send fail', async ({ serve, client }) => {
  await serve();
  const asking = client();
  await asking.ask('health', {}, LOOK);
  const huge = { device: 'x'.repeat(2_000_000) };
  await failure('scanner_runtime_unreachable', asking.ask('describe_device', huge, LOOK));
  assert.equal(await asking.ask('health', {}, LOOK), HEALTHY);
});

test('for a scan end with the last word of the runtime when aborted', async ({ serve, client }) => {
  const held = stoppable();
  await serve({ scan: held.scan });
  const cancel = new AbortController();
  const { pages, onPage } = listing();
  const options = { ...SCAN, signal: cancel.signal, onPage };
  const scanned = failure('timeout', client().ask('scan', REQUEST, options));
  await held.begun;
  cancel.abort();
  assert.is((await scanned).facts['page_count'], 2);
  assert.is(await held.stopped, 'cancelled');
  assert.equal(pages, [1, 2], 'pages finished meanwhile are told');
});

test('for a scan that goes on in spite of a cancel are given up', async ({ serve, client }) => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<FedStack>();
  const scan: RequestHandlers['scan'] = (_request, { onPage }) => {
    onPage(page(1));
    begun.resolve();
    return end.promise;
  };
  await serve({ scan });
  const cancel = new AbortController();
  const options = { ...SCAN, cancelWaitMs: 100, signal: cancel.signal, onPage: () => {} };
  const scanned = failure('timeout', client().ask('scan', REQUEST, options));
  await begun.promise;
  cancel.abort(new Failure('timeout', 'The deadline passed.'));
  const { message, facts } = await within(EVENT_MS, scanned);
  assert.equal([message, facts['page_count']], ['The deadline passed.', 1]);
  assert.match(String(facts['warnings']), 'After page 1, up to 2 sheets may have passed');
  end.resolve(SUMMARY);
});

test('for a scan that ends while it is cancelled are its summary', async ({ serve, client }) => {
  const begun = Promise.withResolvers<void>();
  const scan: RequestHandlers['scan'] = async (_request, { signal }) => {
    begun.resolve();
    await once(signal, 'abort');
    return SUMMARY;
  };
  await serve({ scan });
  const cancel = new AbortController();
  const scanned = client().ask('scan', REQUEST, { ...SCAN, signal: cancel.signal });
  await begun.promise;
  cancel.abort();
  assert.equal(await scanned, SUMMARY);
});

test('that are aborted end at once, and the runtime is told', async ({ serve, client }) => {
  const stopped = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<void>();
  const describe_device: RequestHandlers['describe_device'] = async (_ask, { signal }) => {
    begun.resolve();
    await once(signal, 'abort');
    stopped.resolve(signal.reason);
    throw new Failure('timeout', 'Stopped.');
  };
  await serve({ describe_device });
  const stop = new AbortController();
  const options = { ...LOOK, signal: stop.signal };
  const refused = failure('timeout', client().ask('describe_device', DEVICE, options));
  await begun.promise;
  stop.abort();
  await refused;
  assert.is(await within(EVENT_MS, stopped.promise), 'cancelled');
});

test('that were aborted before, or are while no runtime is there, end at once', async (bench) => {
  const stop = new AbortController();
  const options = { ...LOOK, signal: stop.signal };
  const asked = failure('timeout', bench.client().ask('health', {}, options));
  stop.abort();
  await asked;
  await bench.serve();
  await failure('timeout', bench.client().ask('health', {}, options));
});

test('that were aborted before never reach the runtime', async ({ serve, client }) => {
  const asked: string[] = [];
  await serve({
    describe_device: async ({ device }) => {
      asked.push(device);
      throw new Failure('no_scanner_detected', 'There is none.');
    },
  });
  const asking = client();
  assert.equal(await asking.ask('health', {}, LOOK), HEALTHY);
  const late = { ...LOOK, signal: AbortSignal.abort() };
  await failure('timeout', asking.ask('describe_device', DEVICE, late));
  await failure('no_scanner_detected', asking.ask('describe_device', DEVICE, LOOK));
  assert.is(asked.length, 1);
});

test('that a stalled runtime does not accept are cancelled', async ({ socket, client }) => {
  const cancelled = Promise.withResolvers<void>();
  const runtime = await listen(socket, {
    onRequest: (_peer, event) => void (event === 'cancel' && cancelled.resolve()),
    onLost: () => {},
  });
  const asking = client();
  await failure('scanner_runtime_unreachable', asking.ask('scan', REQUEST, SCAN));
  await within(EVENT_MS, cancelled.promise);
  asking.close();
  await runtime.close();
});

test('have a deadline', async ({ serve, client }) => {
  await serve();
  const asked = client().ask('describe_device', DEVICE, { ...LOOK, deadlineMs: 200 });
  assert.match((await failure('scanner_runtime_unreachable', asked)).message, 'within 0.2 s');
});

test('fail within two seconds when no runtime is there', async ({ client }) => {
  const asked = failure('scanner_runtime_unreachable', client().ask('health', {}, LOOK));
  assert.match((await within(EVENT_MS, asked)).message, 'SCANNER_SOCKET');
});

test('fail when their connection is lost, and the scan is stopped', async ({ serve, client }) => {
  const held = stoppable();
  await serve({ scan: held.scan });
  const asking = client();
  const { onPage } = listing();
  const scanned = asking.ask('scan', REQUEST, { ...SCAN, onPage });
  const failed = failure('scanner_runtime_unreachable', scanned);
  await held.begun;
  await asking.ask('health', {}, LOOK);
  asking.close();
  const { facts } = await failed;
  assert.is(facts['page_count'], 1);
  assert.match(String(facts['warnings']), 'After page 1, up to 2 sheets may have passed');
  assert.is(await within(EVENT_MS, held.stopped), 'connection_lost');
});

test('end, cancelled, when a page cannot be taken', async ({ serve, client }) => {
  const held = stoppable();
  await serve({ scan: held.scan });
  const onPage = (): void => {
    throw new Error('no room for it');
  };
  const error = await rejection(client().ask('scan', REQUEST, { ...SCAN, onPage }));
  assert.is((error as Error).message, 'no room for it');
  assert.is(await within(EVENT_MS, held.stopped), 'cancelled');
});

test('for a scan with a page not understood are cancelled', async ({ serve, client }) => {
  const stopped = Promise.withResolvers<unknown>();
  const scan: RequestHandlers['scan'] = async (_request, { signal, onPage }) => {
    onPage({ ...page(1), number: 0 });
    await once(signal, 'abort');
    stopped.resolve(signal.reason);
    throw new Failure('timeout', 'Stopped.');
  };
  await serve({ scan });
  const scanned = client().ask('scan', REQUEST, SCAN);
  assert.match((await failure('scanner_runtime_unreachable', scanned)).message, 'same version');
  assert.is(await within(EVENT_MS, stopped.promise), 'cancelled');
});
