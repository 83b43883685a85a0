"""Prepares the image that Tesseract recognizes. It is not stored.

Tesseract uses one threshold between ink and paper. That fails in shade, on colour, and where the
backing beside the paper is brighter. So the image is gray, without streaks from dirty glass,
divided by its paper, straightened, and no larger than its letters need (reading_scale.py).

If recognition misses ink, a second image shows less: the brightest colour of each pixel, in which
stamps, pens and highlighters fade. A pattern below the text (squares, halftone) becomes white. If
there is none, the letters are broken, and half the resolution closes the gaps between dots and
stripes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from bilevel import BRIGHTEST, PAPER_BLUR, PAPER_DPI, PAPER_PERCENTILE, PAPER_WINDOW, paper_level, percentile
from blocks import cells_of, enlarged, extreme_around
from crop import brightest_band
from examination.ink_cells import ink_cells
from examination.skew import SKEW_DPI, ink_of, skew_of
from light_print import GROUND, light_print
from page_image import QUARTER_TURNS
from photo_print import light_on_photo
from reading_scale import brought_to, dpi_to_read, is_narrow
from streaks import fill_streaks, find_streaks
from tiff import MM_PER_INCH, open_tiff
from underlines import without_underlines

# As a share of the page's brightest paper. Paper in shade is brighter; anything darker is printed
# or backing.
DARKEST_PAPER = 0.3
# An area darker than 0.95 of the surrounding paper begins to count as a filled background, fully at
# 0.8; the transition is smoothed over 1 mm. Areas below DARKEST_FILL and pages below LIGHT_PRINT do
# not count as filled, since their light print would look like paper.
FILLED, FILL_BLUR, DARKEST_FILL, LIGHT_PRINT = (0.95, 0.8), 1, 0.4, 75
# If even the brightest pixels (percentile BRIGHTEST) are below this, print covers the whole page.
# Such a page is not divided by its paper, since light print would be mistaken for paper.
DARK_PAGE = 128
# Pixels above WHITE of the paper's brightness become white, because Tesseract finds no words in
# grain. LITTLE_WHITE replaces WHITE where thin strokes would be lost: on paper with little grain
# (some scanners whiten it themselves), or with coarse grain (its median is below COARSE_GRAIN of
# its brightest places). LITTLE_WHITE is not 1, since Tesseract would then search an empty page for
# words for five seconds instead of 0.2. PALE_WHITE replaces WHITE for pale print: PALER times as
# many pixels lie between PALE_SHARES as below them, and more than LEAST_PALE of the page.
WHITE, LITTLE_WHITE, COARSE_GRAIN = 0.93, 0.985, 0.982
PALE_WHITE, PALE_SHARES, PALER, LEAST_PALE = 0.98, (0.6, 0.9), 40, 0.002
# Pixels darker than DARKEST_GRAIN of the paper are print. Samples every GRAIN_ROWS-th row.
DARKEST_GRAIN, GRAIN_ROWS = 0.9, 32
# On a pattern, pixels above this share of white become white.
CLEAR_WHITE = 0.75
# A square of 8 x 8 pixels is dark if its darkest pixel is below DARK. It is pale if that pixel is
# below PALE and no square around it is dark. A page with more than PATTERN pale squares per dark
# one has a pattern. From PALE_PRINT pale squares per dark one, the print itself is pale.
DARK, PALE, PATTERN, PALE_PRINT = 128, 215, 0.03, 50
COARSE_DPI, COARSER = 200, 2
# Number of rows that share one paper brightness (0.7 mm at 300 dpi); fewer with filled areas.
ROWS, FILLED_ROWS = 8, 2
# In degrees. Less skew does not affect recognition, but resampling costs sharpness.
HARMFUL_SKEW = 0.3

# Rows that are blurred at once, so that they stay in the processor's cache.
SOFT_ROWS = 64

Streaks = list[tuple[int, int]]
Place = tuple[float, float]


def write_reading_image(image: Image.Image, dpi: int, out: str) -> dict[str, Any]:
    """Writes the image to recognize to `out`, unless it is the page itself.

    Returns its resolution, its size at the page's resolution, the skew and whether it was
    corrected, whether the paper is narrow, the inked squares, and the positions of streaks in mm
    from the left edge.
    """
    streaks: Streaks = []
    flat = image
    pixels = None
    if image.mode != "1":
        gray = image.convert("L")
        streaks = find_streaks(gray, dpi)
        pixels = divide_by_paper(gray, dpi, streaks)
        flat = Image.fromarray(pixels)
    reading, facts, ink = straight(flat, dpi)
    # Pillow copies a page for each conversion.
    level = np.asarray(reading.convert("L")) if pixels is None or reading is not flat else pixels
    cleared = without_underlines(level, dpi)
    if cleared is not level:
        reading = Image.fromarray(cleared)
    # Vertical lines on narrow paper have no measurable skew. Tesseract finds them only by looking
    # for columns, so such a page is not read as one column.
    narrow = facts["skew"] is not None and is_narrow(ink, MM_PER_INCH / SKEW_DPI)
    read_dpi = dpi_to_read(cleared, dpi, narrow)
    if read_dpi != dpi:
        reading = brought_to(cleared, dpi, read_dpi)
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


def look_again(tiff: str, dpi: int, out: str, quarters: int, read: list[list[Place]]) -> dict[str, Any]:
    """Writes the image for a second recognition, turned clockwise, to `out`. Words already
    `read`, given by their corners, are left out.

    Returns its resolution, its size at the page's resolution, and the skew.
    """
    image = open_tiff(tiff)
    gray = brightest_band(image)
    flat = Image.fromarray(divide_by_paper(gray, dpi, find_streaks(gray, dpi)))
    patterned = has_pattern(flat)
    flat = soft(flat)
    if patterned:
        flat = flat.point(lambda value: value / CLEAR_WHITE)
    light = light_on_photo(gray, dpi)
    if light is not None:
        flat.paste(*light)
    reading, facts, _ = straight(flat.transpose(QUARTER_TURNS[quarters]) if quarters else flat, dpi, read)
    reading = Image.fromarray(without_underlines(np.asarray(reading), dpi))
    if not patterned and dpi >= COARSE_DPI:
        reading, dpi = coarser(reading, dpi)
    reading.save(out, "TIFF", dpi=(dpi, dpi))
    return {**facts, "dpi": dpi}


def soft(image: Image.Image) -> Image.Image:
    """Blurs a little: weights 1, 2, 1 across and down. Faster than Pillow's Kernel."""
    pixels = np.asarray(image)
    blurred = pixels.copy()
    for top in range(0, len(pixels) - 2, SOFT_ROWS):
        rows = pixels[top : top + SOFT_ROWS + 2].astype(np.uint16)
        down = rows[:-2] + rows[2:] + 2 * rows[1:-1]
        total = down[:, :-2] + down[:, 2:] + 2 * down[:, 1:-1]
        blurred[top + 1 : top + 1 + len(total), 1:-1] = (total + 8) >> 4
    return Image.fromarray(blurred)


