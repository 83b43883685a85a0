"""Reads scanned TIFF files, which may be damaged, huge, or no TIFFs at all."""

from __future__ import annotations

import warnings

from PIL import Image, UnidentifiedImageError

from unreadable import Unreadable

ORIENTATION_TAG = 274
SIDEWAYS = (5, 6, 7, 8)

MM_PER_INCH = 25.4

# Used for TIFFs without a plausible resolution.
DEFAULT_DPI = 300
MIN_DPI, MAX_DPI = 30, 4800
# Largest ratio of the two resolutions. Fax has 2; a higher one means a damaged header.
MAX_RATIO = 4


def open_tiff(path: str, max_pixels: int | None = None) -> Image.Image:
    """Decodes the TIFF at once, to find damage. Rejects more than `max_pixels` before that."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # unknown tags do not matter
            image = Image.open(path, formats=["TIFF"])
            if image.tag_v2.get(ORIENTATION_TAG, 1) in SIDEWAYS:
                # Pillow 11 memory-maps files opened by name, and garbles those with swapped sides.
                # This file stays open for the next images in it; the process ends soon.
                image = Image.open(open(path, "rb"), formats=["TIFF"])
            width, height = plain_size(image)
            if max_pixels is not None and width * height > max_pixels:
                raise Unreadable(f"The image has {width} x {height} pixels. At most {max_pixels} fit into memory.")
            image.load()
            return image
    except (UnidentifiedImageError, SyntaxError) as error:
        raise Unreadable("The file is not a TIFF image of a kind that can be read.") from error
    except (ValueError, TypeError, KeyError, IndexError, EOFError, ArithmeticError) as error:
        raise Unreadable(f"The TIFF image is damaged ({error}).") from error
    except OSError as error:
        if error.errno is not None:  # the disk's error; Pillow's own errors have no number
            raise
        raise Unreadable(f"The TIFF image is damaged ({error}).") from error


def resolution(image: Image.Image) -> tuple[int, int]:
    """Horizontal and vertical; DEFAULT_DPI if missing or implausible."""
    try:
        across, down = (round(float(value)) for value in image.info.get("dpi", (0, 0)))
    except (ArithmeticError, ValueError):  # 0/0, or infinity
        return DEFAULT_DPI, DEFAULT_DPI
    believable = all(MIN_DPI <= dpi <= MAX_DPI for dpi in (across, down))
    if believable and max(across, down) <= MAX_RATIO * min(across, down):
        return across, down
    return DEFAULT_DPI, DEFAULT_DPI


def plain_size(image: Image.Image) -> tuple[int, int]:
    """The size once both resolutions are equal. The coarser direction gains pixels."""
    across, down = resolution(image)
    dpi = max(across, down)
    return round(image.width * dpi / across), round(image.height * dpi / down)
