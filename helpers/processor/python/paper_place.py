"""Finds the paper on a scanned page, as a proposal for cropping."""

from __future__ import annotations

import math

from PIL import Image

from crop import find_paper
from straighten import inverse_matrix

LOOK_DPI = 100
# In degrees. For less skew, the page is not rotated.
LEAST_SKEW = 0.3

Place = dict[str, float]


def find_place(tiff: str, skew: float | None) -> dict[str, Place | None]:
    """Fractions of the plain image's width and height, and an angle in degrees clockwise. Null if
    the paper is indistinguishable from the backing.

    `skew` is that of the print; if null, the paper's edges show it.
    """
    image = Image.open(tiff)
    dpi = max(1, round(image.info["dpi"][0]))
    factor = max(1, dpi // LOOK_DPI)
    small = (image.convert("L") if image.mode == "1" else image).reduce(factor)
    place, edges = paper_at(small, dpi // factor, skew or 0.0)
    if place is not None and skew is None and edges is not None and abs(edges) >= LEAST_SKEW:
        place = paper_at(small, dpi // factor, edges)[0] or place
    return {"place": place}


def paper_at(image: Image.Image, dpi: int, degrees: float) -> tuple[Place | None, float | None]:
    """The paper on an image that is askew by `degrees`, and the remaining skew of its edges."""
    if abs(degrees) < LEAST_SKEW:
        degrees = 0.0
    width, height = image.size
    sine, cosine = abs(math.sin(math.radians(degrees))), math.cos(math.radians(degrees))
    size = (math.ceil(width * cosine + height * sine), math.ceil(height * cosine + width * sine))
    matrix = inverse_matrix((width / 2, height / 2), (size[0] / 2, size[1] / 2), -degrees)
    straight = image.transform(size, Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR) if degrees else image
    # Reorders Pillow's matrix: crop.py expects the order of AffineMap in motion.ts.
    a, c, x, b, d, y = matrix
    found = find_paper(straight, dpi, {"way": (a, b, c, d, x, y), "width": width, "height": height})
    if found is None:
        return None, None
    (left, top, right, bottom), edges = found
    u, v = (left + right) / 2, (top + bottom) / 2
    across, down = (right - left) / width, (bottom - top) / height
    place = {
        "x": (a * u + c * v + x) / width - across / 2,
        "y": (b * u + d * v + y) / height - down / 2,
        "width": across,
        "height": down,
        "angle": degrees,
    }
    return place, edges