def coarser(image: Image.Image, dpi: int) -> tuple[Image.Image, int]:
    """Halves the resolution, rounded down, since Tesseract needs a whole number."""
    half = dpi // COARSER
    if half * COARSER == dpi:
        return image.reduce(COARSER), half
    return image.resize((round(image.width * half / dpi), round(image.height * half / dpi)), Image.Resampling.BOX), half


def straight(flat: Image.Image, dpi: int, read: list[list[Place]] | None = None) -> tuple[Image.Image, dict[str, Any], np.ndarray | None]:
    """Returns the image, its size and skew, and its ink before straightening, if known. The rotated
    image grows to keep everything. Removes words already `read` after measuring the skew.
    """
    ink = ink_of(flat, dpi)
    skew = skew_of(ink)
    if read:
        flat = without(flat, read)
    harmful = skew is not None and abs(skew) >= HARMFUL_SKEW
    reading = flat.convert("L").rotate(skew, Image.Resampling.BILINEAR, expand=True, fillcolor=255) if harmful else flat
    return reading, {"width": reading.width, "height": reading.height, "skew": skew, "straightened": harmful}, ink


def without(image: Image.Image, areas: list[list[Place]]) -> Image.Image:
    """Paints these areas, given by their corners, in the gray of the background, on a copy."""
    copy = image.convert("L")
    ground = percentile(copy.histogram(), 0.5)
    draw = ImageDraw.Draw(copy)
    for corners in areas:
        draw.polygon([tuple(corner) for corner in corners], fill=ground)
    return copy


