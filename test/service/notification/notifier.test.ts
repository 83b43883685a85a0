import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { Failure } from '../../../helpers/failure.ts';
import type { Notification, NotifySettings } from '../../../service/notification/notification.ts';
import { createNotifier } from '../../../service/notification/notifier.ts';
import type { Trigger } from '../../../service/profiles/trigger.ts';
import { feedPages, type Feed } from '../../support/scan-parts.ts';
import { serve } from '../../support/serve.ts';
import { assert, withFixture, within } from '../../support/suite.ts';
import { createScanBench, type ScanBench } from '../scan/call/scan-bench.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Notification;
}

interface Fixture {
  readonly bench: ScanBench;
  readonly received: readonly Received[];
  /** How the receiver answers; 200 at first. */
  readonly answerWith: (handler: RequestListener) => void;
  /** Scans once; resolves with what becomes of the notification. */
  readonly scan: (
    feed: Feed,
    settings?: Partial<NotifySettings>,
    timeoutMs?: number,
    trigger?: Trigger,
  ) => Promise<
    { readonly outcome: Promise<string> } & Pick<
      ReturnType<typeof createNotifier>,
      'refused' | 'close'
    >
  >;
  close(): Promise<void>;
}

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

const TOKEN = 'a-secret-token';

const test = withFixture<Fixture>('notifications', async () => {
  const bench = await createScanBench();
  const received: Received[] = [];
  let answer: RequestListener = (_, response) => void response.end();
  const receive = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const body = JSON.parse(await text(request)) as Notification;
    received.push({ headers: request.headers, body });
    answer(request, response);
  };
  const server = await serve((...call) => void receive(...call));
  const url = `${server.url}/hook`;
  return {
    bench,
    received,
    answerWith: (handler) => void (answer = handler),
    scan: async (feed, settings, timeoutMs = EVENT_MS, trigger) => {
      const outcome = Promise.withResolvers<string>();
      const { listener, refused, close } = createNotifier({
        settings: { url, on: 'all', topic: 'scans', publicUrl: undefined, ...settings },
        readSecret: (name) => Promise.resolve(name === 'notify_token' ? TOKEN : undefined),
        onOutcome: outcome.resolve,
        log: bench.logged.log,
        timeoutMs,
      });
      const { scans } = await bench.start({ feed }, { listener });
      await scans.scan({ ...bench.call(), ...(trigger && { trigger }) }).catch(() => {});
      return { outcome: outcome.promise, refused, close };
    },
    close: async () => {
      await server.close();
      await bench.close();
    },
  };
});

async function outcomeOf(scanned: ReturnType<Fixture['scan']>): Promise<string> {
  const { outcome } = await scanned;
  return within(EVENT_MS, outcome, 'what became of the notification');
}

test('posts one body for ntfy, Gotify, Apprise and others', async ({ received, scan }) => {
  assert.is(await outcomeOf(scan(feedPages(2))), 'sent');
  const [{ headers, body } = { headers: {}, body: undefined }, ...more] = received;
  assert.equal(more, []);
  assert.is(headers.authorization, `Bearer ${TOKEN}`);
  assert.is(headers['content-type'], 'application/json');
  const { scan_id = '', started_at, ended_at, ...summary } = body?.scan ?? {};
  assert.match(scan_id, /^\d{8}T/);
  assert.ok(String(started_at) <= String(ended_at));
  assert.equal(
    { ...body, scan: summary },
    {
      topic: 'scans',
      title: 'Scan finished',
      message: '2 pages, 1 document, all delivered.',
      body: '2 pages, 1 document, all delivered.',
      type: 'success',
      priority: 3,
      tags: ['white_check_mark'],
      event: 'scan_ended',
      scan: {
        profile: 'default',
        state: 'finished',
        page_count: 2,
        kept_page_count: 2,
        document_count: 1,
        failed_deliveries: 0,
        title: null,
        error: null,
      },
    },
  );
});

test('a touch opens the scan on the control page', async ({ received, scan }) => {
  for (const publicUrl of ['http://scanner.lan:8080', 'https://home.example.org/scan/'])
    await outcomeOf(scan(feedPages(1), { publicUrl }));
  const [first, second] = received.map(({ body }) => body);
  assert.is(first?.click, `http://scanner.lan:8080/#scan=${first?.scan?.scan_id}`);
  assert.is(second?.click, `https://home.example.org/scan/#scan=${second?.scan?.scan_id}`);
});

