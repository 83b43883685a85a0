import { dirname } from 'node:path';
import { programEnvironment, runProgram } from '../../helpers/child-process.ts';
import { DemoError } from './demo-error.ts';

/** In milliseconds. Several hundred pages take a second. */
const READ_WITHIN_MS = 30_000;

export async function textOfPages(file: string): Promise<string[]> {
  const ended = await runProgram(
    {
      file: 'pdftotext',
      args: [file, '-'],
      cwd: dirname(file),
      env: programEnvironment(),
    },
    { timeoutMs: READ_WITHIN_MS },
  );
  if (ended.exitCode !== 0) {
    throw new DemoError(`pdftotext could not read ${file}: ${ended.stderr.trim()}`);
  }
  // pdftotext ends every page with a form feed.
  return ended.stdout.split('\f').slice(0, -1);
}
