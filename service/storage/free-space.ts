import { Failure } from '../../helpers/failure.ts';
import { freeBytes } from '../../helpers/free-bytes.ts';

/**
 * Fits one A4 page in color at 600 dpi (104 MB, measured). The scanner runtime checks again for
 * each page.
 */
export const MIN_FREE_BYTES = 128 * 1024 * 1024;

/** Throws Failure `insufficient_storage` if less is free. */
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
