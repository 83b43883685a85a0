"""Writes one-page PDFs object by object (ISO 32000-1, 7.5).

By hand, because importing pikepdf takes longer than encoding a page. The text of Tesseract is kept as it is: the image
is appended to its file as an incremental update (7.5.6).
"""

from __future__ import annotations

import re
from typing import NamedTuple


class PdfImage(NamedTuple):
    """An encoded image: size in pixels, colour space, bits of a sample, `/Filter` and its parameters, the bytes."""

    size: tuple[int, int]
    colour_space: str
    bits: int
    filters: str
    data: bytes


class UnknownLayout(Exception):
    """The PDF is not written the way that Tesseract writes its own."""


def image_page(image: PdfImage, size: tuple[float, float]) -> bytes:
    """A PDF of one page that shows the image; `size` in points."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: page_object(size, "/Parent 2 0 R /Contents [4 0 R]", "/XObject << /Im1 5 0 R >>"),
        4: drawing(size),
        5: image_object(image),
    }
    return with_objects(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", objects, "/Size 6 /Root 1 0 R")


def page_with_text(text_pdf: bytes, image: PdfImage, size: tuple[float, float]) -> bytes:
    """The text-only PDF of Tesseract with the image added to its page; raises UnknownLayout if it is another's."""
    page = found(rb"\n(\d+) 0 obj\s*<<\s*/Type /Page\b(?!s)(.*?)\nendobj", text_pdf)
    number, body = int(page[1]), page[2]
    contents = found(rb"/Contents (\d+ 0 R)", body)[1].decode()
    font = found(rb"/Font (<< /f-0-0 \d+ 0 R >>)", body)[1].decode()
    parent = found(rb"/Parent (\d+ 0 R)", body)[1].decode()
    end = found(rb"trailer\s*<<\s*/Size (\d+)\s*/Root (\d+ 0 R).*?startxref\s+(\d+)\s+%%EOF\s*\Z", text_pdf)
    next_number, root, previous = int(end[1]), end[2].decode(), end[3].decode()
    objects = {
        number: page_object(
            size,
            f"/Parent {parent} /Contents [{next_number} 0 R {contents}]",
            f"/Font {font} /XObject << /Im1 {next_number + 1} 0 R >>",
        ),
        next_number: drawing(size),
        next_number + 1: image_object(image),
    }
    return with_objects(text_pdf, objects, f"/Size {next_number + 2} /Root {root} /Prev {previous}")


def found(pattern: bytes, data: bytes) -> re.Match[bytes]:
    """The place where the pattern matches."""
    match = re.search(pattern, data, re.DOTALL)
    if match is None:
        raise UnknownLayout(f"no {pattern!r} in the PDF of Tesseract")
    return match


def page_object(size: tuple[float, float], links: str, resources: str) -> bytes:
    """The dictionary of a page."""
    box = f"[0 0 {size[0]:.3f} {size[1]:.3f}]"
    return f"<< /Type /Page /MediaBox {box} {links} /Resources << {resources} >> >>".encode()


def drawing(size: tuple[float, float]) -> bytes:
    """The stream that draws the image over the whole page."""
    return stream("", f"q {size[0]:.3f} 0 0 {size[1]:.3f} 0 0 cm /Im1 Do Q\n".encode())


def image_object(image: PdfImage) -> bytes:
    """The stream of the image."""
    width, height = image.size
    entries = f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace {image.colour_space}"
    return stream(f"{entries} /BitsPerComponent {image.bits} {image.filters}", image.data)


def stream(entries: str, data: bytes) -> bytes:
    """A stream with its dictionary."""
    return f"<< {entries} /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"


def with_objects(start: bytes, objects: dict[int, bytes], trailer: str) -> bytes:
    """`start` followed by the objects, their cross-reference table and the trailer."""
    pieces = [start]
    position = len(start)
    table = ["xref\n"] if "/Prev" in trailer else ["xref\n0 1\n0000000000 65535 f \n"]
    for number, content in objects.items():
        piece = f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
        table.append(f"{number} 1\n{position:010d} 00000 n \n")
        pieces.append(piece)
        position += len(piece)
    end = f"{''.join(table)}trailer\n<< {trailer} >>\nstartxref\n{position}\n%%EOF\n"
    return b"".join([*pieces, end.encode()])
