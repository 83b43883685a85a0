"""The image of a page that Tesseract reads. It is not the one that is stored.

Tesseract finds one brightness that divides ink from paper. That fails where paper is darker than the backing beside it, in shade, and
under colour. So its image is gray, without the streaks of dirty glass, divided by its paper, which becomes white, and straight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from bilevel import paper_of
from examination.page_copy import small_copy
from examination.skew import skew_of
from streaks import fill_streaks, find_streaks

# Paper this much darker than the brightest of the page may still be paper, in shade; darker it is a printed area or the backing.
DARKEST_PAPER = 0.3
# What is this bright, as a share of the paper, is white: the grain of the paper finds no words.
WHITE = 0.93
# The brightness of paper changes so slowly that so many rows have the same: at 300 dpi, 0.7 mm.
ROWS = 8
# Less skew than this does not hurt the recognition, in degrees; resampling would cost sharpness.
HARMFUL_SKEW = 0.3

# What 1 / 256 of a gray level becomes where that level is white: at most 16 bits for a level that is no brighter.
FACTORS = np.ceil(255 * 256 / np.maximum(np.arange(256), 1)).astype(np.uint16)


def reading_image(image: Image.Image, dpi: int) -> tuple[Image.Image, float | None, list[tuple[int, int]]]:
    """The image to read of a plain image; its skew, clockwise in degrees or null, which is taken out of it; and its streaks in columns.

    A straightened image is larger, so that nothing of it is cut off; its middle is that of the page.
    """
    streaks: list[tuple[int, int]] = []
    if image.mode == "1":
        flat = image
    else:
        gray = image.convert("L")
        streaks = find_streaks(gray, dpi)
        flat = divided(gray, dpi, streaks)
    small = small_copy(flat, dpi)
    skew = skew_of(small) if small else None
    if skew is None or abs(skew) < HARMFUL_SKEW:
        return flat, skew, streaks
    smooth = flat.convert("L")
    return smooth.rotate(skew, Image.Resampling.BICUBIC, expand=True, fillcolor=255), skew, streaks


def divided(gray: Image.Image, dpi: int, streaks: list[tuple[int, int]]) -> Image.Image:
    """A gray image as a share of its paper, which becomes white, without its streaks."""
    pixels = np.array(gray)
    fill_streaks(pixels, streaks)
    paper = paper_of(Image.fromarray(pixels) if streaks else gray, dpi, DARKEST_PAPER)
    white = paper.point(lambda value: max(1, round(WHITE * value)))
    whites = np.asarray(white.resize((gray.width, -(-gray.height // ROWS)), Image.Resampling.BILINEAR))
    product = np.empty((ROWS, gray.width), np.uint16)
    for number, (limits, factors) in enumerate(zip(whites, FACTORS[whites])):
        part = pixels[number * ROWS : (number + 1) * ROWS]
        np.minimum(part, limits, out=part)
        scaled = np.multiply(part, factors, out=product[: len(part)])
        np.right_shift(scaled, 8, out=part, casting="unsafe")
    return Image.fromarray(pixels)


def write_reading_image(image: Image.Image, dpi: int, out: str) -> dict[str, Any]:
    """Writes the image to read to `out`, unless it is the page itself. Gives its size, the skew that was measured, and the middles of streaks in mm from the left edge."""
    reading, skew, streaks = reading_image(image, dpi)
    made = reading is not image
    if made:
        reading.save(out, "TIFF", dpi=(dpi, dpi))
    return {
        "width": reading.width,
        "height": reading.height,
        "skew": skew,
        "made": made,
        "straightened": reading.size != image.size,
        "streaks": [round((first + last) / 2 * 25.4 / dpi, 1) for first, last in streaks],
    }
