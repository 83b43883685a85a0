import { rm } from 'node:fs/promises';
import {
  createEventFile,
  readEvents,
  type EventFile,
} from '../../../service/archive/event-file.ts';
import { foldFirst } from '../../../service/archive/fold.ts';
import { openScan, type OpenScan } from '../../../service/archive/open-scan.ts';
import type { NewScanEvent, ScanEvent } from '../../../service/archive/scan-event.ts';
import type { ScanRecord } from '../../../service/archive/scan-record.ts';
import { accepted, identityOf, unknown } from '../../../service/paperless/destination.ts';
import { capturedLog, type CapturedLog } from '../../support/captured-log.ts';
import {
  assembled,
  begun,
  dms,
  ended,
  page,
  planned,
  resumed,
  timed,
  uploadBegun,
  uploadEnded,
} from '../../support/stored-scan.ts';
import { assert, rejection, withFixture } from '../../support/suite.ts';

const A = identityOf({ base_url: 'http://a' });

interface Fixture {
  readonly directory: string;
  readonly scan: OpenScan;
  /** Events that the listener was called with. */
  readonly heard: ScanEvent[];
  /** Makes the disk refuse: the next writes, and how much of each is written before. */
  readonly refuse: (times: number) => void;
  /** Makes the disk report an error when the events are closed. */
  readonly refuseClose: () => void;
  readonly logged: CapturedLog;
  /** Called by the listener. */
  listen: (event: ScanEvent, record: ScanRecord) => void;
  close(): Promise<void>;
}

const test = withFixture<Fixture>('a scan that is open', async (directory) => {
  const [first] = timed([begun({ destinations: [dms('http://a'), dms('http://b')] })]);
  if (first?.type !== 'begun') throw new Error('the first event must be "begun"');
  const file = await createEventFile(directory, first);
  const logged = capturedLog();
  const heard: ScanEvent[] = [];
  let refusals = 0;
  let isCloseRefused = false;
  let isWriting = false;
  const refusing: EventFile = {
    append: async (events) => {
      refusals -= 1;
      if (refusals >= 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      isWriting = true;
      await file.append(events);
      isWriting = false;
    },
    keepRoom: () => {
      assert.not.ok(isWriting, 'an event is being written in this place');
      return file.keepRoom();
    },
    giveRoom: () => file.giveRoom(),
    rewind: () => file.rewind(),
    close: async () => {
      await file.close();
      if (isCloseRefused) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    },
  };
  const fixture: Fixture = {
    directory,
    heard,
    logged,
    refuse: (times) => void (refusals = times),
    refuseClose: () => void (isCloseRefused = true),
    listen: () => {},
    scan: openScan({
      directory,
      file: refusing,
      record: foldFirst(first),
      sequence: 1,
      listener: (event, record) => {
        heard.push(event);
        fixture.listen(event, record);
      },
      onClose: () => {},
      log: logged.log,
    }),
    close: async () => {
      await fixture.scan.close();
    },
  };
  return fixture;
});

const typesOf = (events: readonly NewScanEvent[]): string[] => events.map(({ type }) => type);

/** What a service that begins anew believes. */
const onDisk = async (directory: string): Promise<ScanRecord> =>
  (await readEvents(directory)).record;

test('keeps room behind the events, never in their place', async ({ directory, scan }) => {
  // Pages of an earlier call are recognised while the feeder is about to start.
  const first = scan.append(page(1));
  // The write is under way now.
  await Promise.resolve();
  await Promise.all([first, scan.keepRoom(), scan.append(page(2))]);
  assert.is((await onDisk(directory)).pages.length, 2);
  scan.giveRoom();
  await scan.append(page(3));
  assert.is((await onDisk(directory)).pages.length, 3);
});

test('knows an event once it is durable', async ({ directory, scan }) => {
  const appended = scan.append(page(1));
  assert.equal(scan.record().pages, []);
  await appended;
  assert.is(scan.record().pages.length, 1);
  assert.equal(scan.record(), await onDisk(directory));
});

test('its listener hears each event once it is durable, with what is known then', async (fixture) => {
  const counts: number[] = [];
  fixture.listen = (_, record) => void counts.push(record.pages.length);
  fixture.refuse(1);
  await rejection(fixture.scan.append(page(1)));
  assert.equal(fixture.heard, []);
  await fixture.scan.append(page(2), page(3));
  assert.equal(counts, [1, 2, 3]);
});

test('a failed append is told to its caller alone', async ({ directory, scan, heard, refuse }) => {
  await scan.append(page(1));
  refuse(2);
  assert.match(String(await rejection(scan.append(page(2)))), /no space left/);
  assert.equal(scan.record(), await onDisk(directory));
  assert.match(String(await rejection(scan.append(page(3)))), /no space left/);
  assert.is((await onDisk(directory)).pages.length, 1);
  await scan.append(ended());
  const record = await onDisk(directory);
  assert.equal([record.pages.length, record.state], [3, 'failed']);
  assert.equal(scan.record(), record);
  await scan.append(resumed({ stage: 'process' }));
  assert.equal(typesOf(heard), ['page', 'page', 'page', 'ended', 'resumed'], 'each once');
});

test('an upload not on record has not begun', async ({ directory, heard, scan, refuse }) => {
  await scan.append(page(1), planned([1]), assembled(), uploadBegun(0, 0));
  refuse(1);
  await rejection(scan.append(uploadEnded(accepted('t'), 0, 0), uploadBegun(0, 1)));
  const cutOff = (await onDisk(directory)).documents[0]?.uploads;
  assert.equal(cutOff, { [A]: { isOpen: true, last: undefined } });
  await scan.append(ended());
  assert.equal((await onDisk(directory)).documents[0]?.uploads, {
    [A]: { isOpen: false, last: accepted('t') },
  });
  assert.equal(typesOf(heard).slice(-3), ['upload_begun', 'upload_ended', 'ended']);
});

test('an event that cannot follow is refused, unwritten', async ({ directory, scan }) => {
  await scan.append(page(1));
  const impossible = scan.append(page(2), uploadEnded(unknown('x'), 5, 0));
  assert.match(String(await rejection(impossible)), /no document 5/);
  await scan.append(page(3));
  const { pages } = await onDisk(directory);
  assert.equal(
    pages.map(({ number }) => number),
    [1, 3],
  );
});

test('a scan.json that cannot be written is only logged', async ({ directory, scan, logged }) => {
  await rm(directory, { recursive: true });
  await scan.writeRecord();
  const line = logged.lines().find(({ event }) => event === 'record_not_written');
  assert.match(String(line?.['msg']), /scan.json could not be written/);
});

test('a file that cannot be closed is only logged: everything in it is durable', async (fixture) => {
  const { directory, scan, logged } = fixture;
  await scan.append(page(1));
  fixture.refuseClose();
  await scan.close();
  const line = logged.lines().find(({ event }) => event === 'events_not_closed');
  assert.match(String(line?.['msg']), /events.jsonl could not be closed/);
  assert.equal(await onDisk(directory), scan.record());
});
