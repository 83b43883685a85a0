"""Looks at a page before it is recognised."""

from __future__ import annotations

from typing import Any

from examination.blank_page import AS_A_WHOLE, blank_score
from examination.page_copy import code_copy, small_copy
from examination.skew import skew_of
from tiff import open_tiff


def examine(tiff: str, dpi: int, blank: bool, skew: bool, codes: str | None) -> dict[str, Any]:
    """Gives the blank score and the skew of the plain image `tiff`, each if it is asked for.

    Writes a gray copy for reading codes to `codes`, unless that is null; `code_dpi` is its resolution. An image that is
    too coarse is not blank, and has no skew.
    """
    image = open_tiff(tiff)
    code_dpi = None
    if codes is not None:
        copy, code_dpi = code_copy(image, dpi)
        copy.save(codes, "PPM")
    small = small_copy(image, dpi) if blank or skew else None
    return {
        "blank": (blank_score(small, image.mode == "1") if small else AS_A_WHOLE) if blank else None,
        "skew": skew_of(small) if skew and small else None,
        "code_dpi": code_dpi,
    }
