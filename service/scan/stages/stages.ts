import { assemble } from './assemble.ts';
import { createBundles } from './bundles.ts';
import { type Redelivery } from '../../archive/upload-decision.ts';
import { deliver } from './deliver.ts';
import { feed } from './feed.ts';
import { checkSides } from '../sides.ts';
import { turnsToFollow } from '../../documents/follow-turns.ts';
import { remakeDocuments, type RemakeOptions } from './remake.ts';
import { createRecognition, pagesAtOnce } from './recognize.ts';
import type { Scan, ScanParts, StageClock } from '../scan.ts';
import { withTaskGroup } from './task-group.ts';

export interface StageOptions {
  readonly clock: StageClock;
  readonly redelivery: Redelivery;
}

export interface PageStageOptions extends StageOptions {
  readonly workers: number;
}

export interface FeedStageOptions extends PageStageOptions {
  /** Highest page number before this feeding; 0 for a new scan. */
  readonly lastPage: number;
}

/** Runs all stages. Recognizes pages while the stack is being scanned. */
export async function scanStack(
  scan: Scan,
  parts: ScanParts,
  options: FeedStageOptions,
): Promise<void> {
  const { scanner } = parts;
  const { clock, lastPage } = options;
  await processPages(scan, parts, options, (onPage) =>
    clock('scan', () => feed(scan, { scanner, lastPage, onPage })),
  );
}

export async function fileStoredPages(
  scan: Scan,
  parts: ScanParts,
  options: PageStageOptions,
): Promise<void> {
  await processPages(scan, parts, options, () => Promise.resolve());
}

export async function deliverRemade(
  scan: Scan,
  parts: ScanParts,
  options: PageStageOptions & Pick<RemakeOptions, 'documents'>,
): Promise<void> {
  const { clock, workers, documents } = options;
  const { processor } = parts;
  await clock('process', () => remakeDocuments(scan, { processor, workers, documents }));
  await scan.writeRecord();
  await deliverDocuments(scan, parts, options);
}

export async function deliverDocuments(
  scan: Scan,
  { dms }: Pick<ScanParts, 'dms'>,
  { clock, redelivery }: StageOptions,
): Promise<void> {
  await clock('deliver', () => deliver(scan, dms, redelivery));
}

/** Recognizes all pages. Makes and delivers documents, unless the scan is held. */
async function processPages(
  scan: Scan,
  parts: ScanParts,
  options: PageStageOptions,
  addPages: (onPage: ReturnType<typeof createRecognition>) => Promise<void>,
): Promise<void> {
  const { processor } = parts;
  const { workers, clock } = options;
  await withTaskGroup(scan.deadline.signal, pagesAtOnce(workers), async (group) => {
    const bundles = createBundles(scan, processor, group.signal);
    const recognize = createRecognition(scan, group, processor, bundles.complete);
    for (const page of scan.record().pages) if (!page.replaced && !page.left_out) recognize(page);
    await addPages(recognize);
    await checkSides(scan);
    await clock('process', async () => {
      await group.done();
      if (scan.record().hold) return;
      const { pages, settings } = scan.record();
      for (const [page, turn] of turnsToFollow(pages, settings)) recognize(page, turn);
      await group.done();
      await assemble(scan, processor, bundles);
    });
  });
  if (scan.record().hold) return;
  await scan.writeRecord();
  await deliverDocuments(scan, parts, options);
}
