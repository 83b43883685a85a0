import path from 'node:path';
import type { JobContext } from './page-scripts.ts';
import type { PageImage } from './plain-tiff.ts';
import { runTool } from '../tools/toolbox.ts';

/**
 * Compresses a bilevel image as a JBIG2 stream for PDF: lossless, and a third smaller than CCITT group 4. Gives the file, or
 * null when the encoder failed: then the page is compressed the other way.
 */
export async function encodeJbig2(
  image: PageImage,
  { toolbox, ...where }: JobContext,
): Promise<string | null> {
  const file = path.join(where.directory, 'page.jbig2');
  // `-p` leaves out the file header, which PDF does not want; without `-s` nothing is replaced by what looks alike.
  const args = ['-p', image.file];
  const ended = await runTool(toolbox, { file: 'jbig2', args, stdoutFile: file, ...where });
  return ended.exitCode === 0 ? file : null;
}
