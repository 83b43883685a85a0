"""Plugin for OCRmyPDF: gives it the text that was recognised while the scanner was still running.

OCRmyPDF grafts the text onto the pages and writes the metadata; recognising, rasterizing and the way over PostScript to
PDF/A, which take nearly all of its time, are replaced. Works with OCRmyPDF 14 to 16: a hook names only those arguments
that all of them pass.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from ocrmypdf import OcrEngine, PdfContext, hookimpl
from ocrmypdf._exec import tesseract
from ocrmypdf.exceptions import InputFileError
from pikepdf import Name, ObjectStreamMode, Pdf
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from document_pdf import split  # noqa: E402
from pdf_metadata import archive_colours, finish_metadata  # noqa: E402
from unreadable import Unreadable  # noqa: E402


@hookimpl
def initialize(plugin_manager: Any) -> None:
    """Leaves out Ghostscript: it has nothing to do here, and being asked for its version takes a sixth of the assembly."""
    plugin_manager.set_blocked("ocrmypdf.builtin_plugins.ghostscript")


@hookimpl
def add_options(parser: ArgumentParser) -> None:
    """Adds the options that say where the pages are and where their text goes."""
    parser.add_argument("--page-list", required=True, help="JSON file with the names of one-page PDFs, in order")
    parser.add_argument("--text-directory", required=True, help="directory for the text of each page: 1.pdf ...")
    parser.add_argument("--receipt", required=True, help="JSON file that is written when the document is complete")


@hookimpl
def check_options(options: Namespace) -> None:
    """Makes the input file, which holds the images of the pages, before OCRmyPDF looks for it."""
    try:
        split(json.loads(Path(options.page_list).read_text()), options.input_file, options.text_directory)
    except Unreadable as error:
        print(error, file=sys.stderr)
        raise SystemExit(int(InputFileError.exit_code)) from error


@hookimpl
def rasterize_pdf_page(output_file: Path) -> Path:
    """Writes an image that nobody looks at: the text is known already."""
    Image.new("1", (1, 1)).save(output_file, "PNG", dpi=(72, 72))
    return output_file


@hookimpl
def get_ocr_engine() -> OcrEngine:
    """The engine whose work is done already."""
    return RecognisedText()


class RecognisedText(OcrEngine):
    """Hands out text that Tesseract recognised before."""

    def __str__(self) -> str:
        return f"Tesseract OCR {self.version()}"

    @staticmethod
    def version() -> str:
        return str(tesseract.version())

    @staticmethod
    def creator_tag(options: Namespace) -> str:
        return f"Tesseract OCR {tesseract.version()}"

    @staticmethod
    def languages(options: Namespace) -> set[str]:
        return set(options.languages or [])  # checked before the pages were recognised

    @staticmethod
    def get_orientation(input_file: Path, options: Namespace) -> Any:
        raise NotImplementedError("the pages are upright already")

    @staticmethod
    def generate_hocr(input_file: Path, output_hocr: Path, output_text: Path, options: Namespace) -> None:
        raise NotImplementedError("the text is a PDF: --pdf-renderer sandwich")

    @staticmethod
    def generate_pdf(input_file: Path, output_pdf: Path, output_text: Path, options: Namespace) -> None:
        """Copies the text of the page whose number the image is named after; an empty file is a page without text."""
        number = re.match(r"0*(\d+)", Path(input_file).name)  # 000001_ocr.png
        text = Path(options.text_directory) / f"{number[1]}.pdf"
        Path(output_pdf).touch()
        if text.exists():
            shutil.copyfile(text, output_pdf)
        Path(output_text).touch()


@hookimpl
def generate_pdfa(pdf_pages: list[Path], output_file: Path) -> Path:
    """Adds what PDF/A demands; Ghostscript would rewrite every page for the same result."""
    with Pdf.open(pdf_pages[-1]) as pdf:
        archive_colours(pdf)
        pdf.save(output_file)
    return output_file


@hookimpl
def optimize_pdf(input_pdf: Path, output_pdf: Path, context: PdfContext) -> tuple[Path, list[str]]:
    """The last step: completes the metadata. The images are as small as they shall be.

    The receipt tells the processor what it will find on standard output, so that nothing has to read it again.
    """
    with Pdf.open(input_pdf) as pdf:
        pdfa = Name.OutputIntents in pdf.Root
        finish_metadata(pdf, pdfa)
        pdf.save(output_pdf, object_stream_mode=ObjectStreamMode.generate)
        receipt = {"page_count": len(pdf.pages), "bytes": os.path.getsize(output_pdf), "pdfa": pdfa}
    Path(context.options.receipt).write_text(json.dumps(receipt))
    return output_pdf, []
