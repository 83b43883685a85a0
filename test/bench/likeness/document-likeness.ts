import { mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import { DPI, type PageSet, type PictureBox } from '../page-sets.ts';
import {
  type RasterImage,
  WINDOW,
  halved,
  meanSimilarity,
  seenPlanes,
  similarityOf,
} from './ssim.ts';

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

/** What is looked at: all of a page, the windows that hold edges of text, the pictures, and the colours of the whole page. */
export const FEATURES = ['whole page', 'text edges', 'pictures', 'colours'] as const;
export type Feature = (typeof FEATURES)[number];

/** How like the raw page a page of a document is at one resolution: structural similarity, 1 for the same. */
export interface PageLikeness {
  readonly dpi: number;
  /** A page without colour, or without pictures, lacks these. */
  readonly features: Partial<Readonly<Record<Feature, number>>>;
}

/**
 * A window holds an edge where the raw page differs within it by this much of 255 (standard deviation): far above the grain
 * of paper (2 to 4) and the gradients of pictures, below the thinnest strokes of letters.
 */
const EDGE_CONTRAST = 32;

const MM_PER_INCH = 25.4;

/** Compares a page, rendered at the resolution of the raw page, with it: at that resolution and at half of it. */
export function pageLikeness(
  raw: RasterImage,
  rendered: RasterImage,
  { dpi, pictures }: { readonly dpi: number; readonly pictures: readonly PictureBox[] },
): PageLikeness[] {
  return [
    { dpi, features: featuresOf(raw, rendered, { dpi, pictures }) },
    {
      dpi: dpi / 2,
      features: featuresOf(halved(raw), halved(rendered), { dpi: dpi / 2, pictures }),
    },
  ];
}

function featuresOf(
  raw: RasterImage,
  rendered: RasterImage,
  { dpi, pictures }: { readonly dpi: number; readonly pictures: readonly PictureBox[] },
): Partial<Record<Feature, number>> {
  const [one, other] = [seenPlanes(raw), seenPlanes(rendered)];
  const similarity = similarityOf(one.brightness, other.brightness);
  const mm = MM_PER_INCH / dpi;
  const inPicture = ({ x, y }: { readonly x: number; readonly y: number }): boolean =>
    pictures.some(
      ({ left, top, width, height }) =>
        x * mm >= left &&
        y * mm >= top &&
        (x + WINDOW) * mm <= left + width &&
        (y + WINDOW) * mm <= top + height,
    );
  const found: Record<Feature, number | undefined> = {
    'whole page': meanSimilarity(similarity, () => true),
    'text edges': meanSimilarity(
      similarity,
      (window) => window.contrast >= EDGE_CONTRAST && !inPicture(window),
    ),
    pictures: meanSimilarity(similarity, inPicture),
    colours: colourLikeness(one.colour, other.colour),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

type Colour = ReturnType<typeof seenPlanes>['colour'];

function colourLikeness(one: Colour, other: Colour): number | undefined {
  if (!one || !other) return undefined;
  const blue = meanSimilarity(similarityOf(one[0], other[0]), () => true) ?? 0;
  const red = meanSimilarity(similarityOf(one[1], other[1]), () => true) ?? 0;
  return (blue + red) / 2;
}

/** How many pixels are not the same. Throws for two sizes. */
export function differingPixels(raw: RasterImage, rendered: RasterImage): number {
  if (raw.samples.length !== rendered.samples.length || raw.width !== rendered.width) {
    throw new Error(
      `an image of ${rendered.width}×${rendered.height} is not one of ${raw.width}×${raw.height}`,
    );
  }
  const differing = raw.samples.reduce(
    (count, sample, at) => count + (sample === rendered.samples[at] ? 0 : 1),
    0,
  );
  return differing;
}
