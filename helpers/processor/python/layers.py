"""Separates a page into three layers: a bilevel mask of the ink, the colours of the ink, and the
paper without ink.

Only the mask needs the full resolution, since colours change slowly. Pages with a photo are not
separated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from bilevel import black_and_white
from blocks import filled, means, merged, ratio, surrounded
from page_layers import BLOCKS_PER_INCH, Layers, changing_cells, coverage_of, differing_cells, paper_layer
from stained_layers import stained_layers

PAPER_DPI = 100
BLOCK_PIXELS = PAPER_DPI // BLOCKS_PER_INCH
QUALITY = 40

# A photo is found by cells of 2 mm. Where a dark photo became ink, the layers differ from the page
# by more than DIFFERENCE gray levels on average: in 1 % of the cells with a passport photo, at most
# 0.04 % on text pages. A pale photo stays in the paper layer, whose resolution is too low for it:
# there, cells and all their neighbours vary, 3 % with a pale photo, 0 % on text pages. MOST_PHOTO
# limits both shares.
DIFFERENCE = 16
MOST_PHOTO = 0.0006


def separate(tiff: str, mask: str, ink: str, paper: str) -> dict[str, Any]:
    """`mask` is a TIFF, `ink` and `paper` are JPEGs. Pages with photos are not `layered`."""
    image = Image.open(tiff)
    dpi = max(1, round(image.info["dpi"][0]))
    layers = plain_layers(image, dpi) or stained_layers(image, dpi)
    if layers is None:
        return {"layered": False}
    layers.mask.save(mask, "TIFF", dpi=image.info["dpi"])
    layers.paper.save(paper, "JPEG", quality=QUALITY, optimize=True)
    layers.ink.save(ink, "JPEG", quality=QUALITY, subsampling=0, optimize=True)
    return {"layered": True}


def plain_layers(image: Image.Image, dpi: int) -> Layers | None:
    """The layers of print on slowly changing paper; None for other pages."""
    factor = max(1, dpi // PAPER_DPI)
    mask = black_and_white(image, dpi)
    coverage = coverage_of(mask, factor, BLOCK_PIXELS)
    if coverage is None:
        return None
    page = image.reduce(factor)
    paper = paper_layer(page, coverage, BLOCK_PIXELS)
    ink = ink_layer(page, paper, coverage)
    differing = differing_cells(page, Layers(mask, ink, paper), coverage, BLOCK_PIXELS, DIFFERENCE)
    changing = surrounded(changing_cells(paper, BLOCK_PIXELS), 1)
    return Layers(mask, ink, paper) if max(differing.mean(), changing.mean()) <= MOST_PHOTO else None


def ink_layer(page: Image.Image, paper: Image.Image, coverage: np.ndarray) -> Image.Image:
    """Per block, the ink colour that gives the page's darkness; without ink, a nearby one."""
    amount = means(coverage, BLOCK_PIXELS)
    bands = []
    for band, below in zip(page.split(), paper.split()):
        ink = np.asarray(band, np.float32) - np.asarray(below, np.float32) * (1 - coverage)
        bands.append(filled(ratio(means(ink, BLOCK_PIXELS), amount), amount > 0))
    return merged(bands)
