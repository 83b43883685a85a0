import { Failure } from '../../helpers/failure.ts';
import { freeBytes } from '../../helpers/free-bytes.ts';

/**
 * Free space below which no scan is begun, in bytes: one A4 page in colour at 600 dpi (104 MB uncompressed, measured)
 * would just fit. The scanner runtime checks again, page by page, with the real size.
 */
export const MIN_FREE_BYTES = 128 * 1024 * 1024;

/** Throws Failure `insufficient_storage` when the file system of `directory` has less than `minBytes` left. */
export async function checkFreeSpace(directory: string, minBytes: number): Promise<void> {
  const free = await freeBytes(directory);
  if (free >= minBytes) return;
  throw new Failure(
    'insufficient_storage',
    `Only ${megabytes(free)} MB are free in ${directory}, and a scan needs ${megabytes(minBytes)} MB.`,
    {
      remedy: 'Free some space: the service never removes old scan directories.',
      facts: { free_bytes: free, needed_bytes: minBytes },
    },
  );
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / (1024 * 1024));
}
