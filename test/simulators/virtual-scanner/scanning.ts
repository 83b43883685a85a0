import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import type { Test } from 'uvu';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
  type VirtualScanner,
  type VirtualScannerOptions,
} from '../../../simulators/virtual-scanner/virtual-scanner.ts';

/** Longer than any scan here; only a hang takes it. */
const SCAN_TIMEOUT_MS = 90_000;

/** A scanimage of a busy machine may pause between two pages for longer than a scanner waits for one that has crashed. */
const ORPHAN_AFTER_MS = 60_000;

const DEVICE = 'airscan:e0:Virtual';

/** How scanimage ended, and the pages it says it wrote. */
export interface Scanned {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly pages: readonly string[];
}

/** What `startsBenches` puts into the context of each test. */
export interface Benches {
  readonly start: (options?: VirtualScannerOptions) => Promise<ScanBench>;
  readonly started: ScanBench[];
}

/** Gives each test of a suite `start`, and stops what it started also when it fails. */
export function startsBenches(test: Test<Benches>): void {
  test.before.each((context) => {
    const started: ScanBench[] = [];
    const start = async (options?: VirtualScannerOptions): Promise<ScanBench> => {
      const bench = await ScanBench.start(options);
      started.push(bench);
      return bench;
    };
    Object.assign(context, { start, started });
  });
  test.after.each(async ({ started }) => {
    await Promise.all(started.map((bench) => bench.stop()));
  });
}

/** A virtual scanner, a private SANE configuration that knows it, and page images to feed it with. */
export class ScanBench {
  readonly scanner: VirtualScanner;
  readonly #directory: TemporaryDirectory;

  private constructor(scanner: VirtualScanner, directory: TemporaryDirectory) {
    this.scanner = scanner;
    this.#directory = directory;
  }

  static async start(options: VirtualScannerOptions = {}): Promise<ScanBench> {
    const directory = await temporaryDirectory();
    const scanner = await createVirtualScanner({ orphanAfterMs: ORPHAN_AFTER_MS, ...options });
    await writeSaneConfig(path.join(directory.path, 'sane'), [
      { name: 'Virtual', url: scanner.url },
    ]);
    return new ScanBench(scanner, directory);
  }

  /** A5 at 75 dpi, all of one gray level: files that are quick to scan and can be told apart. */
  async pages(...levels: readonly number[]): Promise<string[]> {
    return Promise.all(levels.map((level) => grayPage(this.file(`gray-${level}.png`), level)));
  }

  file(name: string): string {
    return path.join(this.#directory.path, name);
  }

  /** Runs the real scanimage on the virtual scanner. */
  async scanimage(args: readonly string[], timeoutMs = SCAN_TIMEOUT_MS): Promise<Scanned> {
    const ended = await runProgram(
      {
        file: 'scanimage',
        args: ['-d', DEVICE, ...args],
        cwd: this.#directory.path,
        env: programEnvironment({ SANE_CONFIG_DIR: this.file('sane') }),
      },
      { timeoutMs },
    );
    const { exitCode, stdout, stderr } = ended;
    const pages = stdout.split('\n').filter((line) => line.endsWith('.tif'));
    return { exitCode, stdout, stderr, pages: pages.map((page) => this.file(page)) };
  }

  /** Scans a batch of A5 pages, in gray at 100 dpi unless `args` says otherwise. */
  async scan(source: string, args: readonly string[] = []): Promise<Scanned> {
    const size = ['-x', '148', '-y', '210'];
    const settings = ['--source', source, '--mode', 'Gray', '--resolution', '100', ...size];
    const batch = ['--format=tiff', '--batch=page-%04d.tif', '--batch-print'];
    return this.scanimage([...settings, ...batch, ...args]);
  }

  async stop(): Promise<void> {
    await this.scanner.close();
    await this.#directory.remove();
  }
}

/** The gray level in the middle of a page image. */
export async function levelOf(file: string): Promise<number> {
  const { data } = await sharp(file)
    .extract({ left: 100, top: 100, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return data[0] ?? Number.NaN;
}

async function grayPage(file: string, level: number): Promise<string> {
  const background = { r: level, g: level, b: level };
  const image = sharp({ create: { width: 437, height: 620, channels: 3, background } });
  await writeFile(file, await image.withDensity(75).png().toBuffer());
  return file;
}
