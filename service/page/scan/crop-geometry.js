/** @typedef {import('../types.d.ts').Crop} Crop */

/** Minimum size of the frame: in pixels, for a thumb; and as a fraction of the page. */
const LEAST_PX = 32;
const LEAST = 0.02;

/**
 * @param {Crop} crop
 * @param {number} x in pixels
 * @param {number} y
 * @param {{ width: number, height: number }} size of the page
 * @returns {Crop}
 */
export function moved(crop, x, y, size) {
  return {
    ...crop,
    x: between(0, crop.x + x / size.width, 1 - crop.width),
    y: between(0, crop.y + y / size.height, 1 - crop.height),
  };
}

/**
 * Drags one corner. The opposite corner stays in place.
 * @param {Crop} crop
 * @param {{ right: number, down: number, x: number, y: number }} pull the corner's sides (1 or -1), and the distance in pixels
 * @param {{ width: number, height: number }} size of the page
 * @returns {Crop}
 */
export function resized(crop, { right, down, x, y }, size) {
  const angle = (crop.angle * Math.PI) / 180;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const before = { width: crop.width * size.width, height: crop.height * size.height };
  const width = Math.max(least(size.width), before.width + right * (x * cos + y * sin));
  const height = Math.max(least(size.height), before.height + down * (y * cos - x * sin));
  /* How far the middle of the frame moves, along its own axes. */
  const across = (right * (width - before.width)) / 2;
  const along = (down * (height - before.height)) / 2;
  const middleX = (crop.x + crop.width / 2) * size.width + across * cos - along * sin;
  const middleY = (crop.y + crop.height / 2) * size.height + across * sin + along * cos;
  const left = between(0, (middleX - width / 2) / size.width, 1);
  const top = between(0, (middleY - height / 2) / size.height, 1);
  return {
    x: left,
    y: top,
    width: between(0, (middleX + width / 2) / size.width, 1) - left,
    height: between(0, (middleY + height / 2) / size.height, 1) - top,
    angle: crop.angle,
  };
}

/** @param {number} px */
const least = (px) => Math.max(LEAST_PX, LEAST * px);

/**
 * @param {number} low
 * @param {number} value
 * @param {number} high
 */
const between = (low, value, high) => Math.min(high, Math.max(low, value));

/**
 * Rounds to 0.0001 of the page, so that position plus size never exceeds 1.
 * @param {Crop} crop
 * @returns {Crop}
 */
export function rounded({ x, y, width, height, angle }) {
  const [left, top] = [x, y].map((value) => Math.round(value * 1e4) / 1e4);
  return {
    x: left ?? 0,
    y: top ?? 0,
    width: Math.floor(Math.min(width, 1 - (left ?? 0)) * 1e4 + 1e-6) / 1e4,
    height: Math.floor(Math.min(height, 1 - (top ?? 0)) * 1e4 + 1e-6) / 1e4,
    angle,
  };
}
