"""Plugin for OCRmyPDF: gives it the text that was recognised while the scanner was still running.

OCRmyPDF grafts the text onto the pages and writes the metadata. Recognising and rasterizing, which take nearly all of its
time, were done before; PDF/A needs no way over PostScript, as the pages are built to be valid. Works with OCRmyPDF 14 to
16: a hook names only those arguments that all of them pass.
"""

from __future__ import annotations

import re
import shutil
from argparse import ArgumentParser, Namespace
from importlib.resources import files
from pathlib import Path
from typing import Any

from ocrmypdf import OcrEngine, hookimpl
from ocrmypdf._exec import tesseract
from lxml import etree
from pikepdf import Array, Dictionary, Name, ObjectStreamMode, Pdf, Stream
from PIL import Image

RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"


@hookimpl
def initialize(plugin_manager: Any) -> None:
    """Leaves out Ghostscript, which has nothing to do here."""
    plugin_manager.set_blocked("ocrmypdf.builtin_plugins.ghostscript")


@hookimpl
def add_options(parser: ArgumentParser) -> None:
    """Adds the option that says where the text of the pages is."""
    parser.add_argument("--text-directory", required=True, help="directory with the text of each page: 1.pdf ...")


@hookimpl
def rasterize_pdf_page(output_file: Path) -> Path:
    """Writes an image that nothing looks at: the text is known already."""
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
        raise NotImplementedError("the text is a PDF: pdf_renderer='sandwich'")

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
    """Says what the colours of the pages mean and that this is PDF/A-2b (ISO 19005-2, 6.2.3 and 6.6.4).

    Everything else that PDF/A-2b demands holds by construction: the images are DeviceGray or DeviceRGB without
    transparency, the one font is embedded, and there is no encryption, script, annotation or attachment.
    """
    with Pdf.open(pdf_pages[-1]) as pdf:
        profile = Stream(pdf, (files("ocrmypdf.data") / "sRGB.icc").read_bytes(), N=3, Alternate=Name.DeviceRGB)
        intent = Dictionary(
            Type=Name.OutputIntent,
            S=Name.GTS_PDFA1,
            OutputConditionIdentifier="sRGB",
            Info="sRGB",
            DestOutputProfile=pdf.make_indirect(profile),
        )
        pdf.Root.OutputIntents = Array([pdf.make_indirect(intent)])
        with pdf.open_metadata(set_pikepdf_as_editor=False) as metadata:
            metadata["pdfaid:part"] = "2"
            metadata["pdfaid:conformance"] = "B"
        pdf.save(output_file)
    return output_file


@hookimpl
def optimize_pdf(input_pdf: Path, output_pdf: Path) -> tuple[Path, list[str]]:
    """The last step: tidies the metadata. The images are as small as they shall be."""
    with Pdf.open(input_pdf) as pdf:
        tidy_metadata(pdf)
        pdf.save(output_pdf, object_stream_mode=ObjectStreamMode.generate)
    return output_pdf, []


def tidy_metadata(pdf: Pdf) -> None:
    """Drops empty entries, and brings those of XMP onto one description: validators read no others."""
    for key in [key for key, value in pdf.docinfo.items() if str(value) == ""]:
        del pdf.docinfo[key]
    xmp = etree.fromstring(pdf.Root.Metadata.read_bytes())
    rdf = xmp.find(f"{RDF}RDF")
    namespaces = {prefix: uri for node in rdf.iter() for prefix, uri in node.nsmap.items()}
    single = etree.Element(f"{RDF}Description", {f"{RDF}about": ""}, nsmap=namespaces)
    for description in list(rdf):
        for name, value in description.items():
            if name != f"{RDF}about":
                etree.SubElement(single, name).text = value
        single.extend([entry for entry in description if "".join(entry.itertext()).strip()])
        rdf.remove(description)
    rdf.append(single)
    packet = etree.tostring(xmp.getroottree(), encoding="utf-8")
    pdf.Root.Metadata = Stream(pdf, packet, Type=Name.Metadata, Subtype=Name.XML)
