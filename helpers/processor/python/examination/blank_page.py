"""Scores how far a page is from blank. Below 1 it is blank.

Darkness and OCR do not decide it: paper is gray, dirt is dark, and print shining through reads as
words. Dirt is soft (shades, print from the other side), straight (folds, streaks, borders), small,
or a punch hole. Writing and print have crisp edges, a pixel or two wide. The score is the crispness
of the crispest mark that is not dirt, or the density of specks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from examination.components import Components, find_components, runs_of
from examination.dirt import is_dirt, rows_of_bits
from examination.marks import Marks
from examination.page_copy import MM_PER_PIXEL
from examination.paper import Paper, cell_view, difference, find_paper, in_whole_cells

# The score of a page that is not blank, or cannot be judged.
NOT_BLANK = 9.0
WHOLE_PAGE_NOT_BLANK = {"score": NOT_BLANK, "mark": None}

# A page is dense print or halftone if its noise exceeds MOST_NOISE of the paper's brightness, or if
# more than MOST_DARK_SHARE of its pixels are darker than the paper by DARK.
MOST_NOISE = 0.03
NOISE_PER_STEP, NOISE_ROWS = 0.886, 5
DARK, MOST_DARK_SHARE = 0.25, 0.02
# Every fourth pixel of every fourth row shows whether a page is full of text.
DARK_SAMPLE = 4

# Ink differs from the paper by at least LEAST_INK and INK_PER_NOISE times the noise, with edges of
# at least LEAST_STEP.
LEAST_INK, INK_PER_NOISE = 0.06, 4.5
LEAST_STEP, LEAST_BILEVEL_STEP = 0.04, 0.2

# A pixel column with ink on this share of its height is a streak on the glass. Hides it and
# STREAK_MARGIN columns on both sides.
STREAK_SHARE, STREAK_MARGIN = 0.35, 2
# A page with more horizontal runs of ink has text or a picture.
MOST_RUNS = 8000

# In mm. Smaller marks are specks, which count only if CROWD of them are within CROWD_SQUARE.
SPECK_SIZE = 1.3
CROWD_SQUARE, CROWD = 10, 6

# A mark is crisp if its edges reach this step along this share of its length.
CRISP_STEP, CRISP_SHARE = 0.05, 0.6


def blank_score(copy: Image.Image, bilevel: bool) -> dict[str, Any]:
    """Expects a 150 dpi copy. `mark` is in mm, and null if the page as a whole decides."""
    copy = in_whole_cells(copy)
    gray = copy.convert("L")
    paper = find_paper(gray)
    if paper is None or not paper.inner.any():
        return WHOLE_PAGE_NOT_BLANK
    # Most pages have text, and return here.
    some = (slice(None, None, DARK_SAMPLE),) * 2
    if not bilevel and (difference(gray, paper, DARK_SAMPLE) < -DARK)[paper.mask[some]].mean() > MOST_DARK_SHARE:
        return WHOLE_PAGE_NOT_BLANK
    # Coloured ink may show in a single band.
    differences = [difference(band, paper) for band in copy.split()]
    noise = bilevel_noise(differences[0], paper) if bilevel else max(noise_of(band, paper) for band in differences)
    strength = np.maximum.reduce([abs(band) for band in differences])
    if noise > MOST_NOISE or (not bilevel and (strength > DARK)[paper.mask].mean() > MOST_DARK_SHARE):
        return WHOLE_PAGE_NOT_BLANK
    differing = np.flatnonzero((strength > max(LEAST_INK, INK_PER_NOISE * noise)) & paper.mask)
    if bilevel and (np.diff(differing) > 1).sum() > MOST_RUNS:
        return WHOLE_PAGE_NOT_BLANK
    ink, steps = crisp_ink(differing, differences, LEAST_BILEVEL_STEP if bilevel else LEAST_STEP)
    ink[:, streaks(ink, paper)] = False
    if len(runs_of(ink)[0]) > MOST_RUNS:
        return WHOLE_PAGE_NOT_BLANK
    return judge(find_components(ink), steps, strength, paper)


def noise_of(band: np.ndarray, paper: Paper) -> float:
    """Standard deviation of the paper's grain, from sampled rows."""
    steps = abs(np.diff(band[::NOISE_ROWS], axis=1))
    return NOISE_PER_STEP * float(np.median(steps[paper.mask[::NOISE_ROWS, 1:]]))


