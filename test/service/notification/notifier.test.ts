import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { Failure } from '../../../helpers/failure.ts';
import type { Notification, NotifySettings } from '../../../service/notification/notification.ts';
import { createNotifier } from '../../../service/notification/notifier.ts';
import type { Trigger } from '../../../service/profiles/trigger.ts';
import { feedPages, type Feed } from '../../support/scan-parts.ts';
import { serve } from '../../support/serve.ts';
import { assert, EVENT_MS, withFixture, within } from '../../support/suite.ts';
import { createScanBench } from '../scan/call/scan-bench.ts';

const TOKEN = 'a-secret-token';

interface Asked {
  readonly settings?: Partial<NotifySettings>;
  readonly timeoutMs?: number;
  readonly trigger?: Trigger;
}

const test = withFixture('notifications', async () => {
  const bench = await createScanBench();
  const received: { readonly headers: IncomingHttpHeaders; readonly body: Notification }[] = [];
  let answer: RequestListener = (_, response) => void response.end();
  const receive = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const body = JSON.parse(await text(request)) as Notification;
    received.push({ headers: request.headers, body });
    answer(request, response);
  };
  const server = await serve((...call) => void receive(...call));
  const url = `${server.url}/hook`;
  const begin = async (
    feed: Feed,
    { settings, timeoutMs = EVENT_MS, trigger }: Asked = {},
  ): Promise<
    Omit<ReturnType<typeof createNotifier>, 'listener'> & { outcome: Promise<string> }
  > => {
    const outcome = Promise.withResolvers<string>();
    const { listener, ...notifier } = createNotifier({
      settings: { url, on: 'all', topic: 'scans', publicUrl: undefined, ...settings },
      readSecret: (name) => Promise.resolve(name === 'notify_token' ? TOKEN : undefined),
      onOutcome: outcome.resolve,
      log: bench.logged.log,
      timeoutMs,
    });
    const { scans } = await bench.start({ feed }, { listener });
    await scans.scan({ ...bench.call(), ...(trigger && { trigger }) }).catch(() => {});
    return { ...notifier, outcome: outcome.promise };
  };
  return {
    ...bench,
    received,
    answerWith: (handler: RequestListener) => void (answer = handler),
    begin,
    scan: async (feed: Feed, asked?: Asked) =>
      within(EVENT_MS, (await begin(feed, asked)).outcome, 'what became of the notification'),
    close: async () => {
      await server.close();
      await bench.close();
    },
  };
});

const JAM = feedPages(1, new Failure('scanner_jammed', 'Paper is stuck. Remove it.'));
const EMPTY = feedPages(0, new Failure('no_documents', 'The feeder is empty.'));
const STOP = feedPages(1, new Failure('scan_stopped', 'The scan was stopped.'));

test('posts one body for ntfy, Gotify, Apprise and others', async ({ received, scan }) => {
  assert.is(await scan(feedPages(2)), 'sent');
  const [{ headers, body } = { headers: {}, body: undefined }, ...more] = received;
  assert.equal(more, []);
  assert.is(headers.authorization, `Bearer ${TOKEN}`);
  assert.is(headers['content-type'], 'application/json');
  const { scan_id = '', started_at, ended_at, ...summary } = body?.scan ?? {};
  const named = /^default \d{4}-\d\d-\d\d \d\d:\d\d$/;
  assert.match(String(body?.scan?.title), named);
  const message = `${body?.scan?.title}: 2 pages, 1 document, all delivered.`;
  assert.match(scan_id, /^\d{8}T/);
  assert.ok(String(started_at) <= String(ended_at));
  const expected = {
    topic: 'scans',
    title: 'Scan finished',
    message,
    body: message,
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
      title: body?.scan?.title,
      error: null,
    },
  };
  assert.equal({ ...body, scan: summary }, expected);
});

