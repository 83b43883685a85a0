import path from 'node:path';
import sharp from 'sharp';
import { turnedCrop, type Crop, type QuarterTurn } from '../../../../helpers/page-crop.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import { pageTiff, scanned } from './page-samples.ts';

const DPI = 300;
/** The width of Letter and the height of A4. */
const AREA = { width: 2550, height: 3508 };

export interface AskewPaper {
  readonly paper: PageImage;
  /** Degrees, clockwise. */
  readonly angle: number;
  readonly backing?: string;
  /** How far the scanned page is turned, clockwise. */
  readonly turned?: QuarterTurn;
  readonly mode?: 'bits' | 'gray' | 'colour';
}

/** Writes a receipt that lies askew and upside down on the glass, as the scanner sees it. */
export async function askewReceipt(directory: string): Promise<string> {
  const paper = await pageTiff(directory, 'receipt');
  const { image } = await askewScan(directory, { paper, angle: RECEIPT_ANGLE, turned: 180 });
  const file = path.join(directory, 'receipt.png');
  await sharp(image.file).withDensity(DPI).png().toFile(file);
  return file;
}

/** In degrees, clockwise. */
const RECEIPT_ANGLE = 6;

/** Width and height of the receipt's paper. */
export const RECEIPT_MM = [82, 182] as const;

/** Writes a scan of askew paper. Returns it with the crop that would leave only the paper. */
export async function askewScan(
  directory: string,
  { paper, angle, backing = '#202020', turned = 0, mode = 'gray' }: AskewPaper,
): Promise<{ readonly image: PageImage; readonly crop: Crop }> {
  const rotated = await sharp(paper.file)
    .toColourspace('srgb')
    .rotate(angle, { background: backing })
    .png()
    .toBuffer({ resolveWithObject: true });
  const left = Math.round((AREA.width - rotated.info.width) / 2);
  const top = Math.round((AREA.height - rotated.info.height) / 2);
  const whole = await sharp({ create: { ...AREA, channels: 3, background: backing } })
    .composite([{ input: rotated.data, left, top }])
    .raw()
    .toBuffer({ resolveWithObject: true });
  const scan = sharp(whole.data, { raw: whole.info }).rotate(turned);
  const name = `askew-${angle}-${turned}-${mode}.tif`;
  const image = await scanned(path.join(directory, name), scan, { dpi: DPI, mode });
  const crop = {
    x: (left + (rotated.info.width - paper.width) / 2) / AREA.width,
    y: (top + (rotated.info.height - paper.height) / 2) / AREA.height,
    width: paper.width / AREA.width,
    height: paper.height / AREA.height,
    angle,
  };
  return { image, crop: turnedCrop(crop, turned) };
}
