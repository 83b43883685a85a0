"""Reads scanned TIFF files, which may be damaged, huge or no TIFF at all."""

from __future__ import annotations

import warnings

from PIL import Image, UnidentifiedImageError

from unreadable import Unreadable

# A3 at 1200 dpi has 278 million pixels; more is no page but an attack on memory.
MAX_PIXELS = 300_000_000

ORIENTATION_TAG = 274
SIDEWAYS = (5, 6, 7, 8)

# What scanners are set to when nobody says anything; used when a TIFF carries no believable resolution.
DEFAULT_DPI = 300
MIN_DPI, MAX_DPI = 30, 4800


def open_tiff(path: str) -> Image.Image:
    """Opens the TIFF and reads all of it, so that a damaged file is found before anything is made of it."""
    Image.MAX_IMAGE_PIXELS = None  # the limit below gives an error of ours
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # unknown tags are none of our business
            image = Image.open(path, formats=["TIFF"])
            if image.tag_v2.get(ORIENTATION_TAG, 1) in SIDEWAYS:
                # A file that Pillow 11 is given by name it maps into memory, and garbles when its sides are swapped. This
                # one stays open for the images behind the first; the process ends soon.
                image = Image.open(open(path, "rb"), formats=["TIFF"])
            if image.width * image.height > MAX_PIXELS:
                raise Unreadable(f"the image has {image.width} x {image.height} pixels, more than {MAX_PIXELS}")
            image.load()
            return image
    except (UnidentifiedImageError, SyntaxError) as error:
        raise Unreadable("the file is not a TIFF image of a kind that can be read") from error
    except (ValueError, TypeError, KeyError, IndexError, EOFError, ArithmeticError) as error:
        raise Unreadable(f"the TIFF image is damaged: {error}") from error
    except OSError as error:
        if error.errno is not None:  # the disk's fault; Pillow's own errors have no number
            raise
        raise Unreadable(f"the TIFF image is damaged: {error}") from error


def resolution(image: Image.Image) -> tuple[int, int]:
    """Resolution in dpi, across and down; the default where the file says nothing that can be believed."""
    across, down = (round(float(value)) for value in image.info.get("dpi", (0, 0)))
    if MIN_DPI <= across <= MAX_DPI and MIN_DPI <= down <= MAX_DPI:
        return across, down
    return DEFAULT_DPI, DEFAULT_DPI
