"""Layers of a page with coloured marks. Stamps, stains and highlighter stay in the paper layer,
which has a higher resolution for them.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from PIL import Image, ImageChops

from bilevel import black_and_white
from blocks import cells_of, enlarged, filled, means, merged, surrounded, with_neighbours
from page_layers import BLOCKS_PER_INCH, Layers, changing_cells, coverage_of, differing_cells, paper_layer

PAPER_DPI = 150
BLOCK_PIXELS = PAPER_DPI // BLOCKS_PER_INCH

# Cells of text differ by at most 21 gray levels, because the mask hardens smooth edges.
DIFFERENCE = 24
# A cell belongs to a photo if all cells within this distance vary, too: 18 mm in all. With a
# passport photo, at least 0.8 % of the cells of a page do. Stamps and the rims of stains are
# narrower.
PHOTO_CELLS = 4
# With more cells of photo, or of solid ink (a printed area, not text), the page has no layers.
MOST_PHOTO = 0.0006


def stained_layers(image: Image.Image, dpi: int) -> Layers | None:
    """None for photos, for gray pages, where marks and ink look alike, and if layers are no use."""
    if image.mode != "RGB":
        return None
    factor = max(1, dpi // PAPER_DPI)
    # Ink is dark in every colour.
    mask = black_and_white(reduce(ImageChops.lighter, image.split()), dpi)
    coverage = coverage_of(mask, factor, BLOCK_PIXELS)
    if coverage is None:
        return None
    page = image.reduce(factor)
    layers = Layers(mask, ink_layer(page, coverage), paper_layer(page, coverage, BLOCK_PIXELS))
    differing = differing_cells(page, layers, coverage, BLOCK_PIXELS, DIFFERENCE)
    photo = surrounded(differing | changing_cells(layers.paper, BLOCK_PIXELS), PHOTO_CELLS)
    solid = cells_of(coverage, 2 * BLOCK_PIXELS).min(axis=(1, 3)) == 1
    if max(photo.mean(), solid.mean()) > MOST_PHOTO:
        return None
    # At the rim of a mark, the paper around the ink differs from that below it. There, the paper
    # layer keeps the page as it is.
    kept = enlarged(with_neighbours(differing), 2 * BLOCK_PIXELS, coverage.shape)
    layers = layers._replace(paper=Image.composite(page, layers.paper, Image.fromarray(kept)))
    return layers if differing_cells(page, layers, coverage, BLOCK_PIXELS, DIFFERENCE).mean() <= MOST_PHOTO else None


def ink_layer(page: Image.Image, coverage: np.ndarray) -> Image.Image:
    """The darkest colour per block, since the mean includes the mark; without ink, a nearby one."""
    known = means(coverage, BLOCK_PIXELS) > 0
    return merged([filled(darkest(np.asarray(band), BLOCK_PIXELS), known) for band in page.split()])


def darkest(pixels: np.ndarray, block: int) -> np.ndarray:
    room = [(0, -side % block) for side in pixels.shape]
    return cells_of(np.pad(pixels, room, "edge"), block).min(axis=(1, 3)).astype(np.float32)
