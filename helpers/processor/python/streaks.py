"""Finds streaks of dirty glass: lines down the image, from dust that paper moves past."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from PIL import Image

from tiff import MM_PER_INCH

# A streak is darker than the pixels at BESIDE_MM on both sides, so wider ones are not found. It is
# searched in bands of BAND_MM.
BAND_MM, BESIDE_MM = 2.0, 0.9
# A streak is darker by DARKER gray levels in these shares of all bands, and of the bands at top and
# bottom, which print does not reach: even the rules of a table end before them.
DARKER, SHARE, END_SHARE, END_MM = 12, 0.7, 0.6, 6.0
# For filling streaks. The paper is the brightest level beside the streak within NEAR_MM. A row
# whose level beside the streak is at least PAPER_SHARE of that is plain paper. In such rows,
# percentile DARKEST_PERCENT of the streak's pixels is the streak's own darkness. Pixels darker than
# that by PRINT_SHARE of the paper are print under the streak.
PAPER_SHARE, NEAR_MM, DARKEST_PERCENT, PRINT_SHARE = 0.9, 3.0, 2, 0.05
# If more columns than this share are darker, they are a pattern.
MOST_SHARE = 0.05


def find_streaks(gray: Image.Image, dpi: int) -> list[tuple[int, int]]:
    """Pairs of a streak's first column and the one after its last. Expects the image as scanned."""
    band, beside = round(BAND_MM * dpi / MM_PER_INCH), max(1, round(BESIDE_MM * dpi / MM_PER_INCH))
    ends = round(END_MM / BAND_MM)
    if gray.height < 4 * ends * band or gray.width < 4 * beside:
        return []
    rows = np.asarray(gray.reduce((1, band)), np.int16)
    darker = np.zeros(rows.shape, bool)
    around = np.minimum(rows[:, : -2 * beside], rows[:, 2 * beside :])
    darker[:, beside:-beside] = rows[:, beside:-beside] < around - DARKER
    parts = ((darker, SHARE), (darker[:ends], END_SHARE), (darker[-ends:], END_SHARE))
    columns = np.logical_and.reduce([part.mean(axis=0) >= share for part, share in parts])
    if columns.mean() > MOST_SHARE:
        return []
    steps = np.flatnonzero(np.diff(np.concatenate(([False], columns, [False])).astype(np.int8)))
    return [(int(first), int(last)) for first, last in steps.reshape(-1, 2)]


def fill_streaks(pixels: np.ndarray, streaks: list[tuple[int, int]], dpi: int) -> None:
    """Interpolates across each streak, in place. Darker pixels are print under the streak, and
    stay."""
    width = pixels.shape[1]
    near = round(NEAR_MM * dpi / MM_PER_INCH)
    for first, last in streaks:
        # Skips the columns right beside the streak, which are half as dark.
        left, right = max(0, first - 2), min(width - 1, last + 1)
        share = np.arange(1, right - left, dtype=np.float32) / (right - left)
        ends = pixels[:, [left, right]].astype(np.float32)
        filled = ends[:, :1] * (1 - share) + ends[:, 1:] * share
        beside = ends.min(axis=1)
        paper = sliding_window_view(np.pad(beside, near, "edge"), 2 * near + 1).max(axis=1)
        within = pixels[:, left + 1 : right]
        # Relative to `paper`, since the pixels beside the streak are black where it crosses a line.
        shares = within / paper.clip(1)[:, None]
        on_paper = np.percentile(shares[beside >= PAPER_SHARE * paper], DARKEST_PERCENT, axis=0)
        within[:] = np.where(shares < on_paper - PRINT_SHARE, within, filled)
