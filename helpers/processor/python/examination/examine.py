from __future__ import annotations

from typing import Any

from examination.blank_page import WHOLE_PAGE_NOT_BLANK, blank_score
from examination.page_copy import code_copy, small_copy
from examination.skew import ink_of, skew_of
from reading_image import write_reading_image
from tiff import open_tiff


def examine(tiff: str, dpi: int, blank: bool, skew: bool, codes: str | None, reading: str | None) -> dict[str, Any]:
    """Examines the plain image `tiff` before recognition.

    With `blank` and `skew`, measures these. With a file `codes`, writes a gray copy for reading
    codes and returns its `code_dpi`. With a file `reading`, measures the skew and writes the image
    to recognize. If the resolution is too low, the page is not blank and has no skew.
    """
    image = open_tiff(tiff)
    code_dpi = None
    if codes is not None:
        copy, code_dpi = code_copy(image, dpi)
        copy.save(codes, "PPM")
    small = small_copy(image, dpi) if blank else None
    written = write_reading_image(image, dpi, reading) if reading is not None else None
    return {
        "blank": (blank_score(small, image.mode == "1") if small else WHOLE_PAGE_NOT_BLANK) if blank else None,
        "skew": written["skew"] if written else skew_of(ink_of(image, dpi)) if skew else None,
        "reading": written,
        "code_dpi": code_dpi,
    }
