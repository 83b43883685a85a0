import { element } from '../element.js';

/** @typedef {import('../types.d.ts').ShownPage} ShownPage */

/**
 * Delays between attempts to load a preview, in milliseconds. The page or the network may be
 * temporarily unavailable.
 */
const PREVIEW_MS = [1000, 4000, 15_000, 60_000];

/**
 * A page as a small image, rotated as for reading and cut to its crop.
 * @param {string} scanId
 * @param {ShownPage} shown
 * @returns {HTMLElement}
 */
export function picture(scanId, { page, turned, crop }) {
  const src = `scans/${scanId}/pages/${page}/preview`;
  const image = element('img', {
    class: `turned-${turned}`,
    alt: '',
    /* A lazy image outside the document would never load. */
    loading: crop ? 'eager' : 'lazy',
    decoding: 'async',
    src,
  });
  const canvas = element('canvas', { width: 0, height: 0 });
  const visible = crop ? canvas : image;
  let tries = 0;
  /* Keeps an empty frame for a page without preview, instead of the browser's broken image. */
  image.addEventListener('error', () => {
    image.removeAttribute('src');
    const after = PREVIEW_MS[tries];
    tries += 1;
    if (after !== undefined) setTimeout(() => visible.isConnected && (image.src = src), after);
  });
  if (crop) image.addEventListener('load', () => draw(canvas, image, turned, crop));
  return visible;
}

/**
 * Draws the cropped part of a page.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLImageElement} image
 * @param {number} turned
 * @param {import('../types.d.ts').Crop} crop of the page after that turn
 */
function draw(canvas, image, turned, { x, y, width, height, angle }) {
  const { naturalWidth: across, naturalHeight: down } = image;
  const [pageWidth, pageHeight] = turned % 180 === 0 ? [across, down] : [down, across];
  canvas.width = Math.max(1, Math.round(width * pageWidth));
  canvas.height = Math.max(1, Math.round(height * pageHeight));
  const context = canvas.getContext('2d');
  if (!context) return;
  /* From the middle of the cut to the middle of the page. */
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate((-angle * Math.PI) / 180);
  context.translate((0.5 - x - width / 2) * pageWidth, (0.5 - y - height / 2) * pageHeight);
  context.rotate((turned * Math.PI) / 180);
  context.drawImage(image, -across / 2, -down / 2);
}
