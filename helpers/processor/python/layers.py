"""Layered pages: the ink in one bit per pixel, its colours, and the paper without it.

Only the shape of text needs the full resolution. The colours of ink and paper change slowly, so that few pixels hold them. A page
with a photo has no such layers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from bilevel import black_and_white

INK_DPI = 25
PAPER_DPI = 100
QUALITY = 40

# The share of the page that is ink. With less there is nothing to gain; with more it is no text.
LEAST_INK, MOST_INK = 0.002, 0.15

# Inside its strokes ink has its own colour, at their edges that of the paper too; fewer pixels than this are not asked.
FEWEST_INNER_PIXELS = 4

# Two tests find photos, in cells of 2 mm. Dark ones become ink, which does not look like them: cells then differ from the page by so
# many gray levels on average; on pages of text 0.05 % of them do, with a passport photo 1 %. Pale ones stay in the paper, which has
# too few pixels for them: cells change by so many levels, and so do those around them; 0 % on text, 3 % with a pale photo.
CELL_PIXELS = 8
DIFFERENCE = 16
CHANGE = 12
MOST_PHOTO = 0.001


def separate(tiff: str, mask: str, ink: str, paper: str) -> dict[str, Any]:
    """Writes the layers of the plain image `tiff`: black and white to `mask`, colours as JPEG to `ink` and `paper`.

    Gives whether the page has layers.
    """
    image = Image.open(tiff)
    dpi = max(1, round(image.info["dpi"][0]))
    bilevel = black_and_white(image, dpi)
    inked = ~np.asarray(bilevel)
    too_small = min(image.size) < CELL_PIXELS * dpi // PAPER_DPI
    if too_small or not LEAST_INK <= inked.mean() <= MOST_INK:
        return {"layered": False}
    paper_factor, ink_factor = max(1, dpi // PAPER_DPI), max(1, dpi // INK_DPI)
    background, colours = paper_layer(image, inked, paper_factor), ink_layer(image, inked, ink_factor)
    coverage = block_sums(inked, paper_factor) / paper_factor**2
    different = different_share(image.reduce(paper_factor), background, colours, coverage)
    if max(different, changing_share(background)) > MOST_PHOTO:
        return {"layered": False}
    bilevel.save(mask, "TIFF", dpi=image.info["dpi"])
    background.save(paper, "JPEG", quality=QUALITY, optimize=True)
    colours.save(ink, "JPEG", quality=QUALITY, subsampling=0, optimize=True)
    return {"layered": True}


def paper_layer(image: Image.Image, inked: np.ndarray, factor: int) -> Image.Image:
    """The page without its ink: the paper around goes on under it."""
    known = block_sums(inked, factor) == 0
    # The pixels beside ink are darker than paper.
    for axis in (0, 1):
        known &= np.roll(known, 1, axis) & np.roll(known, -1, axis)
    return merged([filled(np.asarray(band.reduce(factor), np.float32), known) for band in image.split()])


def ink_layer(image: Image.Image, inked: np.ndarray, factor: int) -> Image.Image:
    """The colour of the ink in every block of the page, and between them that of the ink nearby."""
    inner = inked.copy()
    for axis in (0, 1):
        inner &= np.roll(inked, 1, axis) & np.roll(inked, -1, axis)
    count, inner_count = block_sums(inked, factor), block_sums(inner, factor)
    sure = inner_count >= FEWEST_INNER_PIXELS
    bands = []
    for band in image.split():
        pixels = np.asarray(band)
        outer_mean = block_sums(pixels * inked, factor) / np.maximum(count, 1)
        inner_mean = block_sums(pixels * inner, factor) / np.maximum(inner_count, 1)
        bands.append(filled(np.where(sure, inner_mean, outer_mean).astype(np.float32), count > 0))
    return merged(bands)


def block_sums(pixels: np.ndarray, factor: int) -> np.ndarray:
    """The sum of each square block; those at the right and the bottom may be smaller."""
    height, width = pixels.shape
    rows = np.add.reduceat(pixels, np.arange(0, height, factor), axis=0, dtype=np.uint32)
    return np.add.reduceat(rows, np.arange(0, width, factor), axis=1)


def filled(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The values, with those that are not known taken from the known ones around them."""
    if known.all() or not known.any() or min(values.shape) == 1:
        mean = values[known].mean() if known.any() else 255
        return np.where(known, values, np.float32(mean))
    counts = block_sums(known, 2)
    sums = np.add.reduceat(values * known, np.arange(0, values.shape[0], 2), axis=0)
    means = np.add.reduceat(sums, np.arange(0, values.shape[1], 2), axis=1) / np.maximum(counts, 1)
    coarse = filled(means.astype(np.float32), counts > 0)
    fine = coarse.repeat(2, axis=0).repeat(2, axis=1)[: values.shape[0], : values.shape[1]]
    return np.where(known, values, fine)


def merged(bands: list[np.ndarray]) -> Image.Image:
    """The image of these bands."""
    images = [Image.fromarray(np.clip(np.rint(band), 0, 255).astype(np.uint8)) for band in bands]
    return images[0] if len(images) == 1 else Image.merge("RGB", images)


def different_share(page: Image.Image, paper: Image.Image, ink: Image.Image, coverage: np.ndarray) -> float:
    """The share of the page that its layers do not show as it is; `coverage` is how much of each pixel is ink."""
    shown = ink.resize(paper.size, Image.Resampling.NEAREST)
    worst = np.zeros(coverage.shape, np.float32)
    for bands in zip(page.split(), paper.split(), shown.split()):
        original, below, above = (np.asarray(band, np.float32) for band in bands)
        worst = np.maximum(worst, np.abs(original - below - (above - below) * coverage))
    return float((cells_of(worst).mean(axis=(1, 3)) > DIFFERENCE).mean())


def changing_share(paper: Image.Image) -> float:
    """The share of the paper that changes within a cell and those beside it: more than the edge of a coloured box does."""
    cells = [cells_of(np.asarray(band, np.int16)) for band in paper.split()]
    changing = np.any([band.max(axis=(1, 3)) - band.min(axis=(1, 3)) > CHANGE for band in cells], axis=0)
    inside = changing.copy()
    for axis in (0, 1):
        inside &= np.roll(changing, 1, axis) & np.roll(changing, -1, axis)
    return float(inside.mean())


def cells_of(pixels: np.ndarray) -> np.ndarray:
    """The pixels by row of cells, row, column of cells and column; what is no whole cell at the right and the bottom is left out."""
    height, width = (side // CELL_PIXELS for side in pixels.shape)
    whole = pixels[: height * CELL_PIXELS, : width * CELL_PIXELS]
    return whole.reshape(height, CELL_PIXELS, width, CELL_PIXELS)
