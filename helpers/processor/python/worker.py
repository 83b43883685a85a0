"""The jobs that need Pillow, NumPy, pikepdf or OCRmyPDF: loading these takes longer than most jobs do, so it happens once."""

from __future__ import annotations

import os
import platform
import sys

# Isolated mode (-I) leaves the directory of the script out of the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy  # noqa: E402
import ocrmypdf  # noqa: E402
import pikepdf  # noqa: E402
import PIL  # noqa: E402
from PIL import Image  # noqa: E402

from bilevel import binarize  # noqa: E402
from crop import crop  # noqa: E402
from document_pdf import assemble  # noqa: E402
from examination.examine import examine  # noqa: E402
from jobs import named, serve  # noqa: E402
from layers import separate  # noqa: E402
from page_image import prepare, turn  # noqa: E402
from page_pdf import compose  # noqa: E402
from reading_image import look_again  # noqa: E402
from straighten import straighten  # noqa: E402


# Pages are bounded by memory (open_tiff). This limit belongs to the whole process: it would fail some jobs and not others.
Image.MAX_IMAGE_PIXELS = None


def versions() -> dict[str, str]:
    """The versions of what the jobs use."""
    return {
        "ocrmypdf": ocrmypdf.__version__,
        "python": platform.python_version(),
        "pikepdf": pikepdf.__version__,
        "pillow": PIL.__version__,
        "numpy": numpy.__version__,
    }


JOBS = named(versions, prepare, examine, look_again, turn, straighten, crop, binarize, separate, compose, assemble)

if __name__ == "__main__":
    serve(JOBS)
