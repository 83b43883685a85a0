import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PAGES_DIR } from '../../simulators/pages/manifest.ts';
import { outputOf } from './programs.ts';

/** A page that OCR reads badly; see simulators/pages/hard. */
export interface HardPage {
  readonly name: string;
  readonly language: string;
  readonly tiff: string;
  readonly text: string;
}

/** Time limit for rendering the pages. The whole set takes about 30 s of CPU. */
const TIMEOUT_MS = 15 * 60_000;

/** Renders pages into a directory: the named ones, the reduced set (`quick`), or `all`. */
export async function makeHardPages(
  directory: string,
  names: readonly string[],
  seed = 0,
): Promise<HardPage[]> {
  const script = path.join(PAGES_DIR, 'hard/make.py');
  // Python 3.11 takes all names only before options.
  const args = ['-B', script, directory, ...names, '--seed', String(seed)];
  const made = await outputOf('/usr/bin/python3', args, { timeoutMs: TIMEOUT_MS });
  const pages = made.trim().split('\n');
  return Promise.all(
    pages.map(async (line): Promise<HardPage> => {
      const page: Pick<HardPage, 'name' | 'language'> = JSON.parse(line);
      const text = await readFile(path.join(directory, `${page.name}.txt`), 'utf8');
      return { ...page, text, tiff: path.join(directory, `${page.name}.tif`) };
    }),
  );
}
