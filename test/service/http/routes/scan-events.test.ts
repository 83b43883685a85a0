import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Failure } from '../../../../helpers/failure.ts';
import {
  createEventStream,
  createScanWatchers,
  STREAM_LIMITS,
  type EventStream,
} from '../../../../service/http/events/scan-watchers.ts';
import { readEvents, type StreamEvent } from '../../../../service/page/event-stream.js';
import { feedPages, heldFeed, type Feed } from '../../../support/scan-parts.ts';
import { startTestApp, type TestApp } from '../../../support/test-app.ts';
import { assert, EVENT_MS, suite, withFixture, within } from '../../../support/suite.ts';
import { createScanBench } from '../../scan/call/scan-bench.ts';

interface Ask {
  readonly body?: object;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

const STREAM = { Accept: 'text/event-stream' };

/** Time limit for a stream to start or a simulated scan to end: both take about a second. */
const ANSWER_MS = 20_000;

const test = withFixture('event streams of scans', async () => {
  const bench = await createScanBench();
  const watchers = createScanWatchers();
  const watching = new Set<object>();
  let left = (): void => {};
  const watch: typeof watchers.watch = (...asked) => {
    const unwatch = watchers.watch(...asked);
    watching.add(asked);
    return () => {
      unwatch();
      watching.delete(asked);
      if (watching.size === 0) left();
    };
  };
  let app: TestApp | undefined;
  let drain = (): Promise<void> => Promise.resolve();
  return {
    bench,
    unwatched: () => {
      const all = new Promise<void>((resolve) => (left = resolve));
      return watching.size === 0 ? Promise.resolve() : within(EVENT_MS, all, 'the last to leave');
    },
    drained: () => within(EVENT_MS, drain(), 'the end of the scan'),
    start: async (feed: Feed = feedPages(2)) => {
      await app?.close();
      const { scans, archive } = await bench.start({ feed }, { listener: watchers.listener });
      drain = scans.drain;
      app = await startTestApp({
        ...scans,
        archive,
        watchers: { ...watchers, watch },
        profiles: [bench.profile()],
      });
    },
    ask: (path: string, { body, method = body ? 'POST' : 'GET', headers }: Ask = {}) => {
      const answer = fetch(`http://127.0.0.1:${app?.port}${path}`, {
        headers: { 'Content-Type': 'application/json', ...STREAM, ...headers },
        method,
        ...(body && { body: JSON.stringify(body) }),
      });
      return within(ANSWER_MS, answer, `the answer of ${path}`);
    },
    close: async () => {
      await app?.close();
      await bench.close();
    },
  };
});

type Event = StreamEvent & { readonly fields: Record<string, unknown> };

async function* eventsIn({ status, body }: Response): AsyncGenerator<Event, void> {
  assert.is(status, 200);
  if (!body) return;
  for await (const event of readEvents(body, EVENT_MS)) {
    yield { ...event, fields: JSON.parse(event.data) as Record<string, unknown> };
  }
}

const allOf = (response: Response): Promise<Event[]> => Array.fromAsync(eventsIn(response));

const namesOf = (events: readonly Event[]): string[] => events.map(({ event }) => event);

function resultOf(events: readonly Event[]): { status: number; body: Record<string, unknown> } {
  const last = events.at(-1);
  assert.is(last?.event, 'result');
  return last?.fields as ReturnType<typeof resultOf>;
}

test('POST /scan sends all events, then the result', async ({ bench, start, ask }) => {
  await start();
  const response = await ask('/scan', { body: { title: 'private' } });
  assert.is(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.is(response.headers.get('cache-control'), 'no-store, no-transform');
  assert.is(response.headers.get('x-accel-buffering'), 'no');
  const events = await allOf(response);
  const id = String(events[0]?.fields['scan_id']);
  const lines = (await readFile(bench.file(id, 'events.jsonl'), 'utf8')).trimEnd().split('\n');
  const stored = lines.map((line) => (JSON.parse(line) as { type: string }).type);
  assert.equal(namesOf(events), [...stored, 'result']);
  assert.equal(
    events.map(({ id }) => id),
    [...stored.map((_, index) => String(index + 1)), `${stored.length}-result`],
  );
  const result = resultOf(events);
  assert.is(result.status, 200);
  const plain = await ask(`/scans/${id}/resume`, { body: {}, headers: { Accept: '*/*' } });
  assert.equal(result.body, await plain.json());
  const sent = events.map(({ data }) => data).join('\n');
  assert.not.match(
    sent,
    new RegExp(`"paths"|"scanner_options"|"request"|token_secret|${bench.root}`),
  );
});

test('only callers who prefer an event stream get one', async ({ start, ask }) => {
  await start();
  const wants: [string, boolean][] = [
    ['*/*', false],
    ['application/json', false],
    ['text/html', false],
    ['text/event-stream;q=0.5, application/json', false],
    ['text/event-stream, application/json', true],
    ['text/event-stream, */*;q=0.1', true],
  ];
  for (const [accept, isStream] of wants) {
    const response = await ask('/scan', { body: {}, headers: { Accept: accept } });
    const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8';
    assert.is(response.headers.get('content-type'), type, accept);
    await response.text();
  }
});

test('a call refused before it begins gets a plain answer', async ({ start, ask }) => {
  const { feed, goOn } = heldFeed();
  await start(feed);
  for (const [body, status] of [
    [{ profile: 'none' }, 404],
    [{ unknown: 1 }, 400],
    [{ continue_scan: 'x' }, 404],
  ] as const) {
    const response = await ask('/scan', { body });
    assert.is(response.status, status);
    assert.match(response.headers.get('content-type') ?? '', 'application/json');
    await response.text();
  }
  const running = eventsIn(await ask('/scan', { body: {} }));
  // After its first page, the scan holds the feeder.
  for (let first = await running.next(); !first.done; first = await running.next()) {
    if (first.value.event === 'page') break;
  }
  const busy = await ask('/scan', { body: {} });
  assert.is(busy.status, 409);
  assert.is(((await busy.json()) as { error: string }).error, 'scanner_busy');
  goOn();
  for await (const { event, fields } of running)
    if (event === 'result') assert.is(fields['status'], 200);
});

test('later failures arrive as the result', async ({ start, ask }) => {
  await start(feedPages(1, new Failure('scanner_jammed', 'Paper is stuck.')));
  const events = await allOf(await ask('/scan', { body: {} }));
  assert.equal(namesOf(events).slice(-2), ['ended', 'result']);
  const { status, body } = resultOf(events);
  assert.is(status, 502);
  const id = String(body['scan_id']);

  await start();
  const rest = await allOf(await ask('/scan', { body: { continue_scan: id } }));
  assert.equal(namesOf(rest).slice(0, 2), ['resumed', 'page']);
  assert.is(rest[0]?.fields['page_count'], 1);
  assert.is(resultOf(rest).body['page_count'], 3);

  const again = await allOf(await ask(`/scans/${id}/resume`, { body: {} }));
  assert.equal(namesOf(again), ['result']);
});

test('a repeated call gets only its result', async ({ start, ask }) => {
  await start();
  const headers = { 'Idempotency-Key': 'one' };
  const first = await allOf(await ask('/scan', { body: {}, headers }));
  const second = await allOf(await ask('/scan', { body: {}, headers }));
  assert.equal(namesOf(second), ['result']);
  assert.equal(second[0]?.fields, first.at(-1)?.fields);
});

test('GET …/events begins with the scan and ends with the result', async ({ start, ask }) => {
  const { feed, goOn } = heldFeed();
  await start(feed);
  const call = eventsIn(await ask('/scan', { body: {} }));
  const begun = (await call.next()).value;
  const url = `/scans/${String(begun?.fields['scan_id'])}/events`;
  let last = begun;
  while (last?.event !== 'recognized') last = (await call.next()).value ?? undefined;

  const watching = [eventsIn(await ask(url)), eventsIn(await ask(url))];
  for (const watcher of watching) {
    const { value: snapshot } = await watcher.next();
    assert.is(snapshot?.event, 'snapshot');
    assert.is(snapshot?.id, last?.id);
    assert.is(snapshot?.fields['state'], 'scanning');
  }
  await watching.pop()?.return();
  const late = allOf(await ask(url, { headers: { 'Last-Event-ID': '1' } }));
  goOn();
  const rest = await Array.fromAsync(call);
  assert.equal(await Array.fromAsync(watching[0] ?? []), rest);
  assert.equal((await late).slice(-rest.length), rest);
  assert.equal(namesOf(await late).slice(0, 2), ['page', 'recognized']);
});

test('for a past scan, GET …/events sends the rest, if any', async ({ start, ask }) => {
  await start();
  const events = await allOf(await ask('/scan', { body: {} }));
  const id = String(events[0]?.fields['scan_id']);
  const url = `/scans/${id}/events`;
  const [snapshot, ...more] = await allOf(await ask(url));
  assert.equal(more, events.slice(-1), 'the result');
  assert.is(snapshot?.fields['state'], 'finished');
  const { id: last = '' } = snapshot ?? {};

  const replayed = await allOf(await ask(url, { headers: { 'Last-Event-ID': '2' } }));
  assert.equal(replayed, events.slice(2));
  const cut = await allOf(await ask(url, { headers: { 'Last-Event-ID': last } }));
  assert.equal(cut, events.slice(-1), 'who was cut off before the result gets it');
  for (const header of [cut[0]?.id ?? '', '999999999-result']) {
    const nothing = await ask(url, { headers: { 'Last-Event-ID': header } });
    assert.is(nothing.status, 204);
    assert.is(await nothing.text(), '');
  }
  const strange = await allOf(await ask(url, { headers: { 'Last-Event-ID': '-1; x' } }));
  assert.equal(namesOf(strange), ['snapshot', 'result']);
  assert.is((await ask('/scans/20990101T000000Z-000000/events')).status, 404);
});

test('a caller that hangs up is forgotten', async ({ bench, start, ask, unwatched, drained }) => {
  const { feed, goOn } = heldFeed();
  await start(feed);
  const call = eventsIn(await ask('/scan', { body: {} }));
  const id = String((await call.next()).value?.fields['scan_id']);
  const url = `/scans/${id}/events`;
  await call.return();
  await (await ask(url)).body?.cancel();
  assert.is((await ask(url, { method: 'HEAD' })).status, 200);
  goOn();
  await drained();
  await unwatched();
  assert.is((await bench.stored(id)).state, 'finished');
});

const streams = suite('event streams');

const message = (bytes: number): Buffer => Buffer.alloc(bytes, 'x');

function begin(
  first: string,
  limits = STREAM_LIMITS,
): EventStream & { readonly closed: Promise<void> } {
  const closed = Promise.withResolvers<void>();
  const stream = createEventStream({
    first: Buffer.from(first),
    onClose: () => closed.resolve(),
    limits,
  });
  return { ...stream, closed: within(60_000, closed.promise, 'the end of the stream') };
}

streams('sends its events in order, and ends', async () => {
  const { body, send, end, closed } = begin('first ');
  send(Buffer.from('second '));
  end(Buffer.from('last'));
  // Output of a call that was answered at its deadline but is still winding up.
  send(Buffer.from('nothing more'));
  end(Buffer.from('nothing more'));
  assert.is(await text(body), 'first second last');
  await closed;
});

streams('sends comments when idle, so that no proxy closes it', async () => {
  const { body, closed } = begin('', { ...STREAM_LIMITS, heartbeatMs: 10 });
  assert.is(String(await within(60_000, once(body, 'data'))), ':\n\n');
  body.destroy();
  await closed;
});

streams('drops a reader that leaves too much unread, besides the first message', async () => {
  const limits = { ...STREAM_LIMITS, unreadBytes: 1000 };
  const { body, send, closed } = begin('x'.repeat(5000), limits);
  for (let times = 0; times < 11; times += 1) send(message(100));
  assert.not.ok(body.destroyed, 'that much may wait');
  send(message(100));
  assert.ok(body.destroyed);
  await closed;
  send(message(100));
});
