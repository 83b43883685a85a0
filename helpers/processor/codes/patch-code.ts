import { MM_PER_INCH } from '../../paper.ts';
import type { PageCode } from '../../page-facts.ts';
import type { GrayImage } from './pgm.ts';

/**
 * Patch T is the separator sheet of document scanners: four bars along an edge of the paper, the
 * second and fourth from that edge wide. Narrow bars and all spaces measure 0.08 inch, wide bars
 * 0.2 inch; bars are at least 2 inches long. No bar code reader in Debian or npm supports it.
 */

const NARROW_INCH = 0.08;
const WIDE_INCH = 0.2;
/** Shares of the nominal width that are accepted, since toner spreads and scanners blur. */
const NARROW_SHARES = [0.55, 1.5] as const;
const WIDE_SHARES = [0.72, 1.35] as const;

const PATTERN_RUNS = 7;
/**
 * The histogram samples every 37th pixel. A prime rarely divides the image width, so samples spread
 * over all columns.
 */
const HISTOGRAM_STEP = 37;
const LINES_PER_INCH = 30;
/**
 * Two lines cross the same bars if they are at most GAP_INCH apart, and the first bar moves by at
 * most OFFSET_INCH.
 */
const GAP_INCH = 0.08;
const OFFSET_INCH = 0.03;
/** Minimum length of the bars, and minimum share of lines that must cross them. */
const LEAST_LENGTH_MM = 25;
const LEAST_LINES_SHARE = 0.7;

/** A line of pixels that runs across all four bars. */
interface Crossing {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** The bars from the start of the line, `NWNW` or `WNWN` (narrow, wide). */
  readonly order: string;
}

/** The crossings of the same four bars. */
interface Chain {
  readonly first: Crossing;
  last: Crossing;
  lines: number;
  start: number;
  end: number;
}

/** Reports the text PATCHT, as does the bar code that is also printed on such sheets. */
export function readPatchCodes(image: GrayImage, dpi: number): PageCode[] {
  const dark = darkBelow(image);
  return (['down', 'across'] as const).flatMap((direction) => {
    const lines = linesOf(image, direction);
    return chains(crossings(lines, dark, dpi), dpi)
      .filter((chain) => isPatchT(chain, lines.length, dpi))
      .map((chain) => toCode(chain, direction, dpi));
  });
}

interface Lines {
  readonly pixels: Uint8Array;
  readonly count: number;
  readonly length: number;
  /** Index steps in `pixels` from line to line, and from pixel to pixel of a line. */
  readonly lineStride: number;
  readonly pixelStride: number;
}

function linesOf({ width, height, pixels }: GrayImage, direction: 'down' | 'across'): Lines {
  return direction === 'down'
    ? { pixels, count: width, length: height, lineStride: 1, pixelStride: width }
    : { pixels, count: height, length: width, lineStride: width, pixelStride: 1 };
}

/** The gray level halfway between paper (median) and ink (2nd percentile), from a sample. */
function darkBelow({ pixels }: GrayImage): number {
  const histogram = new Uint32Array(256);
  for (let at = 0; at < pixels.length; at += HISTOGRAM_STEP) {
    const value = pixels[at] ?? 0;
    histogram[value] = (histogram[value] ?? 0) + 1;
  }
  const level = (share: number): number => {
    let left = (share * pixels.length) / HISTOGRAM_STEP;
    return histogram.findIndex((count) => (left -= count) < 0);
  };
  return (level(0.5) + level(0.02)) / 2;
}

function crossings(lines: Lines, dark: number, dpi: number): Crossing[] {
  const found: Crossing[] = [];
  for (let line = 0; line < lines.count; line += lineStep(dpi)) {
    const edges = edgesOf(lines, line, dark);
    // Edges with an even index start ink, the others paper.
    for (let at = 0; at + PATTERN_RUNS < edges.length; at += 2) {
      const order = orderOf(edges, at, dpi);
      if (order === undefined) continue;
      const [start = 0, end = 0] = [edges[at], edges[at + PATTERN_RUNS]];
      found.push({ line, start, end, order });
    }
  }
  return found;
}

function lineStep(dpi: number): number {
  return Math.max(1, Math.round(dpi / LINES_PER_INCH));
}

function edgesOf(lines: Lines, line: number, dark: number): number[] {
  const { pixels, length, lineStride, pixelStride } = lines;
  const edges: number[] = [];
  let wasInk = false;
  for (let at = 0, place = line * lineStride; at < length; at += 1, place += pixelStride) {
    const isInk = (pixels[place] ?? 0) < dark;
    if (isInk !== wasInk) edges.push(at);
    wasInk = isInk;
  }
  return edges;
}

/** The order of the bars that start at an edge; undefined if the widths do not match. */
function orderOf(edges: readonly number[], at: number, dpi: number): string | undefined {
  let order = '';
  for (let run = 0; run < PATTERN_RUNS; run += 1) {
    const inches = ((edges[at + run + 1] ?? 0) - (edges[at + run] ?? 0)) / dpi;
    const isBar = run % 2 === 0;
    if (isWithin(inches / NARROW_INCH, NARROW_SHARES)) order += isBar ? 'N' : '';
    else if (isBar && isWithin(inches / WIDE_INCH, WIDE_SHARES)) order += 'W';
    else return undefined;
  }
  return order === 'NWNW' || order === 'WNWN' ? order : undefined;
}

function isWithin(share: number, [low, high]: readonly [number, number]): boolean {
  return share >= low && share <= high;
}

/** Groups crossings of the same bars. `found` must be in line order. */
function chains(found: readonly Crossing[], dpi: number): Chain[] {
  const all: Chain[] = [];
  for (const crossing of found) {
    const { line, start, end, order } = crossing;
    const chain = all.findLast(
      ({ last }) =>
        last.order === order &&
        line - last.line <= GAP_INCH * dpi &&
        Math.abs(start - last.start) <= OFFSET_INCH * dpi,
    );
    if (!chain) {
      all.push({ first: crossing, last: crossing, lines: 1, start, end });
      continue;
    }
    chain.last = crossing;
    chain.lines += 1;
    chain.start = Math.min(chain.start, start);
    chain.end = Math.max(chain.end, end);
  }
  return all;
}

/** True if the bars are long enough and, from the nearer edge of the page, in the right order. */
function isPatchT(chain: Chain, acrossPixels: number, dpi: number): boolean {
  const pixels = chain.last.line - chain.first.line;
  const isLong = (pixels / dpi) * MM_PER_INCH >= LEAST_LENGTH_MM;
  const isWhole = chain.lines >= (pixels / lineStep(dpi)) * LEAST_LINES_SHARE;
  const isFromStart = (chain.start + chain.end) / 2 < acrossPixels / 2;
  return isLong && isWhole && chain.first.order === (isFromStart ? 'NWNW' : 'WNWN');
}

function toCode(chain: Chain, direction: 'down' | 'across', dpi: number): PageCode {
  const mm = (pixels: number): number => Math.round((pixels / dpi) * MM_PER_INCH * 10) / 10;
  const along = { at: mm(chain.first.line), size: mm(chain.last.line - chain.first.line) };
  const across = { at: mm(chain.start), size: mm(chain.end - chain.start) };
  const [x, y] = direction === 'down' ? [along, across] : [across, along];
  return {
    type: 'patch_t',
    text: 'PATCHT',
    x_mm: x.at,
    y_mm: y.at,
    width_mm: x.size,
    height_mm: y.size,
  };
}
