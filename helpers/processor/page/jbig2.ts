import path from 'node:path';
import { runTool, type JobContext } from '../tools/toolbox.ts';

/**
 * Compresses a bilevel TIFF as a JBIG2 stream for PDF: lossless, and a third smaller than CCITT group 4. Gives the file, or
 * null when the encoder failed: then the page is compressed the other way.
 */
export async function encodeJbig2(tiff: string, context: JobContext): Promise<string | null> {
  const file = path.join(context.directory, 'page.jbig2');
  // `-p` leaves out the file header, which PDF does not want; without `-s` nothing is replaced by what looks alike.
  const args = ['-p', tiff];
  const ended = await runTool({ file: 'jbig2', args, stdoutFile: file }, context);
  return ended.exitCode === 0 ? file : null;
}
