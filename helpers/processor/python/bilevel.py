"""Black and white: makes one bit per pixel of a gray or coloured page.

The paper is divided out first, so that shading, coloured paper and print that shines through stay white. Otsu's threshold then
separates the ink from it.
"""

from __future__ import annotations

import math
from typing import Any

from PIL import Image, ImageChops, ImageFilter

# The brightness of the paper is taken from a copy of one pixel per millimetre: the brightest within 5 mm, smoothed.
PAPER_DPI = 25
PAPER_WINDOW = 5
PAPER_BLUR = 4

# Paper in shade is at least this bright, as a share of the page's paper; anything darker is a printed area.
DARKEST_PAPER = 0.5
# The share of pixels that are darker than the page's paper; the brightest ones may be the backing of the scanner.
PAPER_PERCENTILE = 0.9

# Ink is darker than a threshold between these shares of the paper, wherever Otsu finds it.
MIN_THRESHOLD, MAX_THRESHOLD = 100 / 255, 200 / 255

# Division is subtraction of logarithms, which Pillow does for whole images at once: 0 to 255 for brightness 1 to 255.
STEPS_PER_E = 255 / math.log(255)
LOGARITHMS = [round(STEPS_PER_E * math.log(max(1, value))) for value in range(256)]


def binarize(tiff: str, out: str) -> dict[str, Any]:
    """Writes the plain image `tiff` in black and white to `out`."""
    image = Image.open(tiff)
    dpi = image.info["dpi"]
    black_and_white(image, max(1, round(dpi[0]))).save(out, "TIFF", dpi=dpi)
    return {}


def black_and_white(image: Image.Image, dpi: int) -> Image.Image:
    """The image with one bit per pixel."""
    gray = image.convert("L")
    paper = paper_of(gray, dpi).point(LOGARITHMS).resize(gray.size, Image.Resampling.BILINEAR)
    darkness = ImageChops.subtract(paper, gray.point(LOGARITHMS))
    limit = -STEPS_PER_E * math.log(threshold(darkness.histogram()))
    return darkness.point(lambda value: 255 if value < limit else 0, "1")


def paper_of(gray: Image.Image, dpi: int) -> Image.Image:
    """The brightness of the paper at every place of a gray page, at about PAPER_DPI."""
    small = gray.reduce(max(1, dpi // PAPER_DPI))
    paper = small.filter(ImageFilter.MaxFilter(PAPER_WINDOW)).filter(ImageFilter.GaussianBlur(PAPER_BLUR))
    darkest = DARKEST_PAPER * percentile(small.histogram(), PAPER_PERCENTILE)
    return paper.point(lambda value: max(value, darkest))


def percentile(histogram: list[int], share: float) -> int:
    """The value that this share of the pixels does not exceed."""
    left = share * sum(histogram)
    for value, count in enumerate(histogram):
        left -= count
        if left <= 0:
            return value
    return len(histogram) - 1


def threshold(darkness: list[int]) -> float:
    """The brightness, as a share of the paper, that divides the pixels best (Otsu); of a histogram in logarithmic steps."""
    brightness = [math.exp(-step / STEPS_PER_E) for step in range(len(darkness))]
    total, weighted = sum(darkness), sum(map(lambda count, value: count * value, darkness, brightness))
    best, found = -1.0, MIN_THRESHOLD
    count = sum_above = 0.0
    for step, pixels in enumerate(darkness[:-1]):
        count += pixels
        sum_above += pixels * brightness[step]
        if 0 < count < total:
            between = (total * sum_above - count * weighted) ** 2 / (count * (total - count))
            if between > best:
                best, found = between, (brightness[step] + brightness[step + 1]) / 2
    return min(max(found, MIN_THRESHOLD), MAX_THRESHOLD)
