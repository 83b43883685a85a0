import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Part } from '../../support/appliance/part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A clock that a test can set while the part that goes by it runs. */
export interface JumpingClock {
  /** What the part is to be started with. */
  readonly environment: Record<string, string>;
  /** Resolves when the clock of the part is `ms` milliseconds away from the true time. */
  set(part: Part, ms: number): Promise<void>;
  remove(): Promise<void>;
}

/** A clock that is right. */
export async function createJumpingClock(): Promise<JumpingClock> {
  const temporary = await temporaryDirectory();
  const file = path.join(temporary.path, 'offset');
  const preload = import.meta.resolve('./clock-preload.ts');
  return {
    environment: { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file },
    set: async (part, ms) => {
      await writeFile(file, String(ms));
      const jumped = part.nextLine(/"msg":"clock jumped"/);
      process.kill(part.pid(), 'SIGUSR2');
      await jumped;
    },
    remove: () => temporary.remove(),
  };
}
