import type { OpenScan } from '../../../../service/archive/open-scan.ts';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import {
  accepted,
  refused,
  unknown,
  type Delivery,
} from '../../../../service/paperless/destination.ts';
import { createDeadline } from '../../../../service/scan/deadline.ts';
import type { Scan } from '../../../../service/scan/scan.ts';
import {
  assembled,
  begun,
  page,
  planned,
  STORED_ID,
  storeScan,
} from '../../../support/stored-scan.ts';
import { createScanBench, type ScanBench } from '../call/scan-bench.ts';

type Outcome = Delivery['outcome'];

export interface DeliveryBench extends ScanBench {
  /** A scan with a document for each list, delivered in an earlier call with those outcomes. */
  readonly scan: (outcomes: readonly Outcome[][], options?: ScanOptions) => Promise<Scan>;
  /** What a service that begins anew makes of it, a letter for each upload. */
  readonly outcomes: () => Promise<string[]>;
}

interface ScanOptions {
  readonly urls?: readonly string[];
  readonly signal?: AbortSignal;
  readonly request?: object;
}

const DELIVERIES: Readonly<Record<Outcome, Delivery>> = {
  accepted: accepted('earlier'),
  refused: refused('earlier'),
  unknown: unknown('earlier'),
};

/** A scan whose documents are made, and a sample DMS to deliver them to. */
export async function createDeliveryBench(): Promise<DeliveryBench> {
  const bench = await createScanBench();
  const { archive } = await bench.start();
  const opened: OpenScan[] = [];
  return {
    ...bench,
    close: async () => {
      for (const open of opened) await open.close();
      await bench.close();
    },
    scan: async (
      outcomes,
      { urls = [bench.dms.url, bench.dms.url], signal, request = {} } = {},
    ) => {
      const destinations = urls.map((base_url, index) => ({
        kind: 'dms',
        base_url,
        token_secret: `account_${index + 1}`,
      }));
      const { paths } = bench.profile();
      await storeScan(bench.root, [
        begun({ destinations, paths }, { request }),
        ...outcomes.map((_, index) => page(index + 1)),
        planned(...outcomes.map((_, index) => [index + 1])),
        ...outcomes.map((_, index) => assembled(index)),
        ...outcomes.flatMap(deliveredBefore),
      ]);
      const open = await archive.open(STORED_ID);
      opened.push(open);
      const { log } = bench.logged;
      const deadline = createDeadline(20, performance.now());
      const own = signal ? { ...deadline, signal } : deadline;
      const { signal: stop } = new AbortController();
      return { ...open, id: STORED_ID, deadline: own, stop, log };
    },
    outcomes: async () => {
      const { documents } = await bench.stored(STORED_ID);
      return documents.map((document) => letters(document.outcomes));
    },
  };
}

function deliveredBefore(outcomes: readonly Outcome[], document: number): NewScanEvent[] {
  return outcomes.flatMap((outcome, destination) => [
    { type: 'upload_begun', document, destination, title: '' },
    { type: 'upload_ended', document, destination, ...DELIVERIES[outcome] },
  ]);
}

const letters = (outcomes: readonly Outcome[]): string =>
  outcomes.map((outcome) => outcome.slice(0, 1)).join('');
