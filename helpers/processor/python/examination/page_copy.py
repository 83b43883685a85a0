"""The copies of a page on which everything but its text is looked for."""

from __future__ import annotations

from PIL import Image

from tiff import MM_PER_INCH

COPY_DPI = 150
MM_PER_PIXEL = MM_PER_INCH / COPY_DPI

CODE_DPI = 300
# Reading codes takes two to three bytes of memory per pixel; A2 at 300 dpi has 35 million.
MOST_CODE_PIXELS = 40_000_000

# A coarser image cannot be judged: a pencil line is thinner than its pixels.
LOWEST_DPI = 143


def small_copy(image: Image.Image, dpi: int, copy_dpi: int = COPY_DPI) -> Image.Image | None:
    """The plain image at exactly 150 dpi, or another resolution below that, gray or RGB, each pixel the mean of those it covers; null if it is
    too coarse."""
    if dpi < LOWEST_DPI:
        return None
    pixels = image.convert("L") if image.mode == "1" else image
    if dpi % copy_dpi == 0:
        return pixels.reduce(dpi // copy_dpi)
    size = tuple(max(1, round(side * copy_dpi / dpi)) for side in pixels.size)
    return pixels.resize(size, Image.Resampling.BOX)


def code_copy(image: Image.Image, dpi: int) -> tuple[Image.Image, float]:
    """The plain image in gray at 300 to 599 dpi, or its own resolution if that is lower, and the resolution.

    Bar codes on stickers have bars of 0.2 mm, which are lost at 150 dpi. An image that is too large gets a coarser copy.
    """
    factor = max(1, dpi // CODE_DPI)
    while image.width * image.height > factor**2 * MOST_CODE_PIXELS:
        factor += 1
    gray = image.convert("L")
    return (gray.reduce(factor) if factor > 1 else gray), dpi / factor
