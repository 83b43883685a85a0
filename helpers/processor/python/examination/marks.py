"""The marks on a page, and what the rules for dirt have to know of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from examination.components import Components
from examination.page_copy import MM_PER_PIXEL
from examination.paper import Paper, grown, pixels_of


@dataclass(frozen=True)
class Marks:
    """The components of a page with what else is known of them."""

    components: Components
    # The longer side in pixels, and the largest difference from the paper.
    sizes: np.ndarray
    strength: np.ndarray
    paper: Paper

    @cached_property
    def touches_edge(self) -> np.ndarray:
        """Whether a pixel is next to what is not paper, within two pixels."""
        beyond = grown(grown(~self.paper.mask))
        return self.components.largest(beyond.astype(np.int8)) > 0

    @cached_property
    def at_edge(self) -> np.ndarray:
        """Whether all of it is within 4 mm of the edge of the paper: half of that is not in the mask."""
        inside = ~pixels_of(grown(~self.paper.inner))
        return self.components.largest(inside.astype(np.int8)) == 0

    @cached_property
    def boxes(self) -> np.ndarray:
        """Left, top, width and height of each, in mm."""
        parts = self.components
        sides = (parts.left, parts.top, parts.right - parts.left, parts.bottom - parts.top)
        return np.stack(sides, axis=1) * MM_PER_PIXEL

    @cached_property
    def page(self) -> tuple[float, float]:
        """Width and height of the page in mm."""
        height, width = self.paper.mask.shape
        return width * MM_PER_PIXEL, height * MM_PER_PIXEL
