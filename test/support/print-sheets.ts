import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { writePdf, type Drawing } from '../../deploy/separator-sheets/pdf.ts';
import type { Paper } from '../../simulators/virtual-scanner/virtual-scanner.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { outputOf } from './programs.ts';

export interface PrintedSide {
  readonly drawing: Drawing;
  readonly turned?: boolean;
  readonly pencil?: boolean;
}

export interface PrintedSheet {
  readonly front: PrintedSide;
  readonly back?: PrintedSide;
}

export interface PrintedSheets {
  readonly sheets: readonly Paper[];
  readonly remove: () => Promise<void>;
}

const DPI = 150;

const PENCIL =
  '<svg width="400" height="200"><path d="M20 120 q40 -90 70 0 t70 0 t70 -10 t70 10 t70 -20 M40 160 h250" fill="none" stroke="#7c7c7c" stroke-width="3"/></svg>';

export async function printSheets(sheets: readonly PrintedSheet[]): Promise<PrintedSheets> {
  const directory = await temporaryDirectory();
  const sides = sheets.flatMap(({ front, back }) => (back ? [front, back] : [front]));
  const files = await print(sides, directory.path);
  const fileOf = (side: PrintedSide): string => files[sides.indexOf(side)] ?? '';
  return {
    sheets: sheets.map(({ front, back }) => ({
      front: fileOf(front),
      ...(back && { back: fileOf(back) }),
    })),
    remove: () => directory.remove(),
  };
}

async function print(sides: readonly PrintedSide[], directory: string): Promise<string[]> {
  const pdf = path.join(directory, 'sheets.pdf');
  await writeFile(pdf, writePdf(sides.map(({ drawing }) => drawing)));
  const how = ['-r', String(DPI), '-gray', '-tiff', '-tiffcompression', 'none'];
  await outputOf('pdftoppm', [...how, pdf, path.join(directory, 'side')]);
  const names = (await readdir(directory)).filter((name) => name.endsWith('.tif')).toSorted();
  return Promise.all(names.map((name, index) => finish(path.join(directory, name), sides[index])));
}

async function finish(file: string, side: PrintedSide | undefined): Promise<string> {
  if (side?.turned !== true && side?.pencil !== true) return file;
  const finished = `${file}.done.png`;
  const image = sharp(file).rotate(side.turned === true ? 180 : 0);
  const written = side.pencil === true ? [{ input: Buffer.from(PENCIL), left: 300, top: 700 }] : [];
  await image.composite(written).withMetadata({ density: DPI }).toFile(finished);
  return finished;
}
