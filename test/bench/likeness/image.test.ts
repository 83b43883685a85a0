import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { halved, seenPlanes } from './image.ts';

const test = suite('images that are compared');

test('a gray image is its own brightness, and has no colour', () => {
  const samples = Uint8Array.of(0, 100, 200, 255);
  const { brightness, colour } = seenPlanes({ width: 2, height: 2, channels: 1, samples });
  assert.equal([...brightness.samples], [0, 100, 200, 255]);
  assert.is(colour, undefined);
});

test('a colour image is taken apart as JPEG does it', () => {
  // White, black, red and blue; the values of the JFIF specification.
  const samples = Uint8Array.of(255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255);
  const { brightness, colour } = seenPlanes({ width: 4, height: 1, channels: 3, samples });
  assert.equal([...brightness.samples], [255, 0, 76, 29]);
  assert.equal([...(colour?.[0].samples ?? [])], [128, 128, 85, 255]);
  assert.equal([...(colour?.[1].samples ?? [])], [128, 128, 255, 107]);
});

test('half the resolution is the mean of four pixels, without a last odd column', () => {
  const samples = Uint8Array.of(10, 20, 99, 30, 41, 99);
  const half = halved({ width: 3, height: 2, channels: 1, samples });
  assert.equal(half, { width: 1, height: 1, channels: 1, samples: Uint8Array.of(25) });
});

test('the channels of a colour image are not mixed when it is halved', () => {
  const pixel = [10, 20, 30];
  const samples = Uint8Array.from([...pixel, ...pixel, ...pixel, ...pixel]);
  const half = halved({ width: 2, height: 2, channels: 3, samples });
  assert.equal([...half.samples], pixel);
});

test.run();
