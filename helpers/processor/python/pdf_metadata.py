"""What makes a document PDF/A-2b, and the metadata of every document."""

from __future__ import annotations

from datetime import datetime, timezone
from importlib.resources import files
from xml.sax.saxutils import escape

from pikepdf import Array, Dictionary, Name, Pdf, Stream
from pikepdf.models.metadata import decode_pdf_date

# XMP (ISO 16684-1) with every namespace on the one description: PDFBox reads no others.
PACKET = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about=""
    xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:xmp="http://ns.adobe.com/xap/1.0/"
    xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
    xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
{properties}
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>
"""
PROPERTIES = {
    Name.Title: '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{}</rdf:li></rdf:Alt></dc:title>',
    Name.Creator: "<xmp:CreatorTool>{}</xmp:CreatorTool>",
    Name.Producer: "<pdf:Producer>{}</pdf:Producer>",
    Name.CreationDate: "<xmp:CreateDate>{}</xmp:CreateDate>",
    Name.ModDate: "<xmp:ModifyDate>{}</xmp:ModifyDate>",
}
CLAIM = "<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>"


def archive_colours(pdf: Pdf) -> None:
    """Says what the colours of the pages mean, which PDF/A demands (ISO 19005-2, 6.2.3).

    Everything else that PDF/A-2b demands holds by construction: the images are DeviceGray or DeviceRGB without
    transparency, the one font is embedded, and there is no encryption, script, annotation or attachment.
    """
    profile = Stream(pdf, (files("ocrmypdf.data") / "sRGB.icc").read_bytes(), N=3, Alternate=Name.DeviceRGB)
    intent = Dictionary(
        Type=Name.OutputIntent,
        S=Name.GTS_PDFA1,
        OutputConditionIdentifier="sRGB",
        Info="sRGB",
        DestOutputProfile=pdf.make_indirect(profile),
    )
    pdf.Root.OutputIntents = Array([pdf.make_indirect(intent)])


def finish_metadata(pdf: Pdf, pdfa: bool) -> None:
    """Writes the XMP metadata that say the same as the document information, which PDF/A demands; drops empty entries."""
    for key in list(pdf.docinfo.keys()):
        if str(pdf.docinfo[key]) == "" or Name(key) not in PROPERTIES:
            del pdf.docinfo[key]
    lines = [template.format(escape(readable(pdf, key))) for key, template in PROPERTIES.items() if key in pdf.docinfo]
    packet = PACKET.format(properties="\n".join([*lines, *([CLAIM] if pdfa else [])]))
    pdf.Root.Metadata = Stream(pdf, packet.encode(), Type=Name.Metadata, Subtype=Name.XML)


def readable(pdf: Pdf, key: Name) -> str:
    """An entry of the document information as XMP writes it."""
    text = str(pdf.docinfo[key])
    return decode_pdf_date(text).isoformat() if key in (Name.CreationDate, Name.ModDate) else text


def now() -> str:
    """The time, as PDF writes it."""
    return datetime.now(timezone.utc).strftime("D:%Y%m%d%H%M%S+00'00'")
