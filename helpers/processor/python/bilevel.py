"""Converts a gray or coloured page to one bit per pixel.

Divides by the paper's brightness first, so that shading, coloured paper and print shining through
become white. Otsu's threshold then finds the ink. Light print becomes white on black.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image, ImageFilter

from blocks import enlarged, extreme_around
from light_print import light_print

# The paper is the brightest pixel within 5 mm, smoothed, on a copy with one pixel per millimetre.
PAPER_DPI = 25
PAPER_WINDOW = 5
PAPER_BLUR = 4

# Shaded paper is brighter than this share of the page's paper; anything darker is printed.
DARKEST_PAPER = 0.5
# This percentile of the gray levels is the page's paper. Brighter pixels may be the backing.
PAPER_PERCENTILE = 0.9
# The percentile for a card, which covers only a small part of a dark backing.
BRIGHTEST = 0.98

# Limits of Otsu's threshold, as shares of the paper's brightness.
MIN_THRESHOLD, MAX_THRESHOLD = 100 / 255, 200 / 255

# Otsu's threshold samples every fourth pixel of every fourth row, in STEPS levels up to the paper.
SAMPLE = 4
STEPS = 256


def binarize(tiff: str, out: str) -> dict[str, Any]:
    image = Image.open(tiff)
    info = image.info["dpi"]
    dpi = max(1, round(info[0]))
    gray = image.convert("L")
    with_light_print(black_and_white(gray, dpi), gray, dpi).save(out, "TIFF", dpi=info)
    return {}


def with_light_print(white: Image.Image, gray: Image.Image, dpi: int) -> Image.Image:
    """Makes the background of light print black. Otherwise both would become white."""
    factor = max(1, dpi // PAPER_DPI)
    between = light_print(gray, factor, percentile(gray.reduce(factor).histogram(), PAPER_PERCENTILE))
    levels = enlarged(between, factor, gray.size[::-1])
    return Image.fromarray(np.where(levels > 0, np.asarray(gray) > levels, np.asarray(white))) if between.any() else white


def black_and_white(image: Image.Image, dpi: int) -> Image.Image:
    gray = image.convert("L")
    paper = paper_of(gray, dpi)
    share = threshold(sampled_brightness(gray, paper))
    limit = paper.point(lambda value: value * share).resize(gray.size, Image.Resampling.BILINEAR)
    return Image.fromarray(np.asarray(gray) > np.asarray(limit))


def sampled_brightness(gray: Image.Image, paper: Image.Image) -> np.ndarray:
    pixels = np.asarray(gray)[::SAMPLE, ::SAMPLE]
    around = paper.resize(pixels.shape[::-1], Image.Resampling.BILINEAR)
    return pixels / np.asarray(around, np.float32).clip(1)


def paper_of(gray: Image.Image, dpi: int) -> Image.Image:
    """The paper's brightness around each pixel, at about PAPER_DPI."""
    small = gray.reduce(max(1, dpi // PAPER_DPI))
    brightest = Image.fromarray(extreme_around(np.asarray(small), PAPER_WINDOW, np.maximum))
    paper = brightest.filter(ImageFilter.GaussianBlur(PAPER_BLUR))
    darkest = DARKEST_PAPER * percentile(small.histogram(), PAPER_PERCENTILE)
    return paper.point(lambda value: max(value, darkest))


def paper_level(usual: float, brightest: float) -> float:
    return brightest if 2 * usual < brightest else usual


def percentile(histogram: list[int], share: float) -> int:
    left = share * sum(histogram)
    for value, count in enumerate(histogram):
        left -= count
        if left <= 0:
            return value
    return len(histogram) - 1


def threshold(brightness: np.ndarray) -> float:
    """Otsu's threshold, as a share of the paper's brightness."""
    counts, edges = np.histogram(np.minimum(brightness, 1), STEPS, (0, 1))
    darker, sums = np.cumsum(counts), np.cumsum(counts * edges[1:])
    brighter = darker[-1] - darker
    between = (sums[-1] * darker - darker[-1] * sums) ** 2 / np.maximum(darker * brighter, 1)
    return float(np.clip(edges[1 + between.argmax()], MIN_THRESHOLD, MAX_THRESHOLD))
