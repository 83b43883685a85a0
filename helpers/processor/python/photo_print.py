"""Makes light print on photos dark on white.

A photo has no uniform background, so light_print.py does not find this print, and dividing the page
by its paper brightens the photo until the print is lost.
"""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter

from bilevel import PAPER_PERCENTILE, percentile
from blocks import extreme_around
from tiff import MM_PER_INCH

LOOK_DPI = 100
# Strokes of light print are narrower than STROKE_MM, and lighter than the photo around by LIGHTER
# times the paper.
STROKE_MM, LIGHTER = 3, 0.2
# Shares of a square of 2 * AROUND_MM: pixels as bright as paper (BRIGHT) are rare on a photo, and
# light strokes cover a part of it. Where they cover more, they are the ground between dark print.
AROUND_MM, BRIGHT, MOST_BRIGHT, STROKES = 4, 0.8, 0.4, (0.02, 0.5)
# The photo becomes white this far from its print, which Tesseract would otherwise take for a picture.
NEAR_MM = 20
# Less is a caption at most, and often dirt of a copier.
LEAST_MM2 = 600


def light_on_photo(gray: Image.Image, dpi: int) -> tuple[Image.Image, Image.Image] | None:
    """Returns the print, dark on white, and a mask of the areas with it; None without any."""
    step = max(1, dpi // LOOK_DPI)
    mm = dpi / step / MM_PER_INCH
    small = gray.reduce(step)
    usual = percentile(small.histogram(), PAPER_PERCENTILE)
    pixels = np.asarray(small)
    ground = ground_of(pixels, 2 * round(STROKE_MM * mm / 2) + 1)
    around = ImageFilter.BoxBlur(AROUND_MM * mm)
    bright = share_around(pixels > BRIGHT * usual, around)
    strokes = share_around(pixels.astype(np.int16) - ground > LIGHTER * usual, around)
    dark_print = share_around(strokes >= STROKES[1], ImageFilter.BoxBlur(2 * AROUND_MM * mm)) > 0
    photo = (bright < MOST_BRIGHT) & ~dark_print
    printed = photo & (strokes > STROKES[0])
    if printed.sum() < LEAST_MM2 * mm**2:
        return None
    near = photo & (share_around(printed, ImageFilter.BoxBlur(NEAR_MM * mm)) > 0)
    mask = Image.fromarray(np.uint8(255) * near).resize(gray.size, Image.Resampling.NEAREST)
    below = np.asarray(Image.fromarray(ground).resize(gray.size, Image.Resampling.BILINEAR), np.int16)
    lighter = np.asarray(gray, np.int16) - below
    # White up to half of LIGHTER above the ground, and darker the brighter the stroke is.
    dark = 255 - (lighter - LIGHTER / 2 * usual) * (1.5 * 255 / usual)
    return Image.fromarray(dark.clip(0, 255).astype(np.uint8)), mask


def ground_of(pixels: np.ndarray, window: int) -> np.ndarray:
    """The brightness below strokes that are narrower than the window."""
    return extreme_around(extreme_around(pixels, window, np.minimum), window, np.maximum)


def share_around(pixels: np.ndarray, around: ImageFilter.BoxBlur) -> np.ndarray:
    return np.asarray(Image.fromarray(np.uint8(255) * pixels).filter(around)) / np.float32(255)
