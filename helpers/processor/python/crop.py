"""Cuts a page to its paper, where the scanner has a dark backing around it."""

from __future__ import annotations

from typing import Any

from PIL import Image, ImageChops, ImageFilter

from bilevel import percentile

# The paper is looked for on a copy of about this resolution, which is two pixels per millimetre.
CROP_DPI = 50
MM_PER_INCH = 25.4

# The page's paper is as bright as its brightest pixels; the smallest paper is 3 % of the largest page.
PAPER_PERCENTILE = 0.98
# A backing is darker than this share of the paper, in every colour; a lighter one cannot be told from paper.
DARKEST_PAPER = 0.5
# A backing is even; this much of its brightness lies within BACKING_RANGE levels.
BACKING_SHARE = 0.95
BACKING_RANGE = 40

# A side of the paper is a straight edge: this share of it lies within this distance of a line.
STRAIGHT_SHARE = 0.85
STRAIGHT_MM = 1
# This much of the backing stays, so that nothing of the paper is lost.
MARGIN_MM = 1
# A backing narrower than this is not worth a cut.
NARROWEST_MM = 2
SMALLEST_MM = 50


def crop(tiff: str, out: str, degrees: float) -> dict[str, Any]:
    """Writes the plain image `tiff`, cut to its paper, to `out`; it was turned by a small angle, clockwise, before.

    Gives its width and height and where its upper left corner was, or nulls where there is nothing to cut off.
    """
    image = Image.open(tiff)
    dpi = image.info["dpi"]
    box = paper_box(image, max(1, round(dpi[0])), degrees)
    if box is None:
        return {"width": None, "height": None, "left": None, "top": None}
    cut = image.crop(box)
    cut.save(out, "TIFF", dpi=dpi)
    return {"width": cut.width, "height": cut.height, "left": box[0], "top": box[1]}


def paper_box(image: Image.Image, dpi: int, degrees: float) -> tuple[int, int, int, int] | None:
    """The paper in a page, in pixels; None where no dark backing is found around it.

    Whatever is brighter than the backing lies inside the box, so that content is never cut off.
    """
    factor = max(1, dpi // CROP_DPI)
    small = brightest_band(image).reduce(factor).filter(ImageFilter.MedianFilter(3))
    scanned = scanned_part(small.size, degrees)
    limit = DARKEST_PAPER * percentile(small.histogram(), PAPER_PERCENTILE)
    dark = ImageChops.darker(small, scanned).point(lambda value: 1 if value < limit else 0)
    mm = dpi / factor / MM_PER_INCH
    left, right = depths(dark), depths(dark.transpose(Image.Transpose.FLIP_LEFT_RIGHT))
    upright = dark.transpose(Image.Transpose.TRANSPOSE)
    top, bottom = depths(upright), depths(upright.transpose(Image.Transpose.FLIP_LEFT_RIGHT))
    cuts = [cut_at(side, mm) for side in (left, top, right, bottom)]
    # A dark band down one side of a page may be printed; a feeder pulls paper in from the top, so that it ends below.
    if cuts[3] == 0 and sum(cut > 0 for cut in cuts) < 2:
        return None
    box = (cuts[0], cuts[1], small.width - cuts[2], small.height - cuts[3])
    if min(box[2] - box[0], box[3] - box[1]) < SMALLEST_MM * mm or not even(small, scanned, box):
        return None
    right_edge, bottom_edge = min(image.width, box[2] * factor), min(image.height, box[3] * factor)
    return box[0] * factor, box[1] * factor, right_edge, bottom_edge


def scanned_part(size: tuple[int, int], degrees: float) -> Image.Image:
    """White where the page was scanned, black in the corners that came free when it was turned: they are as good as backing."""
    frame = 2 if degrees else 0  # at the edges the two are mixed
    scanned = Image.new("L", size, 0)
    scanned.paste(255, (frame, frame, size[0] - frame, size[1] - frame))
    return scanned.rotate(-degrees)


def brightest_band(image: Image.Image) -> Image.Image:
    """How bright each pixel is in its brightest colour."""
    if image.mode != "RGB":
        return image.convert("L")
    red, green, blue = image.split()
    return ImageChops.lighter(red, ImageChops.lighter(green, blue))


def depths(dark: Image.Image) -> list[int]:
    """For each row that is not dark from end to end, how many dark pixels it begins with."""
    rows, width = dark.tobytes(), dark.width
    found = (rows.find(0, start, start + width) - start for start in range(0, len(rows), width))
    return [depth for depth in found if depth >= 0]


def cut_at(side: list[int], mm: float) -> int:
    """How much to cut off a side of the page, given how deep its backing is along the paper; 0 for nothing."""
    if len(side) < SMALLEST_MM * mm or min(side) < NARROWEST_MM * mm:
        return 0
    third = len(side) // 3
    first, last = sorted(side[:third])[third // 2], sorted(side[-third:])[third // 2]
    slope = (last - first) / (len(side) - third)
    line = [first + slope * (place - third / 2) for place in range(len(side))]
    near = sum(abs(depth - expected) <= STRAIGHT_MM * mm for depth, expected in zip(side, line))
    if near < STRAIGHT_SHARE * len(side):
        return 0
    return max(0, min(side) - round(MARGIN_MM * mm))


def even(small: Image.Image, scanned: Image.Image, box: tuple[int, int, int, int]) -> bool:
    """Whether what was scanned outside the box has one brightness, as a backing has."""
    outside = scanned.copy()
    outside.paste(0, box)
    histogram = small.histogram(outside)
    tail = (1 - BACKING_SHARE) / 2
    return percentile(histogram, 1 - tail) - percentile(histogram, tail) <= BACKING_RANGE
