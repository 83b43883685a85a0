import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip, type ZlibOptions } from 'node:zlib';
import { bundleModules } from './page-modules.ts';

export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
  readonly gzipped: Buffer | undefined;
  readonly etag: string;
}

/** Files by path below `service/page/`, such as `views/recent.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const DIRECTORY = path.resolve(import.meta.dirname, '../page');

/** Media types. Files with other extensions are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

const compress = promisify<Buffer, ZlibOptions, Buffer>(gzip);

/** Reads and compresses all files once. Together they are smaller than a scanned page. */
export async function readPageFiles(): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  for (const [name, content] of await sentFiles()) {
    const type = TYPES[path.extname(name)] ?? '';
    const gzipped = await compress(content, { level: constants.Z_BEST_COMPRESSION, memLevel: 9 });
    files.set(name, {
      type,
      content,
      gzipped: gzipped.length < content.length ? gzipped : undefined,
      etag: createHash('sha256').update(content).digest('base64url').slice(0, 16),
    });
  }
  return files;
}

async function sentFiles(): Promise<Map<string, Buffer>> {
  const sent = new Map<string, Buffer>();
  for (const name of await readdir(DIRECTORY, { recursive: true })) {
    if (TYPES[path.extname(name)] === undefined || name.endsWith('.js')) continue;
    const stored = await readFile(path.join(DIRECTORY, name));
    sent.set(name, name.endsWith('.css') ? withoutBlanks(stored.toString()) : stored);
  }
  for (const [name, code] of await bundleModules(DIRECTORY)) sent.set(name, Buffer.from(code));
  return sent;
}

/** Removes comments and blanks. Strings in the stylesheet contain no `/*`, brace or semicolon. */
function withoutBlanks(style: string): Buffer {
  const kept = style.replaceAll(/\/\*[\s\S]*?\*\/|\n\s*/g, ' ').replaceAll(/ {2,}/g, ' ');
  return Buffer.from(
    kept
      .replaceAll(/ ?([{};,]) ?|(:) /g, '$1$2')
      .replaceAll(/(?<=[ ,:(-])0\./g, '.')
      .replaceAll(';}', '}')
      .trim(),
  );
}
