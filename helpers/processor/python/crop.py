"""Crops a page to its paper, if the scanner's backing is dark, or brighter than the paper."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from bilevel import percentile
from tiff import MM_PER_INCH

# Resolution for the search, 2 pixels per millimetre.
CROP_DPI = 50
FRAME = 2

# Paper is among the brightest pixels, and even the smallest covers 3 % of the largest page.
PAPER_PERCENTILE = 0.98
# A dark backing is darker than this share of the paper, in every colour.
DARKEST_PAPER = 0.5
# A dark backing is uniform: this share of it lies within BACKING_RANGE gray levels.
BACKING_SHARE = 0.95
BACKING_RANGE = 40

# A white backing is brighter than the paper by this many gray levels, in some colour.
LEAST_DARKER = 7
# This share of the area 2 to 3 mm inside the edges must be paper. Otherwise the "edges" are print
# on paper as white as the backing.
FILLED_SHARE, FILLED_MM = 0.9, (2, 3)
# MOST_DUST_MM2 of print is allowed outside the paper: a speck of dust, but no full stop. Print is
# darker than PRINT_SHARE of the backing.
PRINT_SHARE, MOST_DUST_MM2, DUST_DPI = 0.9, 0.15, 150

# An edge is straight if this share of it lies within STRAIGHT_MM of a line.
STRAIGHT_SHARE = 0.85
STRAIGHT_MM = 1
# The skews of the paper's edges may differ by this many degrees.
MOST_SPREAD = 1.5
# Backing that is kept, so that no paper is lost.
MARGIN_MM = 1
NARROWEST_MM = 2
SMALLEST_MM = 50

Box = tuple[int, int, int, int]


def crop(tiff: str, out: str, scanned: dict[str, Any]) -> dict[str, Any]:
    """Writes the plain image `tiff`, cropped to its paper, to `out`.

    `scanned` has the size of the scanned page, and `way`, which maps the image to it. Returns the
    crop, and the skew of the paper's edges in degrees clockwise; all null if there is nothing to
    crop.
    """
    image = Image.open(tiff)
    dpi = image.info["dpi"]
    found = find_paper(image, max(1, round(dpi[0])), scanned)
    if found is None:
        return {"width": None, "height": None, "left": None, "top": None, "skew": None}
    box, skew = found
    cut = image.crop(box)
    cut.save(out, "TIFF", dpi=dpi)
    return {"width": cut.width, "height": cut.height, "left": box[0], "top": box[1], "skew": skew}


def find_paper(image: Image.Image, dpi: int, scanned: dict[str, Any]) -> tuple[Box, float | None] | None:
    factor = max(1, dpi // CROP_DPI)
    mm = dpi / factor / MM_PER_INCH
    bands = (image.convert("L") if image.mode == "1" else image).split()
    part = scanned_part(bands[0].reduce(factor).size, factor, scanned)
    found = find_on_dark(copy_of(bands, ImageChops.lighter, factor), part, mm)
    if found is None:
        found = find_on_white(copy_of(bands, ImageChops.darker, factor), part, mm)
        if found is None or not is_clean(bands, dpi, part, found[0]):
            return None
    (left, top, right, bottom), skew = found
    return (left * factor, top * factor, min(image.width, right * factor), min(image.height, bottom * factor)), skew


def copy_of(bands: tuple[Image.Image, ...], extreme: Any, factor: int) -> Image.Image:
    """The brightest or darkest colour of each pixel in a small copy, without dust."""
    return reduce(extreme, (band.reduce(factor) for band in bands)).filter(ImageFilter.MedianFilter(3))


def scanned_part(size: tuple[int, int], factor: int, scanned: dict[str, Any]) -> Image.Image:
    """A mask of the scanned page. Corners exposed by straightening count as backing, and so do the
    outermost pixels, which mix with the surroundings.
    """
    a, b, c, d, x, y = scanned["way"]
    width, height = (max(1, side // factor) for side in (scanned["width"], scanned["height"]))
    part = Image.new("L", (width, height), 0)
    part.paste(255, (FRAME, FRAME, width - FRAME, height - FRAME))
    return part.transform(size, Image.Transform.AFFINE, (a, c, x / factor, b, d, y / factor))


def find_on_dark(brightest: Image.Image, scanned: Image.Image, mm: float) -> tuple[Box, float | None] | None:
    """Finds paper on a dark backing. Keeps everything brighter than the backing."""
    limit = DARKEST_PAPER * percentile(brightest.histogram(), PAPER_PERCENTILE)
    dark = ImageChops.darker(brightest, scanned).point(lambda value: 1 if value < limit else 0)
    sides = sides_of(dark)
    cuts = [cut_depth(side, mm) for side in sides]
    # A single dark band may be printed, unless it is at the bottom: feeders pull paper in from the
    # top, so backing shows below it.
    if cuts[3] == 0 and sum(cut > 0 for cut in cuts) < 2:
        return None
    box = box_of(dark.size, cuts, mm)
    return (box, skew_of_edges(sides, cuts, mm)) if box is not None and is_uniform(brightest, scanned, box) else None


def find_on_white(darkest: Image.Image, scanned: Image.Image, mm: float) -> tuple[Box, float | None] | None:
    """Finds paper on a white backing, which must show on at least 2 % of the scanned page."""
    limit = percentile(darkest.histogram(scanned), PAPER_PERCENTILE) - LEAST_DARKER
    white = ImageChops.lighter(darkest, ImageChops.invert(scanned)).point(lambda value: 1 if value > limit else 0)
    sides = sides_of(white)
    cuts = [cut_depth(side, mm) for side in sides]
    # White only above and below may surround a printed area that spans the page.
    if sum(cut > 0 for cut in cuts) < 2 or max(cuts[0], cuts[2]) == 0:
        return None
    box = box_of(white.size, cuts, mm)
    return (box, skew_of_edges(sides, cuts, mm)) if box is not None and is_filled(np.asarray(white), box, cuts, mm) else None


def is_filled(white: np.ndarray, box: Box, cuts: list[int], mm: float) -> bool:
    """True if there is paper just inside each detected edge."""
    near, far = (round((MARGIN_MM + away) * mm) for away in FILLED_MM)
    paper = white[box[1] : box[3], box[0] : box[2]] == 0
    upright = paper[far:-far]
    level = paper[:, far:-far]
    edges = upright[:, near:far], level[near:far], upright[:, -far:-near], level[-far:-near]
    return all(edge.mean() >= FILLED_SHARE for edge, cut in zip(edges, cuts) if cut > 0)


def is_clean(bands: tuple[Image.Image, ...], dpi: int, scanned: Image.Image, box: Box) -> bool:
    """True if there is no print outside the paper. `box` is in pixels of `scanned`."""
    factor = max(1, dpi // DUST_DPI)
    darkest = reduce(ImageChops.darker, (band.reduce(factor) for band in bands))
    outside = scanned.copy()
    outside.paste(0, box)
    histogram = darkest.histogram(outside.resize(darkest.size))
    dark = histogram[: round(PRINT_SHARE * percentile(histogram, PAPER_PERCENTILE))]
    return sum(dark) <= MOST_DUST_MM2 * (dpi / factor / MM_PER_INCH) ** 2


def brightest_band(image: Image.Image) -> Image.Image:
    return reduce(ImageChops.lighter, image.split()) if image.mode == "RGB" else image.convert("L")


def sides_of(backing: Image.Image) -> list[list[int]]:
    """The depth of the backing per row or column, from the left, top, right and bottom."""
    upright = backing.transpose(Image.Transpose.TRANSPOSE)
    left, top = depths(backing), depths(upright)
    right, bottom = (depths(image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)) for image in (backing, upright))
    return [left, top, right, bottom]


def box_of(size: tuple[int, int], cuts: list[int], mm: float) -> Box | None:
    """None if nothing was cut off, or if the rest is too small for paper."""
    box = (cuts[0], cuts[1], size[0] - cuts[2], size[1] - cuts[3])
    return box if min(box[2] - box[0], box[3] - box[1]) >= SMALLEST_MM * mm and any(cuts) else None


def depths(backing: Image.Image) -> list[int]:
    """The number of backing pixels at the start of each row, except rows that are all backing."""
    rows, width = backing.tobytes(), backing.width
    found = (rows.find(0, start, start + width) - start for start in range(0, len(rows), width))
    return [depth for depth in found if depth >= 0]


def cut_depth(side: list[int], mm: float) -> int:
    """How much to cut off a side; 0 if the backing is too narrow or its edge is not straight."""
    if len(side) < SMALLEST_MM * mm or min(side) < NARROWEST_MM * mm:
        return 0
    third = len(side) // 3
    first, last = sorted(side[:third])[third // 2], sorted(side[-third:])[third // 2]
    slope = (last - first) / (len(side) - third)
    if near_line(side, first - slope * third / 2, slope, mm).mean() < STRAIGHT_SHARE:
        return 0
    return max(0, min(side) - round(MARGIN_MM * mm))


def near_line(side: list[int], start: float, slope: float, mm: float) -> np.ndarray:
    return np.abs(np.array(side) - start - slope * np.arange(len(side))) <= STRAIGHT_MM * mm


def skew_of_edges(sides: list[list[int]], cuts: list[int], mm: float) -> float | None:
    """The skew in degrees clockwise; None if the sides disagree."""
    slopes = []
    for side, cut, sign in zip(sides, cuts, (-1, 1, 1, -1)):
        # Excludes the corners, where the adjacent sides begin.
        inner = len(side) // 6
        places = np.arange(inner, len(side) - inner)
        if cut > 0:
            slopes.append(sign * float(np.polyfit(places, np.array(side)[places], 1)[0]))
    angles = np.degrees(np.arctan(slopes))
    return round(float(np.median(angles)), 1) if np.ptp(angles) <= MOST_SPREAD else None


def is_uniform(small: Image.Image, scanned: Image.Image, box: Box) -> bool:
    """True if the area outside the box is uniform, as a backing is."""
    outside = scanned.copy()
    outside.paste(0, box)
    histogram = small.histogram(outside)
    tail = (1 - BACKING_SHARE) / 2
    return percentile(histogram, 1 - tail) - percentile(histogram, tail) <= BACKING_RANGE
