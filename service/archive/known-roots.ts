import Joi from 'joi';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJson } from '../../helpers/read-json.ts';
import type { Log } from '../../helpers/log.ts';
import { outputDirectory } from '../profiles/text-rules.ts';
import { writeAtomically } from '../storage/write-atomically.ts';

/** Stored next to the scan directories, whose names differ: they begin with a digit. */
export const KNOWN_ROOTS_FILE = '.output-directories.json';

const MAX_ROOTS = 100;

const schema = Joi.array<string[]>().items(outputDirectory).max(MAX_ROOTS);

/** All directories that contain scans, even if no profile names them any longer. */
export interface KnownRoots {
  readonly list: () => string[];
  /**
   * Call this before the first scan in a directory. Never rejects: if the file cannot be written,
   * the directory is forgotten at the next start.
   */
  readonly remember: (root: string) => Promise<void>;
}

/** Reads the earlier directories from a file in `outputDir`. */
export async function openKnownRoots(
  outputDir: string,
  { current, log }: { readonly current: () => readonly string[]; readonly log: Log },
): Promise<KnownRoots> {
  const file = path.join(outputDir, KNOWN_ROOTS_FILE);
  const text = await readFile(file, 'utf8').catch(() => '[]');
  const { value, error } = schema.validate(parseJson(text));
  const remembered = new Set(error ? [] : value);
  return {
    list: () => [...new Set([outputDir, ...current(), ...remembered])],
    remember: async (root) => {
      if (root === outputDir || remembered.has(root) || remembered.size >= MAX_ROOTS) return;
      remembered.add(root);
      const content = `${JSON.stringify([...remembered], undefined, 2)}\n`;
      await writeAtomically(file, content).catch((err: unknown) => {
        const what = `${root} is forgotten at the next start, unless a profile names it.`;
        log.warn({ event: 'output_dir_not_remembered', root, err }, what);
      });
    },
  };
}
