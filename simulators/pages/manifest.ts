import Joi from 'joi';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Paper } from '../virtual-scanner/feeder.ts';

export const PAGES_DIR = import.meta.dirname;

/** A page image: A4 at 300 dpi as scanned, and the text printed on it. */
export interface PageEntry {
  readonly name: string;
  /** Image file, relative to the manifest. */
  readonly file: string;
  /** Text file in UTF-8, in reading order; empty for a blank page. */
  readonly text: string;
  /** Tesseract code. */
  readonly language: 'eng' | 'deu';
  readonly mode: 'gray' | 'color';
  /** `clean`: straight, upright, English and sharp, so OCR must find 98 % of the words. */
  readonly tags: readonly string[];
}

type StackEntry = string | { readonly front: string; readonly back?: string };

export interface Manifest {
  readonly pages: readonly PageEntry[];
  /** Names of pages, by stack. */
  readonly stacks: Readonly<Record<string, readonly StackEntry[]>>;
}

const name = Joi.string().pattern(/^[a-z0-9-]+$/u);

const manifestSchema = Joi.object({
  pages: Joi.array()
    .items(
      Joi.object({
        name: name.required(),
        file: Joi.string().required(),
        text: Joi.string().required(),
        language: Joi.valid('eng', 'deu').required(),
        mode: Joi.valid('gray', 'color').required(),
        tags: Joi.array().items(Joi.string()).required(),
      }),
    )
    .required(),
  stacks: Joi.object()
    .pattern(name, Joi.array().items(name, Joi.object({ front: name.required(), back: name })))
    .required(),
});

/** Reads `manifest.json` of a directory. Throws joi's error if it is invalid. */
export async function readManifest(directory = PAGES_DIR): Promise<Manifest> {
  const text = await readFile(path.join(directory, 'manifest.json'), 'utf8');
  const manifest: Manifest = Joi.attempt(JSON.parse(text), manifestSchema, { convert: false });
  return manifest;
}

export function pagesTagged(manifest: Manifest, tag: string): PageEntry[] {
  return manifest.pages.filter((page) => page.tags.includes(tag));
}

/** A stack with absolute file names. Throws if the manifest lacks the stack or one of its pages. */
export function stackOf(manifest: Manifest, stack: string, directory = PAGES_DIR): Paper[] {
  const entries = manifest.stacks[stack];
  if (!entries) {
    throw new Error(`No stack "${stack}"; there are: ${Object.keys(manifest.stacks).join(', ')}`);
  }
  const file = (page: string): string => path.join(directory, pageNamed(manifest, page).file);
  return entries.map((entry) => {
    if (typeof entry === 'string') return file(entry);
    const { front, back } = entry;
    return { front: file(front), ...(back !== undefined && { back: file(back) }) };
  });
}

export function pageNamed(manifest: Manifest, page: string): PageEntry {
  const entry = manifest.pages.find((known) => known.name === page);
  if (!entry) throw new Error(`No page "${page}" in the manifest`);
  return entry;
}
