from __future__ import annotations

import numpy as np

from examination.marks import Marks
from examination.page_copy import MM_PER_PIXEL

# In mm: the diameters of holes, and, by ISO 838, their distances from the nearest edge of the paper
# and from the middle of that edge.
SIZES = (3.5, 10.5)
LARGEST_ASPECT = 1.33
FROM_EDGE, FROM_EDGE_TOLERANCE = 12.0, 4.0
FROM_MIDDLE, FROM_MIDDLE_TOLERANCE = (40.0, 120.0), 5.0

# Two holes of the same size, at most ROW_FROM_EDGE from an edge, at the DISTANCES of Swedish,
# American and ISO punches.
ROW_FROM_EDGE, ROW_TOLERANCE, SIZE_TOLERANCE = 24.0, 3.0, 1.0
DISTANCES = (70.0, 80.0, 108.0, 160.0, 216.0, 240.0)

# A hole is round: in ROUND_DIRECTIONS of DIRECTIONS, its outline is at this share of the radius.
DIRECTIONS, ROUND_DIRECTIONS = 24, 22
OUTLINE = (0.8, 1.15)


def is_hole(marks: Marks, number: int) -> bool:
    if not is_round(marks, number):
        return False
    across, along, middle = place_at_edge(marks, number)
    if abs(across - FROM_EDGE) <= FROM_EDGE_TOLERANCE and is_one_of(
        abs(along - middle), FROM_MIDDLE, FROM_MIDDLE_TOLERANCE
    ):
        return True
    return across <= ROW_FROM_EDGE and any(is_row(marks, number, other) for other in hole_sized(marks))


def hole_sized(marks: Marks) -> np.ndarray:
    low, high = SIZES
    sides = marks.boxes[:, 2:]
    return np.flatnonzero((sides.min(axis=1) >= low) & (sides.max(axis=1) <= high))


def is_round(marks: Marks, number: int) -> bool:
    _, _, width, height = marks.boxes[number]
    longer, shorter = max(width, height), min(width, height)
    if shorter < SIZES[0] or longer > SIZES[1] or longer > shorter * LARGEST_ASPECT:
        return False
    parts = marks.components
    rows, columns = np.divmod(parts.members(number), marks.paper.mask.shape[1])
    x = columns + 0.5 - (parts.left[number] + parts.right[number]) / 2
    y = rows + 0.5 - (parts.top[number] + parts.bottom[number]) / 2
    radius = np.hypot(x, y) * MM_PER_PIXEL / (longer / 2)
    outermost = np.zeros(DIRECTIONS)
    np.maximum.at(outermost, ((np.arctan2(y, x) / np.pi + 1) / 2 * DIRECTIONS).astype(int) % DIRECTIONS, radius)
    return bool(((outermost > OUTLINE[0]) & (outermost < OUTLINE[1])).sum() >= ROUND_DIRECTIONS)


def place_at_edge(marks: Marks, number: int) -> tuple[float, float, float]:
    """Distance from the nearest page edge, position along that edge, and the middle of the edge."""
    left, top, width, height = marks.boxes[number]
    x, y = left + width / 2, top + height / 2
    page_width, page_height = marks.page
    beside = (min(x, page_width - x), y, page_height / 2)
    above = (min(y, page_height - y), x, page_width / 2)
    return min(beside, above)


def is_row(marks: Marks, number: int, other: int) -> bool:
    """True if two marks are holes of the same punch."""
    if number == other or not is_round(marks, other):
        return False
    sizes = abs(marks.boxes[number, 2:] - marks.boxes[other, 2:])
    apart = abs(marks.boxes[number, :2] - marks.boxes[other, :2])
    return bool(
        sizes.max() <= SIZE_TOLERANCE
        and apart.min() <= ROW_TOLERANCE
        and is_one_of(apart.max(), DISTANCES, ROW_TOLERANCE)
    )


def is_one_of(value: float, wanted: tuple[float, ...], tolerance: float) -> bool:
    return any(abs(value - place) <= tolerance for place in wanted)
