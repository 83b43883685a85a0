import sharp, { type Sharp } from 'sharp';
import { UNITS_PER_INCH, type ScanSettings } from './scan-settings.ts';

/** Resolution of a page image file that does not say its own. */
const DEFAULT_FILE_DPI = 300;

/** What libvips says of a file without a resolution; no scan worth feeding has so little. */
const UNSAID_DPI = 72;

/** Images kept at the ready; ten colour pages at 300 dpi are about 100 MB, and the oldest ones go first. */
const CACHE_BYTES = 256 * 1024 * 1024;

const WHITE = { r: 255, g: 255, b: 255 } as const;

/** A page of no file: white paper. */
export type PageFile = string | undefined;

/** Page images as the scanner would send them, made once for each page and settings. */
export class PageImages {
  readonly #images = new Map<string, Promise<Buffer>>();
  readonly #sizes = new Map<string, number>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = CACHE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The image of a page; asking for it ahead of time makes it ready. Rejects when the file cannot be read. */
  get(file: PageFile, settings: ScanSettings): Promise<Buffer> {
    const { mode, resolution, region, format } = settings;
    const key = JSON.stringify([file, mode, resolution, region, format]);
    const known = this.#images.get(key);
    if (known) return known;
    const image = this.#render(key, file, settings);
    this.#images.set(key, image);
    return image;
  }

  /** Starts making an image; when that fails, `get` will say so. */
  prepare(file: PageFile, settings: ScanSettings): void {
    this.get(file, settings).catch(() => {});
  }

  async #render(key: string, file: PageFile, settings: ScanSettings): Promise<Buffer> {
    try {
      const image = await renderPage(file, settings);
      this.#sizes.set(key, image.length);
      this.#bytes += image.length;
      this.#dropOldest(key);
      return image;
    } catch (error) {
      this.#images.delete(key);
      throw error;
    }
  }

  #dropOldest(newest: string): void {
    for (const [key, size] of this.#sizes) {
      if (this.#bytes <= this.#maxBytes || key === newest) return;
      this.#images.delete(key);
      this.#sizes.delete(key);
      this.#bytes -= size;
    }
  }
}

/**
 * The page as scanned with these settings: exactly the pixels asked for, the paper in the top left corner, white outside
 * of it. The file's own resolution (PNG, JPEG and TIFF carry it) says how large the paper is.
 */
export async function renderPage(file: PageFile, settings: ScanSettings): Promise<Buffer> {
  const { region, resolution } = settings;
  const width = toPixels(region.width, resolution);
  const height = toPixels(region.height, resolution);
  const paper = file === undefined ? undefined : await cutOut(file, settings);
  if (file === undefined || !paper) {
    return encode(sharp({ create: { width, height, channels: 3, background: WHITE } }), settings);
  }
  const paperWidth = Math.min(width, toPixels(paper.width, resolution, paper.dpi));
  const paperHeight = Math.min(height, toPixels(paper.height, resolution, paper.dpi));
  const image = sharp(file)
    .extract(paper)
    .resize({ width: paperWidth, height: paperHeight, fit: 'fill' })
    .flatten({ background: WHITE })
    .extend({ right: width - paperWidth, bottom: height - paperHeight, background: WHITE });
  return encode(image, settings);
}

function toPixels(length: number, dpi: number, unitsPerInch = UNITS_PER_INCH): number {
  return Math.max(1, Math.round((length * dpi) / unitsPerInch));
}

/** The part of a page image file that lies inside the region, in its own pixels. */
interface CutOut {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
}

async function cutOut(file: string, settings: ScanSettings): Promise<CutOut | undefined> {
  const { region } = settings;
  const { width, height, density = 0 } = await sharp(file).metadata();
  const dpi = density > UNSAID_DPI ? Math.round(density) : DEFAULT_FILE_DPI;
  const left = Math.round((region.x * dpi) / UNITS_PER_INCH);
  const top = Math.round((region.y * dpi) / UNITS_PER_INCH);
  if (left >= width || top >= height) return undefined;
  return {
    left,
    top,
    width: Math.min(width - left, toPixels(region.width, dpi)),
    height: Math.min(height - top, toPixels(region.height, dpi)),
    dpi,
  };
}

function encode(image: Sharp, settings: ScanSettings): Promise<Buffer> {
  const { mode, format, resolution } = settings;
  const coloured = image.toColourspace(mode === 'Gray' ? 'b-w' : 'srgb').withDensity(resolution);
  return format === 'image/png'
    ? coloured.png({ compressionLevel: 1 }).toBuffer()
    : coloured.jpeg({ quality: 90 }).toBuffer();
}
