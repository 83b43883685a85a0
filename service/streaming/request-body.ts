import { release } from './release.ts';
import { openContent, type ContentReader, type StoredContent } from './stored-content.ts';

/** What a body is made of, in order: bytes as they are, and files. */
export type BodyPart = Uint8Array | StoredContent;

/**
 * Bytes that are read and sent at once. With larger pieces a page takes less of the processor, as each read is a turn of
 * another thread; but a system that refuses a document before it has read it is not always heard: the piece that is still on
 * its way fails before the answer is looked at. At twice the size that happened in one of seven runs on a busy machine.
 */
const BUFFER_BYTES = 64 * 1024;

/** Length of a body that is made of these parts. */
export function lengthOf(parts: readonly BodyPart[]): number {
  return parts.reduce((sum, part) => sum + sizeOf(part), 0);
}

/**
 * Reads a body from its parts, through one buffer: memory does not grow with what is sent. So every piece lies in the same
 * memory, and is to be sent or copied before the next one is asked for; got does so with an iterable that is its `body`. A
 * file is open only while it is read, and closed when the reader gives up (`return`). Throws when a file cannot be read, or
 * is not what it was; the body is not complete then.
 */
export async function* readBody(parts: readonly BodyPart[]): AsyncGenerator<Uint8Array, void> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(BUFFER_BYTES, lengthOf(parts)));
  let filled = 0;
  for (const part of parts) {
    const reader = part instanceof Uint8Array ? readerOf(part) : await openContent(part);
    try {
      while (!reader.isAtEnd()) {
        filled += await reader.fill(buffer.subarray(filled));
        if (filled < buffer.length) continue;
        yield buffer;
        filled = 0;
      }
    } finally {
      await reader.close();
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
  // Not where the reader gave up: what it was handed last may still be on its way out.
  release(buffer);
}

function sizeOf(part: BodyPart): number {
  return part instanceof Uint8Array ? part.length : part.bytes;
}

function readerOf(bytes: Uint8Array): ContentReader {
  let position = 0;
  return {
    fill: (target) => {
      const next = bytes.subarray(position, position + target.length);
      target.set(next);
      position += next.length;
      return Promise.resolve(next.length);
    },
    isAtEnd: () => position === bytes.length,
    close: () => Promise.resolve(),
  };
}
