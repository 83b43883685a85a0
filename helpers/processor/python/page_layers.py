from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PIL import Image

from blocks import cells_of, filled, means, merged, ratio

# About 1 mm. Ink has one colour per block. A cell is two blocks wide and high.
BLOCKS_PER_INCH = 25

# Share of ink. Below, layers save nothing; above, the ink is not text.
LEAST_INK, MOST_INK = 0.002, 0.15
# In gray levels. Paper that varies more within a cell has something on it.
CHANGE = 12


class Layers(NamedTuple):
    """The ink, with one pixel per block, is drawn over the paper where the mask is black."""

    mask: Image.Image
    ink: Image.Image
    paper: Image.Image


def coverage_of(mask: Image.Image, factor: int, block: int) -> np.ndarray | None:
    """The share of ink in each pixel of the paper layer. None if layers are not useful, or if the
    page is smaller than a cell. `factor`: mask pixels per paper pixel; `block`: paper pixels per
    block.
    """
    if min(mask.size) < 2 * block * factor:
        return None
    coverage = 1 - means(mask.convert("L"), factor) / 255
    return coverage if LEAST_INK <= coverage.mean() <= MOST_INK else None


def paper_layer(page: Image.Image, coverage: np.ndarray, block: int) -> Image.Image:
    known = coverage == 0
    # Excludes pixels next to ink, which are darker than paper.
    for axis in (0, 1):
        known &= np.roll(known, 1, axis) & np.roll(known, -1, axis)
    share = means(known, block)
    bands = [ratio(means(np.asarray(band) * known, block), share) for band in page.split()]
    around = merged([filled(band, share > 0) for band in bands])
    whole_blocks = tuple(side * block for side in around.size)
    below = around.resize(whole_blocks, Image.Resampling.BILINEAR).crop((0, 0, *page.size))
    return Image.composite(page, below, Image.fromarray(known))


def differing_cells(page: Image.Image, layers: Layers, coverage: np.ndarray, block: int, levels: int) -> np.ndarray:
    """Cells where the layers differ from the page by more than `levels` on average."""
    shown = layers.ink.resize(page.size, Image.Resampling.NEAREST)
    worst = np.zeros(coverage.shape, np.float32)
    for bands in zip(page.split(), layers.paper.split(), shown.split()):
        original, below, above = (np.asarray(band, np.float32) for band in bands)
        worst = np.maximum(worst, np.abs(original - below - (above - below) * coverage))
    return cells_of(worst, 2 * block).mean(axis=(1, 3)) > levels


def changing_cells(paper: Image.Image, block: int) -> np.ndarray:
    """Cells where the paper varies by more than CHANGE. The edge of a coloured box varies less."""
    cells = [cells_of(np.asarray(band, np.int16), 2 * block) for band in paper.split()]
    return np.any([band.max(axis=(1, 3)) - band.min(axis=(1, 3)) > CHANGE for band in cells], axis=0)
