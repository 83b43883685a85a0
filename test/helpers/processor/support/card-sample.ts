import type { Sharp } from 'sharp';
import { drawing } from './page-samples.ts';

/** ID-1, the size of bank and identity cards, in mm. */
export const CARD = { width: 85.6, height: 54 };

const PIXELS_PER_MM = 300 / 25.4;
const px = (mm: number): number => Math.round(mm * PIXELS_PER_MM);

export const CARD_FRONT = ['IDENTITY CARD', 'Surname MUSTERMANN', 'Given names ERIKA'];
export const CARD_BACK = ['Address', 'Heidestrasse 17, Cologne', 'Height 160 cm'];

/** A card on an A4 glass with a white lid, 30 mm from the corner, at 300 dpi. */
export function cardOnGlass(lines: readonly string[]): Sharp {
  const texts = lines.map((line, index) => {
    const place = `x="${px(36)}" y="${px(42 + 10 * index)}"`;
    return `<text ${place} font-family="DejaVu Sans" font-size="44">${line}</text>`;
  });
  const size = `width="${px(CARD.width)}" height="${px(CARD.height)}"`;
  const card = `<rect x="${px(30)}" y="${px(30)}" ${size} fill="#b8d4c8"/>`;
  return drawing([px(210), px(297)], '#fdfdfd', card + texts.join(''));
}
