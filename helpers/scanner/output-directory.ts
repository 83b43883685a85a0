import { lstat, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { beforeAbort } from '../before-abort.ts';
import { Failure, type FailureFacts } from '../failure.ts';
import type { DeviceRequest, ScanRequest } from '../ipc/messages.ts';
import { PAGE_OR_HALF } from '../page-names.ts';
import { MM_PER_INCH } from '../paper.ts';

/** Left free for documents: a full file system truncates other files too. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/**
 * scanimage notices unwritable pages only after feeding a sheet. Throws `Failure('scanner_error')`
 * if the directory is missing, not a real directory or not writable, or if a page would be
 * overwritten.
 */
export async function checkScanDirectory(directory: string, firstPage: number): Promise<void> {
  const found = path.isAbsolute(directory)
    ? await lstat(directory).catch(() => undefined)
    : undefined;
  if (!found?.isDirectory()) {
    const advice =
      'Give the service and the scanner runtime the same output directory at the same path.';
    throw new Failure('scanner_error', `The scan directory ${directory} is missing. ${advice}`);
  }
  try {
    await tryToWrite(directory);
  } catch (cause) {
    const advice = 'Allow the user of the scanner runtime to write there.';
    const message = `The scanner runtime cannot write into the scan directory ${directory}. ${advice}`;
    throw new Failure('scanner_error', message, { cause });
  }
  const taken = (await pagesIn(directory)).filter((page) => page.number >= firstPage);
  const [first] = taken.filter(({ name }) => !name.endsWith('.part'));
  if (first) {
    const message = `The scan would overwrite ${first.name} in the scan directory ${directory}. Scan into a new directory.`;
    throw new Failure('scanner_error', message);
  }
}

/** Permissions do not tell: file systems may be read-only, and shares refuse. */
async function tryToWrite(directory: string): Promise<void> {
  const probe = path.join(directory, `.scanner-runtime-${process.pid}`);
  await (await open(probe, 'w')).close();
  await rm(probe);
}

/** Removes the partial pages of a killed scanimage. Returns their numbers. */
export async function removeUnfinished(directory: string): Promise<number[]> {
  const pages = await pagesIn(directory).catch(() => []);
  const halves = pages.filter(({ name }) => name.endsWith('.part'));
  for (const { name } of halves) await rm(path.join(directory, name), { force: true });
  return halves.map(({ number }) => number);
}

async function pagesIn(directory: string): Promise<{ name: string; number: number }[]> {
  const names = await readdir(directory);
  return names.flatMap((name) => {
    const number = PAGE_OR_HALF.exec(name)?.groups?.['number'];
    return number === undefined ? [] : [{ name, number: Number(number) }];
  });
}

export async function syncToDisk(directory: string, filename: string): Promise<void> {
  await sync(path.join(directory, filename));
  await sync(directory);
}

async function sync(target: string): Promise<void> {
  const handle = await open(target);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The failure if `pages` pages from `page` on do not fit on the disk, or it cannot be read. */
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
    return noRoomFor(page, directory, { free_bytes: free, needed_bytes: needed });
  } catch (cause) {
    if (cause instanceof Failure) return cause;
    const message = `The scan directory ${directory} can no longer be read. Check the output directory and its disk.`;
    return new Failure('scanner_error', message, { cause });
  }
}

export function noRoomFor(page: number, directory: string, facts: FailureFacts = {}): Failure {
  const what = `The disk of ${directory} has no room for page ${page}.`;
  const remedy = 'Free some space, then scan the sheets from this page on.';
  return new Failure('insufficient_storage', what, { remedy, facts });
}

/** After `ms`, rejects with `Failure('scanner_error')`, which blames the disk. */
export function fromDisk<Result>(
  work: Promise<Result>,
  directory: string,
  ms: number,
): Promise<Result> {
  return beforeAbort(AbortSignal.timeout(ms), work, () => {
    const what = `The disk of ${directory} did not answer within ${ms / 1000} s.`;
    const remedy = 'Check the disk, then scan the missing sheets again.';
    throw new Failure('scanner_error', what, { remedy });
  });
}

/** The size of a page as an uncompressed TIFF. */
export function pageBytes(
  request: Pick<DeviceRequest, 'page_size' | 'resolution' | 'mode' | 'scanner_options'>,
): number {
  const { width_mm, height_mm } = request.page_size;
  const width = Math.ceil((width_mm / MM_PER_INCH) * request.resolution);
  const height = Math.ceil((height_mm / MM_PER_INCH) * request.resolution);
  return HEADER_BYTES + Math.ceil((width * bitsPerPixel(request)) / 8) * height;
}

/** scanimage writes 222 bytes, and more with a colour profile. */
const HEADER_BYTES = 4096;

/** Lineart, Halftone, Black & White; Gray, Grayscale. Unknown modes count as colour. */
function bitsPerPixel({
  mode,
  scanner_options,
}: Pick<ScanRequest, 'mode' | 'scanner_options'>): number {
  const deep = Number(scanner_options['depth']) === 16 ? 2 : 1;
  if (/lineart|halftone|black|binary/iu.test(mode)) return 1;
  return (/gr[ae]y/iu.test(mode) ? 8 : 24) * deep;
}
