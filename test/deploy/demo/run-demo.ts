import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PAGES_DIR } from '../../../simulators/pages/manifest.ts';
import { watchProgram, type WatchedProgram } from '../../support/programs.ts';
import { assert } from '../../support/suite.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'deploy', 'demo', 'main.ts');

/** A start, a scan of two pages and their recognition take about 10 s on a machine with two busy cores. */
const DEMO_WITHIN_MS = 90_000;

/** A small page, for speed, and a word of its first lines. */
const PAGE = join(PAGES_DIR, 'receipt.jpg');
export const WORD = 'Station';

/** Where a demo of a test finds its pages and keeps its files. */
export interface Folders {
  readonly root: string;
  /** Has one page in it, `1.jpg`. */
  readonly pages: string;
  /** Not there yet. */
  readonly work: string;
  /** Puts another page on the pile. */
  readonly addPage: (name: string) => Promise<void>;
  /** Makes sure that nothing runs in them any more. */
  readonly close: () => Promise<void>;
}

export async function createFolders(root: string): Promise<Folders> {
  const pages = join(root, 'pages');
  const addPage = (name: string): Promise<void> => copyFile(PAGE, join(pages, name));
  await mkdir(pages);
  await addPage('1.jpg');
  return {
    root,
    pages,
    work: join(root, 'work'),
    addPage,
    close: async () => assert.equal(await processesIn(root), []),
  };
}

/** Starts the demo on any free port, with a feeder that holds nobody up. The arguments come after those of the folders. */
export function startDemo(
  { pages, work }: Pick<Folders, 'pages' | 'work'>,
  args: readonly string[],
  env: Record<string, string> = {},
): WatchedProgram {
  const given = ['--port', '0', '--ppm', '600', '--pages', pages, '--dir', work, ...args];
  const demo = [process.execPath, MAIN, ...given] as const;
  return watchProgram(demo, { env: { ...process.env, ...env }, withinMs: DEMO_WITHIN_MS });
}

/** Command lines of all processes whose environment or arguments name the directory. */
export async function processesIn(directory: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = (pid: string, file: string): Promise<string> =>
    readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const known = await Promise.all(
    pids.map(async (pid) => {
      const command = await read(pid, 'cmdline');
      return { command, all: command + (await read(pid, 'environ')) };
    }),
  );
  return known.filter(({ all }) => all.includes(directory)).map(({ command }) => command);
}
