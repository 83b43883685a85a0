"""Layered pages: the ink in one bit per pixel, its colours, and the paper without it.

Only the shape of text needs the full resolution. The colours of ink and paper change slowly, so that few pixels hold them. A page
with a photo has no such layers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from bilevel import black_and_white

PAPER_DPI = 100
# Ink has one colour in a block of so many pixels of the paper, about 1 mm.
BLOCK_PIXELS = 4
QUALITY = 40

# The share of the page that is ink. With less there is nothing to gain; with more it is no text.
LEAST_INK, MOST_INK = 0.002, 0.15

# In place of the share of pixels of a block that has none.
TINY = 1e-6

# Two tests find photos, in cells of 2 mm. Dark ones become ink, which does not look like them: cells then differ from the page by so
# many gray levels on average; on pages of text 0.04 % of them do at most, with a passport photo 1 %. Pale ones stay in the paper, which has
# too few pixels for them: cells change by so many levels, and so do those around them; 0 % on text, 3 % with a pale photo.
CELL_PIXELS = 8
DIFFERENCE = 16
CHANGE = 12
MOST_PHOTO = 0.0006


def separate(tiff: str, mask: str, ink: str, paper: str) -> dict[str, Any]:
    """Writes the layers of the plain image `tiff`: black and white to `mask`, colours as JPEG to `ink` and `paper`.

    Gives whether the page has layers.
    """
    image = Image.open(tiff)
    dpi = max(1, round(image.info["dpi"][0]))
    too_small = min(image.size) < CELL_PIXELS * dpi // PAPER_DPI
    bilevel = black_and_white(image, dpi)
    factor = max(1, dpi // PAPER_DPI)
    coverage = 1 - means(bilevel.convert("L"), factor) / 255
    if too_small or not LEAST_INK <= coverage.mean() <= MOST_INK:
        return {"layered": False}
    page = image.reduce(factor)
    background = paper_layer(page, coverage)
    colours = ink_layer(page, background, coverage)
    if max(different_share(page, background, colours, coverage), changing_share(background)) > MOST_PHOTO:
        return {"layered": False}
    bilevel.save(mask, "TIFF", dpi=image.info["dpi"])
    background.save(paper, "JPEG", quality=QUALITY, optimize=True)
    colours.save(ink, "JPEG", quality=QUALITY, subsampling=0, optimize=True)
    return {"layered": True}


def paper_layer(page: Image.Image, coverage: np.ndarray) -> Image.Image:
    """The page without its ink: the paper around goes on under it."""
    known = coverage == 0
    # The pixels beside ink are darker than paper.
    for axis in (0, 1):
        known &= np.roll(known, 1, axis) & np.roll(known, -1, axis)
    share = means(known, BLOCK_PIXELS)
    bands = [ratio(means(np.asarray(band) * known, BLOCK_PIXELS), share) for band in page.split()]
    around = merged([filled(band, share > 0) for band in bands])
    whole_blocks = tuple(side * BLOCK_PIXELS for side in around.size)
    below = around.resize(whole_blocks, Image.Resampling.BILINEAR).crop((0, 0, *page.size))
    return Image.composite(page, below, Image.fromarray(known))


def ink_layer(page: Image.Image, paper: Image.Image, coverage: np.ndarray) -> Image.Image:
    """The colour of the ink in every block of the page, with which it is as dark as it was; between them that of the ink nearby."""
    amount = means(coverage, BLOCK_PIXELS)
    bands = []
    for band, below in zip(page.split(), paper.split()):
        ink = np.asarray(band, np.float32) - np.asarray(below, np.float32) * (1 - coverage)
        bands.append(filled(ratio(means(ink, BLOCK_PIXELS), amount), amount > 0))
    return merged(bands)


def ratio(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The means of what the shares are known of; anything where that is nothing."""
    return values / np.maximum(shares, TINY)


def means(pixels: Image.Image | np.ndarray, factor: int) -> np.ndarray:
    """The mean of each square block; those at the right and the bottom may be smaller."""
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels.astype(np.float32))
    return np.asarray(image.reduce(factor), np.float32)


def filled(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The values, with those that are not known taken from the known ones around them."""
    if known.all() or not known.any() or min(values.shape) == 1:
        mean = values[known].mean() if known.any() else 255
        return np.where(known, values, np.float32(mean))
    shares = means(known, 2)
    coarse = filled(ratio(means(values * known, 2), shares), shares > 0)
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
