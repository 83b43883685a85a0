import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';

export interface ReceivedFile {
  readonly path: string;
  /** As sent, without directories, shortened to 255 characters like in Django. */
  readonly filename: string;
  readonly bytes: number;
  readonly md5: string;
  readonly sha256: string;
}

export type Received =
  | {
      readonly kind: 'form';
      readonly fields: readonly (readonly [string, string])[];
      readonly file: ReceivedFile | undefined;
    }
  | { readonly kind: 'unsupported'; readonly mediaType: string }
  | { readonly kind: 'malformed'; readonly reason: string };

const MAX_NAME_CHARACTERS = 255;

/**
 * Reads a request to its end and streams the part `document` to a file in `directory`. A body without a Content-Length is read and
 * ignored, because the real system sees an empty form then.
 */
export async function receive(request: IncomingMessage, directory: string): Promise<Received> {
  const contentType = request.headers['content-type'] ?? '';
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType !== 'multipart/form-data') {
    await drain(request);
    return { kind: 'unsupported', mediaType };
  }
  if (!/;\s*boundary=/.test(contentType)) {
    await drain(request);
    return { kind: 'malformed', reason: 'Invalid boundary in multipart: None' };
  }
  if (request.headers['content-length'] === undefined) {
    await drain(request);
    return { kind: 'form', fields: [], file: undefined };
  }
  return readForm(request, contentType, directory);
}

async function readForm(
  request: IncomingMessage,
  contentType: string,
  directory: string,
): Promise<Received> {
  const fields: [string, string][] = [];
  let writing: Promise<ReceivedFile> | undefined;
  const parser = new Busboy({ headers: { ...request.headers, 'content-type': contentType } });
  parser.on('field', (name, value) => fields.push([name, value]));
  parser.on('file', (name, stream, filename) => {
    if (name === 'document' && filename !== '' && writing === undefined) {
      writing = store(stream, filename, directory);
      // Awaited below; until then its failure must not count as unhandled.
      writing.catch(() => {});
    } else {
      if (name === 'document') fields.push([name, '']);
      stream.resume();
    }
  });
  try {
    await pipeline(request, parser);
    return { kind: 'form', fields, file: await writing };
  } catch (error) {
    if (request.destroyed && !request.complete) throw error;
    return { kind: 'malformed', reason: error instanceof Error ? error.message : 'unknown' };
  }
}

async function store(stream: Readable, filename: string, directory: string): Promise<ReceivedFile> {
  const path = join(directory, randomUUID());
  const hashes = { md5: createHash('md5'), sha256: createHash('sha256') };
  let bytes = 0;
  const measured = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      hashes.md5.update(chunk);
      hashes.sha256.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(stream, measured, createWriteStream(path));
  return {
    path,
    filename: cutName(filename),
    bytes,
    md5: hashes.md5.digest('hex'),
    sha256: hashes.sha256.digest('hex'),
  };
}

/** Shortens a file name and keeps its extension. */
function cutName(filename: string): string {
  const characters = Array.from(filename);
  if (characters.length <= MAX_NAME_CHARACTERS) return filename;
  const extension = extname(filename);
  const left = MAX_NAME_CHARACTERS - Array.from(extension).length;
  return characters.slice(0, left).join('') + extension;
}

/** Reads the rest of a request and discards it. */
export async function drain(request: IncomingMessage): Promise<void> {
  for await (const chunk of request) void chunk;
}
