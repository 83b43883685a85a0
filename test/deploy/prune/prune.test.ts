import { copyFile, mkdir, open, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeScan } from '../../../deploy/prune/remove-scan.ts';
import { createScanId } from '../../../service/archive/scan-id.ts';
import type { NewScanEvent } from '../../../service/archive/scan-event.ts';
import { accepted, refused, unknown } from '../../../service/paperless/destination.ts';
import {
  assembled,
  begun,
  dms,
  ended,
  fed,
  jammedScan,
  page,
  planned,
  storeScan,
  uploadBegun,
  uploadEnded,
} from '../../support/stored-scan.ts';
import { runScript } from '../../support/programs.ts';
import { assert, EVENT_MS, withFixture, within } from '../../support/suite.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const test = withFixture('old scans', async (directory) => {
  const root = path.join(directory, 'scans');
  await mkdir(root);
  let stored = 0;
  return {
    root,
    store: async ([first, ...others]: readonly NewScanEvent[], days = 100): Promise<string> => {
      stored += 1;
      const began = new Date(Date.now() - days * DAY_MS + stored * 1000);
      const id = createScanId(began);
      const events = [{ ...first, scan_id: id } as NewScanEvent, ...others];
      const directory = await storeScan(root, events, id, began.getTime());
      await utimes(path.join(directory, 'events.jsonl'), began, began);
      return id;
    },
    prune: (...args: string[]) => runScript('deploy/prune/main.ts', args, { OUTPUT_DIR: root }),
  };
});

const ONE = dms('http://one.lan');
const TWO = dms('http://two.lan');
const DONE = ended({ state: 'finished', error: null });

const filed = (destinations: object[], ...uploads: NewScanEvent[]): NewScanEvent[] => [
  begun({ destinations }),
  page(1),
  fed(),
  planned([1]),
  assembled(),
  ...uploads,
  DONE,
];
const DELIVERED = filed([ONE], uploadBegun(), uploadEnded(accepted('task')));

test('that were delivered are listed, and removed on request', async ({ root, store, prune }) => {
  const id = await store(DELIVERED);
  const listed = await prune();
  assert.is(listed.exitCode, 0, listed.stderr);
  assert.match(listed.stdout, new RegExp(`${id} .*1 page .*title 1`));
  assert.match(listed.stdout, 'Nothing was removed');
  assert.equal(await readdir(root), [id]);
  const removed = await prune('--delete');
  assert.is(removed.exitCode, 0, removed.stderr);
  assert.match(removed.stdout, /Removed 1 scan: \d+\.\d MB are free/);
  assert.equal(await readdir(root), []);
});

test('are measured without following any links', async (bench) => {
  const { root, store, prune } = bench;
  const id = await store(DELIVERED);
  const inside = path.join(root, id);
  const before = /, (\d+\.\d) MB\./.exec((await prune()).stdout)?.[1];
  const elsewhere = path.join(path.dirname(root), 'elsewhere');
  await mkdir(elsewhere);
  const large = await open(path.join(elsewhere, 'large'), 'w');
  await large.truncate(50_000_000);
  await large.close();
  await symlink(elsewhere, path.join(inside, 'outside'));
  // Each link points to its own directory, so following links would never end.
  for (const name of ['a', 'b', 'c']) await symlink('.', path.join(inside, name));
  await mkdir(path.join(inside, 'deep/deeper'), { recursive: true });
  await symlink('../..', path.join(inside, 'deep/deeper/up'));
  const listed = await within(EVENT_MS, prune(), 'the list');
  assert.is(listed.exitCode, 0, listed.stderr);
  assert.is(/, (\d+\.\d) MB\./.exec(listed.stdout)?.[1], before);
  assert.is((await prune('--delete')).exitCode, 0);
  assert.equal(await readdir(root), []);
  assert.equal(await readdir(elsewhere), ['large']);
});

const STAYING: [string, NewScanEvent[], days?: number][] = [
  ['those that are too recent', DELIVERED, 89],
  ['those that jammed', jammedScan()],
  ['those that are held', [begun(), page(1), fed(), ended({ state: 'held', error: null })]],
  ['those that were cut off', [begun(), page(1)]],
  ['those without a destination', filed([])],
  [
    'those with an undelivered document',
    filed([ONE, TWO], uploadBegun(), uploadEnded(accepted('a'))),
  ],
  ['those that were refused', filed([ONE], uploadBegun(), uploadEnded(refused('No.')))],
  [
    'those whose delivery is in doubt',
    filed([ONE], uploadBegun(), uploadEnded(unknown('Perhaps.'))),
  ],
  ['those whose upload has no recorded end', filed([ONE], uploadBegun())],
];

test(`stay: ${STAYING.map(([what]) => what).join(', ')}, unreadable ones, those with a page in no document, and other people's files`, async (bench) => {
  const { root, store, prune } = bench;
  const ids = [];
  for (const [, events, days] of STAYING) ids.push(await store(events, days));
  const [unreadable, extra, linked] = [
    await store(DELIVERED),
    await store(DELIVERED),
    await store(DELIVERED),
  ];
  await writeFile(path.join(root, unreadable, 'events.jsonl'), 'nonsense\n');
  const [first, second] = ['page-0001.tif', 'page-0002.tif'].map((name) =>
    path.join(root, extra, name),
  );
  await copyFile(String(first), String(second));
  const elsewhere = path.join(path.dirname(root), 'elsewhere');
  await mkdir(elsewhere);
  await writeFile(path.join(elsewhere, 'photo.jpg'), 'mine');
  await symlink(elsewhere, path.join(root, linked, 'link'));
  await symlink(path.join(root, linked), path.join(root, '20260101T000000Z-abcdef'));
  await mkdir(path.join(root, 'notes'));

  const { exitCode, stdout } = await prune('--delete');
  assert.is(exitCode, 0);
  assert.match(stdout, 'Removed 1 scan');
  assert.match(stdout, 'Kept 1 scan: unreadable');
  assert.match(stdout, 'Kept 1 scan: with pages that are in no document');
  const left = [...ids, unreadable, extra, '20260101T000000Z-abcdef', 'notes'];
  assert.equal((await readdir(root)).toSorted(), left.toSorted());
  assert.equal(await readdir(elsewhere), ['photo.jpg'], 'links are not followed');
});

test('stay if they were resumed after the listing', async ({ root, store }) => {
  const id = await store(DELIVERED);
  const directory = path.join(root, id);
  const before = new Date(Date.now() - 90 * DAY_MS);
  await utimes(path.join(directory, 'events.jsonl'), new Date(), new Date());
  assert.is(await removeScan(directory, before), false);
  assert.equal(await readdir(root), [id]);
});

test('stay if the command line is invalid', async ({ root, store, prune }) => {
  const id = await store(DELIVERED);
  const wrong = await prune('--days', '0', '--delete');
  assert.equal([wrong.exitCode, /whole number/.test(wrong.stderr)], [2, true]);
  assert.is((await prune('--dir', path.join(root, 'missing'))).exitCode, 1);
  assert.equal(await readdir(root), [id]);
});
