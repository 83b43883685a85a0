"""Documents: takes one-page PDFs apart for OCRmyPDF, and puts them together without it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pikepdf import Array, Name, Page, PasswordError, Pdf, PdfError

from pdf_metadata import archive_colours, finish_metadata, now
from unreadable import Unreadable


def split(pages: list[str], images: str, texts: str) -> None:
    """Writes one PDF with the images of all pages to `images`, and the text of page n to `texts`/n.pdf.

    A page that was not made by `page_pdf.compose` goes to `images` whole, text and all.
    """
    document = Pdf.new()
    for number, path in enumerate(pages, start=1):
        with open_page(path, number) as source:
            page = source.pages[0]
            if has_two_layers(page):
                write_text(page, Path(texts) / f"{number}.pdf")
                page.Contents = page.Contents[0]
                del page.Resources[Name.Font]
            document.pages.append(page)
    document.docinfo[Name.CreationDate] = now()
    document.save(images)


def merge(pages: list[str], out: str, title: str, pdfa: bool) -> dict[str, Any]:
    """Writes the pages, as they are, into one PDF. Gives the number of pages and the size in bytes."""
    document = Pdf.new()
    for number, path in enumerate(pages, start=1):
        with open_page(path, number) as source:
            document.pages.append(source.pages[0])
    document.docinfo[Name.Title] = title
    document.docinfo[Name.CreationDate] = document.docinfo[Name.ModDate] = now()
    if pdfa:
        archive_colours(document)
    finish_metadata(document, pdfa)
    document.save(out)
    return {"page_count": len(pages), "bytes": os.path.getsize(out)}


def open_page(path: str, number: int) -> Pdf:
    """Opens a one-page PDF; `number` is its place in the document."""
    try:
        pdf = Pdf.open(path)
        count = len(pdf.pages)
    except (PdfError, PasswordError) as error:
        raise Unreadable(f"page {number} is not a PDF that can be read") from error
    if count != 1:
        raise Unreadable(f"page {number} is a PDF of {count} pages; each part must be a PDF of one page")
    return pdf


def has_two_layers(page: Page) -> bool:
    """Whether the page is an image and its text, as `page_pdf.compose` writes them."""
    contents = page.obj.get(Name.Contents)
    resources = page.obj.get(Name.Resources, {})
    return isinstance(contents, Array) and len(contents) == 2 and Name.Font in resources and Name.XObject in resources


def write_text(page: Page, path: Path) -> None:
    """Writes the text of a page, with its font, as a PDF of its own."""
    layer = Pdf.new()
    layer.pages.append(page)
    layer.pages[0].Contents = layer.pages[0].Contents[1]
    del layer.pages[0].Resources[Name.XObject]
    layer.save(path)
