"""Straightens a page that was pulled in askew. Nothing that is on it is cut off, and a page with nothing near its edges keeps its size."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from bilevel import PAPER_PERCENTILE, percentile
from tiff import MM_PER_INCH

# What a side would lose is looked at on a copy of about this resolution.
LOOK_DPI = 150
# What is darker than this share of the paper is no paper; so much of it is more than a speck. On paper darker than this, anything may be print.
PAPER_SHARE, LEAST_MM2, DARK_PAPER = 0.9, 0.1, 100
# The corners that come free go on as the page does along its edges, in squares of so many to an inch.
CELLS_PER_INCH = 10
# Those that differ by more from the usual one along the edges, as a share of it, are print.
USUAL_SHARE = 0.25
# So many rows of them are drawn at once.
ROWS = 512


def straighten(tiff: str, out: str, degrees: float) -> dict[str, int]:
    """Writes the plain image `tiff`, turned clockwise around its middle by a small angle, to `out`.

    Gives by how many pixels it is larger at its left, top, right and bottom, where it has more than paper in the corners that would be cut off.
    """
    image = Image.open(tiff)
    info = image.info["dpi"]
    dpi = max(1, round(info[0]))
    smooth = image.convert("L") if image.mode == "1" else image
    left, top, right, bottom = growth(smooth, dpi, degrees)
    size = (image.width + left + right, image.height + top + bottom)
    back = way_back(image.size, (left, top), degrees)
    # At the rim of the page, the corners that are filled below may be a pixel smaller.
    paper = tuple(percentile(band.histogram(), PAPER_PERCENTILE) for band in smooth.reduce(8).split())
    colour = paper if len(paper) > 1 else paper[0]
    turned = smooth.transform(size, Image.Transform.AFFINE, back, Image.Resampling.BICUBIC, fillcolor=colour)
    fill_corners(turned, smooth, dpi, back)
    if image.mode == "1":
        turned = turned.point(lambda value: 255 if value >= 128 else 0, "1")
    turned.save(out, "TIFF", dpi=info)
    return {"left": left, "top": top, "right": right, "bottom": bottom}


Matrix = tuple[float, float, float, float, float, float]


def way_back(size: tuple[int, int], before: tuple[int, int], degrees: float) -> Matrix:
    """How Pillow finds the places of the page in the turned image, which begins so many pixels further left and further up."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    middle_x, middle_y = size[0] / 2, size[1] / 2
    x, y = middle_x + before[0], middle_y + before[1]
    return cosine, sine, middle_x - cosine * x - sine * y, -sine, cosine, middle_y + sine * x - cosine * y


def growth(image: Image.Image, dpi: int, degrees: float) -> tuple[int, int, int, int]:
    """By how many pixels the turned image has to be larger at its left, top, right and bottom."""
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
    """Has the paper, or the backing, along the edges of the image go on in the corners of the turned one, in place."""
    corners = Image.new("L", image.size).transform(turned.size, Image.Transform.AFFINE, back, Image.Resampling.NEAREST, fillcolor=255)
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
    """A small band of an image with what is usual along its edges in place of print."""
    pixels = np.asarray(band.filter(ImageFilter.MaxFilter(3)))
    usual = np.median(np.concatenate((pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])))
    near = np.abs(pixels.astype(np.float32) - usual) <= USUAL_SHARE * usual
    return Image.fromarray(np.where(near, pixels, np.uint8(usual)))
