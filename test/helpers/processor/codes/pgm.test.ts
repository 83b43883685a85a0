import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePgm } from '../../../../helpers/processor/codes/pgm.ts';

const test = suite('reading a PGM');

test('gives the pixels of a gray image', () => {
  const image = parsePgm(Buffer.from('P5\n3 2\n255\nabcdef'));
  assert.equal([image.width, image.height, Buffer.from(image.pixels).toString()], [3, 2, 'abcdef']);
});

test('refuses everything else', () => {
  for (const text of ['', 'P6\n1 1\n255\nabc', 'P5\n3 2\n255\nabcde', 'P5\n3 2\n65535\nabcdef']) {
    assert.throws(() => parsePgm(Buffer.from(text)), /not a PGM image/, text);
  }
});

test.run();