test('a tap opens the scan on the control page', async ({ received, scan }) => {
  for (const publicUrl of ['http://scanner.lan:8080', 'https://home.example.org/scan/'])
    await scan(feedPages(1), { settings: { publicUrl } });
  const [first, second] = received.map(({ body }) => body);
  assert.is(first?.click, `http://scanner.lan:8080/#scan=${first?.scan?.scan_id}`);
  assert.is(second?.click, `https://home.example.org/scan/#scan=${second?.scan?.scan_id}`);
});

test('states what failed, and what is stored', async ({ dms, received, scan }) => {
  await scan(JAM);
  dms.setFault({ kind: 'answer', status: 401 });
  await scan(feedPages(1));
  const [jam, delivery] = received.map(({ body }) => body);
  const said = `${jam?.scan?.title}: Paper is stuck. Remove it. Stored so far: 1 page.`;
  assert.equal([jam?.title, jam?.message, jam?.type], ['Scan failed', said, 'failure']);
  const { title, type, scan: shown } = delivery ?? {};
  assert.equal([title, type], ['Scan finished, but a delivery failed', 'warning']);
  assert.is(shown?.failed_deliveries, 1);
});

test('an empty feeder and Stop are not failures', async ({ received, scan }) => {
  for (const feed of [EMPTY, STOP]) await scan(feed);
  const shown = received.map(
    ({ body: { title, type, priority } }) => `${title}: ${type} ${priority}`,
  );
  assert.equal(shown, ['Nothing to scan: info 3', 'Scan stopped: info 3']);
});

test('reports scans started at the scanner, and refused ones', async ({
  received,
  scan,
  begin,
}) => {
  await scan(feedPages(1), { trigger: { paper: true } });
  const said = / Started at the scanner, by paper in the feeder\.$/;
  assert.match(received[0]?.body.message ?? '', said);
  const settings = { publicUrl: 'http://scanner.lan' };
  const { outcome, refused, close } = await begin(feedPages(1), { settings });
  await outcome;
  refused({
    profile: 'letters',
    trigger: { button: 'scan', function: 3 },
    failure: new Failure('scanner_busy', 'It is in use.', { remedy: 'Scan again.' }),
  });
  await close();
  const { title, message, event, click, scan: none } = received[2]?.body ?? {};
  assert.is(title, 'Scan not started');
  assert.is(
    message,
    'It is in use. Scan again. Asked for at the scanner, by the button scan with function 3 (profile letters).',
  );
  assert.equal([event, click, none], ['scan_refused', 'http://scanner.lan/', undefined]);
});

test('is sent only for failures, if so configured', async ({ received, scan, begin }) => {
  const settings = { on: 'failed' } as const;
  for (const feed of [feedPages(1), EMPTY]) await begin(feed, { settings });
  assert.is(await scan(JAM, { settings }), 'sent');
  assert.is(received.map(({ body }) => body.title).join(), 'Scan failed');
});

test('is tried twice, and logged without address', async ({
  logged,
  received,
  answerWith,
  scan,
}) => {
  answerWith((_, response) => response.writeHead(500).end());
  assert.is(await scan(feedPages(1)), 'failed');
  assert.is(received.length, 2);
  answerWith(() => {});
  assert.is(await scan(feedPages(1), { timeoutMs: 300 }), 'failed');
  for (const why of ['status 500', 'ETIMEDOUT'])
    assert.match(logged.text(), `The notification was not taken (${why}).`);
  assert.not.match(logged.text(), new RegExp(`/hook|${TOKEN}`));
});

test('stopping the service waits for it, up to a limit', async ({ answerWith, begin }) => {
  answerWith((_, response) => void setTimeout(() => response.end(), 50));
  const slow = await begin(feedPages(1));
  await within(EVENT_MS, slow.close(), 'the end');
  assert.is(await slow.outcome, 'sent');
  answerWith(() => {});
  const hanging = await begin(feedPages(1));
  await within(EVENT_MS / 2, hanging.close(), 'the end');
  assert.is(await hanging.outcome, 'failed');
});
