import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { programEnvironment, runProgram } from '../../helpers/child-process.ts';
import { DPI, type PageSet } from './page-sets.ts';
import type { Workbench } from './workbench.ts';

/** The raw pages of a directory, in order. */
export async function rawPagesIn(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => /^page-\d{4}\.tif$/.test(name));
  return names.toSorted().map((name) => path.join(directory, name));
}

/** SHA-256 of each file: two sides that were given the same pages have the same ones. */
export async function hashesOf(files: readonly string[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const file of files) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    hashes.push(hash.digest('hex'));
  }
  return hashes;
}

/** Ten pages as fast as they come, on a slow machine. */
const SCAN_MS = 180_000;

/**
 * Scans the pages of a set as scanimage does it for every side, into `directory`, and gives the raw files. The scanner
 * without a pace has them ready from then on, so that making them costs no later run anything.
 */
export async function scanRawPages(
  bench: Workbench,
  set: PageSet,
  directory: string,
): Promise<string[]> {
  bench.scanners.unpaced.load(set.files);
  const ended = await runProgram(
    {
      file: 'scanimage',
      args: [
        `--device-name=${bench.deviceName('unpaced')}`,
        '--source=ADF',
        `--mode=${set.mode === 'colour' ? 'Color' : 'Gray'}`,
        `--resolution=${DPI}`,
        '-x',
        '210',
        '-y',
        '297',
        '--format=tiff',
        `--batch=${path.join(directory, 'page-%04d.tif')}`,
      ],
      cwd: directory,
      env: programEnvironment({ SANE_CONFIG_DIR: bench.saneConfig }),
    },
    { timeoutMs: SCAN_MS },
  );
  const files = await rawPagesIn(directory);
  if (ended.exitCode !== 0 || files.length !== set.files.length) {
    throw new Error(`scanimage gave ${files.length} pages: ${ended.stderr}`);
  }
  return files;
}
