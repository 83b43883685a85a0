import { Failure } from '../../../helpers/failure.ts';
import { createRootReads } from '../../../service/archive/root-reads.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { assert, failure, rejection, suite, within } from '../../support/suite.ts';

const test = suite('reads below the output directories');

/** As long as a read may take in a test. */
const PATIENCE_MS = 100;
/** Far longer, for an answer that must not wait for a disk that hangs. */
const SOON_MS = 60_000;

const { log, text } = capturedLog();
const ENDLESS_MS = 600_000;

/** Reads that hang until the test has ended. */
let hanging: PromiseWithResolvers<never>;

test.before.each(() => {
  hanging = Promise.withResolvers();
  hanging.promise.catch(() => {});
});

test.after.each(() => hanging.reject(new Error('the test has ended')));

const hang = (): Promise<never> => hanging.promise;

test('of a disk that hangs are given up, and say so in the log', async () => {
  const reads = createRootReads(log, PATIENCE_MS);
  const error = await within(SOON_MS, failure('insufficient_storage', reads.run('/hung', hang)));
  assert.match(error.message, /The disk of \/hung did not answer within 0\.1 s\. Check the disk/);
  assert.match(text(), /"event":"disk_silent","root":"\/hung"/);
});

test('of one directory are at most four at once', async () => {
  const reads = createRootReads(log, ENDLESS_MS);
  const begun: (() => void)[] = [];
  const ten = Array.from({ length: 10 }, () =>
    reads.run('/a', () => new Promise<void>((resolve) => void begun.push(resolve))),
  );
  for (let done = 0; done < ten.length; done += 1) {
    await turn();
    assert.is(begun.length, Math.min(done + 4, ten.length));
    begun[done]?.();
  }
  await Promise.all(ten);
});

test('that wait in a long queue are not given up while those before them come back', async () => {
  const reads = createRootReads(log, 500);
  const slow = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 25));
  const many = (): Promise<void>[] => Array.from({ length: 100 }, () => reads.run('/a', slow));
  // 25 rounds of 25 ms are more than a silent disk is given.
  await Promise.all(many());
  const hung = rejection(reads.run('/a', hang));
  await Promise.all(many());
  assert.is((await hung) instanceof Failure, true);
});

test('that nobody waits for any more are not begun when the disk comes back', async () => {
  const reads = createRootReads(log, PATIENCE_MS);
  const disk = Promise.withResolvers<void>();
  const held = [1, 2, 3, 4].map(() => rejection(reads.run('/a', () => disk.promise)));
  let begun = 0;
  const queued = rejection(reads.run('/a', async () => void (begun += 1)));
  await within(SOON_MS, Promise.all([...held, queued]));
  disk.resolve();
  assert.is(
    await within(
      SOON_MS,
      reads.run('/a', () => Promise.resolve('back')),
    ),
    'back',
  );
  assert.is(begun, 0);
});

/** The reads of the root `/hung` never come back, those of others have the name of the root. */
const unlessHung = (root: string): Promise<string> =>
  root === '/hung' ? hang() : Promise.resolve(root);

const ROOTS = ['/hung', '/a', '/b'];

test('for something that one directory has do not wait for one that hangs', async () => {
  const reads = createRootReads(log, ENDLESS_MS);
  const found = reads.first(ROOTS, async (root) =>
    (await unlessHung(root)) === '/b' ? root : undefined,
  );
  assert.is(await within(SOON_MS, found), '/b');
});

test('for something that none has come to nothing', async () => {
  const reads = createRootReads(log, PATIENCE_MS);
  assert.is(await reads.first(['/a', '/b'], () => Promise.resolve(undefined)), undefined);
  assert.is(await reads.first([], unlessHung), undefined);
});

test('for something that one directory may have say which failed', async () => {
  const reads = createRootReads(log, PATIENCE_MS);
  const refusal = new Failure('scan_record_unreadable', 'EACCES');
  const bad = (root: string): Promise<string | undefined> =>
    root === '/bad' ? Promise.reject(refusal) : Promise.resolve(undefined);
  assert.is(await rejection(reads.first(['/a', '/bad'], bad)), refusal);
  await within(
    SOON_MS,
    failure(
      'insufficient_storage',
      reads.first(['/a', '/hung'], async (root) => ((await unlessHung(root)) ? undefined : root)),
    ),
  );
});

test('of all directories leave out those that fail, and wait for one that hangs no longer than for a disk', async () => {
  const reads = createRootReads(log, PATIENCE_MS);
  const read = (root: string): Promise<string> =>
    root === '/bad' ? Promise.reject(new Error('EIO')) : unlessHung(root);
  assert.equal(await within(SOON_MS, reads.all([...ROOTS, '/bad'], read)), [
    { root: '/a', value: '/a' },
    { root: '/b', value: '/b' },
  ]);
});

/** Lets promises settle that wait for nothing. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
