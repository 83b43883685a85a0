import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import type { Picture } from './shrink-page.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BITS = 8;
const GRAY = 0;
const COLOUR = 2;
/** The PNG filter that stores differences from the row above. On paper, these are small. */
const UP = 2;

const compress = promisify<Buffer, Buffer>(deflate);

export async function encodePng({ width, height, channels, pixels }: Picture): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([BITS, channels === 3 ? COLOUR : GRAY], 8);
  const rowBytes = width * channels;
  const rows = Buffer.alloc(height * (rowBytes + 1));
  for (let row = 0; row < height; row += 1) {
    const at = row * (rowBytes + 1);
    rows[at] = UP;
    for (let index = 0; index < rowBytes; index += 1) {
      const here = row * rowBytes + index;
      // Above the first row, pixels count as 0. Differences wrap around at 256.
      rows[at + 1 + index] = (pixels[here] ?? 0) - (pixels[here - rowBytes] ?? 0);
    }
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', await compress(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
