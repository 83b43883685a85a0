import { parse, type Token } from 'acorn';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip, type ZlibOptions } from 'node:zlib';

export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
  /** Undefined if compression saves nothing. */
  readonly gzipped: Buffer | undefined;
  readonly etag: string;
}

/** The files of the control page by path below `service/page/`, such as `views/recent.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const DIRECTORY = path.resolve(import.meta.dirname, '../page');

/** Media types by extension. Files with other extensions are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

const compress = promisify<Buffer, ZlibOptions, Buffer>(gzip);

/** Reads and compresses all files once. Together they are smaller than one scanned page. */
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
  // Safe because no string in the stylesheet contains `/*`.
  return Buffer.from(stored.toString().replaceAll(/\/\*[\s\S]*?\*\/|^\s+/gm, ''));
}

/**
 * Removes comments and indentation, about half of a JavaScript module. Keeps the tokens, separated
 * by a space or newline where they had white space. Throws a SyntaxError for invalid code.
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

/** A newline may end a statement, and a comment may contain one. */
function between(gap: string): string {
  if (gap === '') return '';
  return gap.includes('\n') ? '\n' : ' ';
}
