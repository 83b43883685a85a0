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
from blocks import cells_of
from tiff import MM_PER_INCH

LOOK_DPI = 150
# Pixels below PAPER_SHARE of the paper are content, if they cover more than a speck. If the paper
# is below DARK_PAPER, everything is content.
PAPER_SHARE, LEAST_MM2, DARK_PAPER = 0.9, 0.1, 100
# A column is backing, not content, if BACKING_SHARE of its pixels are dark and within BACKING_RANGE
# gray levels of the outermost ones. Narrower than NARROWEST_MM, it may be the tip of a printed corner.
BACKING_SHARE, BACKING_RANGE, NARROWEST_MM = 0.98, 30, 0.5
# Kept beside content, and left out beside backing.
MARGIN_MM = 1
RIM = 2
# The page's edges are extended into the corners that rotating exposes, in squares, this many per inch.
# Samples CELL_SAMPLES rows and columns of a square.
CELLS_PER_INCH, CELL_SAMPLES = 10, 6
# A square is print if its brightness differs by more than this share from the median of the edges.
USUAL_SHARE = 0.25
# Rows drawn at a time, to save memory.
ROWS = 512

Matrix = tuple[float, float, float, float, float, float]


def straighten(tiff: str, out: str, degrees: float) -> dict[str, int]:
    """Rotates the plain image `tiff` clockwise about its centre by a small angle.

    Returns the pixels added at each side to keep content in the corners, negative if removed.
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
    """Pixels to add at the left, top, right and bottom to keep everything that is printed; negative
    where the page moves to the other side, which keeps its size."""
    factor = max(1, dpi // LOOK_DPI)
    mm = dpi / factor / MM_PER_INCH
    darkest = reduce(ImageChops.darker, image.reduce(factor).split())
    paper = percentile(darkest.histogram(), PAPER_PERCENTILE)
    content = PAPER_SHARE * paper if paper >= DARK_PAPER else 256
    whole = darkest.rotate(-degrees, Image.Resampling.BILINEAR, expand=True, fillcolor=255)
    # Without the outermost pixels, which mix with the surroundings.
    inner = Image.new("L", darkest.size, 0)
    inner.paste(255, (RIM, RIM, darkest.width - RIM, darkest.height - RIM))
    pixels, page = np.asarray(whole), np.asarray(inner.rotate(-degrees, expand=True)) > 0
    across, down = (max(0, (after - before) // 2) for after, before in zip(whole.size, darkest.size))
    left, right = along_axis(pixels, page, across, content, mm)
    top, bottom = along_axis(pixels.T, page.T, down, content, mm)
    return left * factor, top * factor, right * factor, bottom * factor


def along_axis(pixels: np.ndarray, page: np.ndarray, outside: int, content: float, mm: float) -> tuple[int, int]:
    """Growth at the left and right, where `outside` columns of the turned page leave the image."""
    sides = (pixels, page), (pixels[:, ::-1], page[:, ::-1])
    first, last = (outside - blank_columns(*side, outside, content, mm) for side in sides)
    if first > 0 and last > 0:
        return first, last
    for side, grown in zip(sides, (last, first)):
        if grown > 0 and blank_columns(*side, outside + grown, content, mm) == outside + grown:
            return (-grown, grown) if side is sides[0] else (grown, -grown)
    return first, last


def blank_columns(pixels: np.ndarray, page: np.ndarray, limit: int, content: float, mm: float) -> int:
    """The number of columns at the left, up to `limit`, with nothing but paper and backing. Keeps
    MARGIN_MM before anything printed."""
    if limit == 0:
        return 0
    margin = round(MARGIN_MM * mm)
    known = page[:, : limit + 2 * margin]
    printed = (pixels[:, : limit + 2 * margin] < content) & known
    printed[:, : backing_columns(pixels[:, :limit], printed, known, mm)] = False
    inked = np.cumsum(printed[:, :limit].sum(axis=0)) > LEAST_MM2 * mm**2
    return max(0, int(inked.argmax()) - margin) if inked.any() else limit


def backing_columns(strip: np.ndarray, printed: np.ndarray, known: np.ndarray, mm: float) -> int:
    """The width of the backing at the left of the strip, with the edge of the paper; 0 without a
    backing. After straightening, this edge is vertical, with paper beside it, and the backing is
    uniform."""
    limit, margin = strip.shape[1], round(MARGIN_MM * mm)
    filled = known[:, :limit].any(axis=0)
    start = int(filled.argmax())
    outermost = strip[:, start : start + margin][printed[:, start : min(limit, start + margin)]]
    if outermost.size == 0:
        return 0
    alike = printed[:, :limit] & (np.abs(strip - np.median(outermost)) <= BACKING_RANGE)
    covered = known.sum(axis=0)
    other = filled & (alike.sum(axis=0) < BACKING_SHARE * covered[:limit])
    width = int(other.argmax()) if other.any() else limit
    beside = slice(width + margin, width + 2 * margin)
    is_backing = (
        width - start >= NARROWEST_MM * mm
        and (known[:, :width] & ~alike[:, :width]).sum() <= LEAST_MM2 * mm**2
        and printed[:, beside].sum() <= (1 - BACKING_SHARE) * covered[beside].sum()
    )
    return width + margin if is_backing else 0


def fill_corners(turned: Image.Image, image: Image.Image, dpi: int, back: Matrix) -> None:
    """Continues the paper or backing from the page's edges, in place."""
    corners = Image.new("L", image.size).transform(turned.size, Image.Transform.AFFINE, back, Image.Resampling.NEAREST, fillcolor=255)
    if corners.getbbox() is None:
        return
    step = max(1, dpi // CELLS_PER_INCH // CELL_SAMPLES)
    size = step * max(1, dpi // CELLS_PER_INCH // step)
    cells = Image.merge(image.mode, [without_print(medians(band, size, step)) for band in image.split()])
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


def medians(band: Image.Image, size: int, step: int) -> Image.Image:
    """The median of each square, which specks do not change, of every `step`-th row and column."""
    samples = np.asarray(band)[::step, ::step]
    return Image.fromarray(np.median(cells_of(samples, size // step), axis=(1, 3)).astype(np.uint8))


def without_print(band: Image.Image) -> Image.Image:
    """Replaces print in a reduced band by the usual brightness along its edges."""
    pixels = np.asarray(band.filter(ImageFilter.MaxFilter(3)))
    usual = np.median(np.concatenate((pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])))
    near = np.abs(pixels.astype(np.float32) - usual) <= USUAL_SHARE * usual
    return Image.fromarray(np.where(near, pixels, np.uint8(usual)))
