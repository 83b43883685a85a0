import Koa from 'koa';
import { EventEmitter, on, once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { request as httpRequest, type ClientRequest } from 'node:http';
import path from 'node:path';
import { createRequestQueue, type Job } from '../../../../helpers/processor/http/request-queue.ts';
import { createWorkspaces } from '../../../../helpers/processor/tools/workspaces.ts';
import { serve } from '../../../support/serve.ts';
import { sendTo } from '../../../support/send-to.ts';
import { assert, EVENT_MS, until, withFixture, within } from '../../../support/suite.ts';

/** A queue with one worker, whose requests end on demand. app.test.ts tests the answers. */
const test = withFixture('the queue of requests', async (directory) => {
  const queue = createRequestQueue(await createWorkspaces(directory), 1, Infinity);
  /** Entries such as `received /a`, which are also emitted on `events`. */
  const happened: string[] = [];
  const events = new EventEmitter();
  const tell = (what: string): void => {
    happened.push(what);
    events.emit('happened', what);
  };
  const gates = new EventEmitter();
  const jobFor = (url: string): Job<null> => ({
    receive: async ({ directory }) => {
      await writeFile(path.join(directory, 'received'), 'x');
      tell(`received ${url}`);
      return null;
    },
    memoryFor: () => 0,
    work: async (_, { directory, signal }) => {
      tell(`working ${url}`);
      await once(gates, url, { signal }).catch(() => signal.throwIfAborted());
      const file = path.join(directory, 'answer.pdf');
      await writeFile(file, '%PDF-1.7');
      return { file, headers: {} };
    },
  });
  const app = new Koa();
  app.use(async (ctx) => {
    try {
      await queue.serve(ctx, jobFor(ctx.url));
    } catch (error) {
      tell(`${error instanceof Error ? error.name : ''} ${ctx.url}`);
      ctx.status = 503;
    }
  });
  const handle = app.callback();
  const served = await serve((request, response) => void handle(request, response));
  const { port } = served;
  const [own = ''] = await readdir(directory);
  const directories = (): Promise<string[]> => readdir(path.join(directory, own));
  return {
    queue,
    port,
    happened,
    directories,
    waitFor: async (what: string): Promise<void> => {
      const search = async (): Promise<void> => {
        const later = on(events, 'happened');
        if (happened.includes(what)) return;
        for await (const [told] of later) if (told === what) return;
      };
      await within(EVENT_MS, search(), what);
    },
    finish: (url: string): void => void gates.emit(url),
    gone: () => until(async () => (await directories()).length === 0, 'the end of the directories'),
    close: () => served.close(),
  };
});

function send(port: number, url: string): ClientRequest {
  const request = httpRequest({ host: '127.0.0.1', port, path: url, agent: false });
  request.on('error', () => {});
  request.end();
  return request;
}

test('works on one request and accepts one more', async ({
  port,
  waitFor,
  finish,
  happened,
  directories,
}) => {
  const first = sendTo(port, { path: '/a' });
  await waitFor('working /a');
  const second = sendTo(port, { path: '/b' });
  await waitFor('received /b');
  const third = sendTo(port, { path: '/c' });
  assert.is((await directories()).length, 2);
  finish('/a');
  await first;
  await waitFor('working /b');
  await waitFor('received /c');
  finish('/b');
  await second;
  await waitFor('working /c');
  finish('/c');
  assert.is((await third).status, 200);
  const order = happened.filter((what) => what.startsWith('working'));
  assert.equal(order, ['working /a', 'working /b', 'working /c']);
  assert.ok(happened.indexOf('working /b') < happened.indexOf('received /c'));
});

test('a disconnected client is not served', async ({ port, waitFor, finish, happened, gone }) => {
  const first = sendTo(port, { path: '/a' });
  await waitFor('working /a');
  const waiting = send(port, '/b');
  await waitFor('received /b');
  const unread = send(port, '/c');
  await once(unread, 'finish');
  waiting.destroy();
  unread.destroy();
  await waitFor('ClientGone /b');
  finish('/a');
  assert.is((await first).status, 200);
  await gone();
  assert.not.ok(happened.includes('working /b'));
  assert.not.ok(happened.includes('working /c'));
});

test('a closed queue starts nothing new', async ({ queue, port, waitFor, finish, happened }) => {
  const first = sendTo(port, { path: '/a' });
  await waitFor('working /a');
  const second = sendTo(port, { path: '/b' });
  await waitFor('received /b');
  queue.close(Object.assign(new Error('stopping'), { name: 'Stopping' }));
  assert.is((await second).status, 503);
  assert.is((await sendTo(port, { path: '/c' })).status, 503);
  finish('/a');
  assert.is((await first).status, 200);
  assert.ok(happened.includes('Stopping /b'));
  assert.not.ok(happened.includes('received /c'));
});
