export type Source = 'Flatbed' | 'ADF' | 'ADF Duplex';
export type Mode = 'Color' | 'Gray';
export type TransferFormat = 'image/png' | 'image/jpeg';

export const RESOLUTIONS: readonly number[] = [100, 150, 200, 300, 400, 600];
export const TRANSFER_FORMATS: readonly TransferFormat[] = ['image/png', 'image/jpeg'];

/** eSCL measures regions in 1/300 inch at any resolution. */
export const UNITS_PER_INCH = 300;

/**
 * Largest areas in 1/300 inch: 215.9 × 297 mm on the glass, 215.9 × 355.6 mm (legal) through the
 * feeder.
 */
export const GLASS_AREA = { width: 2550, height: 3508 } as const;
export const FEEDER_AREA = { width: 2550, height: 4200 } as const;

/** In 1/300 inch from the top left corner of the paper. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface ScanSettings {
  readonly source: Source;
  readonly mode: Mode;
  /** In dpi, the same in both directions. */
  readonly resolution: number;
  readonly region: Region;
  readonly format: TransferFormat;
}

/**
 * Parses the body of `POST ScanJobs`. Undefined for settings that such a device refuses: unknown
 * values, or a region outside the area of the source.
 */
export function parseScanSettings(xml: string): ScanSettings | undefined {
  const source = parseSource(xml);
  const mode = parseMode(xml);
  const format = parseFormat(xml);
  const resolution = number(xml, 'XResolution');
  const region = parseRegion(xml, source);
  if (!source || !mode || !format || !region) return undefined;
  if (!RESOLUTIONS.includes(resolution) || number(xml, 'YResolution') !== resolution) {
    return undefined;
  }
  return { source, mode, resolution, region, format };
}

function parseSource(xml: string): Source | undefined {
  const input = element(xml, 'InputSource');
  if (input === 'Platen') return 'Flatbed';
  if (input !== 'Feeder') return undefined;
  return element(xml, 'Duplex') === 'true' ? 'ADF Duplex' : 'ADF';
}

function parseMode(xml: string): Mode | undefined {
  const mode = element(xml, 'ColorMode');
  if (mode === 'RGB24') return 'Color';
  return mode === 'Grayscale8' ? 'Gray' : undefined;
}

function parseFormat(xml: string): TransferFormat | undefined {
  const format = element(xml, 'DocumentFormatExt') ?? element(xml, 'DocumentFormat');
  return TRANSFER_FORMATS.find((known) => known === format);
}

function parseRegion(xml: string, source: Source | undefined): Region | undefined {
  const area = source === 'Flatbed' ? GLASS_AREA : FEEDER_AREA;
  const region = {
    x: number(xml, 'XOffset'),
    y: number(xml, 'YOffset'),
    width: number(xml, 'Width'),
    height: number(xml, 'Height'),
  };
  const inside =
    region.x >= 0 &&
    region.y >= 0 &&
    region.width > 0 &&
    region.height > 0 &&
    region.x + region.width <= area.width &&
    region.y + region.height <= area.height;
  return inside ? region : undefined;
}

/** Text of the first element with this local name, with any namespace prefix. */
function element(xml: string, name: string): string | undefined {
  return new RegExp(`<(?:\\w+:)?${name}>\\s*([^<]*?)\\s*</`, 'u').exec(xml)?.[1];
}

function number(xml: string, name: string): number {
  return Number.parseInt(element(xml, name) ?? '', 10);
}
