import { readdir } from 'node:fs/promises';
import sharp from 'sharp';
import { readManifest, stackOf } from '../../simulators/pages/manifest.ts';
import { pageFiles } from '../../simulators/virtual-scanner/page-files.ts';
import type { Paper } from '../../simulators/virtual-scanner/virtual-scanner.ts';
import { DemoError } from './demo-error.ts';

const SHIPPED_STACK = 'demo';

/** The images of `directory` in name order, or the shipped stack. */
export async function paperToScan(directory: string | undefined): Promise<readonly Paper[]> {
  if (directory === undefined) return stackOf(await readManifest(), SHIPPED_STACK);
  const files = await imagesOf(directory);
  for (const file of files) await refuseUnreadable(file);
  if (files.length > 0) return files;
  throw new DemoError(`There is no PNG, JPEG or TIFF image in ${directory}.`);
}

async function imagesOf(directory: string): Promise<string[]> {
  try {
    await readdir(directory);
  } catch (cause) {
    throw new DemoError(`Cannot read the directory ${directory}.`, { cause });
  }
  return pageFiles(directory);
}

/** An unreadable image would look like the end of the stack. */
async function refuseUnreadable(file: string): Promise<void> {
  try {
    await sharp(file).metadata();
  } catch (cause) {
    throw new DemoError(`${file} is not a readable image.`, { cause });
  }
}

export function isDuplex(papers: readonly Paper[]): boolean {
  return papers.some((paper) => typeof paper !== 'string' && paper.back !== undefined);
}
