import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createScanWatchers, type ScanWatchers } from '../../service/http/events/scan-watchers.ts';
import { heldBytes } from '../support/held-bytes.ts';
import { jammedScan, page, recordOf, STORED_ID, storeScan } from '../support/stored-scan.ts';
import { startTestApp } from '../support/test-app.ts';
import { assert, EVENT_MS, withFixture, within } from '../support/suite.ts';

const test = withFixture('a watcher that never reads', async (directory) => {
  await storeScan(directory);
  const watchers = createScanWatchers();
  const events = new EventEmitter<{ watched: []; dropped: [] }>();
  const app = await startTestApp({
    scanRoots: [directory],
    // The call never ends, so the watcher must be dropped earlier.
    answer: () => new Promise(() => {}),
    watchers: {
      ...watchers,
      watch: (...asked) => {
        const unwatch = watchers.watch(...asked);
        events.emit('watched');
        return () => {
          unwatch();
          events.emit('dropped');
        };
      },
    },
  });
  return { app, events, listener: watchers.listener, close: () => app.close() };
});

/** Bytes per watcher in this process, without kernel buffers. */
const HELD_BYTES = 1e6;

/** Enough that fluctuations of one or two megabytes do not matter. */
const WATCHERS = 20;

/** Events of many days of scanning; a watcher that does not read is dropped long before. */
const EVENTS = 300_000;

test('holds at most 1 MB, and is dropped', async ({ app, events, listener }) => {
  const most = await mostHeld({ port: app.port, events, listener });
  assert.ok(most / WATCHERS < HELD_BYTES, `${WATCHERS} held ${most} bytes`);
});

interface Watched {
  readonly port: number;
  readonly events: EventEmitter<{ watched: []; dropped: [] }>;
  readonly listener: ScanWatchers['listener'];
}

/** Peak memory in bytes while new watchers read nothing, until all are dropped. */
async function mostHeld({ port, events, listener }: Watched): Promise<number> {
  const sockets: Socket[] = [];
  for (let number = 0; number < WATCHERS; number += 1) {
    const watched = once(events, 'watched');
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(`GET /scans/${STORED_ID}/events HTTP/1.1\r\nHost: a\r\n\r\n`);
    sockets.push(socket);
    await within(EVENT_MS, watched, 'the watcher');
  }
  const dropped: unknown[] = [];
  events.on('dropped', () => dropped.push(true));
  const record = recordOf(jammedScan());
  const event = { at: new Date(0).toISOString(), ...page(1) };
  const before = heldBytes();
  let most = 0;
  for (let sent = 0; sent < EVENTS && dropped.length < WATCHERS; sent += 1) {
    listener(event, record, sent);
    if (sent % 10 === 0) await new Promise(setImmediate);
    if (sent % 5000 === 0) most = Math.max(most, heldBytes() - before);
  }
  assert.is(dropped.length, WATCHERS);
  for (const socket of sockets) socket.destroy();
  return most;
}
