"""Chooses the resolution for recognition.

Tesseract scales every line to 36 pixels, so taller letters only cost time. If all letters have
about the same height, the image is reduced until they have HEIGHT pixels. On receipts, forms and
coarse copies they do not, and reducing the page would lose words.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

# Height of small letters in pixels. At 12 no word is lost; at 11, words on highlighter are.
HEIGHT = 12
# The image is reduced neither to a scale above LEAST, which would save nothing, nor below MOST.
LEAST, MOST = 0.9, 0.45
# Letters have one height if these percentiles of it differ by at most the factor EVEN.
SHARES, EVEN = (0.1, 0.75), 1.25
# With fewer letter rows, the heights are not significant. A short receipt has few.
FEWEST, FEWEST_NARROW = 60, 20
# On narrower paper, Tesseract drops the column of prices unless told to read one column. At 0.8 of
# the size it reads as well, and faster, if letters keep NARROW_HEIGHT pixels.
NARROW_MM, NARROW_SCALE, NARROW_HEIGHT = 90, 0.8, 14
# At each edge, this share of the ink may be dirt.
DIRT = 0.005

# Every second strip of about 8 mm is sampled, and every second column of it.
STRIP_INCHES, STEP = 0.32, 2
# Print is darker than DARK. A letter row consists of the pixel rows with more ink than the share
# CORE of the fullest ones.
DARK, CORE = 160, 0.45
# Shares of a strip's width: below THIN are specks, above FULL a filled area.
THIN, FULL = 0.12, 0.7
LOWEST_PIXELS, TALLEST_INCHES = 4, 0.5


def letter_heights(gray: np.ndarray, dpi: int) -> tuple[np.ndarray, np.ndarray]:
    """Heights of letter rows in strips of a level page, in pixels, and their amounts of print."""
    width = max(8, round(STRIP_INCHES * dpi)) // STEP
    count = gray.shape[1] // STEP // width
    sampled = gray[:, ::STEP][:, : count * width].reshape(len(gray), count, width)[:, ::STEP]
    strips = (sampled < DARK).sum(axis=2, dtype=np.int32).T
    found = [row for strip in strips for row in rows_of(strip, dpi, width)]
    heights, weights = np.array(found).T if found else np.empty((2, 0))
    return heights, weights


def rows_of(strip: np.ndarray, dpi: int, width: int) -> list[tuple[int, float]]:
    """Height and amount of print of each letter row. `strip` is the ink per pixel row."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], strip > 0, [0]))))
    found = []
    for top, bottom in zip(edges[::2], edges[1::2]):
        if not LOWEST_PIXELS <= bottom - top <= TALLEST_INCHES * dpi:
            continue
        row = strip[top:bottom]
        fullest = np.sort(row)[-max(1, len(row) // 4) :].mean()
        core = np.flatnonzero(row >= CORE * fullest)
        height = int(core[-1] - core[0]) + 1
        ink = row[core[0] : core[-1] + 1].mean() / width
        if fullest >= THIN * width and ink <= FULL:
            found.append((height, row.sum() / height))
    return found


def at_shares(heights: np.ndarray, weights: np.ndarray, shares: tuple[float, ...]) -> list[float]:
    order = np.argsort(heights)
    total = np.cumsum(weights[order])
    return [float(heights[order][np.searchsorted(total, share * total[-1])]) for share in shares]


def dpi_to_read(gray: np.ndarray, dpi: int, narrow: bool) -> int:
    """The resolution for recognizing a level page, at most its own."""
    heights, weights = letter_heights(gray, dpi)
    if len(heights) < (FEWEST_NARROW if narrow else FEWEST):
        return dpi
    low, middle, high = at_shares(heights, weights, (SHARES[0], 0.5, SHARES[1]))
    scale = HEIGHT / middle if high <= EVEN * low else 1
    if narrow:
        scale = NARROW_SCALE if middle * NARROW_SCALE >= NARROW_HEIGHT else 1
    return round(dpi * max(MOST, scale)) if scale <= LEAST else dpi


def is_narrow(ink: np.ndarray | None, mm: float) -> bool:
    """True for print no wider than a receipt. `mm` is the width of a pixel."""
    if ink is None or not ink.any():
        return False
    total = np.cumsum(ink.sum(axis=0))
    left, right = np.searchsorted(total, (DIRT * total[-1], (1 - DIRT) * total[-1]))
    return bool((right - left) * mm < NARROW_MM)


def brought_to(gray: np.ndarray, dpi: int, new_dpi: int) -> Image.Image:
    """Scales down to exactly `new_dpi`, dropping partial pixels at the right and bottom."""
    width, height = gray.shape[1] * new_dpi // dpi, gray.shape[0] * new_dpi // dpi
    box = (0, 0, width * dpi / new_dpi, height * dpi / new_dpi)
    return Image.fromarray(gray).resize((width, height), Image.Resampling.LANCZOS, box)