test('says what failed, and what is stored', async ({ bench, received, scan }) => {
  await outcomeOf(scan(feedPages(1, new Failure('scanner_jammed', 'Paper is stuck. Remove it.'))));
  assert.is(received[0]?.body.title, 'Scan failed');
  assert.is(received[0]?.body.message, 'Paper is stuck. Remove it. Stored so far: 1 page.');
  assert.is(received[0]?.body.type, 'failure');
  bench.dms.setFault({ kind: 'answer', status: 401 });
  await outcomeOf(scan(feedPages(1)));
  assert.is(received[1]?.body.title, 'Scan finished, but a delivery failed');
  assert.is(received[1]?.body.type, 'warning');
  assert.is(received[1]?.body.scan?.failed_deliveries, 1);
});

test('an empty feeder and a press of Stop are no failures', async ({ received, scan }) => {
  await outcomeOf(scan(feedPages(0, new Failure('no_documents', 'The feeder is empty.'))));
  await outcomeOf(scan(feedPages(1, new Failure('scan_stopped', 'The scan was stopped.'))));
  assert.equal(
    received.map(({ body: { title, type, priority } }) => [title, type, priority]),
    [
      ['Nothing to scan', 'info', 3],
      ['Scan stopped', 'info', 3],
    ],
  );
});

test('says what began at the scanner, or could not', async ({ received, scan }) => {
  await outcomeOf(scan(feedPages(1), {}, EVENT_MS, { paper: true }));
  assert.match(
    received[0]?.body.message ?? '',
    / Started at the scanner, by paper in the feeder\.$/,
  );
  const refused = await scan(feedPages(1), { publicUrl: 'http://scanner.lan' });
  await refused.outcome;
  refused.refused({
    profile: 'letters',
    trigger: { button: 'scan', function: 3 },
    failure: new Failure('scanner_busy', 'It is in use.', { remedy: 'Scan again.' }),
  });
  await refused.close();
  const { title, message, event, click, scan: none } = received[2]?.body ?? {};
  assert.is(title, 'Scan not started');
  assert.is(
    message,
    'It is in use. Scan again. Asked for at the scanner, by the button scan with function 3 (profile letters).',
  );
  assert.equal([event, click, none], ['scan_refused', 'http://scanner.lan/', undefined]);
});

test('is sent for failures only, where that is asked for', async ({ received, scan }) => {
  const jam = feedPages(1, new Failure('scanner_jammed', 'Paper is stuck.'));
  await scan(feedPages(1), { on: 'failed' });
  await scan(feedPages(0, new Failure('no_documents', 'The feeder is empty.')), { on: 'failed' });
  assert.is(await outcomeOf(scan(jam, { on: 'failed' })), 'sent');
  assert.equal(
    received.map(({ body }) => body.title),
    ['Scan failed'],
  );
});

test('is tried twice, logged without address', async ({ bench, received, answerWith, scan }) => {
  answerWith((_, response) => response.writeHead(500).end());
  assert.is(await outcomeOf(scan(feedPages(1))), 'failed');
  assert.is(received.length, 2);
  // One that never answers costs the scan nothing.
  answerWith(() => {});
  assert.is(await outcomeOf(scan(feedPages(1), {}, 300)), 'failed');
  assert.match(bench.logged.text(), 'The notification was not taken (status 500).');
  assert.match(bench.logged.text(), 'The notification was not taken (ETIMEDOUT).');
  assert.not.match(bench.logged.text(), new RegExp(`/hook|${TOKEN}`));
});

test('the end of the service waits, but not for ever', async ({ answerWith, scan }) => {
  answerWith((_, response) => void setTimeout(() => response.end(), 50));
  const slow = await scan(feedPages(1));
  await within(EVENT_MS, slow.close(), 'the end');
  assert.is(await slow.outcome, 'sent');
  answerWith(() => {});
  const hanging = await scan(feedPages(1));
  await within(EVENT_MS / 2, hanging.close(), 'the end');
  assert.is(await hanging.outcome, 'failed');
});
