/**
 * Delivers the documents of a stored scan, and dies by SIGKILL at a moment between two uploads:
 * `node killed-delivery-process.ts <KilledDelivery as JSON>`.
 */
import { createScanArchive } from '../../../../service/archive/scan-archive.ts';
import { createDeadline } from '../../../../service/scan/deadline.ts';
import { createDms } from '../../../../service/paperless/dms.ts';
import { DEFAULT_REDELIVERY, deliver } from '../../../../service/scan/stages/deliver.ts';
import { capturedLog } from '../../../support/captured-log.ts';

export interface KilledDelivery {
  /** Where the scan directory is. */
  readonly root: string;
  readonly id: string;
  readonly token: string;
  /** Uploads that are answered before it dies. */
  readonly answered: number;
  /**
   * `answered`: nothing of the answer is written; `writing`: the outcome, and that the next one begins, are being written;
   * `never`: it waits to be killed.
   */
  readonly moment: 'answered' | 'writing' | 'never';
}

/** Far longer than some uploads take. */
const DEADLINE_SECONDS = 60;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by killed-delivery.test.ts
const order = JSON.parse(process.argv[2] ?? '') as KilledDelivery;
const { root, id, moment } = order;
const { log } = capturedLog();
const archive = createScanArchive({ roots: () => [root], listener: () => {}, log });
const open = await archive.open(id);
const deadline = createDeadline(DEADLINE_SECONDS, performance.now());
const append: typeof open.append = (...events) => {
  const before = open.record().documents.flatMap(({ uploads }) => Object.values(uploads));
  const isDue = before.length === order.answered && events[0]?.type === 'upload_ended';
  if (isDue && moment === 'answered') die();
  const written = open.append(...events);
  // The write has begun, and is with a thread of its own.
  if (isDue && moment === 'writing') setImmediate(die);
  return written;
};
const { signal: stop } = new AbortController();
const scan = { ...open, append, id, deadline, stop, log };
await deliver(
  scan,
  createDms(() => Promise.resolve(order.token)),
  DEFAULT_REDELIVERY,
);
await archive.close();

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
