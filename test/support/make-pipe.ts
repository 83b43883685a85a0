import { outputOf } from './programs.ts';

/** Makes a named pipe, at which a reader waits for ever; Node has no call for it. */
export async function makePipe(file: string): Promise<void> {
  await outputOf('mkfifo', [file]);
}
