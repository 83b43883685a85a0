import { constants, open } from 'node:fs/promises';
import { writeAtomically } from './write-atomically.ts';

/** A file that only grows, kept open: an addition is durable at the price of one sync. */
export interface GrowingFile {
  /**
   * Adds to the end and resolves when that is durable. When it rejects, a part of it may be there: the file is then not
   * to be added to again.
   */
  append(content: string): Promise<void>;
  close(): Promise<void>;
}

/** Makes a file that grows, or replaces the one of that name; resolves when it is durable with the content that it begins with. */
export async function createGrowingFile(file: string, content: string): Promise<GrowingFile> {
  await writeAtomically(file, content);
  // Not made anew where somebody took it away: its name would not be durable.
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND);
  return {
    append: async (addition) => {
      await handle.writeFile(addition);
      // Of what else describes the file, this syncs the length; the name was durable before.
      await handle.datasync();
    },
    close: () => handle.close(),
  };
}
