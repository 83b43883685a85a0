/** Maps pixel (u, v) of one image to (a·u + c·v + x, b·u + d·v + y) of another. */
export type AffineMap = readonly [number, number, number, number, number, number];

export type Place = readonly [x: number, y: number];

interface Size {
  readonly width: number;
  readonly height: number;
}

export const STILL: AffineMap = [1, 0, 0, 1, 0, 0];

export function inTurn(first: AffineMap, second: AffineMap): AffineMap {
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

/** Valid only for rotations and translations. */
export function back([a, b, c, d, x, y]: AffineMap): AffineMap {
  return [a, c, b, d, -(a * x + b * y), -(c * x + d * y)];
}

export function moved([a, b, c, d, x, y]: AffineMap, [u, v]: Place): Place {
  return [a * u + c * v + x, b * u + d * v + y];
}

/** Quarter turns clockwise, to the nearest. */
export function quartersOf([cosine, sine]: AffineMap): number {
  return (Math.round(Math.atan2(sine, cosine) / (Math.PI / 2)) + 4) % 4;
}

/** Clockwise, about the image's centre, which moves to the centre of the new image. */
export function turnOf(degrees: number, before: Size, after: Size): AffineMap {
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

export function cutOf(left: number, top: number): AffineMap {
  return [1, 0, 0, 1, -left, -top];
}
