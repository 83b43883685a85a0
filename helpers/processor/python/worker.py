"""Runs jobs with Pillow, NumPy, pikepdf or OCRmyPDF. Loading these takes longer than most jobs."""

from __future__ import annotations

import os
import platform
import sys

# Isolated mode (-I) removes the script's directory from the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy  # noqa: E402
import ocrmypdf  # noqa: E402
import pikepdf  # noqa: E402
import PIL  # noqa: E402
from PIL import Image  # noqa: E402

from bilevel import binarize  # noqa: E402
from crop import crop  # noqa: E402
from cut import cut  # noqa: E402
from document_pdf import assemble  # noqa: E402
from examination.examine import examine  # noqa: E402
from jobs import named, serve  # noqa: E402
from layers import separate  # noqa: E402
from page_image import prepare, turn  # noqa: E402
from page_pdf import compose  # noqa: E402
from paper_place import find_place  # noqa: E402
from reading_image import look_again  # noqa: E402
from straighten import straighten  # noqa: E402


# open_tiff limits pages by memory. Pillow's limit would be global to the process.
Image.MAX_IMAGE_PIXELS = None


def versions() -> dict[str, str]:
    return {
        "ocrmypdf": ocrmypdf.__version__,
        "python": platform.python_version(),
        "pikepdf": pikepdf.__version__,
        "pillow": PIL.__version__,
        "numpy": numpy.__version__,
    }


JOBS = named(versions, prepare, examine, look_again, turn, cut, straighten, crop, find_place, binarize, separate, compose, assemble)

if __name__ == "__main__":
    serve(JOBS)
