from __future__ import annotations

import io
import json
import os
import zlib
from typing import Any

from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream
from PIL import Image, ImageChops

from page_text import add_text
from text_layer import text_layer
from tiff import open_tiff

# By optimize level. Level 1 looks like OCRmyPDF's default (quality 55 in Ghostscript), and is no
# larger, thanks to optimized Huffman tables.
JPEG_QUALITY = {1: 57, 2: 42, 3: 30}

# A JPEG is deflated if it shrinks below this share, as on quiet pages with repeated codes.
WORTHWHILE_SHARE = 0.98

STRIP_OFFSETS_TAG, STRIP_BYTES_TAG = 273, 279


def compose(
    tiff: str,
    out: str,
    dpi: int,
    optimize: int,
    text: dict[str, Any] | None,
    jbig2: str | None,
    layers: dict[str, str] | None,
    languages: list[str],
    language: str | None,
    motion: list[float],
) -> dict[str, Any]:
    """Writes a one-page PDF of the plain image `tiff`, with invisible text.

    `text` has recognizer.py's files `lines` and `font`, and the `dpi` of the recognized image,
    which `motion` maps to `tiff`. `jbig2` is a JBIG2 stream, `layers` the JPEG files of `ink` and
    `paper`, `language` a BCP 47 tag; all four may be null. Returns the size of the PDF in bytes.
    """
    image = open_tiff(tiff)
    width, height = (f"{pixels * 72 / dpi:.3f}" for pixels in image.size)
    box = Array([0, 0, Object.parse(width.encode()), Object.parse(height.encode())])
    with Pdf.new() as pdf:
        pdf.add_blank_page()
        page = pdf.pages[0]
        page.MediaBox = box
        images = layered(pdf, image, layers, jbig2) if layers else [encode(pdf, image, optimize, jbig2)]
        names = [f"/Im{number}" for number in range(1, len(images) + 1)]
        drawn = " ".join(f"{name} Do" for name in names)
        page.Contents = pdf.make_stream(f"q {width} 0 0 {height} 0 0 cm {drawn} Q\n".encode())
        page.Resources = Dictionary(XObject=Dictionary(dict(zip(names, images))))
        if language is not None:
            pdf.Root.Lang = language
        pdf.save("image.pdf")
    if text is not None:
        # Some qpdf versions silently repair a truncated file.
        with Pdf.open(text["font"], attempt_recovery=False) as pdf, open(text["lines"], encoding="utf-8") as lines:
            page = pdf.pages[0]
            page.MediaBox = box
            page.Contents = pdf.make_stream(text_layer(json.load(lines), text["dpi"], motion, dpi, image.height))
            pdf.save("text.pdf")
    add_text("image.pdf", None if text is None else "text.pdf", out, languages)
    return {"bytes": os.path.getsize(out)}


def encode(pdf: Pdf, image: Image.Image, optimize: int, jbig2: str | None) -> Stream:
    if image.mode == "1":
        data, entries = bilevel(image, jbig2)
    else:
        data, entries = lossless(image) if optimize == 0 else jpeg(image, optimize)
    return image_object(pdf, image, data, entries)


def layered(pdf: Pdf, mask: Image.Image, layers: dict[str, str], jbig2: str | None) -> list[Stream]:
    """The paper image, and the ink image, drawn where the mask is black."""
    data, entries = bilevel(mask, jbig2)
    stencil = image_object(pdf, mask, data, {"ImageMask": True, **entries})
    del stencil.ColorSpace
    paper, ink = (jpeg_object(pdf, layers[name]) for name in ("paper", "ink"))
    ink.Mask = stencil
    return [paper, ink]


def jpeg_object(pdf: Pdf, path: str) -> Stream:
    with open(path, "rb") as file:
        return image_object(pdf, Image.open(path), file.read(), {"Filter": Name.DCTDecode})


def image_object(pdf: Pdf, image: Image.Image, data: bytes, entries: dict[str, Any]) -> Stream:
    return pdf.make_indirect(
        Stream(
            pdf,
            data,
            Type=Name.XObject,
            Subtype=Name.Image,
            Width=image.width,
            Height=image.height,
            ColorSpace=Name.DeviceRGB if image.mode == "RGB" else Name.DeviceGray,
            BitsPerComponent=1 if image.mode == "1" else 8,
            **entries,
        )
    )


def bilevel(image: Image.Image, jbig2: str | None) -> tuple[bytes, dict[str, Any]]:
    if jbig2 is None:
        return group4(image)
    with open(jbig2, "rb") as file:
        return file.read(), {"Filter": Name.JBIG2Decode}


def jpeg(image: Image.Image, optimize: int) -> tuple[bytes, dict[str, Any]]:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=JPEG_QUALITY[optimize], optimize=True)
    data = buffer.getvalue()
    deflated = zlib.compress(data)
    if len(deflated) < len(data) * WORTHWHILE_SHARE:
        return deflated, {"Filter": Array([Name.FlateDecode, Name.DCTDecode])}
    return data, {"Filter": Name.DCTDecode}


def lossless(image: Image.Image) -> tuple[bytes, dict[str, Any]]:
    """PNG's compressed rows, which PDF can decode (predictor 15)."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=6)
    rows = Dictionary(Predictor=15, Colors=len(image.getbands()), Columns=image.width, BitsPerComponent=8)
    return png_data(buffer.getvalue()), {"Filter": Name.FlateDecode, "DecodeParms": rows}


def group4(image: Image.Image) -> tuple[bytes, dict[str, Any]]:
    buffer = io.BytesIO()
    # Pillow's TIFF has 1 for white, while PDF decodes white as 0. PDF supports only a single strip.
    ImageChops.invert(image).save(buffer, "TIFF", compression="group4", strip_size=image.height * image.width)
    strip = Image.open(buffer).tag_v2
    (offset,), (length,) = strip[STRIP_OFFSETS_TAG], strip[STRIP_BYTES_TAG]
    size = Dictionary(K=-1, Columns=image.width, Rows=image.height)
    return buffer.getvalue()[offset : offset + length], {"Filter": Name.CCITTFaxDecode, "DecodeParms": size}


def png_data(png: bytes) -> bytes:
    """The contents of all IDAT chunks (PNG specification, section 5.3)."""
    pieces = []
    position = 8
    while position < len(png):
        length = int.from_bytes(png[position : position + 4], "big")
        if png[position + 4 : position + 8] == b"IDAT":
            pieces.append(png[position + 8 : position + 8 + length])
        position += length + 12
    return b"".join(pieces)
