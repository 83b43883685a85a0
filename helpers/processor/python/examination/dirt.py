"""Recognizes borders, folds, streaks, punch holes, and marks outside the printable area."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from examination.holes import is_hole
from examination.marks import Marks
from examination.page_copy import MM_PER_PIXEL

# In mm unless stated otherwise.
#
# A line is straight if less than 1 mm² of it is more than 1 mm away from the best fit. A signature
# across a fold is not straight.
OFF_LINE, MOST_OFF_LINE_AREA = 1.0, 1.0
LONG = 60.0
BORDER_DEPTH, BORDER_THICKNESS = 6.0, 1.2
CORNER, CORNER_AREA = 25.0, 80.0
STREAK_THICKNESS = 0.8
AT_EDGE_SIZE = 3.0

# Fragments of a streak or fold lie on one line. Its slope is at most that of paper fed askew.
BIT_THICKNESS = 0.7
STREAK_BITS, FOLD_BITS = 20.0, 8.0
MOST_SLOPE = 0.07
FAINT = 0.22
# Only lines through two of the longest fragments are tested.
MOST_ANCHORS = 40


def is_dirt(marks: Marks, number: int) -> bool:
    """True for borders, specks at the edge, streaks and holes. For fragments, see rows_of_bits."""
    _, _, width, height = marks.boxes[number]
    longer, shorter = max(width, height), min(width, height)
    if longer < AT_EDGE_SIZE and marks.at_edge[number]:
        return True
    if marks.touches_edge[number]:
        area = marks.components.area[number] * MM_PER_PIXEL**2
        if in_corner(marks, number) and area < CORNER_AREA:
            return True
        if shorter <= BORDER_DEPTH and line_of(marks, number).straight:
            return True
    if longer > LONG:
        line = line_of(marks, number)
        if line.straight and marks.touches_edge[number] and line.thickness < BORDER_THICKNESS:
            return True
        return line.straight and line.upright and line.thickness < STREAK_THICKNESS
    return is_hole(marks, number)


def in_corner(marks: Marks, number: int) -> bool:
    left, top, width, height = marks.boxes[number]
    page_width, page_height = marks.page
    across = left + width <= CORNER or left >= page_width - CORNER
    down = top + height <= CORNER or top >= page_height - CORNER
    return across and down


@dataclass(frozen=True)
class Line:
    straight: bool
    upright: bool
    # Mean thickness in mm.
    thickness: float


def line_of(marks: Marks, number: int) -> Line:
    pixels = marks.components.members(number)
    rows, columns = np.divmod(pixels, marks.paper.mask.shape[1])
    points = np.stack([columns - columns.mean(), rows - rows.mean()]) * MM_PER_PIXEL
    along, across = np.linalg.eigh(points @ points.T)[1][:, ::-1].T
    off = (abs(across @ points) > OFF_LINE).sum() * MM_PER_PIXEL**2
    length = np.ptp(along @ points) + MM_PER_PIXEL
    return Line(
        straight=bool(off < MOST_OFF_LINE_AREA),
        upright=bool(abs(along[0]) <= MOST_SLOPE),
        thickness=float(len(pixels) * MM_PER_PIXEL**2 / length),
    )


def rows_of_bits(marks: Marks, numbers: np.ndarray) -> np.ndarray:
    left, top, width, height = marks.boxes[numbers].T
    x, y = left + width / 2, top + height / 2
    thin_upright = (width <= BIT_THICKNESS) & (height > width)
    thin_level = (height <= BIT_THICKNESS) & (width > height) & (marks.strength[numbers] < FAINT)
    return on_line(y, x, height, thin_upright, 0.0, STREAK_BITS) | on_line(x, y, width, thin_level, MOST_SLOPE, FOLD_BITS)


def on_line(
    along: np.ndarray, across: np.ndarray, lengths: np.ndarray, bits: np.ndarray, slope: float, least: float
) -> np.ndarray:
    """Selects fragments on a long line of at most this slope, if they add up to `least` mm."""
    found = np.zeros(len(bits), dtype=bool)
    places = np.flatnonzero(bits)
    if lengths[places].sum() < least:
        return found
    anchors = places[np.argsort(-lengths[places])][:MOST_ANCHORS]
    for first in anchors:
        far = anchors[along[anchors] - along[first] > LONG / 2]
        rises = (across[far] - across[first]) / (along[far] - along[first])
        for rise in rises[abs(rises) <= slope] if slope > 0 else [0.0]:
            off = abs(across[places] - across[first] - rise * (along[places] - along[first]))
            near = places[off <= BIT_THICKNESS / 2]
            if lengths[near].sum() >= least and np.ptp(along[near]) > LONG:
                found[near] = True
    return found
