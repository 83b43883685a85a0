import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { makePipe } from '../../support/make-pipe.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A directory whose disk can stop to answer one part of the appliance, and answer again. */
export interface HungDisk {
  readonly path: string;
  /** What the part is to be started with. */
  readonly environment: Record<string, string>;
  hang(): Promise<void>;
  /** All that hangs goes on. */
  answer(): Promise<void>;
  remove(): Promise<void>;
}

/** A disk that answers. */
export async function createHungDisk(): Promise<HungDisk> {
  const temporary = await temporaryDirectory();
  const directory = path.join(temporary.path, 'disk');
  const pipe = path.join(temporary.path, 'pipe');
  const preload = import.meta.resolve('./hung-disk-preload.ts');
  return {
    path: directory,
    environment: {
      NODE_OPTIONS: `--import=${preload}`,
      HUNG_DIR: directory,
      HUNG_PIPE: pipe,
    },
    hang: () => makePipe(pipe),
    answer: async () => {
      // Whoever waits has the pipe open already; without one this would wait for a reader.
      const writer = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK);
      await rm(pipe);
      await writer.close();
    },
    remove: () => temporary.remove(),
  };
}
