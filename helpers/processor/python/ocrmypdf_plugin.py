"""OCRmyPDF plugin that takes text which Tesseract has already recognized.

OCRmyPDF only merges the text into a page and writes the metadata. Rasterizing and recognition,
which take most of its time, are skipped, and so is the conversion to PDF/A: pages already comply.
Supports OCRmyPDF 14 to 16: hooks name only the arguments that all versions pass.
"""

from __future__ import annotations

import shutil
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from ocrmypdf import OcrEngine, hookimpl
from ocrmypdf._exec import tesseract
from PIL import Image


@hookimpl
def initialize(plugin_manager: Any) -> None:
    plugin_manager.set_blocked("ocrmypdf.builtin_plugins.ghostscript")


@hookimpl
def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--text-layer", help="text-only PDF of the page; left out for a page without text")


@hookimpl
def rasterize_pdf_page(output_file: Path) -> Path:
    Image.new("1", (1, 1)).save(output_file, "PNG", dpi=(72, 72))
    return output_file


@hookimpl
def get_ocr_engine() -> OcrEngine:
    return RecognizedText()


class RecognizedText(OcrEngine):
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
        return set(options.languages or [])  # checked before recognition

    @staticmethod
    def get_orientation(input_file: Path, options: Namespace) -> Any:
        raise NotImplementedError("the pages are upright already")

    @staticmethod
    def generate_hocr(input_file: Path, output_hocr: Path, output_text: Path, options: Namespace) -> None:
        raise NotImplementedError("the text is a PDF: pdf_renderer='sandwich'")

    @staticmethod
    def generate_pdf(input_file: Path, output_pdf: Path, output_text: Path, options: Namespace) -> None:
        """Leaves `output_pdf` empty for a page without text, as OCRmyPDF expects."""
        Path(output_pdf).touch()
        if options.text_layer is not None:
            shutil.copyfile(options.text_layer, output_pdf)
        Path(output_text).touch()


@hookimpl
def optimize_pdf(input_pdf: Path, output_pdf: Path) -> tuple[Path, list[str]]:
    """No-op: the image is already optimized."""
    output_pdf.hardlink_to(input_pdf)
    return output_pdf, []
