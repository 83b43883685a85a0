from __future__ import annotations

from datetime import datetime, timezone
from importlib.resources import files

from lxml import etree
from pikepdf import Array, Dictionary, Name, Object, ObjectStreamMode, PasswordError, Pdf, PdfError, Stream

from card_page import put_on_paper
from unreadable import Unreadable

RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"


def assemble(
    pdfs: list[str], out: str, title: str, pdfa: bool, card_paper: dict[str, float] | None = None
) -> dict[str, int]:
    """Merges page PDFs. Keeps the metadata of the first. Puts pages on `card_paper` if they fit."""
    with open_pages(pdfs[0], 1) as document:
        for path in pdfs[1:]:
            with open_pages(path, len(document.pages) + 1) as following:
                document.pages.extend(following.pages)
        share_fonts(document)
        if card_paper is not None:
            put_on_paper(document, **card_paper)
        describe(document, title, pdfa)
        document.save(out, object_stream_mode=ObjectStreamMode.generate)
        return {"page_count": len(document.pages)}


def open_pages(path: str, number: int) -> Pdf:
    """`number` is the position of its first page in the document."""
    try:
        pdf = Pdf.open(path)
        count = len(pdf.pages)
    except (PdfError, PasswordError) as error:
        raise Unreadable(f"Page {number} is not a PDF that can be read.") from error
    if count == 0:
        raise Unreadable(f"Page {number} is a PDF without pages.")
    return pdf


def share_fonts(document: Pdf) -> None:
    """Keeps one copy of the text layers' font, which every page contains."""
    shared: dict[bytes, Object] = {}
    for page in document.pages:
        resources = page.obj.get(Name.Resources, Dictionary())
        # OCRmyPDF references the font on the page, and in the form with the text.
        forms = [drawn.get(Name.Resources) for _, drawn in resources.get(Name.XObject, Dictionary()).items()]
        for owner in (resources, *(form for form in forms if form is not None)):
            fonts = owner.get(Name.Font, Dictionary())
            for name, font in fonts.items():
                program = font_program(font)
                if program is not None:
                    fonts[name] = shared.setdefault(program, font)


def font_program(font: Object) -> bytes | None:
    """The compressed font file of Tesseract's font; None for other kinds of fonts."""
    try:
        return bytes(font.DescendantFonts[0].FontDescriptor.FontFile2.read_raw_bytes())
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        return None


def describe(document: Pdf, title: str, pdfa: bool) -> None:
    now = datetime.now(timezone.utc)
    if pdfa:
        declare_colours(document)
    with document.open_metadata(set_pikepdf_as_editor=False) as metadata:
        for key in ("xmp:CreateDate", "xmp:ModifyDate", "xmp:MetadataDate"):
            metadata[key] = now.isoformat(timespec="seconds")
        if title:
            metadata["dc:title"] = title
            document.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
        if pdfa:
            metadata["pdfaid:part"] = "2"
            metadata["pdfaid:conformance"] = "B"
    tidy_metadata(document)


def declare_colours(document: Pdf) -> None:
    """Adds the output intent for the pages' colours (ISO 19005-2, 6.2.3 and 6.6.4).

    Pages fulfil all other requirements of PDF/A-2b: images are DeviceGray or DeviceRGB without
    transparency, the only font is embedded, and there is no encryption, script, annotation or
    attachment.
    """
    profile = Stream(document, (files("ocrmypdf.data") / "sRGB.icc").read_bytes(), N=3, Alternate=Name.DeviceRGB)
    intent = Dictionary(
        Type=Name.OutputIntent,
        S=Name.GTS_PDFA1,
        OutputConditionIdentifier="sRGB",
        Info="sRGB",
        DestOutputProfile=document.make_indirect(profile),
    )
    document.Root.OutputIntents = Array([document.make_indirect(intent)])


def tidy_metadata(pdf: Pdf) -> None:
    """Removes empty entries, and merges the XMP descriptions, since validators read only one."""
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
