import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import { MM_PER_INCH } from '../../../helpers/paper.ts';

const PRINT_TIMEOUT_MS = 60_000;

const DPI = 300;

export interface PrintOrder {
  readonly sources: string;
  readonly name: string;
  readonly color: boolean;
  readonly size: { readonly width: number; readonly height: number };
  readonly workDir: string;
}

/** Prints a source page at 300 dpi with Chromium and Ghostscript. Returns the path of the PNG. */
export async function printPage(order: PrintOrder): Promise<string> {
  const { sources, name, color, size, workDir } = order;
  const html = path.join(workDir, `${name}.html`);
  const pdf = path.join(workDir, `${name}.pdf`);
  const png = path.join(workDir, `${name}.png`);
  const style = await readFile(path.join(sources, 'style.css'), 'utf8');
  const page = `@page { size: ${size.width}mm ${size.height}mm; }`;
  const body = await readFile(path.join(sources, `${name}.html`), 'utf8');
  const exact = '* { print-color-adjust: exact; }';
  const head = `<!doctype html><meta charset="utf-8"><style>${style}${page}${exact}</style>`;
  await writeFile(html, head + body);
  await run(workDir, 'chromium', [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    `--user-data-dir=${path.join(workDir, 'browser')}`,
    '--no-pdf-header-footer',
    `--print-to-pdf=${pdf}`,
    html,
  ]);
  await run(workDir, 'gs', [
    '-q',
    '-dBATCH',
    '-dNOPAUSE',
    '-dSAFER',
    '-dTextAlphaBits=4',
    '-dGraphicsAlphaBits=4',
    '-dLastPage=1',
    `-sDEVICE=${color ? 'png16m' : 'pnggray'}`,
    `-r${DPI}`,
    `-g${pixels(size.width)}x${pixels(size.height)}`,
    `-sOutputFile=${png}`,
    pdf,
  ]);
  return png;
}

function pixels(millimetres: number): number {
  return Math.round((millimetres / MM_PER_INCH) * DPI);
}

async function run(cwd: string, file: string, args: readonly string[]): Promise<void> {
  const env = programEnvironment({ HOME: cwd });
  const ended = await runProgram({ file, args, cwd, env }, { timeoutMs: PRINT_TIMEOUT_MS });
  if (ended.exitCode !== 0) throw new Error(`${file} failed: ${ended.stderr}`);
}
