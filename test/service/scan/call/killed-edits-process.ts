/**
 * Edits the first page of a stored scan again and again, and dies by SIGKILL: `node killed-edits-process.ts <KilledEdits as JSON>`.
 */
import { createScanArchive } from '../../../../service/archive/scan-archive.ts';
import { createEdits } from '../../../../service/scan/call/edits.ts';
import { createRunningScans } from '../../../../service/scan/call/running-scans.ts';
import { capturedLog } from '../../../support/captured-log.ts';

export interface KilledEdits {
  /** Where the scan directory is. */
  readonly root: string;
  readonly id: string;
  /** Edits that are answered before it dies. */
  readonly answered: number;
  /** Right after the last answer, or while the next edit is being written. */
  readonly moment: 'answered' | 'writing';
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by killed-edits.test.ts
const { root, id, answered, moment } = JSON.parse(process.argv[2] ?? '') as KilledEdits;
const { log } = capturedLog();
const real = createScanArchive({ roots: () => [root], listener: () => {}, log });
let made = 0;
const archive: typeof real = {
  ...real,
  open: async (asked) => {
    const open = await real.open(asked);
    return {
      ...open,
      append: (...events) => {
        const written = open.append(...events);
        // The write has begun, and is with a thread of its own.
        if (made === answered && moment === 'writing') setImmediate(die);
        return written;
      },
    };
  },
};
const edits = createEdits(createRunningScans(log), archive);
for (;;) {
  await edits.editPage(id, 1, { before: made % 2 === 0 ? null : 2 });
  made += 1;
  if (made === answered && moment === 'answered') die();
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
