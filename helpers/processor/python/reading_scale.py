"""The resolution at which a page is read.

Tesseract brings every line to 36 pixels: taller letters only cost time. Where the letters of a page are all about as tall, its image is
reduced until they have HEIGHT pixels. Where they are not, as on receipts, forms and coarse copies, the page is read as it was scanned,
since there a reduced image loses words.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

# The height of small letters without ascenders, in pixels: at 12 no word is lost on real and hard pages, at 11 words on highlighter are.
HEIGHT = 12
# Nothing is reduced by less than this, which would save nothing, or to less.
LEAST, MOST = 0.9, 0.45
# Letters are of one height if so much of the print is at most so many times as tall as the rest.
SHARES, EVEN = (0.1, 0.75), 1.25
# Print of fewer strips says nothing.
FEWEST = 60
# Narrow paper has fewer columns than Tesseract looks for: it drops that of the prices. At 0.8 of its size, it is read as well for less.
NARROW_MM, NARROW_SCALE, NARROW_HEIGHT = 90, 0.8, 14
# Of the ink at the edges, so much may be dirt.
DIRT = 0.005

# Strips of about 8 mm of a row, every second one; every second column of those.
STRIP_INCHES, STEP = 0.32, 2
# Print is darker than this level. A row of letters has ink in more of its rows than this share of its fullest ones.
DARK, CORE = 160, 0.45
# Less of the fullest rows is a speck, more of all rows a filled area.
THIN, FULL = 0.12, 0.7
LOWEST_PIXELS, TALLEST_INCHES = 4, 0.5


def letter_heights(gray: np.ndarray, dpi: int) -> tuple[np.ndarray, np.ndarray]:
    """The heights of the rows of letters in strips of a level page, in pixels, and how much print each stands for."""
    width = max(8, round(STRIP_INCHES * dpi)) // STEP
    count = gray.shape[1] // STEP // width
    ink = gray[:, ::STEP][:, : count * width] < DARK
    strips = ink.reshape(len(gray), count, width)[:, ::STEP].sum(axis=2, dtype=np.int32).T
    found = [row for strip in strips for row in rows_of(strip, dpi, width)]
    heights, weights = np.array(found).T if found else np.empty((2, 0))
    return heights, weights


def rows_of(strip: np.ndarray, dpi: int, width: int) -> list[tuple[int, float]]:
    """The same for one strip, whose pixels of ink are added up."""
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
    """The heights that these shares of the print do not exceed."""
    order = np.argsort(heights)
    total = np.cumsum(weights[order])
    return [float(heights[order][np.searchsorted(total, share * total[-1])]) for share in shares]


def dpi_to_read(image: Image.Image, dpi: int, narrow: bool) -> int:
    """The resolution at which a level page is read, at most its own."""
    heights, weights = letter_heights(np.asarray(image.convert("L")), dpi)
    if len(heights) < FEWEST:
        return dpi
    low, middle, high = at_shares(heights, weights, (SHARES[0], 0.5, SHARES[1]))
    scale = HEIGHT / middle if high <= EVEN * low else 1
    if narrow:
        scale = NARROW_SCALE if middle * NARROW_SCALE >= NARROW_HEIGHT else 1
    return round(dpi * max(MOST, scale)) if scale <= LEAST else dpi


def is_narrow(ink: np.ndarray | None, mm: float) -> bool:
    """Whether the ink of a page, whose pixels are so many millimetres wide, is on narrow paper."""
    if ink is None or not ink.any():
        return False
    total = np.cumsum(ink.sum(axis=0))
    left, right = np.searchsorted(total, (DIRT * total[-1], (1 - DIRT) * total[-1]))
    return bool((right - left) * mm < NARROW_MM)


def brought_to(image: Image.Image, dpi: int, new_dpi: int) -> Image.Image:
    """The image at a lower resolution, exactly: what is no whole pixel at the right and the bottom is left out."""
    width, height = image.width * new_dpi // dpi, image.height * new_dpi // dpi
    box = (0, 0, width * dpi / new_dpi, height * dpi / new_dpi)
    return image.convert("L").resize((width, height), Image.Resampling.LANCZOS, box)
