import { readdir } from 'node:fs/promises';
import { followScan, type FollowedService } from '../../../deploy/terminal/follow-scan.ts';
import type { Call } from '../../../deploy/terminal/options.ts';
import type { Answer } from '../../../deploy/terminal/outcome.ts';
import type { StreamEvent } from '../../../service/page/event-stream.js';
import { Failure } from '../../../helpers/failure.ts';
import {
  createNetworkFaultProxy,
  type NetworkFaultProxy,
  type Toxic,
} from '../../support/network-fault-proxy.ts';
import { feedPages } from '../../support/scan-parts.ts';
import { serve } from '../../support/serve.ts';
import { assert, rejection, withFixture } from '../../support/suite.ts';
import { createWatchedService, type WatchedService } from './watched-service.ts';

interface Fixture extends WatchedService {
  /** The service behind a proxy of its own, so that no connection is used again. */
  readonly through: (...toxics: readonly [Toxic, ...(Toxic | undefined)[]]) => Promise<Through>;
}

interface Through {
  readonly service: FollowedService;
  readonly proxy: NetworkFaultProxy;
}

/** A silence of less than that is one of a busy machine. */
const TIMES = { silent: 1500, lost: 60_000, pause: 10 };

const test = withFixture<Fixture>('following a scan', async () => {
  const service = await createWatchedService();
  await service.start({ feed: feedPages(2) });
  const proxies: NetworkFaultProxy[] = [];
  return {
    ...service,
    through: async (toxic, ...next) => {
      const proxy = await createNetworkFaultProxy({ port: service.port() });
      proxies.push(proxy);
      proxy.setToxic(toxic, ...(next as [] | [Toxic | undefined]));
      const baseUrl = `http://127.0.0.1:${proxy.port}`;
      return { proxy, service: { baseUrl, token: undefined, times: TIMES } };
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

/** Where an answer is cut, in bytes: after its first event, and in the middle of others. */
const CUTS = [1000, 1200, 1400, 1700, 2000, 2300];

test('gets each event once, wherever the connection breaks', async ({ port, through }) => {
  const whole = await follow({ baseUrl: `http://127.0.0.1:${port()}`, token: undefined }, SCAN);
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

test('gives up a connection that stays lost: the scan goes on', async ({ through }) => {
  const lost = await through({ kind: 'reset', to: 'client', bytes: 1000 }, { kind: 'down' });
  const error = await rejection(follow({ ...lost.service, times: { ...TIMES, lost: 100 } }, SCAN));
  assert.match(String(error), /is lost \(.*\)\. The scan goes on\./);
  const closed = { baseUrl: 'http://127.0.0.1:1', token: undefined, times: TIMES };
  assert.match(String(await rejection(follow(closed, SCAN))), /cannot be reached/);
  const early = await through({ kind: 'reset', to: 'client', bytes: 450 }, { kind: 'down' });
  assert.match(
    String(await rejection(follow({ ...early.service, times: { ...TIMES, lost: 100 } }, SCAN))),
    /is lost \(.*\)\. GET \/scans shows whether the scan began\./,
  );
});

test('makes a call again that broke early, and scans once', async ({ bench, through }) => {
  const before = await scanCount(bench.root);
  for (const bytes of [1, 450]) {
    const { service } = await through({ kind: 'reset', to: 'client', bytes }, undefined);
    const { answer } = await follow(service, SCAN);
    assert.is(answer.status, 200, `${bytes}`);
    assert.is(answer.body['page_count'], 2);
  }
  assert.is(await scanCount(bench.root), before + 2);
});

test('waits while a proxy says that the service is away', async () => {
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

test('stops when it is told to, while the connection is lost', async ({ through }) => {
  const { service } = await through({ kind: 'reset', to: 'client', bytes: 1000 }, { kind: 'down' });
  const stop = new AbortController();
  const following = follow({ ...service, signal: stop.signal }, SCAN);
  setTimeout(() => stop.abort(new Error('stopped')), 100);
  assert.match(String(await rejection(following)), 'stopped');
});

test('watches a scan that is over, however it ended', async ({ bench, start, port }) => {
  await start({ feed: feedPages(1, new Failure('scanner_jammed', 'Paper is stuck.')) });
  const service = { baseUrl: `http://127.0.0.1:${port()}`, token: undefined };
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

test('presents the token', async ({ start, port }) => {
  await start({ feed: feedPages(1) }, 'secret');
  const baseUrl = `http://127.0.0.1:${port()}`;
  assert.is((await follow({ baseUrl, token: undefined }, SCAN)).answer.status, 401);
  assert.is((await follow({ baseUrl, token: 'secret' }, SCAN)).answer.status, 200);
});

test('says so where something else answers', async () => {
  const { url: baseUrl, close } = await serve((_, response) => response.end('<html>'));
  const { answer } = await follow({ baseUrl, token: undefined }, SCAN);
  await close();
  assert.match(String(answer.body['message']), /answered 200, and not as a scan service does/);
});
