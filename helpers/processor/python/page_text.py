"""Pages: has OCRmyPDF put the recognised text onto the image of a page."""

from __future__ import annotations

from functools import cache
from typing import Any

import ocrmypdf
from ocrmypdf._exec import ghostscript, tesseract

# OCRmyPDF starts both several times per page to ask for their versions, which stay the same while this process runs.
for program in (ghostscript, tesseract):
    program.version = cache(program.version)


def add_text(image: str, text: str | None, out: str, languages: list[str]) -> None:
    """Writes the page of the one-page PDF `image` to `out`, with the text of the text-only PDF `text`, if there is one."""
    options: dict[str, Any] = {} if text is None else {"text_layer": text}
    with open(out, "wb") as output:
        # A stream is not read back and checked, which takes ten times as long as all the rest.
        ocrmypdf.ocr(
            image,
            output,
            plugins=["ocrmypdf_plugin"],
            pdf_renderer="sandwich",
            output_type="pdf",  # the document becomes PDF/A: see document_pdf.py
            optimize=0,  # the image is encoded already
            # A web-optimized file takes longer to write, and nothing reads it over the web: above a terabyte means never.
            fast_web_view=1_000_000,
            jobs=1,
            use_threads=True,
            language=languages,
            progress_bar=False,
            max_image_mpixels=0,  # anything else sets the limit of Pillow for the jobs after this one
            **options,
        )
