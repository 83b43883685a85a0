"""The image of a page that Tesseract reads. It is not the one that is stored.

Tesseract finds one brightness that divides ink from paper. That fails where paper is darker than the backing beside it, in shade, and
under colour. So its image is gray, without the streaks of dirty glass, divided by its paper, which becomes white, straight, and no larger
than its letters need (reading_scale.py).

Where the recognition leaves ink unread, a second image shows less. Each pixel is in its brightest colour, as stamps, pens and highlighter are
bright in one. What is printed below the text (a pattern, squares, halftone) is made white; where there is nothing of that, letters
are broken, and the image is made coarser, so that dots and stripes close.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from PIL import Image, ImageFilter

from bilevel import BRIGHTEST, PAPER_BLUR, PAPER_DPI, PAPER_PERCENTILE, PAPER_WINDOW, paper_level, percentile
from blocks import cells_of, enlarged, extreme_around
from crop import brightest_band
from examination.ink_cells import ink_cells
from examination.skew import SKEW_DPI, ink_of, skew_of
from light_print import GROUND, light_print
from page_image import QUARTER_TURNS
from reading_scale import brought_to, dpi_to_read, is_narrow
from streaks import fill_streaks, find_streaks
from tiff import MM_PER_INCH, open_tiff

# Paper this much darker than the brightest of the page may still be paper, in shade; darker it is a printed area or the backing.
DARKEST_PAPER = 0.3
# What is darker than these shares of the paper around it is more and more a filled area, whose own brightness is that of the paper; it is
# smoothed by so many millimetres. An area or a page that is darker than these has light print, which would look like paper.
FILLED, FILL_BLUR, DARKEST_FILL, LIGHT_PRINT = (0.95, 0.8), 1, 0.4, 75
# A page of which BRIGHTEST is darker than this level is all printed, and not divided: its light print would be its paper.
DARK_PAGE = 128
# What is this bright, as a share of the paper, is white: the grain of the paper finds no words. Hardly anything where that costs thin strokes:
# on paper without much grain, as a scanner delivers that makes it white itself, or with grain so coarse that it usually is darker than
# this share of its brightest places. Were that nothing, Tesseract would look for words in the paper of an empty page, for five seconds
# instead of 0.2. Where the print is pale, less is white: so many times more of the page is between these shares of its paper than is
# darker, and at least this share of the page.
WHITE, LITTLE_WHITE, COARSE_GRAIN = 0.93, 0.985, 0.982
PALE_WHITE, PALE_SHARES, PALER, LEAST_PALE = 0.98, (0.6, 0.9), 40, 0.002
# What is darker than this share is print. Whether there is grain shows in one of so many rows.
DARKEST_GRAIN, GRAIN_ROWS = 0.9, 32
# Where a pattern is below the text, all is white that is brighter than this share of white.
CLEAR_WHITE = 0.75
# A pattern is pale and not beside dark ink. It has at least so many squares for each that has dark ink; where many more have none, the
# print itself is pale.
DARK, PALE, PATTERN, PALE_PRINT = 128, 215, 0.03, 50
# An image of at least this resolution is made coarser by this factor.
COARSE_DPI, COARSER = 200, 2
# The brightness of paper changes so slowly that so many rows have the same, at 300 dpi 0.7 mm, unless an area is filled.
ROWS, FILLED_ROWS = 8, 2
# Less skew than this does not hurt the recognition, in degrees; resampling would cost sharpness.
HARMFUL_SKEW = 0.3

SOFT = ImageFilter.Kernel((3, 3), (1, 2, 1, 2, 4, 2, 1, 2, 1))

Streaks = list[tuple[int, int]]


def write_reading_image(image: Image.Image, dpi: int, out: str) -> dict[str, Any]:
    """Writes the image to read to `out`, unless it is the page itself.

    Gives its resolution, its size as if it had that of the page, the skew that was measured and taken out, whether the paper is narrow, the
    middles of streaks in mm from the left edge, and where the page has ink.
    """
    streaks: Streaks = []
    flat = image
    if image.mode != "1":
        gray = image.convert("L")
        streaks = find_streaks(gray, dpi)
        flat = divided(gray, dpi, streaks)
    reading, facts, ink = straight(flat, dpi)
    # Lines that run up or down narrow paper have no skew; Tesseract finds them only where it looks for columns.
    narrow = facts["skew"] is not None and is_narrow(ink, MM_PER_INCH / SKEW_DPI)
    read_dpi = dpi_to_read(reading, dpi, narrow)
    if read_dpi != dpi:
        reading = brought_to(reading, dpi, read_dpi)
    made = reading is not image
    if made:
        reading.save(out, "TIFF", dpi=(read_dpi, read_dpi))
    return {
        **facts,
        "made": made,
        "dpi": read_dpi,
        "narrow": narrow,
        "ink": ink_cells(ink) if ink is not None else None,
        "streaks": [round((first + last) / 2 * MM_PER_INCH / dpi, 1) for first, last in streaks],
    }


def look_again(tiff: str, dpi: int, out: str, quarters: int) -> dict[str, Any]:
    """Writes the second image to read of the plain image `tiff` to `out`, turned clockwise by `quarters` of a circle.

    Gives its resolution, its size as if it had that of the page, and the skew that was taken out.
    """
    image = open_tiff(tiff)
    gray = brightest_band(image)
    flat = divided(gray, dpi, find_streaks(gray, dpi))
    patterned = has_pattern(flat)
    flat = flat.filter(SOFT)
    if patterned:
        flat = flat.point(lambda value: value / CLEAR_WHITE)
    reading, facts, _ = straight(flat.transpose(QUARTER_TURNS[quarters]) if quarters else flat, dpi)
    if not patterned and dpi >= COARSE_DPI:
        reading, dpi = coarser(reading, dpi)
    reading.save(out, "TIFF", dpi=(dpi, dpi))
    return {**facts, "dpi": dpi}


def coarser(image: Image.Image, dpi: int) -> tuple[Image.Image, int]:
    """The image at about half its resolution, and that: a whole number, as Tesseract wants it."""
    half = dpi // COARSER
    if half * COARSER == dpi:
        return image.reduce(COARSER), half
    return image.resize((round(image.width * half / dpi), round(image.height * half / dpi)), Image.Resampling.BOX), half


def straight(flat: Image.Image, dpi: int) -> tuple[Image.Image, dict[str, Any], np.ndarray | None]:
    """The image straightened, its size and the skew that was taken out, and the ink of the image as it was, if that is known.

    A straightened image is larger, so that nothing of it is cut off; its middle is that of the page.
    """
    ink = ink_of(flat, dpi)
    skew = skew_of(ink)
    harmful = skew is not None and abs(skew) >= HARMFUL_SKEW
    reading = flat.convert("L").rotate(skew, Image.Resampling.BILINEAR, expand=True, fillcolor=255) if harmful else flat
    return reading, {"width": reading.width, "height": reading.height, "skew": skew, "straightened": harmful}, ink


def has_pattern(flat: Image.Image) -> bool:
    """Whether something pale is printed below the text of a page that is divided by its paper."""
    darkest = cells_of(np.asarray(flat.reduce(2)), 4).min(axis=(1, 3))
    dark = darkest < DARK
    pale = (darkest < PALE) & (extreme_around(dark, 3, np.maximum) == 0)
    return PATTERN * dark.sum() < pale.sum() < PALE_PRINT * dark.sum()


def divided(gray: Image.Image, dpi: int, streaks: Streaks) -> Image.Image:
    """A gray image as a share of its paper, which becomes white, without its streaks."""
    pixels = np.array(gray)
    fill_streaks(pixels, streaks, dpi)
    factor = max(1, dpi // PAPER_DPI)
    small = (Image.fromarray(pixels) if streaks else gray).reduce(factor)
    if percentile(small.histogram(), BRIGHTEST) < DARK_PAGE:
        return Image.fromarray(pixels)
    usual = level_of(small)
    paper, rows = paper_around(gray, small, factor, usual)
    if has_no_grain(pixels) or has_coarse_grain(small, paper):
        white = LITTLE_WHITE
    else:
        white = PALE_WHITE if has_pale_print(pixels, usual) else WHITE
    around = np.asarray(paper.resize((gray.width, -(-gray.height // rows)), Image.Resampling.BILINEAR))
    factors = factors_to(white)
    product = np.empty((rows, gray.width), np.uint32)
    for number, places in enumerate(around):
        part = pixels[number * rows : (number + 1) * rows]
        scaled = np.multiply(part, factors[places], out=product[: len(part)])
        scaled += 2**11  # rounds
        scaled >>= 12
        np.minimum(scaled, 255, out=part, casting="unsafe")
    return Image.fromarray(pixels)


def has_no_grain(pixels: np.ndarray) -> bool:
    """Whether most pixels of a gray page are exactly as bright as the one beside them."""
    rows = pixels[::GRAIN_ROWS]
    return bool((rows[:, 1:] == rows[:, :-1]).mean() > 0.5)


def has_coarse_grain(small: Image.Image, paper: Image.Image) -> bool:
    """Whether most of the paper of a page is darker than its brightest places."""
    shares = np.asarray(small) / np.asarray(paper, np.float32).clip(1)
    return float(np.median(shares[shares > DARKEST_GRAIN])) < COARSE_GRAIN


def has_pale_print(pixels: np.ndarray, usual: int) -> bool:
    """Whether all print of a gray page, whose paper is `usual`, is pale."""
    counts = np.cumsum(np.bincount(pixels[::GRAIN_ROWS].ravel(), minlength=256))
    dark, most = (int(counts[int(share * usual)]) for share in PALE_SHARES)
    return most - dark > max(PALER * dark, LEAST_PALE * int(counts[-1]))


@cache
def factors_to(white: float) -> np.ndarray:
    """What makes a gray level its share of the paper, by the brightness of that, in fractions of 12 bits."""
    return np.rint(2**12 * 255 / (white * np.maximum(np.arange(256), 1))).astype(np.uint32)


def level_of(small: Image.Image) -> int:
    """The usual brightness of the paper of a page."""
    histogram = small.histogram()
    return round(paper_level(percentile(histogram, PAPER_PERCENTILE), percentile(histogram, BRIGHTEST)))


def softened(small: np.ndarray) -> np.ndarray:
    """The edges of filled areas, smoothed."""
    return np.asarray(Image.fromarray(small).filter(ImageFilter.GaussianBlur(FILL_BLUR)), np.float32)


def paper_around(gray: Image.Image, small: Image.Image, factor: int, usual: int) -> tuple[Image.Image, int]:
    """The brightness of what the print is on at every place of a gray page, whose paper is `usual` and of which `small` is a copy by that
    factor, of about PAPER_DPI; and how many rows of the page have the same.

    It changes slowly, but for the edges of filled areas: rows of a table, folds, highlighter.
    """
    brightest = extreme_around(np.asarray(small), PAPER_WINDOW, np.maximum)
    paper = np.asarray(Image.fromarray(brightest).filter(ImageFilter.GaussianBlur(PAPER_BLUR)), np.float32)
    rows = ROWS
    if usual > LIGHT_PRINT:
        filled = extreme_around(brightest, PAPER_WINDOW, np.minimum)
        fill = softened(filled)
        share = ((FILLED[0] - fill / paper.clip(1)) / (FILLED[0] - FILLED[1])).clip(0, 1) * (filled > DARKEST_FILL * usual)
        paper = paper + (fill - paper) * share
        rows = FILLED_ROWS if share.max() > 0.5 else ROWS
        if (fill < GROUND * usual).any():
            # Light print stays as it is.
            light = light_print(gray, factor, usual) > 0
            whole = enlarged(light * np.uint8(255), 1, paper.shape)
            paper = paper + (usual - paper) * softened(whole) / 255
            rows = FILLED_ROWS if light.any() else rows
    return Image.fromarray(np.rint(paper.clip(DARKEST_PAPER * usual)).astype(np.uint8)), rows
