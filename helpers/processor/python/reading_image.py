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

# What a gray level becomes, by the brightness of the paper, in fractions of 12 bits.
FACTORS = np.rint(2**12 * 255 / (WHITE * np.maximum(np.arange(256), 1))).astype(np.uint32)


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
    around = np.asarray(paper.resize((gray.width, -(-gray.height // ROWS)), Image.Resampling.BILINEAR))
    product = np.empty((ROWS, gray.width), np.uint32)
    for number, places in enumerate(around):
        part = pixels[number * ROWS : (number + 1) * ROWS]
        scaled = np.multiply(part, FACTORS[places], out=product[: len(part)])
        scaled += 2**11  # rounds
        scaled >>= 12
        np.minimum(scaled, 255, out=part, casting="unsafe")
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
