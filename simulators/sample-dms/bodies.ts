import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { parseJson } from '../../helpers/read-json.ts';
import { Refused } from './answer.ts';

export interface ReceivedFile {
  readonly path: string;
  readonly filename: string;
  readonly bytes: number;
  readonly md5: string;
  readonly sha256: string;
  /** The first and last END_BYTES, as latin1. */
  readonly head: string;
  readonly tail: string;
}

export interface ReceivedForm {
  readonly fields: readonly (readonly [string, string])[];
  readonly file: ReceivedFile | undefined;
  /** Set if the body could not be parsed. */
  readonly refused?: Refused;
}

const END_BYTES = 1024;

export async function drain(request: IncomingMessage): Promise<void> {
  for await (const chunk of request) void chunk;
}

/** Reads a small body, which must be JSON. */
export async function readJsonBody(
  request: IncomingMessage,
): Promise<Readonly<Record<string, unknown>>> {
  const refused = problemOfType(request, 'application/json');
  if (refused) throw refused;
  const value = parseJson(await text(request));
  if (value === undefined) throw new Refused(400, 'JSON parse error');
  return Object(value);
}

/**
 * Reads a form. Streams its part `document` to a file in `directory`. Like the real system, treats
 * a body without Content-Length as an empty form.
 */
export async function receiveForm(
  request: IncomingMessage,
  directory: string,
): Promise<ReceivedForm> {
  const { 'content-type': type = '', 'content-length': length } = request.headers;
  const refused = problemOfType(request, 'multipart/form-data');
  if (length === undefined || refused) {
    await drain(request);
    return { fields: [], file: undefined, ...(refused && { refused }) };
  }
  const fields: [string, string][] = [];
  let writing: Promise<ReceivedFile> | undefined;
  try {
    const parser = new Busboy({ headers: { ...request.headers, 'content-type': type } });
    parser.on('field', (name, value) => fields.push([name, value]));
    parser.on('file', (name, stream, filename) => {
      if (name !== 'document' || writing !== undefined) return void stream.resume();
      writing = store(stream, filename, directory);
      // Awaited below. Until then, a rejection must not count as unhandled.
      writing.catch(() => {});
    });
    await pipeline(request, parser);
    return { fields, file: await writing };
  } catch (error) {
    if (request.destroyed && !request.complete) throw error;
    const refused = new Refused(400, `Multipart form parse error - ${String(error)}`);
    return { fields, file: undefined, refused };
  }
}

async function store(stream: Readable, filename: string, directory: string): Promise<ReceivedFile> {
  const path = join(directory, randomUUID());
  const [md5, sha256] = [createHash('md5'), createHash('sha256')];
  let [bytes, head, tail] = [0, '', ''];
  const measured = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      md5.update(chunk);
      sha256.update(chunk);
      head += chunk.toString('latin1', 0, Math.max(0, END_BYTES - head.length));
      tail = (tail + chunk.subarray(-END_BYTES).toString('latin1')).slice(-END_BYTES);
      done(null, chunk);
    },
  });
  await pipeline(stream, measured, createWriteStream(path));
  const hashes = { md5: md5.digest('hex'), sha256: sha256.digest('hex') };
  return { path, filename, bytes, ...hashes, head, tail };
}

function problemOfType({ headers }: IncomingMessage, wanted: string): Refused | undefined {
  const { 'content-type': type = '' } = headers;
  if (type.split(';')[0] === wanted) return undefined;
  return new Refused(415, `Unsupported media type "${type}" in request.`);
}
