from __future__ import annotations

from PIL import Image

from tiff import MM_PER_INCH

COPY_DPI = 150
MM_PER_PIXEL = MM_PER_INCH / COPY_DPI

CODE_DPI = 300
# Reading codes takes two to three bytes per pixel. A2 at 300 dpi has 35 million pixels.
MOST_CODE_PIXELS = 40_000_000

# Below, a pencil line is thinner than a pixel, so blankness and skew cannot be judged.
LOWEST_DPI = 143


def small_copy(image: Image.Image, dpi: int, copy_dpi: int = COPY_DPI) -> Image.Image | None:
    """Scales to exactly `copy_dpi` by averaging, in gray or RGB. None below LOWEST_DPI."""
    if dpi < LOWEST_DPI:
        return None
    pixels = image.convert("L") if image.mode == "1" else image
    if dpi % copy_dpi == 0:
        return pixels.reduce(dpi // copy_dpi)
    size = tuple(max(1, round(side * copy_dpi / dpi)) for side in pixels.size)
    return pixels.resize(size, Image.Resampling.BOX)


def code_copy(image: Image.Image, dpi: int) -> tuple[Image.Image, float]:
    """A gray copy at 300 to 599 dpi, or at the image's own lower resolution, and that resolution.

    Bar code stickers have bars of 0.2 mm, which are lost at 150 dpi. Very large images get a lower
    resolution.
    """
    factor = max(1, dpi // CODE_DPI)
    while image.width * image.height > factor**2 * MOST_CODE_PIXELS:
        factor += 1
    gray = image.convert("L")
    return (gray.reduce(factor) if factor > 1 else gray), dpi / factor
