import { outputOf } from './programs.ts';

/** Makes a named pipe, which blocks its reader forever. Node has no call for it. */
export async function makePipe(file: string): Promise<void> {
  await outputOf('mkfifo', [file]);
}
