import path from 'node:path';
import { runTool, type JobContext } from '../tools/toolbox.ts';

/** A lossless JBIG2 stream, a third smaller than CCITT group 4; null if jbig2 failed. */
export async function encodeJbig2(tiff: string, context: JobContext): Promise<string | null> {
  const file = path.join(context.directory, 'page.jbig2');
  // `-p` omits the file header, as PDF requires. Without `-s`, no symbols are substituted.
  const args = ['-p', tiff];
  const ended = await runTool({ file: 'jbig2', args, stdoutFile: file }, context);
  return ended.exitCode === 0 ? file : null;
}
