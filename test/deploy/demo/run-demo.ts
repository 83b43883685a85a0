import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PAGES_DIR } from '../../../simulators/pages/manifest.ts';
import { type Fixture, assert, temporaryDirectory, within } from '../../support/suite.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'deploy', 'demo', 'main.ts');

/** A start, a scan of two pages and their recognition take about 10 s on a machine with two busy cores. */
const DEMO_WITHIN_MS = 90_000;

/** A small page, for speed, and a word of its first lines. */
const PAGE = join(PAGES_DIR, 'receipt.jpg');
export const WORD = 'Station';

/** Where a demo of a test finds its pages and keeps its files. */
export interface Folders extends Fixture {
  readonly root: string;
  /** Has one page in it, `1.jpg`. */
  readonly pages: string;
  /** Not there yet. */
  readonly work: string;
  /** Puts another page on the pile. */
  readonly addPage: (name: string) => Promise<void>;
  /** Also makes sure that nothing runs in them any more. */
  readonly close: () => Promise<void>;
}

export async function createFolders(): Promise<Folders> {
  const directory = await temporaryDirectory();
  const pages = join(directory.path, 'pages');
  const addPage = (name: string): Promise<void> => copyFile(PAGE, join(pages, name));
  await mkdir(pages);
  await addPage('1.jpg');
  return {
    root: directory.path,
    pages,
    work: join(directory.path, 'work'),
    addPage,
    close: async () => {
      const left = await processesIn(directory.path);
      await directory.remove();
      assert.equal(left, []);
    },
  };
}

export interface Demo {
  readonly pid: number;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Waits until the text was printed, and resolves to all that was printed until then. */
  readonly printed: (text: string) => Promise<string>;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Starts the demo on any free port, with a feeder that holds nobody up. */
export function startDemo(args: readonly string[], env: Record<string, string> = {}): Demo {
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--ppm', '600', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const closed = once(child, 'close');
  const printed = async (text: string): Promise<string> => {
    while (!output.stdout.includes(text)) {
      const more = await Promise.race([once(child.stdout, 'data'), closed.then(() => undefined)]);
      if (more === undefined) throw new Error(`ended: ${output.stdout}${output.stderr}`);
    }
    return output.stdout;
  };
  return {
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    printed: (text) => within(DEMO_WITHIN_MS, printed(text), `"${text}"`),
    ended: within(
      DEMO_WITHIN_MS,
      closed.then(() => ({ code: child.exitCode, ...output })),
      'the end',
    ),
  };
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
