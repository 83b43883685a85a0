import { mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import { DPI, type PageSet } from '../page-sets.ts';
import type { RasterImage } from './image.ts';
import { differingPixels, pageLikeness, type PageLikeness } from './page-likeness.ts';

/** How like the raw pages the document of one side is. */
export interface DocumentLikeness {
  readonly mode: string;
  readonly pages: number;
  readonly side: string;
  /** Each page, at each resolution; empty for line art. */
  readonly likeness: readonly PageLikeness[];
  /** Line art only: the pixels of each page that are not those of the raw page. */
  readonly differing_pixels: readonly number[] | null;
}

interface Documents {
  readonly set: PageSet;
  /** The raw page of each page of the set. */
  readonly raw: readonly string[];
  /** The document of each side. */
  readonly documents: ReadonlyMap<string, string>;
  /** Where there is room for pages. */
  readonly directory: string;
}

interface RenderOptions {
  /** Counted from 1. */
  readonly page: number;
  /** The image that it is to be compared with. */
  readonly like: RasterImage;
  /** Where there is room for it. */
  readonly directory: string;
}

/** For one page, on a slow machine. */
const RENDER_MS = 60_000;

/** Renders each page of each document at the resolution of the raw pages and compares it with its own. */
export async function compareDocuments(given: Documents): Promise<DocumentLikeness[]> {
  const { set, raw, documents, directory } = given;
  const compared: DocumentLikeness[] = [];
  for (const [side, document] of documents) {
    const likeness: PageLikeness[] = [];
    const differing: number[] = [];
    for (const [index, file] of raw.entries()) {
      const wanted = await readImage(file);
      const rendered = await renderPage(document, { page: index + 1, like: wanted, directory });
      if (set.mode === 'lineart') {
        differing.push(differingPixels(wanted, rendered));
      } else {
        const pictures = set.pictures[index] ?? [];
        likeness.push(...pageLikeness(wanted, rendered, { dpi: DPI, pictures }));
      }
    }
    const differing_pixels = set.mode === 'lineart' ? differing : null;
    compared.push({ mode: set.mode, pages: raw.length, side, likeness, differing_pixels });
  }
  return compared;
}

/**
 * One page of a document as an image as large as another, by cairo: where the resolution is that of the scan it shows each
 * pixel of it as it is. (pdftoppm makes a page of 2480 pixels one pixel wider, by the last digit of its size, and scales it;
 * what cairo has too much is cut off.)
 */
async function renderPage(
  document: string,
  { page, like, directory }: RenderOptions,
): Promise<RasterImage> {
  const into = await mkdtemp(path.join(directory, 'rendered-'));
  try {
    const which = ['-f', String(page), '-l', String(page), '-r', String(DPI)];
    const size = ['-x', '0', '-y', '0', '-W', String(like.width), '-H', String(like.height)];
    const colours = like.channels === 1 ? ['-gray'] : [];
    const ended = await runProgram(
      {
        file: 'pdftocairo',
        args: ['-tiff', ...colours, ...which, ...size, document, path.join(into, 'page')],
        cwd: into,
        env: programEnvironment(),
      },
      { timeoutMs: RENDER_MS },
    );
    const [image] = await readdir(into);
    if (ended.exitCode !== 0 || image === undefined) {
      throw new Error(`pdftocairo: ${ended.stderr}`);
    }
    return await readImage(path.join(into, image));
  } finally {
    await rm(into, { recursive: true });
  }
}

/** Reads an image file of gray, bilevel or colour. */
async function readImage(file: string): Promise<RasterImage> {
  const image = sharp(file);
  const { channels } = await image.metadata();
  const { data, info } = await (channels === 1 ? image.toColourspace('b-w') : image.removeAlpha())
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { width, height, channels: channels === 1 ? 1 : 3, samples: data };
}
