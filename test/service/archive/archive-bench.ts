import type { RootReads } from '../../../service/archive/root-reads.ts';
import { createScanArchive, type ScanArchive } from '../../../service/archive/scan-archive.ts';
import type { ScanEvent } from '../../../service/archive/scan-event.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { begun, ended, storeScan } from '../../support/stored-scan.ts';

export interface ArchiveBench {
  readonly root: string;
  /** An archive of those roots, or of the bench's own; closed with it. */
  readonly open: (roots?: () => readonly string[], rootReads?: RootReads) => ScanArchive;
  /** What the listener of every archive was called with. */
  readonly heard: readonly ScanEvent[];
  close(): Promise<void>;
}

export async function startArchiveBench(root: string): Promise<ArchiveBench> {
  const { log } = capturedLog();
  const archives: ScanArchive[] = [];
  const heard: ScanEvent[] = [];
  const open: ArchiveBench['open'] = (roots = () => [root], rootReads) => {
    const listener = (event: ScanEvent): void => void heard.push(event);
    const archive = createScanArchive({ roots, listener, log, ...(rootReads && { rootReads }) });
    archives.push(archive);
    return archive;
  };
  const close = async (): Promise<void> => {
    for (const archive of archives) await archive.close();
  };
  return { root, open, heard, close };
}

/** Ids that sort as their numbers, of one digit. */
export function idOf(number: number): string {
  return `2026112${number}T063000Z-8f3a1c`;
}

/** Stores a scan without pages. */
export async function storeAt(root: string, number: number): Promise<void> {
  await storeScan(root, [begun({}, { scan_id: idOf(number) }), ended()], idOf(number));
}
