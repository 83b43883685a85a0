import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import type { ScannedPage, FedStack } from '../../../helpers/ipc/messages.ts';
import type { RequestHandlers } from '../../../helpers/ipc/request-server.ts';
import { failure, rejection } from '../../support/rejection.ts';
import { within } from '../../support/within.ts';
import {
  client,
  closeBench,
  EVENT_MS,
  LOOK,
  openBench,
  page,
  REQUEST,
  SCAN,
  serve,
  stoppable,
  SUMMARY,
  type IpcBench,
} from './ipc-bench.ts';

const test = suite<IpcBench>('the end of a request');

test.before.each(openBench);
test.after.each(closeBench);

test('for a scan end with the last word of the runtime when aborted', async (context) => {
  const held = stoppable();
  await serve(context, held.handlers);
  const cancel = new AbortController();
  const pages: number[] = [];
  const options = {
    ...SCAN,
    signal: cancel.signal,
    onPage: ({ number }: ScannedPage) => void pages.push(number),
  };
  const scanned = failure('timeout', client(context).ask('scan', REQUEST, options));
  await held.begun;
  cancel.abort();
  const { facts } = await scanned;
  assert.is(await held.stopped, 'cancelled');
  assert.is(facts['page_count'], 2);
  assert.equal(pages, [1, 2], 'pages finished meanwhile are told');
});

test('for a scan that goes on in spite of a cancel are given up', async (context) => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<FedStack>();
  const scan: RequestHandlers['scan'] = async (_request, { onPage }) => {
    onPage(page(1));
    begun.resolve();
    return end.promise;
  };
  await serve(context, { scan });
  const cancel = new AbortController();
  const options = { ...SCAN, cancelWaitMs: 100, signal: cancel.signal, onPage: () => {} };
  const scanned = failure('timeout', client(context).ask('scan', REQUEST, options));
  await begun.promise;
  const reason = new Failure('timeout', 'The deadline passed.');
  cancel.abort(reason);
  const { message, facts } = await within(EVENT_MS, scanned);
  assert.is(message, 'The deadline passed.');
  assert.is(facts['page_count'], 1);
  assert.match(String(facts['warnings']), 'Up to 2 sheets may have passed');
  end.resolve(SUMMARY);
});

test('for a scan that ends while it is cancelled are its summary', async (context) => {
  const begun = Promise.withResolvers<void>();
  const scan: RequestHandlers['scan'] = async (_request, { signal }) => {
    begun.resolve();
    await once(signal, 'abort');
    return SUMMARY;
  };
  await serve(context, { scan });
  const cancel = new AbortController();
  const scanned = client(context).ask('scan', REQUEST, { ...SCAN, signal: cancel.signal });
  await begun.promise;
  cancel.abort();
  assert.equal(await scanned, SUMMARY);
});

test('that are aborted end at once, and the runtime is told', async (context) => {
  const stopped = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<void>();
  const describe_device: RequestHandlers['describe_device'] = async (_ask, { signal }) => {
    begun.resolve();
    await once(signal, 'abort');
    stopped.resolve(signal.reason);
    throw new Failure('timeout', 'Stopped.');
  };
  await serve(context, { describe_device });
  const stop = new AbortController();
  const asked = client(context).ask(
    'describe_device',
    { device: 'a:b' },
    { ...LOOK, signal: stop.signal },
  );
  const refused = failure('timeout', asked);
  await begun.promise;
  stop.abort();
  await refused;
  assert.is(await within(EVENT_MS, stopped.promise), 'cancelled');
});

test('that were aborted before are not sent', async (context) => {
  await serve(context);
  const asking = client(context);
  await failure('timeout', asking.ask('health', {}, { ...LOOK, signal: AbortSignal.abort() }));
});

test('have a deadline', async (context) => {
  await serve(context);
  const { message } = await failure(
    'scanner_runtime_unreachable',
    client(context).ask('describe_device', { device: 'a:b' }, { ...LOOK, deadlineMs: 200 }),
  );
  assert.match(message, 'within 0.2 s');
});

test('fail within two seconds when no runtime is there', async (context) => {
  const { message } = await within(
    EVENT_MS,
    failure('scanner_runtime_unreachable', client(context).ask('health', {}, LOOK)),
  );
  assert.match(message, 'SCANNER_SOCKET');
});

test('end at once when they are aborted while no runtime is there', async (context) => {
  const stop = new AbortController();
  const asked = failure(
    'timeout',
    client(context).ask('health', {}, { ...LOOK, signal: stop.signal }),
  );
  stop.abort();
  await asked;
});

test('fail when their connection is lost, and the scan is stopped', async (context) => {
  const held = stoppable();
  await serve(context, held.handlers);
  const asking = client(context);
  const pages: number[] = [];
  const onPage = ({ number }: ScannedPage): void => void pages.push(number);
  const scanned = failure(
    'scanner_runtime_unreachable',
    asking.ask('scan', REQUEST, { ...SCAN, onPage }),
  );
  await held.begun;
  await asking.ask('health', {}, LOOK);
  asking.close();
  const { facts } = await scanned;
  assert.is(facts['page_count'], 1);
  assert.match(String(facts['warnings']), 'Up to 2 sheets may have passed');
  assert.is(await within(EVENT_MS, held.stopped), 'connection_lost');
});

test('fail at once when the client is closed', async (context) => {
  await serve(context);
  const asking = client(context);
  await asking.ask('health', {}, LOOK);
  const asked = failure(
    'scanner_runtime_unreachable',
    asking.ask('describe_device', { device: 'a:b' }, LOOK),
  );
  setImmediate(asking.close);
  await within(EVENT_MS, asked);
});

test('end with the error when a page cannot be taken, and the scan is cancelled', async (context) => {
  const held = stoppable();
  await serve(context, held.handlers);
  const onPage = (): void => {
    throw new Error('no room for it');
  };
  const error = await rejection(client(context).ask('scan', REQUEST, { ...SCAN, onPage }));
  assert.is((error as Error).message, 'no room for it');
  assert.is(await within(EVENT_MS, held.stopped), 'cancelled');
});

test.run();
