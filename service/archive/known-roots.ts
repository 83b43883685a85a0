import Joi from 'joi';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJson } from '../../helpers/read-json.ts';
import type { Log } from '../../helpers/log.ts';
import { outputDirectory } from '../profiles/text-rules.ts';
import { writeAtomically } from '../storage/write-atomically.ts';

/** Lies next to the scan directories, whose names never begin with a dot. */
const FILE = '.output-directories.json';

const MAX_ROOTS = 100;

const schema = Joi.array<string[]>().items(outputDirectory).max(MAX_ROOTS);

/**
 * The directories that contain scans: the service's, those of the profiles, and earlier ones,
 * because a mistake in a profile must not make its scans disappear.
 */
export interface KnownRoots {
  readonly list: () => string[];
  /** Remembers a directory before its first scan. Never rejects: at worst, it is forgotten. */
  readonly remember: (root: string) => Promise<void>;
}

/** Reads the remembered directories from a file in `outputDir`. */
export async function openKnownRoots(
  outputDir: string,
  { current, log }: { readonly current: () => readonly string[]; readonly log: Log },
): Promise<KnownRoots> {
  const file = path.join(outputDir, FILE);
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
