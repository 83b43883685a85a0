import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../../helpers/error-code.ts';
import { writeAtomically } from '../../../service/storage/write-atomically.ts';

/** What other programs read on pages, kept between runs. */
export interface KeptReadings {
  /** What a command reads on a page: from an earlier run if that had the same command and the same bytes, otherwise from `read`. */
  reading(command: readonly string[], tiff: string, read: () => Promise<string>): Promise<string>;
  /** How many came from earlier runs so far. */
  readonly earlier: () => number;
}

/** Keeps readings in a directory, one file for each; keeps none without one. `versions` are those of all that takes part. */
export function keptReadings(directory: string | undefined, versions: object): KeptReadings {
  let earlier = 0;
  return {
    earlier: () => earlier,
    reading: async (command, tiff, read) => {
      if (directory === undefined) return read();
      const key = createHash('sha256')
        .update(JSON.stringify([command, versions]))
        .update(await readFile(tiff))
        .digest('hex');
      const file = path.join(directory, `${key}.txt`);
      const kept = await readFile(file, 'utf8').catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error;
        return null;
      });
      if (kept !== null) {
        earlier += 1;
        return kept;
      }
      const text = await read();
      await mkdir(directory, { recursive: true });
      await writeAtomically(file, text);
      return text;
    },
  };
}
