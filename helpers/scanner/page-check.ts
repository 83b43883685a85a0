import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../failure.ts';
import type { DeviceRequest, PageSize, ScannedPage, ScanRequest } from '../ipc/messages.ts';
import { detectsPaper } from './fit-request.ts';
import { MM_PER_INCH, sizeText } from '../paper.ts';
import { AREA_UNUSABLE } from '../scanner-words.ts';
import { pageName } from '../page-names.ts';
import { noRoomFor, pageBytes } from './output-directory.ts';
import { readTiff, type TiffImage } from '../tiff-header.ts';

/** Some scanners report 299 for 300. The next real resolution differs more. */
const DPI_TOLERANCE = 1;

/** Scanners round to whole bytes or blocks of pixels: 16 pixels at 200 dpi are 2 mm. */
const SIZE_TOLERANCE_MM = 2;

export type PagePlace = Pick<ScannedPage, 'number' | 'sheet' | 'side'>;

export interface CheckedPage {
  readonly page: ScannedPage;
  /** Set if the page is complete, but wrong. It is kept. */
  readonly failure: Failure | undefined;
  /** The actual size in mm, if it differs from the request. */
  readonly otherSize: PageSize | undefined;
}

/**
 * Checks a page that scanimage has finished. If the disk is full, removes an incomplete file
 * (`Failure('insufficient_storage')`); otherwise renames it to `….incomplete`
 * (`Failure('scanner_error')`).
 */
export async function checkPage(
  request: DeviceRequest,
  place: PagePlace,
  freeBytes: (directory: string) => Promise<number>,
): Promise<CheckedPage> {
  const { number } = place;
  const filename = pageName(number);
  const file = path.join(request.directory, filename);
  const reading = await readTiff(file);
  if (!reading.complete) {
    if ((await freeBytes(request.directory)) < pageBytes(request)) {
      await rm(file, { force: true });
      throw noRoomFor(number, request.directory);
    }
    await rename(file, `${file}.incomplete`);
    const message = `Page ${number} arrived incomplete (${reading.reason}) and was kept as ${filename}.incomplete. Put the sheet back into the feeder and scan it again.`;
    throw new Failure('scanner_error', message);
  }
  const { image } = reading;
  const dpi = image.dpi ? Math.round(image.dpi.x) : request.resolution;
  const page: ScannedPage = {
    ...place,
    filename,
    bytes: image.bytes,
    width_px: image.width,
    height_px: image.height,
    dpi: Math.max(dpi, 1),
    cropped: detectsPaper(request),
  };
  return {
    page,
    failure: wrongResolution(request, image, number) ?? noWholePage(request, page),
    otherSize: otherSize(request, page),
  };
}

function wrongResolution(
  { resolution }: ScanRequest,
  { dpi }: TiffImage,
  number: number,
): Failure | undefined {
  if (!dpi) return undefined;
  const off = Math.max(Math.abs(dpi.x - resolution), Math.abs(dpi.y - resolution));
  if (off <= DPI_TOLERANCE) return undefined;
  const found = dpi.x === dpi.y ? `${dpi.x}` : `${dpi.x} x ${dpi.y}`;
  const message = `The scanner delivered page ${number} at ${found} dpi instead of ${resolution} dpi. Set a resolution that the scanner has.`;
  return new Failure('scanner_error', message);
}

/** Share of the requested width and height. A smaller page is a fragment. */
const LEAST_PART = 0.5;

/** With a useless scan area, a driver may scan next to nothing, so the first page decides. */
function noWholePage(
  { page_size, area_unusable: isUnusable = false }: DeviceRequest,
  page: ScannedPage,
): Failure | undefined {
  const size = sizeOf(page);
  const isWhole =
    size.width_mm >= LEAST_PART * page_size.width_mm &&
    size.height_mm >= LEAST_PART * page_size.height_mm;
  if (!isUnusable || isWhole) return undefined;
  const what = `Page ${page.number} measures ${sizeText(size)} instead of ${sizeText(page_size)}. ${AREA_UNUSABLE.what}`;
  return new Failure('scanner_error', what, { remedy: AREA_UNUSABLE.remedy });
}

function otherSize({ page_size }: DeviceRequest, page: ScannedPage): CheckedPage['otherSize'] {
  const size = sizeOf(page);
  const off = Math.max(
    Math.abs(size.width_mm - page_size.width_mm),
    Math.abs(size.height_mm - page_size.height_mm),
  );
  return off > SIZE_TOLERANCE_MM ? size : undefined;
}

function sizeOf({ width_px, height_px, dpi }: ScannedPage): PageSize {
  return { width_mm: (width_px / dpi) * MM_PER_INCH, height_mm: (height_px / dpi) * MM_PER_INCH };
}
