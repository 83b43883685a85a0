"""By which angle the lines of a page are askew.

The page is added up row by row, at one angle after the other: where lines of text are level, rows of ink and rows of paper
alternate, and neighbouring rows differ most.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from examination.page_copy import COPY_DPI

SKEW_DPI = 100
# Darker than this share of the paper is ink.
INK_SHARE = 0.75
# Columns are added up in strips that are moved up or down as a whole.
STRIP_PIXELS = 32
# In degrees. No feeder pulls paper in more askew.
MOST, COARSE, FINE = 8.0, 0.5, 0.1
# The best angle is believed if it is so much better than the usual one: letters 13 to 25, receipts 4, blank pages at most 1.3.
BELIEVED = 3.5


def skew_of(copy: Image.Image) -> float | None:
    """The angle by which a 150 dpi copy is turned clockwise, in degrees; None where its rows say nothing."""
    size = tuple(max(1, side * SKEW_DPI // COPY_DPI) for side in copy.size)
    pixels = np.asarray(copy.convert("L").resize(size, Image.Resampling.BOX))
    ink = pixels < INK_SHARE * np.percentile(pixels, 90)
    strips = np.add.reduceat(ink, np.arange(0, ink.shape[1], STRIP_PIXELS), axis=1, dtype=np.int32)
    coarse = np.arange(-MOST, MOST + COARSE / 2, COARSE)
    scores = [contrast(strips, angle) for angle in coarse]
    usual, best = float(np.median(scores)), int(np.argmax(scores))
    fine = coarse[best] + np.arange(-COARSE + FINE, COARSE - FINE / 2, FINE)
    fine_scores = [contrast(strips, angle) for angle in fine]
    angle = float(fine[int(np.argmax(fine_scores))])
    if max(fine_scores) < BELIEVED * usual or usual == 0 or abs(angle) > MOST - COARSE:
        return None
    return round(angle, 1) + 0.0  # never minus zero


def contrast(strips: np.ndarray, angle: float) -> float:
    """How much neighbouring rows differ when the strips are moved against an angle."""
    height, count = strips.shape
    moves = np.round(np.tan(np.radians(angle)) * STRIP_PIXELS * np.arange(count)).astype(int)
    moves -= moves.min()
    rows = np.zeros(height + moves.max(), dtype=np.int32)
    for column, move in enumerate(moves.max() - moves):
        rows[move : move + height] += strips[:, column]
    return float((np.diff(rows).astype(np.float64) ** 2).sum())
