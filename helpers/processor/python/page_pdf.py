"""One-page PDFs: the image of a page, and the invisible text that Tesseract found on it.

The contents of such a page are two streams, the image first and the text second; `document_pdf` takes them apart again.
"""

from __future__ import annotations

import io
import os
import zlib
from typing import Any

from PIL import Image, ImageChops, TiffImagePlugin

from pdf_objects import PdfImage, image_page, page_with_text
from tiff import open_tiff

# Quality of JPEG by the level of optimize. Level 1 looks like the default of OCRmyPDF, where Ghostscript quantizes
# like quality 55, and is no larger: the Huffman tables are made to measure.
JPEG_QUALITY = {1: 57, 2: 42, 3: 30}

# Deflating a JPEG once more pays on quiet pages, where runs of the same code repeat; above this share it does not.
WORTHWHILE_SHARE = 0.98

STRIP_OFFSETS_TAG, STRIP_BYTES_TAG = 273, 279


def compose(tiff: str, out: str, dpi: int, optimize: int, text: str | None, jbig2: str | None) -> dict[str, Any]:
    """Writes the page of the plain image `tiff` to `out`.

    `text` is the text-only PDF that Tesseract made of the same image, `jbig2` its JBIG2 stream, both may be null. Gives
    the size of the page in bytes.
    """
    image = open_tiff(tiff)
    encoded = encode(image, optimize, jbig2)
    size = image.width * 72 / dpi, image.height * 72 / dpi
    if text is None:
        page = image_page(encoded, size)
    else:
        with open(text, "rb") as file:
            page = page_with_text(file.read(), encoded, size)
    with open(out, "wb") as file:
        file.write(page)
    return {"bytes": os.path.getsize(out)}


def encode(image: Image.Image, optimize: int, jbig2: str | None) -> PdfImage:
    """The image in the encoding that suits it."""
    if image.mode != "1":
        return lossless(image) if optimize == 0 else jpeg(image, optimize)
    if jbig2 is None:
        return group4(image)
    with open(jbig2, "rb") as file:
        return PdfImage(image.size, "/DeviceGray", 1, "/Filter /JBIG2Decode", file.read())


def jpeg(image: Image.Image, optimize: int) -> PdfImage:
    """JPEG with Huffman tables made for this image, deflated where that pays."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=JPEG_QUALITY[optimize], optimize=True)
    data, filters = buffer.getvalue(), "/Filter /DCTDecode"
    deflated = zlib.compress(data)
    if len(deflated) < len(data) * WORTHWHILE_SHARE:
        data, filters = deflated, "/Filter [/FlateDecode /DCTDecode]"
    return PdfImage(image.size, colour_space(image), 8, filters, data)


def lossless(image: Image.Image) -> PdfImage:
    """The compressed rows of a PNG, which PDF reads as they are (predictor 15)."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=6)
    colours = len(image.getbands())
    rows = f"<< /Predictor 15 /Colors {colours} /Columns {image.width} /BitsPerComponent 8 >>"
    filters = f"/Filter /FlateDecode /DecodeParms {rows}"
    return PdfImage(image.size, colour_space(image), 8, filters, png_data(buffer.getvalue()))


def group4(image: Image.Image) -> PdfImage:
    """CCITT group 4, which loses nothing."""
    buffer = io.BytesIO()
    TiffImagePlugin.STRIP_SIZE = image.height * image.width  # one strip, since PDF takes only one
    # The bits of a TIFF of Pillow are 1 for white; the codes are made for 0, and PDF reads them as 0.
    ImageChops.invert(image).save(buffer, "TIFF", compression="group4")
    strip = Image.open(buffer).tag_v2
    (offset,), (length,) = strip[STRIP_OFFSETS_TAG], strip[STRIP_BYTES_TAG]
    filters = f"/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns {image.width} /Rows {image.height} >>"
    return PdfImage(image.size, "/DeviceGray", 1, filters, buffer.getvalue()[offset : offset + length])


def colour_space(image: Image.Image) -> str:
    """The name that PDF has for the colours of the image."""
    return "/DeviceRGB" if image.mode == "RGB" else "/DeviceGray"


def png_data(png: bytes) -> bytes:
    """The contents of all IDAT chunks, put together (PNG specification, section 5.3)."""
    pieces = []
    position = 8
    while position < len(png):
        length = int.from_bytes(png[position : position + 4], "big")
        if png[position + 4 : position + 8] == b"IDAT":
            pieces.append(png[position + 8 : position + 8 + length])
        position += length + 12
    return b"".join(pieces)
