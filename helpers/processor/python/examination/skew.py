"""Measures the skew of a page's text lines.

Sums the rows of the page at many angles. At the right angle, rows of text and gaps alternate, so
neighbouring rows differ most.
"""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter

from bilevel import BRIGHTEST, PAPER_PERCENTILE, paper_level
from examination.page_copy import small_copy

SKEW_DPI = 100
# Ink is darker than this share of the paper. Squares of 2 mm with more than MOST_INK ink, and their
# neighbours, are backing, pictures or boxes.
INK_SHARE = 0.75
SQUARE_PIXELS, MOST_INK = 8, 0.7
# Width of the strips of columns that are summed. To rotate, whole strips are shifted.
STRIP_PIXELS = 16
# In degrees. Small paper rotates up to MOST in a feeder or on the glass.
MOST, COARSE, FINE = 15.0, 1.0, 0.1
COARSE_FACTOR = 2
# Minimum of the best score, relative to the median. Letters reach 13 to 25, receipts 4, blank pages
# at most 1.3.
BELIEVED = 3.0


def ink_of(image: Image.Image, dpi: int) -> np.ndarray | None:
    """The ink at SKEW_DPI; None if the image's resolution is too low."""
    copy = small_copy(image, dpi, SKEW_DPI)
    if copy is None:
        return None
    pixels = np.asarray(copy.convert("L"))
    usual, brightest = np.percentile(pixels[::4, ::4], (100 * PAPER_PERCENTILE, 100 * BRIGHTEST))
    return without_areas(pixels < INK_SHARE * paper_level(usual, brightest))


def skew_of(ink: np.ndarray | None) -> float | None:
    """The skew in degrees clockwise; None if the ink shows none."""
    if ink is None or not ink.any():
        return None
    coarse = np.arange(-MOST, MOST + COARSE / 2, COARSE)
    small = Image.fromarray(ink).convert("L").reduce(COARSE_FACTOR)
    scores = contrasts(strips_of(np.asarray(small, np.int32), STRIP_PIXELS // COARSE_FACTOR), coarse, STRIP_PIXELS // COARSE_FACTOR)
    usual, best = float(np.median(scores)), int(np.argmax(scores))
    if usual == 0 or scores[best] < BELIEVED * usual:
        return None
    fine = coarse[best] + np.arange(-COARSE, COARSE + FINE / 2, FINE)
    strips = strips_of(ink, STRIP_PIXELS)
    angle = float(fine[int(np.argmax(contrasts(strips, fine, STRIP_PIXELS)))])
    return round(angle, 1) + 0.0 if abs(angle) <= MOST else None  # never minus zero


def without_areas(ink: np.ndarray) -> np.ndarray:
    """Removes dark areas: the edges of a backing or a picture have their own angle."""
    shares = Image.fromarray(ink).convert("L").reduce(SQUARE_PIXELS)
    areas = shares.point(lambda value: 255 if value > 255 * MOST_INK else 0).filter(ImageFilter.MaxFilter(3))
    if areas.getextrema() == (0, 0):
        return ink
    size = tuple(side * SQUARE_PIXELS for side in areas.size)
    wide = areas.resize(size, Image.Resampling.NEAREST).crop((0, 0, ink.shape[1], ink.shape[0]))
    return ink & (np.asarray(wide) == 0)


def strips_of(ink: np.ndarray, width: int) -> np.ndarray:
    """The ink per row in each strip of columns."""
    return np.ascontiguousarray(np.add.reduceat(ink, np.arange(0, ink.shape[1], width), axis=1, dtype=np.int32).T)


def contrasts(strips: np.ndarray, angles: np.ndarray, width: int) -> list[float]:
    used = np.flatnonzero(strips.any(axis=1))
    return [contrast(strips, used, float(angle), width) for angle in angles]


def contrast(strips: np.ndarray, used: np.ndarray, angle: float, width: int) -> float:
    """How much neighbouring rows differ at an angle. `used` are the strips with ink."""
    count, height = strips.shape
    moves = np.round(np.tan(np.radians(angle)) * width * np.arange(count)).astype(int)
    moves -= moves.min()
    rows = np.zeros(height + moves.max(), dtype=np.int32)
    for strip in used:
        move = moves.max() - moves[strip]
        rows[move : move + height] += strips[strip]
    return float((np.diff(rows).astype(np.float64) ** 2).sum())
