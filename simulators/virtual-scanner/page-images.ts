import sharp, { type Sharp } from 'sharp';
import { UNITS_PER_INCH, type ScanSettings } from './scan-settings.ts';

const DEFAULT_FILE_DPI = 300;

/** libvips reports this for files without a resolution. No useful scan has so little. */
const UNSAID_DPI = 72;

/** Images in memory, newest first. Ten colour pages at 300 dpi take about 100 MB. */
const CACHE_BYTES = 256 * 1024 * 1024;

const WHITE = { r: 255, g: 255, b: 255 } as const;
const BLACK = { r: 22, g: 22, b: 22 } as const;

export interface Look {
  readonly backing: 'white' | 'black';
}

const PLAIN: Look = { backing: 'white' };

/** Undefined is a white page. */
export type PageFile = string | undefined;

/** Page images as the scanner sends them, rendered once per page and settings. */
export class PageImages {
  readonly #images = new Map<string, Promise<Buffer>>();
  readonly #sizes = new Map<string, number>();
  readonly #look: Look;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(look: Look = PLAIN, maxBytes = CACHE_BYTES) {
    this.#look = look;
    this.#maxBytes = maxBytes;
  }

  /** `turned`: upside down. Rejects if the file cannot be read. */
  get(file: PageFile, settings: ScanSettings, turned = false): Promise<Buffer> {
    const { mode, resolution, region, format } = settings;
    const key = JSON.stringify([file, turned, mode, resolution, region, format]);
    const known = this.#images.get(key);
    if (known) return known;
    const render = (): Promise<Buffer> => renderPage(file, settings, { ...this.#look, turned });
    const image = this.#keep(key, render);
    this.#images.set(key, image);
    return image;
  }

  /** Starts rendering an image in advance. If that fails, `get` rejects. */
  prepare(file: PageFile, settings: ScanSettings, turned = false): void {
    this.get(file, settings, turned).catch(() => {});
  }

  async #keep(key: string, render: () => Promise<Buffer>): Promise<Buffer> {
    try {
      const image = await render();
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
 * Renders a page as scanned: exactly the requested pixels, the paper at the top left, and the
 * backing around it. The resolution in the file determines the size of the paper.
 */
export async function renderPage(
  file: PageFile,
  settings: ScanSettings,
  { backing, turned }: Look & { readonly turned: boolean } = { ...PLAIN, turned: false },
): Promise<Buffer> {
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
    .rotate(turned ? 180 : 0)
    .extend({
      right: width - paperWidth,
      bottom: height - paperHeight,
      background: backing === 'white' ? WHITE : BLACK,
    });
  return encode(image, settings);
}

function toPixels(length: number, dpi: number, unitsPerInch = UNITS_PER_INCH): number {
  return Math.max(1, Math.round((length * dpi) / unitsPerInch));
}

/** In pixels of the file. */
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
