/**
 * How the places of one image of a page become those of another: `[a, b, c, d, x, y]` maps pixel (u, v) to (a·u + c·v + x, b·u + d·v + y).
 * The image that is read and the image that is stored are both made of the page as it was opened, by turning and cutting it.
 */
export type Motion = readonly [number, number, number, number, number, number];

export type Place = readonly [x: number, y: number];

interface Size {
  readonly width: number;
  readonly height: number;
}

export const STILL: Motion = [1, 0, 0, 1, 0, 0];

/** The motion that does `first`, then `second`. */
export function inTurn(first: Motion, second: Motion): Motion {
  const [a, b, c, d, x, y] = second;
  const [p, q, r, s, u, v] = first;
  return [
    a * p + c * q,
    b * p + d * q,
    a * r + c * s,
    b * r + d * s,
    a * u + c * v + x,
    b * u + d * v + y,
  ];
}

/** The motion back; of turns and moves only, which keep all lengths. */
export function back([a, b, c, d, x, y]: Motion): Motion {
  return [a, c, b, d, -(a * x + b * y), -(c * x + d * y)];
}

/** Where the motion brings a place. */
export function moved([a, b, c, d, x, y]: Motion, [u, v]: Place): Place {
  return [a * u + c * v + x, b * u + d * v + y];
}

/** By how many quarters of a circle, clockwise, a motion turns, beside a small angle. */
export function quartersOf([cosine, sine]: Motion): number {
  return (Math.round(Math.atan2(sine, cosine) / (Math.PI / 2)) + 4) % 4;
}

/** Turns an image clockwise around its middle, which becomes the middle of an image of another size. */
export function turnOf(degrees: number, before: Size, after: Size): Motion {
  const angle = (degrees * Math.PI) / 180;
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const [u, v] = [before.width / 2, before.height / 2];
  return [
    cosine,
    sine,
    -sine,
    cosine,
    after.width / 2 - cosine * u + sine * v,
    after.height / 2 - sine * u - cosine * v,
  ];
}

/** Cuts off so much at the left and at the top. */
export function cutOf(left: number, top: number): Motion {
  return [1, 0, 0, 1, -left, -top];
}
