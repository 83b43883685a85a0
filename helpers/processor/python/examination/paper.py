"""Finds the paper of a page and each pixel's difference from the surrounding paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

# 2 mm at 150 dpi: larger than a stroke, smaller than a shade.
CELL = 12

# Paper is never darker than this.
DARKEST_PAPER = 75
# The scanner's backing consists of cells that are this much darker than the paper, flat (in gray
# levels) and connected to the edge.
BACKING_SHARE = 0.62
FLATNESS = 60
LARGEST_BACKING_SHARE = 0.85

# The background of a cell is the median of this many cells in both directions: larger than marks,
# smaller than shades.
MEDIAN_CELLS = 7


@dataclass(frozen=True)
class Paper:
    """Masks of the paper on a copy of whole cells: boolean arrays per cell and per pixel.

    `inner` and `mask` exclude one cell at each edge of the image.
    """

    cells: np.ndarray
    inner: np.ndarray
    mask: np.ndarray


def in_whole_cells(copy: Image.Image) -> Image.Image:
    """Makes both sides a multiple of the cell size: crops less than half a cell at the right or
    bottom, stretches more.
    """
    width, height = (max(1, round(side / CELL)) * CELL for side in copy.size)
    part = copy.crop((0, 0, min(width, copy.width), min(height, copy.height)))
    return part if part.size == (width, height) else part.resize((width, height), Image.Resampling.NEAREST)


def find_paper(gray: Image.Image) -> Paper | None:
    """Finds the paper on a gray copy of whole cells; None if there is none."""
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
    """A view by cell row, row, cell column and column."""
    height, width = pixels.shape
    return pixels.reshape(height // CELL, CELL, width // CELL, CELL)


def pixels_of(cells: np.ndarray) -> np.ndarray:
    return cells.repeat(CELL, axis=0).repeat(CELL, axis=1)


def connected_to_edge(cells: np.ndarray) -> np.ndarray:
    """The cells 4-connected to the edge of the image."""
    edge = np.ones_like(cells)
    edge[1:-1, 1:-1] = False
    found = cells & edge
    while True:
        wider = dilated(found, corners=False) & cells
        if (wider == found).all():
            return found
        found = wider


def dilated(mask: np.ndarray, corners: bool = True) -> np.ndarray:
    """Dilates the mask by one pixel."""
    wide = mask.copy()
    wide[1:] |= mask[:-1]
    wide[:-1] |= mask[1:]
    across = wide if corners else mask
    result = wide.copy()
    result[:, 1:] |= across[:, :-1]
    result[:, :-1] |= across[:, 1:]
    return result


def difference(band: Image.Image, paper: Paper, every: int = 1) -> np.ndarray:
    """The relative difference of each pixel from the surrounding paper: 0 is paper, -1 black.
    Samples every `every`-th row and column.
    """
    cells = np.array(band.reduce(CELL))
    cells[~paper.cells] = np.median(cells[paper.cells])
    background = Image.fromarray(cells).filter(ImageFilter.MedianFilter(MEDIAN_CELLS)).convert("F")
    pixels = np.asarray(band)[::every, ::every]
    return pixels / np.array(background.resize(pixels.shape[::-1], Image.Resampling.BILINEAR)).clip(1) - 1
