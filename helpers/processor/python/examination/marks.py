from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from examination.components import Components
from examination.page_copy import MM_PER_PIXEL
from examination.paper import Paper, dilated, pixels_of


@dataclass(frozen=True)
class Marks:
    components: Components
    # The longer side in pixels, and the largest difference from the paper.
    sizes: np.ndarray
    strength: np.ndarray
    paper: Paper

    @cached_property
    def touches_edge(self) -> np.ndarray:
        """True for marks within two pixels of the area outside the paper."""
        beyond = dilated(dilated(~self.paper.mask))
        return self.components.largest(beyond.astype(np.int8)) > 0

    @cached_property
    def at_edge(self) -> np.ndarray:
        """True for marks entirely within 4 mm of the paper's edge. `mask` excludes the outer 2
        mm."""
        inside = ~pixels_of(dilated(~self.paper.inner))
        return self.components.largest(inside.astype(np.int8)) == 0

    @cached_property
    def boxes(self) -> np.ndarray:
        """Left, top, width and height of each mark in mm."""
        parts = self.components
        sides = (parts.left, parts.top, parts.right - parts.left, parts.bottom - parts.top)
        return np.stack(sides, axis=1) * MM_PER_PIXEL

    @cached_property
    def page(self) -> tuple[float, float]:
        height, width = self.paper.mask.shape
        return width * MM_PER_PIXEL, height * MM_PER_PIXEL