def bilevel_noise(band: np.ndarray, paper: Paper) -> float:
    some = (slice(None, None, 2), slice(None), slice(None, None, 2))
    return float(np.median(cell_view(band)[some].std(axis=(1, 3))[paper.inner[::2, ::2]]))


def crisp_ink(differing: np.ndarray, differences: list[np.ndarray], least: float) -> tuple[np.ndarray, np.ndarray]:
    """Of the pixels that differ from the paper, those at or beside an edge are ink. Also returns
    each pixel's largest step to its neighbours.
    """
    width = differences[0].shape[1]
    beside = (0, 1, -1, width, -width)
    steps = [np.zeros(len(differing), dtype=np.float32) for _ in beside]
    for band in differences:
        flat = band.ravel()
        for step, place in zip(steps, beside):
            centre = flat[differing + place]
            for offset in beside[1:]:
                np.maximum(step, abs(flat[differing + place + offset] - centre), out=step)
    ink = np.zeros(differences[0].shape, dtype=bool)
    ink.ravel()[differing[np.maximum.reduce(steps) > least]] = True
    all_steps = np.zeros(differences[0].shape, dtype=np.float32)
    all_steps.ravel()[differing] = steps[0]
    return ink, all_steps


def streaks(ink: np.ndarray, paper: Paper) -> np.ndarray:
    heights = np.maximum(1, paper.mask.sum(axis=0))
    found = ink.sum(axis=0) > STREAK_SHARE * heights
    return np.convolve(found, np.ones(2 * STREAK_MARGIN + 1), mode="same") > 0


def judge(components: Components, steps: np.ndarray, strength: np.ndarray, paper: Paper) -> dict[str, Any]:
    sizes = np.maximum(components.right - components.left, components.bottom - components.top)
    is_speck = sizes * MM_PER_PIXEL < SPECK_SIZE
    marks = Marks(components, sizes, components.largest(strength), paper)
    sharpness = crispness(components, sizes, steps) / CRISP_STEP
    sharpness[is_speck] = 0
    candidates = np.flatnonzero(sharpness >= LEAST_STEP / CRISP_STEP)
    candidates = candidates[~rows_of_bits(marks, candidates)]
    scores = [crowd(marks, is_speck)]
    for number in candidates[np.argsort(-sharpness[candidates])]:
        if not is_dirt(marks, number):
            scores.append((float(sharpness[number]), box(components, number)))
            break
    score, mark = max(scores, key=lambda scored: scored[0])
    return {"score": round(score, 2), "mark": mark}


def crispness(components: Components, sizes: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """The step that a component's edges reach along CRISP_SHARE of its length."""
    values = steps.ravel()[components.pixels]
    order = np.lexsort((-values, components.labels))
    firsts = np.cumsum(components.area) - components.area
    places = np.minimum(np.ceil(CRISP_SHARE * sizes).astype(int), components.area) - 1
    return values[order][firsts + places]


def crowd(marks: Marks, is_speck: np.ndarray) -> tuple[float, dict[str, float] | None]:
    """Scores the square with the most dark specks."""
    parts, half = marks.components, CROWD_SQUARE / 2 / MM_PER_PIXEL
    counted = is_speck & (marks.strength >= DARK) & ~marks.at_edge
    if not counted.any():
        return 0.0, None
    columns = ((parts.left + parts.right)[counted] / 2 // half).astype(int)
    rows = ((parts.top + parts.bottom)[counted] / 2 // half).astype(int)
    counts = np.zeros((rows.max() + 2, columns.max() + 2), dtype=int)
    np.add.at(counts, (rows, columns), 1)
    sums = counts[1:, 1:] + counts[:-1, 1:] + counts[1:, :-1] + counts[:-1, :-1]
    row, column = np.unravel_index(sums.argmax(), sums.shape)
    x, y = (place * CROWD_SQUARE / 2 for place in (column, row))
    return sums[row, column] / CROWD, place_of(x, y, CROWD_SQUARE, CROWD_SQUARE)


def box(components: Components, number: int) -> dict[str, float]:
    left, top = components.left[number], components.top[number]
    width, height = components.right[number] - left, components.bottom[number] - top
    return place_of(*(side * MM_PER_PIXEL for side in (left, top, width, height)))


def place_of(x: float, y: float, width: float, height: float) -> dict[str, float]:
    return {"x_mm": round(x, 1), "y_mm": round(y, 1), "width_mm": round(width, 1), "height_mm": round(height, 1)}
