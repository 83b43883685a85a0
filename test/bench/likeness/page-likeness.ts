import type { PictureBox } from '../page-sets.ts';
import { halved, seenPlanes, type RasterImage } from './image.ts';
import { meanSimilarity, similarityOf, WINDOW } from './ssim.ts';

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
