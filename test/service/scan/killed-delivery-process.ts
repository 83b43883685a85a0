/**
 * Delivers the documents of a stored scan, and dies by SIGKILL at a moment between two uploads:
 * `node killed-delivery-process.ts <KilledDelivery as JSON>`.
 */
import { readScanRecord } from '../../../service/archive/scan-archive.ts';
import { createDeadline } from '../../../service/scan/deadline.ts';
import { deliverScan } from '../../../service/scan/deliver-scan.ts';
import { openScan } from '../../../service/scan/open-scan.ts';
import { capturedLog } from '../../support/captured-log.ts';

export interface KilledDelivery {
  readonly directory: string;
  readonly token: string;
  /** Uploads that are answered before it dies. */
  readonly answered: number;
  /**
   * `told`: the answer is there and nothing of it is written; `writing`: the outcome, and that the next one begins, are being
   * written; `never`: it waits to be killed.
   */
  readonly moment: 'told' | 'writing' | 'never';
}

/** Far longer than some uploads take. */
const DEADLINE_SECONDS = 60;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by killed-delivery.test.ts
const order = JSON.parse(process.argv[2] ?? '') as KilledDelivery;
const record = await readScanRecord(order.directory);
const { log } = capturedLog();
let answered = 0;
const info = log.info.bind(log);
log.info = (...line: Parameters<typeof info>) => {
  answered += 1;
  if (order.moment === 'told' && answered === order.answered) die();
  info(...line);
};
const options = { id: record.scan_id, deadline: createDeadline(DEADLINE_SECONDS), log };
const start = { state: 'delivering', stage: 'deliver', pages: record.pages } as const;
const scan = await openScan(order.directory, record, options, start);
await deliverScan(scan, {
  readSecret: async () => {
    // The upload is prepared while the record is written.
    if (order.moment === 'writing' && answered === order.answered) die();
    return order.token;
  },
});

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
