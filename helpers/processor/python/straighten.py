"""Straightens a page that was fed askew, without cutting off content. A page with empty margins
keeps its size.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from bilevel import PAPER_PERCENTILE, percentile
from tiff import MM_PER_INCH

LOOK_DPI = 150
# Pixels below PAPER_SHARE of the paper are content, if they cover more than a speck. If the paper
# is below DARK_PAPER, everything is content.
PAPER_SHARE, LEAST_MM2, DARK_PAPER = 0.9, 0.1, 100
# The page's edges are extended into the corners that rotating exposes, averaged in squares, this
# many per inch.
CELLS_PER_INCH = 10
# A square is print if its brightness differs by more than this share from the median of the edges.
USUAL_SHARE = 0.25
# Rows drawn at a time, to save memory.
ROWS = 512

Matrix = tuple[float, float, float, float, float, float]


def straighten(tiff: str, out: str, degrees: float) -> dict[str, int]:
    """Rotates the plain image `tiff` clockwise about its centre by a small angle.

    Returns the pixels added at each side to keep content in the corners.
    """
    image = Image.open(tiff)
    info = image.info["dpi"]
    dpi = max(1, round(info[0]))
    left, top, right, bottom = growth(image.convert("L") if image.mode == "1" else image, dpi, degrees)
    size = (image.width + left + right, image.height + top + bottom)
    middle = (image.width / 2, image.height / 2)
    turned = rotated_image(image, size, inverse_matrix(middle, (middle[0] + left, middle[1] + top), degrees))
    turned.save(out, "TIFF", dpi=info)
    return {"left": left, "top": top, "right": right, "bottom": bottom}


def rotated_image(image: Image.Image, size: tuple[int, int], back: Matrix) -> Image.Image:
    """`back` maps the rotated image to the plain `image`."""
    dpi = max(1, round(image.info["dpi"][0]))
    smooth = image.convert("L") if image.mode == "1" else image
    # Fills the pixel at the page's rim that fill_corners may miss.
    paper = tuple(percentile(band.histogram(), PAPER_PERCENTILE) for band in smooth.reduce(8).split())
    colour = paper if len(paper) > 1 else paper[0]
    turned = smooth.transform(size, Image.Transform.AFFINE, back, Image.Resampling.BICUBIC, fillcolor=colour)
    fill_corners(turned, smooth, dpi, back)
    if image.mode == "1":
        turned = turned.point(lambda value: 255 if value >= 128 else 0, "1")
    return turned


def inverse_matrix(middle: tuple[float, float], after: tuple[float, float], degrees: float) -> Matrix:
    """Pillow's matrix back to the page, whose `middle` moves to `after` when rotated clockwise."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y = after
    return cosine, sine, middle[0] - cosine * x - sine * y, -sine, cosine, middle[1] + sine * x - cosine * y


def growth(image: Image.Image, dpi: int, degrees: float) -> tuple[int, int, int, int]:
    factor = max(1, dpi // LOOK_DPI)
    darkest = reduce(ImageChops.darker, image.reduce(factor).split())
    paper = percentile(darkest.histogram(), PAPER_PERCENTILE)
    whole = darkest.rotate(-degrees, Image.Resampling.BILINEAR, expand=True, fillcolor=255)
    across, down = (max(0, (after - before) // 2) for after, before in zip(whole.size, darkest.size))
    printed = np.asarray(whole) < (PAPER_SHARE * paper if paper >= DARK_PAPER else 256)
    sides = printed[:, :across], printed[:down], printed[:, whole.width - across :], printed[whole.height - down :]
    least = LEAST_MM2 * (dpi / factor / MM_PER_INCH) ** 2
    left, top, right, bottom = (
        (depth + 1) * factor if side.sum() > least else 0 for side, depth in zip(sides, (across, down) * 2)
    )
    return left, top, right, bottom


def fill_corners(turned: Image.Image, image: Image.Image, dpi: int, back: Matrix) -> None:
    """Continues the paper or backing from the page's edges, in place."""
    corners = Image.new("L", image.size).transform(turned.size, Image.Transform.AFFINE, back, Image.Resampling.NEAREST, fillcolor=255)
    if corners.getbbox() is None:
        return
    size = max(1, dpi // CELLS_PER_INCH)
    cells = Image.merge(image.mode, [without_print(band) for band in image.reduce(size).split()])
    room = max(cells.size)
    pixels = np.asarray(cells.filter(ImageFilter.GaussianBlur(1)))
    wide = Image.fromarray(np.pad(pixels, [(room, room), (room, room), (0, 0)][: pixels.ndim], "edge"))
    a, b, x, c, d, y = back
    matrix = (a, b, x / size + room, c, d, y / size + room)
    width, height = (-(-side // size) for side in turned.size)
    around = wide.transform((width, height), Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR)
    for top in range(0, turned.height, ROWS):
        bottom = min(top + ROWS, turned.height)
        box = (0, top / size, turned.width / size, bottom / size)
        part = around.resize((turned.width, bottom - top), Image.Resampling.BILINEAR, box)
        turned.paste(part, (0, top), corners.crop((0, top, turned.width, bottom)))


def without_print(band: Image.Image) -> Image.Image:
    """Replaces print in a reduced band by the usual brightness along its edges."""
    pixels = np.asarray(band.filter(ImageFilter.MaxFilter(3)))
    usual = np.median(np.concatenate((pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])))
    near = np.abs(pixels.astype(np.float32) - usual) <= USUAL_SHARE * usual
    return Image.fromarray(np.where(near, pixels, np.uint8(usual)))
