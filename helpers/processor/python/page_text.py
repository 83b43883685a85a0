from __future__ import annotations

from functools import cache
from typing import Any

import ocrmypdf
from ocrmypdf._exec import ghostscript, tesseract

# OCRmyPDF runs both programs several times per page, only to get their versions.
for program in (ghostscript, tesseract):
    program.version = cache(program.version)


def add_text(image: str, text: str | None, out: str, languages: list[str]) -> None:
    """Merges the one-page PDFs `image` and, if given, `text` into `out`, using OCRmyPDF."""
    options: dict[str, Any] = {} if text is None else {"text_layer": text}
    with open(out, "wb") as output:
        # Passes a stream, since OCRmyPDF would validate a file, which takes ten times as long as
        # the rest.
        ocrmypdf.ocr(
            image,
            output,
            plugins=["ocrmypdf_plugin"],
            pdf_renderer="sandwich",
            output_type="pdf",  # the document becomes PDF/A: see document_pdf.py
            optimize=0,  # the image is already encoded
            # In megabytes; effectively off. Linearizing takes longer and is of no use here.
            fast_web_view=1_000_000,
            jobs=1,
            use_threads=True,
            language=languages,
            progress_bar=False,
            max_image_mpixels=0,  # other values would set Pillow's limit for later jobs too
            **options,
        )
