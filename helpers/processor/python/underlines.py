"""Erases rules that touch letters, such as underlines and the writing lines of forms.

Tesseract ignores rules when it looks for lines of text, but recognises them as part of the letters
that touch them. Other rules stay, because they separate the cells of tables.
"""

from __future__ import annotations

import numpy as np
from PIL import Image

from examination.page_copy import small_copy
from examination.skew import SKEW_DPI
from tiff import MM_PER_INCH

# A rule has at least LEAST_PIECES in a row, each this long at SKEW_DPI (1.5 mm), in which at least
# this share of a row of pixels is ink. Letters have gaps.
PIECE, LEAST_PIECES, FILLED = 6, 6, 0.95
# Gray levels: pixels below DARK are ink, and below SOLID certainly so.
DARK, SOLID = 190, 128
# A thicker rule is a bar or a filled area.
THICKEST_MM = 1.2
# The pale rim of a rule. Beyond it is ink of letters that touch the rule.
RIM_MM = 0.25
# Letters touch at least this share of the pieces within REACH (9 mm). Where only letters such as p
# and g cross an underline, it does no harm.
TOUCHED, REACH = 0.05, 6
# A page with more pieces is a picture.
MOST_PIECES = 12_000


def without_underlines(pixels: np.ndarray, dpi: int) -> np.ndarray:
    """The level page without rules that touch letters; the same array if there are none."""
    small = small_copy(Image.fromarray(pixels), dpi, SKEW_DPI)
    if small is None:
        return pixels
    thickest = round(THICKEST_MM * SKEW_DPI / MM_PER_INCH)
    pieces = in_runs(thin(pieces_of(np.asarray(small) < DARK), thickest + 1))
    return erase_underlines(pixels, pieces, dpi) if 0 < np.count_nonzero(pieces) <= MOST_PIECES else pixels


def erase_underlines(pixels: np.ndarray, pieces: np.ndarray, dpi: int) -> np.ndarray:
    """Makes rules that touch letters white, except where letters cross them. `pieces` may be parts
    of rules. Returns the same array if there are none.
    """
    scale = dpi / SKEW_DPI
    thickest, rim = (max(1, round(mm * dpi / MM_PER_INCH)) for mm in (THICKEST_MM, RIM_MM))
    room = thickest + 2 * rim
    wide, high = round(PIECE * scale), round(scale) + 2 * room
    rows, columns = np.nonzero(pieces)
    tops, lefts = np.rint(rows * scale).astype(int) - room, np.rint(columns * PIECE * scale).astype(int)
    fits = (tops >= 0) & (tops + high <= pixels.shape[0]) & (lefts + wide <= pixels.shape[1])
    rows, columns, tops, lefts = rows[fits], columns[fits], tops[fits], lefts[fits]
    down, across = tops[:, None, None] + np.arange(high)[:, None], lefts[:, None, None] + np.arange(wide)
    levels = pixels[down, across]
    dark = levels < DARK
    at = np.arange(len(rows))
    filled = dark.mean(axis=2) >= FILLED
    middle = room + filled[:, room : high - room].argmax(axis=1)
    # The rule spans the rows from `first` up to, but not including, `last`.
    first = middle - steps(filled[:, ::-1], high - 1 - middle) + 1
    last = middle + steps(filled, middle)
    # Pale rules, as on lined paper, stay: letters are darker.
    is_rule = filled[at, middle] & (last - first <= thickest) & (np.median(levels[at, (first + last) // 2], axis=1) < SOLID)
    is_rule &= in_runs(marked(pieces.shape, rows[is_rule], columns[is_rule]))[rows, columns]
    touches = np.logical_and.reduce([levels[at, np.maximum(first - step, 0)] < SOLID for step in range(1, rim + 2)])
    share = mean_around(touches.mean(axis=1)[is_rule], pieces.shape, rows[is_rule], columns[is_rule])
    erased = is_rule & (share[rows, columns] >= TOUCHED)
    if not erased.any():
        return pixels
    down, across, levels, first, last = (values[erased] for values in (down, across, levels, first, last))
    at = np.arange(len(first))
    above, below = levels[at, first - 1 - rim] < DARK, levels[at, last + rim] < DARK
    crossing = (levels[at, first - 2] < SOLID) & (levels[at, last] < SOLID) & (levels[at, last + 1] < SOLID)
    start, end = first[:, None] - np.where(above, 0, rim - 1), last[:, None] + np.where(below, 0, rim)
    line = np.arange(high)[:, None]
    white = (line >= start[:, None]) & (line < end[:, None]) & ~(above & (below | crossing))[:, None]
    cleared = pixels.copy()
    cleared[np.broadcast_to(down, white.shape)[white], np.broadcast_to(across, white.shape)[white]] = 255
    return cleared


def pieces_of(ink: np.ndarray) -> np.ndarray:
    """Divides each row into pieces of PIECE pixels: true for a piece that is all ink."""
    count = ink.shape[1] // PIECE
    return ink[:, : count * PIECE].reshape(len(ink), count, PIECE).all(axis=2)


def thin(pieces: np.ndarray, rows: int) -> np.ndarray:
    """Removes pieces that belong to areas of more than `rows` rows."""
    if len(pieces) <= rows:
        return pieces
    areas = np.logical_and.reduce([pieces[at : len(pieces) - rows + at] for at in range(rows + 1)])
    left = pieces.copy()
    for at in range(rows + 1):
        left[at : len(pieces) - rows + at] &= ~areas
    return left


def in_runs(pieces: np.ndarray) -> np.ndarray:
    """Keeps pieces in runs of LEAST_PIECES, which may be slightly askew."""
    near = np.pad(pieces, ((1, 1), (LEAST_PIECES - 1, LEAST_PIECES - 1)))
    near = near[:-2] | near[1:-1] | near[2:]
    width = pieces.shape[1]
    runs = np.logical_and.reduce([near[:, at : at + width + LEAST_PIECES - 1] for at in range(LEAST_PIECES)])
    return pieces & np.logical_or.reduce([runs[:, at : at + width] for at in range(LEAST_PIECES)])


def mean_around(values: np.ndarray, shape: tuple[int, ...], rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """At each piece, the mean of the values of the pieces within REACH."""
    sums = []
    for value in (values, 1):
        grid = np.zeros(shape, np.float32)
        grid[rows, columns] = value
        padded = np.pad(grid, ((2, 2), (REACH + 1, REACH)))
        total = np.add.reduce([padded[at : at + shape[0]] for at in range(5)]).cumsum(axis=1)
        sums.append(total[:, 2 * REACH + 1 :] - total[:, : -2 * REACH - 1])
    return sums[0] / np.maximum(sums[1], 1)


def marked(shape: tuple[int, ...], rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    marks = np.zeros(shape, bool)
    marks[rows, columns] = True
    return marks


def steps(filled: np.ndarray, start: np.ndarray) -> np.ndarray:
    """How many filled rows follow each other from `start` on."""
    gap = ~filled & (np.arange(filled.shape[1]) >= start[:, None])
    return np.where(gap.any(axis=1), gap.argmax(axis=1), filled.shape[1]) - start
