import { Failure } from '../failure.ts';
import type { DeviceRequest } from '../ipc/messages.ts';
import { diskFullMessage } from './page-check.ts';
import { pageBytes } from './page-size.ts';
import { RESERVE_BYTES } from './scan-directory.ts';

/** The failure to report when `pages` pages, of which `page` is the first, do not fit on the disk with a reserve. */
export async function storageShortage(
  page: number,
  { request, pages }: { readonly request: DeviceRequest; readonly pages: number },
  freeBytes: (directory: string) => Promise<number>,
): Promise<Failure | undefined> {
  const needed = pageBytes(request) * pages + RESERVE_BYTES;
  const { directory } = request;
  try {
    const free = await freeBytes(directory);
    if (free >= needed) return undefined;
    const facts = { free_bytes: free, needed_bytes: needed };
    return new Failure('insufficient_storage', diskFullMessage(directory, page), { facts });
  } catch (cause) {
    const message = `The scan directory ${directory} can no longer be read. Check the output directory and its disk.`;
    return new Failure('scanner_error', message, { cause });
  }
}
