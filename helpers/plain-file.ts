import { constants, open, type FileHandle } from 'node:fs/promises';
import { errorCode } from './error-code.ts';

/** The caller closes the handle. */
export interface PlainFile {
  readonly handle: FileHandle;
  readonly bytes: number;
}

/** The message is a clause that follows the file name: "is a directory". */
export class UnreadableFile extends Error {
  readonly code: 'EISDIR' | 'EFTYPE' | 'EFBIG' | 'ETIMEDOUT';

  constructor(code: UnreadableFile['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** A clause that follows the file name. */
export function whyUnreadable(error: unknown): string {
  if (error instanceof UnreadableFile) return error.message;
  return `cannot be read (${errorCode(error) ?? 'unknown error'})`;
}

/**
 * Opens only plain files, and links to them only with `follow`. O_NONBLOCK: does not wait for a
 * pipe's writer.
 */
export async function openPlainFile(
  file: string,
  { follow = false }: { readonly follow?: boolean } = {},
): Promise<PlainFile> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  const handle = await open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
  try {
    const found = await handle.stat();
    if (found.isDirectory()) throw new UnreadableFile('EISDIR', 'is a directory');
    if (!found.isFile()) {
      const kind = found.isFIFO() ? 'named pipe' : 'device';
      throw new UnreadableFile('EFTYPE', `is a ${kind}, not a plain file`);
    }
    return { handle, bytes: found.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads at most `maxBytes` as UTF-8. Follows links, which Kubernetes uses for secrets. */
export async function readPlainFile(
  file: string,
  maxBytes: number,
  { follow = true }: { readonly follow?: boolean } = {},
): Promise<string> {
  const { handle, bytes: size } = await openPlainFile(file, { follow });
  try {
    if (size > maxBytes) throw tooLarge(maxBytes);
    // Files in /proc and /sys report no size, and other files may grow while being read.
    const buffer = Buffer.alloc(maxBytes + 1);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, bytes, buffer.length - bytes);
      bytes += bytesRead;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      if (bytesRead === 0) return buffer.toString('utf8', 0, bytes);
    }
  } finally {
    await handle.close();
  }
}

function tooLarge(maxBytes: number): UnreadableFile {
  return new UnreadableFile('EFBIG', `is larger than ${maxBytes} bytes`);
}
