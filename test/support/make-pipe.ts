import { outputOf } from './programs.ts';

/** Makes a named pipe, on which a reader blocks forever. Node has no call for it. */
export async function makePipe(file: string): Promise<void> {
  await outputOf('mkfifo', [file]);
}
