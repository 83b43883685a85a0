import { mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { programEnvironment, runProgram } from '../../helpers/child-process.ts';
import { DPI, type PageSet, type PictureBox } from './page-sets.ts';
import { sum } from './statistics.ts';
import type { Table } from './tables.ts';

/** What is looked at: all of a page, the windows that hold edges of text, the pictures, and the colours of the whole page. */
const FEATURES = ['whole page', 'text edges', 'pictures', 'colours'] as const;
type Feature = (typeof FEATURES)[number];

/** How like the raw page a page of a document is at one resolution: structural similarity, 1 for the same. */
interface PageLikeness {
  readonly dpi: number;
  /** A page without colour, or without pictures, lacks these. */
  readonly features: Partial<Readonly<Record<Feature, number>>>;
}

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

/** For one page, on a slow machine. */
const PAGE_MS = 60_000;

/** Renders each page of each document at the resolution of the raw pages and compares it with its own, then at half of it. */
export async function compareDocuments(given: Documents): Promise<DocumentLikeness[]> {
  const { set, raw, documents, directory } = given;
  const compared: DocumentLikeness[] = [];
  for (const [side, document] of documents) {
    const likeness: PageLikeness[] = [];
    const differing: number[] = [];
    for (const [index, file] of raw.entries()) {
      const rendered = await renderPage(document, { page: index + 1, like: file, directory });
      const pictures = set.pictures[index] ?? [];
      const bilevel = set.mode === 'lineart';
      const found = await compare(file, rendered, { pictures, bilevel });
      if (bilevel) differing.push(found as number);
      else likeness.push(...(found as PageLikeness[]));
      await rm(path.dirname(rendered), { recursive: true });
    }
    const differing_pixels = set.mode === 'lineart' ? differing : null;
    compared.push({ mode: set.mode, pages: raw.length, side, likeness, differing_pixels });
  }
  return compared;
}

/**
 * One page of a document as an image file in a directory of its own, as large as another, by cairo: where the resolution is
 * that of the scan it shows each pixel of it as it is. (pdftoppm makes a page of 2480 pixels one pixel wider, by the last
 * digit of its size, and scales it; what cairo has too much is cut off.)
 */
async function renderPage(
  document: string,
  { page, like, directory }: { page: number; like: string; directory: string },
): Promise<string> {
  const into = await mkdtemp(path.join(directory, 'rendered-'));
  const { width, height, channels } = await sharp(like).metadata();
  const which = ['-f', String(page), '-l', String(page), '-r', String(DPI)];
  const size = ['-x', '0', '-y', '0', '-W', String(width), '-H', String(height)];
  const colours = channels === 1 ? ['-gray'] : [];
  const ended = await runProgram(
    {
      file: 'pdftocairo',
      args: ['-tiff', ...colours, ...which, ...size, document, path.join(into, 'page')],
      cwd: into,
      env: programEnvironment(),
    },
    { timeoutMs: PAGE_MS },
  );
  const [image] = await readdir(into);
  if (ended.exitCode !== 0 || image === undefined) throw new Error(`pdftocairo: ${ended.stderr}`);
  return path.join(into, image);
}

/** What likeness.py says of a page beside its raw page. */
async function compare(
  raw: string,
  rendered: string,
  { pictures, bilevel }: { pictures: readonly PictureBox[]; bilevel: boolean },
): Promise<unknown> {
  const script = path.join(import.meta.dirname, 'likeness.py');
  const args = [raw, rendered, String(DPI), JSON.stringify(pictures)];
  const ended = await runProgram(
    {
      file: '/usr/bin/python3',
      args: [script, ...args, ...(bilevel ? ['--bilevel'] : [])],
      cwd: path.dirname(rendered),
      env: programEnvironment(),
    },
    { timeoutMs: PAGE_MS },
  );
  if (ended.exitCode !== 0) throw new Error(`likeness.py: ${ended.stderr}`);
  return JSON.parse(ended.stdout);
}

/**
 * By how much the page of a document that comes off worst against the same page of another document is less like its raw
 * page, over all resolutions, for each feature that both have; negative where every page is more like it.
 */
export function shortfalls(
  document: DocumentLikeness,
  other: DocumentLikeness,
): { readonly feature: Feature; readonly shortfall: number }[] {
  return FEATURES.flatMap((feature) => {
    const differences = document.likeness.flatMap(({ features }, index) => {
      const one = features[feature];
      const two = other.likeness[index]?.features[feature];
      return one === undefined || two === undefined ? [] : [two - one];
    });
    return differences.length === 0 ? [] : [{ feature, shortfall: Math.max(...differences) }];
  });
}

/** How like the raw pages the documents are: structural similarity, the mean of all pages and the worst page. */
export function likenessTable(documents: readonly DocumentLikeness[]): Table {
  const headings = ['mode', 'pages', 'side', 'dpi', ...FEATURES, 'pixels that differ'];
  const cells = documents.flatMap(({ mode, pages, side, likeness, differing_pixels }) => {
    const who = [mode, String(pages), side];
    if (differing_pixels) {
      return [[...who, String(DPI), ...FEATURES.map(() => '–'), String(sum(differing_pixels))]];
    }
    return [DPI, DPI / 2].map((dpi) => {
      const features = FEATURES.map((feature) => {
        const values = likeness
          .filter((page) => page.dpi === dpi)
          .flatMap((page) => page.features[feature] ?? []);
        return values.length === 0
          ? '–'
          : `${(sum(values) / values.length).toFixed(4)}, worst ${Math.min(...values).toFixed(4)}`;
      });
      return [...who, String(dpi), ...features, '–'];
    });
  });
  return [headings, ...cells];
}
