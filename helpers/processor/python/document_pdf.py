"""Documents: has OCRmyPDF make one PDF of pages whose text is known already."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import ocrmypdf
from pikepdf import Array, Name, Page, PasswordError, Pdf, PdfError

from unreadable import Unreadable


def assemble(pages: list[str], out: str, title: str, pdfa: bool, languages: list[str]) -> dict[str, int]:
    """Writes a document of one-page PDFs to `out`. Gives the number of pages."""
    texts = Path("texts")
    texts.mkdir(exist_ok=True)
    split(pages, "images.pdf", texts, title)
    with open(out, "wb") as output:
        # A stream is not read back and checked, which takes ten times as long as all the rest.
        ocrmypdf.ocr(
            "images.pdf",
            output,
            plugins=["ocrmypdf_plugin"],
            text_directory=str(texts),
            # A page that has text outside its text layer keeps it.
            skip_text=True,
            pdf_renderer="sandwich",
            output_type="pdfa-2" if pdfa else "pdf",
            optimize=0,  # the images are encoded already
            # A web-optimized file takes longer to write, and nothing reads it over the web: above a terabyte means never.
            fast_web_view=1_000_000,
            jobs=1,
            use_threads=True,
            language=languages,
            progress_bar=False,
        )
    return {"page_count": len(pages)}


def split(pages: list[str], images: str, texts: Path, title: str) -> None:
    """Writes one PDF with the images of all pages to `images`, and the text of page n to `texts`/n.pdf.

    A page that was not made by `page_pdf.compose` goes to `images` whole.
    """
    document = Pdf.new()
    for number, path in enumerate(pages, start=1):
        with open_page(path, number) as source:
            page = source.pages[0]
            if has_two_layers(page):
                write_text(page, texts / f"{number}.pdf")
                page.Contents = page.Contents[0]
                del page.Resources[Name.Font]
            document.pages.append(page)
    document.docinfo[Name.CreationDate] = datetime.now(timezone.utc).strftime("D:%Y%m%d%H%M%S+00'00'")
    if title:
        document.docinfo[Name.Title] = title  # as an option it must not begin with a hyphen
    document.save(images)


def open_page(path: str, number: int) -> Pdf:
    """Opens a one-page PDF; `number` is its place in the document."""
    try:
        pdf = Pdf.open(path)
        count = len(pdf.pages)
    except (PdfError, PasswordError) as error:
        raise Unreadable(f"Page {number} is not a PDF that can be read.") from error
    if count != 1:
        raise Unreadable(f"Page {number} is a PDF of {count} pages. Each part must be a PDF of one page.")
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
