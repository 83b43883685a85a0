"""Where the paper of a page is, and how much darker or lighter than the paper around it every pixel is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

# Cells of 2 mm at 150 dpi: larger than a stroke, smaller than what shades a page.
CELL = 12

# Darker than this no paper is.
DARKEST_PAPER = 75
# Cells that are this much darker than the paper, flat (in gray levels) and connected to the edge are the scanner's backing.
BACKING_SHARE = 0.62
FLATNESS = 60
LARGEST_BACKING_SHARE = 0.85

# The background of a cell is the median of so many cells across and down: marks are smaller, shades are larger.
MEDIAN_CELLS = 7


@dataclass(frozen=True)
class Paper:
    """The paper on a copy of whole cells; boolean arrays, one entry per cell and per pixel.

    The pixels are without one cell at each edge of the image.
    """

    cells: np.ndarray
    inner: np.ndarray
    mask: np.ndarray


def in_whole_cells(copy: Image.Image) -> Image.Image:
    """The copy with sides of whole cells: less than half a cell at the right or bottom is cut off, more is stretched."""
    width, height = (max(1, round(side / CELL)) * CELL for side in copy.size)
    part = copy.crop((0, 0, min(width, copy.width), min(height, copy.height)))
    return part if part.size == (width, height) else part.resize((width, height), Image.Resampling.NEAREST)


def find_paper(gray: Image.Image) -> Paper | None:
    """Finds the paper on a gray copy of whole cells; None where there is none."""
    means = np.asarray(gray.reduce(CELL))
    paper = np.percentile(means, 75)
    if paper < DARKEST_PAPER:
        return None
    dark = means < BACKING_SHARE * paper
    pixels = cell_view(np.asarray(gray)).swapaxes(1, 2)[dark]
    dark[dark] = np.ptp(pixels, axis=(1, 2)) < FLATNESS
    backing = grown(connected_to_edge(dark))
    if backing.mean() > LARGEST_BACKING_SHARE:
        return None
    inner = ~backing
    inner[[0, -1], :] = inner[:, [0, -1]] = False
    return Paper(~backing, inner, pixels_of(inner))


def cell_view(pixels: np.ndarray) -> np.ndarray:
    """The pixels by row of cells, row, column of cells and column."""
    height, width = pixels.shape
    return pixels.reshape(height // CELL, CELL, width // CELL, CELL)


def pixels_of(cells: np.ndarray) -> np.ndarray:
    """Every cell as its pixels."""
    return cells.repeat(CELL, axis=0).repeat(CELL, axis=1)


def connected_to_edge(cells: np.ndarray) -> np.ndarray:
    """The cells that are connected to the edge of the image over their four neighbours."""
    edge = np.ones_like(cells)
    edge[1:-1, 1:-1] = False
    found = cells & edge
    while True:
        wider = grown(found, corners=False) & cells
        if (wider == found).all():
            return found
        found = wider


def grown(mask: np.ndarray, corners: bool = True) -> np.ndarray:
    """The mask and the neighbours of all that is in it."""
    wide = mask.copy()
    wide[1:] |= mask[:-1]
    wide[:-1] |= mask[1:]
    across = wide if corners else mask
    result = wide.copy()
    result[:, 1:] |= across[:, :-1]
    result[:, :-1] |= across[:, 1:]
    return result


def difference(band: Image.Image, paper: Paper, every: int = 1) -> np.ndarray:
    """The share by which each pixel differs from the paper around it: 0 is paper, -1 is black; of one row and column in `every`."""
    cells = np.array(band.reduce(CELL))
    cells[~paper.cells] = np.median(cells[paper.cells])
    background = Image.fromarray(cells).filter(ImageFilter.MedianFilter(MEDIAN_CELLS)).convert("F")
    pixels = np.asarray(band)[::every, ::every]
    return pixels / np.array(background.resize(pixels.shape[::-1], Image.Resampling.BILINEAR)).clip(1) - 1