def has_pattern(flat: Image.Image) -> bool:
    """True if a pale pattern is printed below the text. Expects a page divided by its paper."""
    darkest = cells_of(np.asarray(flat.reduce(2)), 4).min(axis=1).min(axis=2)
    dark = darkest < DARK
    pale = (darkest < PALE) & (extreme_around(dark, 3, np.maximum) == 0)
    return PATTERN * dark.sum() < pale.sum() < PALE_PRINT * dark.sum()


def divide_by_paper(gray: Image.Image, dpi: int, streaks: Streaks) -> np.ndarray:
    """Makes the paper white, and removes streaks."""
    pixels = np.array(gray)
    fill_streaks(pixels, streaks, dpi)
    factor = max(1, dpi // PAPER_DPI)
    small = (Image.fromarray(pixels) if streaks else gray).reduce(factor)
    if percentile(small.histogram(), BRIGHTEST) < DARK_PAGE:
        return pixels
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
    return pixels


def has_no_grain(pixels: np.ndarray) -> bool:
    rows = pixels[::GRAIN_ROWS]
    return bool((rows[:, 1:] == rows[:, :-1]).mean() > 0.5)


def has_coarse_grain(small: Image.Image, paper: Image.Image) -> bool:
    """True if most of the paper is darker than its brightest places."""
    shares = np.asarray(small) / np.asarray(paper, np.float32).clip(1)
    return float(np.median(shares[shares > DARKEST_GRAIN])) < COARSE_GRAIN


def has_pale_print(pixels: np.ndarray, usual: int) -> bool:
    """True if nearly all print is pale. `usual` is the brightness of the paper."""
    counts = np.cumsum(np.bincount(pixels[::GRAIN_ROWS].ravel(), minlength=256))
    dark, most = (int(counts[int(share * usual)]) for share in PALE_SHARES)
    return most - dark > max(PALER * dark, LEAST_PALE * int(counts[-1]))


@cache
def factors_to(white: float) -> np.ndarray:
    """By brightness of the paper: factors that turn `white` of it into 255, in 12-bit fixed
    point."""
    return np.rint(2**12 * 255 / (white * np.maximum(np.arange(256), 1))).astype(np.uint32)


def level_of(small: Image.Image) -> int:
    histogram = small.histogram()
    return round(paper_level(percentile(histogram, PAPER_PERCENTILE), percentile(histogram, BRIGHTEST)))


def softened(small: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(small).filter(ImageFilter.GaussianBlur(FILL_BLUR)), np.float32)


def paper_around(gray: Image.Image, small: Image.Image, factor: int, usual: int) -> tuple[Image.Image, int]:
    """The background around each pixel, and the number of rows that share a value.

    `small` is a copy reduced by `factor` to about PAPER_DPI, `usual` the brightness of the paper.
    The background changes slowly, except at filled areas: table rows, folds, highlighter.
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
            # Light print is left as it is.
            light = light_print(gray, factor, usual) > 0
            whole = enlarged(light * np.uint8(255), 1, paper.shape)
            paper = paper + (usual - paper) * softened(whole) / 255
            rows = FILLED_ROWS if light.any() else rows
    return Image.fromarray(np.rint(paper.clip(DARKEST_PAPER * usual)).astype(np.uint8)), rows
