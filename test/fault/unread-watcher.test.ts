import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createScanArchive } from '../../service/archive/scan-archive.ts';
import { createScanWatchers } from '../../service/http/events/scan-watchers.ts';
import { capturedLog } from '../support/captured-log.ts';
import { jammedScan, page, recordOf, STORED_ID, storeScan } from '../support/stored-scan.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { startTestApp } from '../support/test-app.ts';
import { within } from '../support/within.ts';

const test = suite('a watcher that reads nothing');

/** What one may hold, in bytes; what the kernel holds is not ours. */
const HELD_BYTES = 1e6;

/** Events of many days of scanning: a watcher that reads nothing is dropped long before. */
const EVENTS = 300_000;

/** Collected garbage does not count. */
function heldBytes(collect: () => void): number {
  collect();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

test('holds at most 1 MB, and is dropped', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const directory = await temporaryDirectory();
  await storeScan(directory.path);
  const archive = createScanArchive({
    roots: () => [directory.path],
    listener: () => {},
    log: capturedLog().log,
  });
  const watchers = createScanWatchers();
  const began = Promise.withResolvers<void>();
  const dropped = Promise.withResolvers<void>();
  const drop = new AbortController();
  const app = await startTestApp({
    archive,
    // The call never ends: the watcher has to be shown out before.
    answer: () => new Promise(() => {}),
    watchers: {
      ...watchers,
      watch: (...asked) => {
        const unwatch = watchers.watch(...asked);
        began.resolve();
        return () => {
          unwatch();
          drop.abort();
          dropped.resolve();
        };
      },
    },
  });
  const socket = connect(app.port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write(`GET /scans/${STORED_ID}/events HTTP/1.1\r\nHost: a\r\n\r\n`);
  await within(10_000, began.promise, 'the watcher');
  const record = recordOf(jammedScan());
  const event = { at: new Date(0).toISOString(), ...page(1) };
  const before = heldBytes(collect);
  let most = 0;
  for (let sent = 0; sent < EVENTS && !drop.signal.aborted; sent += 1) {
    watchers.listener(event, record, sent);
    if (sent % 10 === 0) await new Promise(setImmediate);
    if (sent % 5000 === 0) most = Math.max(most, heldBytes(collect) - before);
  }
  await within(10_000, dropped.promise, 'the end of the watcher');
  assert.ok(most < HELD_BYTES, `it held ${most} bytes`);
  socket.destroy();
  await app.close();
  await archive.close();
  await directory.remove();
});

test.run();
