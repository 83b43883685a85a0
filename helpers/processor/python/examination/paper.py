from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

# 2 mm at 150 dpi: larger than a stroke, smaller than a shade.
CELL = 12

# In gray levels. Paper is at least this bright; a darker page is not judged.
DARKEST_PAPER = 75
# Backing is darker than this share of the paper, varies by less than FLATNESS gray levels within a
# cell, and is connected to the edge.
BACKING_SHARE = 0.62
FLATNESS = 60
LARGEST_BACKING_SHARE = 0.85

# The paper around a cell is the median of 7 x 7 cells: larger than marks, smaller than shades.
MEDIAN_CELLS = 7


@dataclass(frozen=True)
class Paper:
    """`mask` is per pixel, the others per cell. All but `cells` exclude one cell at each edge."""

    cells: np.ndarray
    inner: np.ndarray
    mask: np.ndarray


def in_whole_cells(copy: Image.Image) -> Image.Image:
    """Crops up to half a cell at the right or bottom, or stretches, to multiples of CELL."""
    width, height = (max(1, round(side / CELL)) * CELL for side in copy.size)
    part = copy.crop((0, 0, min(width, copy.width), min(height, copy.height)))
    return part if part.size == (width, height) else part.resize((width, height), Image.Resampling.NEAREST)


def find_paper(gray: Image.Image) -> Paper | None:
    """Expects sides that are multiples of CELL. None if the page is too dark or mostly backing."""
    means = np.asarray(gray.reduce(CELL))
    paper = np.percentile(means, 75)
    if paper < DARKEST_PAPER:
        return None
    dark = means < BACKING_SHARE * paper
    pixels = cell_view(np.asarray(gray)).swapaxes(1, 2)[dark]
    dark[dark] = np.ptp(pixels, axis=(1, 2)) < FLATNESS
    backing = dilated(connected_to_edge(dark))
    if backing.mean() > LARGEST_BACKING_SHARE:
        return None
    inner = ~backing
    inner[[0, -1], :] = inner[:, [0, -1]] = False
    return Paper(~backing, inner, pixels_of(inner))


def cell_view(pixels: np.ndarray) -> np.ndarray:
    """Axes: cell row, row, cell column, column."""
    height, width = pixels.shape
    return pixels.reshape(height // CELL, CELL, width // CELL, CELL)


def pixels_of(cells: np.ndarray) -> np.ndarray:
    return cells.repeat(CELL, axis=0).repeat(CELL, axis=1)


def connected_to_edge(cells: np.ndarray) -> np.ndarray:
    """Uses 4-connectivity."""
    edge = np.ones_like(cells)
    edge[1:-1, 1:-1] = False
    found = cells & edge
    while True:
        wider = dilated(found, corners=False) & cells
        if (wider == found).all():
            return found
        found = wider


def dilated(mask: np.ndarray, corners: bool = True) -> np.ndarray:
    wide = mask.copy()
    wide[1:] |= mask[:-1]
    wide[:-1] |= mask[1:]
    across = wide if corners else mask
    result = wide.copy()
    result[:, 1:] |= across[:, :-1]
    result[:, :-1] |= across[:, 1:]
    return result


def difference(band: Image.Image, paper: Paper, every: int = 1) -> np.ndarray:
    """0 is the surrounding paper, -1 black. Takes each `every`-th row and column."""
    cells = np.array(band.reduce(CELL))
    cells[~paper.cells] = np.median(cells[paper.cells])
    background = Image.fromarray(cells).filter(ImageFilter.MedianFilter(MEDIAN_CELLS)).convert("F")
    pixels = np.asarray(band)[::every, ::every]
    return pixels / np.array(background.resize(pixels.shape[::-1], Image.Resampling.BILINEAR)).clip(1) - 1
