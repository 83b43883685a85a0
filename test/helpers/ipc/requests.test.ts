import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import type { ScannedPage } from '../../../helpers/ipc/messages.ts';
import { failure, rejection } from '../../support/rejection.ts';
import { within } from '../../support/within.ts';
import {
  client,
  closeBench,
  EVENT_MS,
  LOOK,
  openBench,
  REQUEST,
  SCAN,
  serve,
  stoppable,
  SUMMARY,
  type IpcBench,
} from './ipc-bench.ts';

const test = suite<IpcBench>('requests to the runtime');

test.before.each(openBench);
test.after.each(closeBench);

test('are answered', async (context) => {
  await serve(context);
  const asking = client(context);
  assert.equal(await asking.ask('health', {}, LOOK), { status: 'ok', scanning: [] });
  assert.equal(await asking.ask('list_devices', {}, LOOK), []);
});

test('for a scan tell each page, in order, before the end', async (context) => {
  await serve(context);
  const pages: number[] = [];
  const onPage = ({ number }: ScannedPage): void => void pages.push(number);
  const summary = await client(context).ask('scan', REQUEST, { ...SCAN, onPage });
  assert.equal(summary, SUMMARY);
  assert.equal(pages, [1, 2]);
});

test('that fail carry code, message and facts', async (context) => {
  const scan = async (): Promise<never> => {
    throw new Failure('scanner_jammed', 'Jam.', { facts: { page_count: 3 } });
  };
  await serve(context, { scan });
  const { message, facts } = await failure(
    'scanner_jammed',
    client(context).ask('scan', REQUEST, SCAN),
  );
  assert.is(message, 'Jam.');
  assert.equal(facts, { page_count: 3 });
});

test('that meet a bug say so without its details, which are in the log', async (context) => {
  const health = async (): Promise<never> => {
    throw new Error('secret detail');
  };
  await serve(context, { health });
  const { message } = await failure('internal_error', client(context).ask('health', {}, LOOK));
  assert.not.match(message, 'secret detail');
  assert.match(context.serverLog.text(), 'secret detail');
});

test('with wrong fields are refused by the runtime', async (context) => {
  await serve(context);
  const { message } = await failure(
    'invalid_body',
    client(context).ask('scan', { ...REQUEST, mode: 3 as never }, SCAN),
  );
  assert.match(message, 'mode');
});

test('run side by side, each with its own answer', async (context) => {
  const held = stoppable();
  await serve(context, held.handlers);
  const asking = client(context);
  const cancel = new AbortController();
  const scanned = failure(
    'timeout',
    asking.ask('scan', REQUEST, { ...SCAN, signal: cancel.signal }),
  );
  await held.begun;
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => asking.ask('health', {}, LOOK)),
  );
  assert.is(answers.length, 10);
  cancel.abort();
  await scanned;
});

test('beyond what one connection may have open are refused, and take no place from scans', async (context) => {
  await serve(context);
  const asking = client(context);
  const stop = new AbortController();
  const options = { ...LOOK, signal: stop.signal };
  const questions = Array.from({ length: 60 }, () =>
    rejection(asking.ask('describe_device', { device: 'a:b' }, options)),
  );
  const first = (await within(EVENT_MS, Promise.race(questions))) as Failure;
  assert.is(first.code, 'too_many_requests');
  assert.equal(await asking.ask('health', {}, LOOK), { status: 'ok', scanning: [] });
  assert.equal(await asking.ask('scan', REQUEST, SCAN), SUMMARY);
  stop.abort();
  await Promise.all(questions);
});

test('about health crowd out no scan, however many are open', async (context) => {
  const answered = Promise.withResolvers<{ status: 'ok'; scanning: [] }>();
  await serve(context, { health: () => answered.promise });
  const asking = client(context);
  const open = Array.from({ length: 200 }, () => asking.ask('health', {}, LOOK));
  assert.equal(await asking.ask('scan', REQUEST, SCAN), SUMMARY);
  answered.resolve({ status: 'ok', scanning: [] });
  await Promise.all(open);
});

test('for more scans than a connection may have are too many, not a busy scanner', async (context) => {
  const held = stoppable();
  const { scan } = held.handlers;
  await serve(context, scan ? { scan } : {}, { question: 1, scan: 1 });
  const asking = client(context);
  const cancel = new AbortController();
  const options = { ...SCAN, signal: cancel.signal };
  const first = failure('timeout', asking.ask('scan', REQUEST, options));
  await held.begun;
  await failure('too_many_requests', asking.ask('scan', REQUEST, SCAN));
  cancel.abort();
  await first;
});

test('wait for a runtime that is just starting', async (context) => {
  const asked = client(context).ask('health', {}, LOOK);
  await serve(context);
  assert.equal(await asked, { status: 'ok', scanning: [] });
});

test('work again after the runtime was restarted', async (context) => {
  const asking = client(context);
  for (let restart = 0; restart < 3; restart += 1) {
    const server = await serve(context);
    assert.equal(
      await asking.ask('health', {}, LOOK),
      { status: 'ok', scanning: [] },
      `restart ${restart}`,
    );
    await server.close();
  }
  const lost = context.clientLog.lines().filter(({ msg }) => msg === 'lost the scanner runtime');
  assert.ok(lost.length >= 2);
});

test('that are too large to send fail', async (context) => {
  await serve(context);
  const asking = client(context);
  await asking.ask('health', {}, LOOK);
  const huge = { device: 'x'.repeat(2_000_000) };
  await failure('scanner_runtime_unreachable', asking.ask('describe_device', huge, LOOK));
  assert.equal(await asking.ask('health', {}, LOOK), { status: 'ok', scanning: [] });
});

test.run();
