import { parse, type Token } from 'acorn';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip, type ZlibOptions } from 'node:zlib';

/** A file of the control page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
  /** The same compressed; undefined where that saves nothing. */
  readonly gzipped: Buffer | undefined;
  readonly etag: string;
}

/** The files of the control page by their path below `service/page/`, such as `views/recent.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const DIRECTORY = path.resolve(import.meta.dirname, '../page');

/** Media types by extension; files with others are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

const compress = promisify<Buffer, ZlibOptions, Buffer>(gzip);

/** Reads and compresses all of them, once: together they are smaller than one page of paper. */
export async function readPageFiles(): Promise<PageFiles> {
  const names = await readdir(DIRECTORY, { recursive: true });
  const files = new Map<string, PageFile>();
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    const stored = await readFile(path.join(DIRECTORY, name));
    const content = sentOf(name, stored);
    const gzipped = await compress(content, { level: constants.Z_BEST_COMPRESSION });
    files.set(name, {
      type,
      content,
      gzipped: gzipped.length < content.length ? gzipped : undefined,
      etag: createHash('sha256').update(content).digest('base64url').slice(0, 16),
    });
  }
  return files;
}

function sentOf(name: string, stored: Buffer): Buffer {
  if (name.endsWith('.js')) return Buffer.from(withoutNotes(stored.toString()));
  if (!name.endsWith('.css')) return stored;
  // The style has no text in which a comment could seem to begin.
  return Buffer.from(stored.toString().replaceAll(/\/\*[\s\S]*?\*\/|^\s+/gm, ''));
}

/**
 * A JavaScript module without its comments and indents, which are half of it: the same tokens with one blank or line end between them
 * where there was white space. Throws a SyntaxError for what is no module.
 */
export function withoutNotes(code: string): string {
  const tokens: Token[] = [];
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens });
  let end = 0;
  let kept = '';
  for (const token of tokens) {
    kept += between(code.slice(end, token.start)) + code.slice(token.start, token.end);
    end = token.end;
  }
  return `${kept}\n`;
}

/** A line end may end a statement, and a comment may hold one. */
function between(gap: string): string {
  if (gap === '') return '';
  return gap.includes('\n') ? '\n' : ' ';
}
