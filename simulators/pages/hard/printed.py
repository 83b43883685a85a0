"""Hard pages with difficult print: columns, tables, fills, patterns and inks. See recipes.py."""

from __future__ import annotations

from functools import partial

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

import damage
from recipes import CREAM, NEWSPRINT, HardPage, Random, Scan, gray_letter, letter, white_text
from sheet import MONO, ROMAN, SANS, URW, Colour, Sheet, pixels
from texts import BOXES, CARD, ENVELOPE, LETTER, RECEIPT, SMALL_PRINT, TABLE

SCRIPT, NARROW = URW + "Z003-MediumItalic.otf", URW + "NimbusSansNarrow-Regular.otf"


def in_colour(rng: Random, **look) -> Scan:
    """A letter on coloured paper or in coloured ink, scanned in colour."""
    sheet = letter(**look)
    return damage.scan(sheet.image, rng, gray=False), sheet.words


def pencilled(rng: Random) -> Scan:
    """Legible pencil notes on squared paper."""
    sheet = Sheet(paper=(246, 245, 240))
    lines = [(0.0, y, 210.0, y + 0.2) for y in np.arange(10, 290, 5.0)] + [(x, 0.0, x + 0.2, 297.0) for x in np.arange(5, 205, 5.0)]
    sheet.paint(lines, (205, 215, 232))
    wear = lambda mask: damage.worn(mask.filter(ImageFilter.GaussianBlur(0.9)), rng, 0.4)  # noqa: E731
    sheet.paragraph(LETTER, 22, 40, 165, 15, SCRIPT, wear=wear, colour=(118, 118, 124), leading=1.4)
    return damage.scan(sheet.image, rng, gray=False), sheet.words


def columns(rng: Random) -> Scan:
    """Four narrow newspaper columns around a picture, with the other side showing through."""
    sheet = Sheet(paper=NEWSPRINT)
    sheet.write(["LOCAL COUNCIL REPAIRS THE OLD BRIDGE"], 14, 14, 24, ROMAN)
    for number, text in enumerate((LETTER, SMALL_PRINT, LETTER, SMALL_PRINT)):
        sheet.paragraph(text, 14 + number * 47, 32 if number in (0, 3) else 95, 43, 8, ROMAN, colour=(55, 54, 52))
    rows, across = np.mgrid[0 : pixels(58), 0 : pixels(88)].astype(np.float32)
    shade = 0.5 + 0.3 * np.sin(rows / 170) * np.cos(across / 210)
    dots = np.sin((rows + across) * 0.55) * np.sin((rows - across) * 0.55) * 0.5 + 0.5
    picture = Image.fromarray(np.where(dots < shade, 60, 200).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.7))
    sheet.image.paste(picture.convert("RGB"), (pixels(61), pixels(33)))
    return damage.scan(damage.shone_through(sheet.image, letter(points=9).image, 0.16), rng, noise=4), sheet.words


def mixed_table(rng: Random) -> Scan:
    sheet = Sheet()
    for row, cells in enumerate((TABLE[1:] * 3)[:22]):
        for x, cell in zip((25, 95, 125, 155), cells):
            sheet.write([cell] if cell else [], x, 78.5 + row * 8, 10, SANS)
    for x, heading in zip((45, 97, 127, 157), TABLE[0]):
        strip = Sheet((40, 8))
        strip.write([heading], 2, 1, 11, SANS)
        sheet.image.paste(strip.image.transpose(Image.Transpose.ROTATE_90), (pixels(x), pixels(34)))
        sheet.words += strip.words
    grid = [(20.0, 76 + row * 8.0, 190.0, 76.3 + row * 8.0) for row in range(23)]
    grid += [(x, 32.0, x + 0.3, 252.0) for x in (20, 92, 122, 152, 190)]
    sheet.paint(grid, (50, 50, 50))
    return damage.scan(sheet.image, rng), sheet.words


def dark_flyer(rng: Random) -> Scan:
    sheet = Sheet(paper=(28, 40, 66))
    y = 30
    for heading, sentence in zip(BOXES, SMALL_PRINT.split(". ")):
        sheet.image = white_text(sheet, [heading], 25, y, 18)
        words = sentence.split()
        lines = [" ".join(words[start : start + 8]) for start in range(0, len(words), 8)]
        sheet.image = white_text(sheet, lines, 25, y + 10, 11)
        y += 45
    return damage.scan(sheet.image, rng, gray=False), sheet.words


def shaded_table(rng: Random, fill: Colour) -> Scan:
    """An invoice with every other row filled, and white headings on a dark row."""
    sheet = Sheet()
    sheet.paint([(20, 30, 190, 38)], (45, 75, 125))
    for x, cell in zip((25, 90, 120, 155), TABLE[0]):
        sheet.image = white_text(sheet, [cell], x, 32, 10)
    rows = (TABLE[1:] * 3)[:24]
    sheet.paint([(20, 38 + row * 8.0, 190, 46 + row * 8.0) for row in range(0, len(rows), 2)], fill)
    for row, cells in enumerate(rows):
        for x, cell in zip((25, 90, 120, 155), cells):
            sheet.write([cell] if cell else [], x, 39.5 + row * 8, 10, SANS)
    return damage.scan(sheet.image, rng, gray=False), sheet.words


def watermarked(rng: Random) -> Scan:
    sheet = letter(points=12)
    mask = Image.new("L", (pixels(230), pixels(80)))
    ImageDraw.Draw(mask).text((pixels(8), 0), "COPY", 255, ImageFont.truetype(SANS, pixels(78), layout_engine=ImageFont.Layout.BASIC))
    turned = mask.rotate(28, Image.Resampling.BICUBIC, expand=True)
    whole = sheet.mask()
    whole.paste(turned, (pixels(-5), pixels(-10)))
    below = Sheet()
    below.ink(whole, (176, 176, 178), 1)
    sheet.image = Image.fromarray(np.minimum(np.asarray(sheet.image), np.asarray(below.image)))
    return damage.scan(sheet.image, rng), sheet.words


def cheque(rng: Random) -> Scan:
    """A cheque with a fine pattern of waves behind its print."""
    sheet = Sheet((178, 76), (226, 236, 226))
    rows, across = np.mgrid[0 : sheet.image.height, 0 : sheet.image.width].astype(np.float32)
    waves = np.sin(rows / 4.2 + 6 * np.sin(across / 130)) + np.sin(across / 5.1 + 6 * np.sin(rows / 110))
    sheet.ink(Image.fromarray(((waves > 0.9) * 255).astype(np.uint8)), (120, 175, 150), 0.8)
    sheet.write(["Aldersby Savings Bank", "12 Station Parade"], 8, 6, 10, SANS)
    sheet.write(["Pay Rosalind Feathers", "One hundred and eighty six pounds forty"], 8, 26, 12, ROMAN, leading=1.8)
    sheet.write(["Date 24 July 2026", "Amount 186.40"], 125, 8, 11, SANS, leading=1.8)
    page = Sheet()
    page.image.paste(sheet.image, (pixels(16), pixels(20)))
    return damage.scan(page.image, rng, gray=False), sheet.words


def needles(rng: Random) -> Scan:
    """A list from a 24-needle printer, on paper with pale green bars."""
    sheet = Sheet(paper=(246, 246, 240))
    sheet.paint([(0, 12 + band * 25.4, 210, 24.7 + band * 25.4) for band in range(11)], (214, 236, 214))
    lines = ["".join(cell.ljust(width) for cell, width in zip(cells, (18, 12, 10, 10))).rstrip() for cells in TABLE * 3]
    wear = lambda mask: damage.dotted(mask.filter(ImageFilter.MaxFilter(3)), 4)  # noqa: E731
    sheet.write(lines, 25, 30, 13, MONO, wear=wear, colour=(50, 50, 58))
    return damage.scan(sheet.image, rng, gray=False), sheet.words


def striped(rng: Random) -> Scan:
    """An inkjet with blocked nozzles: white stripes through every line."""
    sheet = letter()
    levels = np.asarray(sheet.image).copy()
    for row in range(0, levels.shape[0], 11):
        levels[row : row + 3] = (levels[row : row + 3] * 0.35 + 247 * 0.65).astype(np.uint8)
    return damage.scan(Image.fromarray(levels), rng, gray=False), sheet.words


def worn_toner(image: Image.Image, _: Random) -> Image.Image:
    """A laser printer low on toner: pale bands down the page."""
    levels = np.asarray(image, np.float32)
    pale = 0.75 * (np.sin(np.arange(image.width) / pixels(9)) > 0.3).astype(np.float32)
    pale = np.convolve(pale, np.ones(pixels(3)) / pixels(3), "same")[None, :, None]
    return Image.fromarray((levels + (247 - levels) * pale).clip(0, 255).astype(np.uint8))


def squared(rng: Random) -> Scan:
    sheet = letter(points=12)
    lines = [(0.0, y, 210.0, y + 0.25) for y in np.arange(10, 290, 5.0)] + [(x, 0.0, x + 0.25, 297.0) for x in np.arange(5, 205, 5.0)]
    sheet.paint(lines, (150, 160, 190))
    return damage.scan(sheet.image, rng), sheet.words


def signed(rng: Random) -> Scan:
    """A letter with a signature in blue ink across its lines."""
    sheet = letter()
    mask = sheet.mask()
    draw = ImageDraw.Draw(mask)
    for top in (52, 80):
        turn = np.linspace(0, 9 * np.pi, 500)
        places = [(pixels(45 + 9 * t + 7 * np.sin(2 * t)), pixels(top + 9 * np.sin(t * 1.7))) for t in turn / 3]
        draw.line(places, 255, 8, joint="curve")
    sheet.ink(mask.filter(ImageFilter.GaussianBlur(1)), (30, 40, 150), 0.9)
    return damage.scan(sheet.image, rng, gray=False), sheet.words


def gray_highlighter(rng: Random) -> Scan:
    sheet = letter()
    for number, colour in enumerate([(255, 120, 190), (250, 150, 60), (95, 170, 250), (90, 215, 100)] * 2):
        y = 40.5 + number * 10.5
        sheet.paint([(24 + number * 6, y, 130 + number * 7, y + 5)], colour, 0.95)
    return damage.scan(sheet.image, rng), sheet.words


def few_words(rng: Random) -> Scan:
    """A large sheet with a few small lines far apart."""
    sheet = Sheet()
    for number, line in enumerate(ENVELOPE[4:] + CARD[1:]):
        sheet.write([line], (20, 120, 60, 150, 35, 100, 25, 130, 70)[number % 9], 15 + number * 30, 8, SANS)
    return damage.scan(sheet.image, rng), sheet.words


def label(rng: Random) -> Scan:
    """A parcel label: bars, rules, large and small print, narrow letters."""
    sheet = Sheet((105, 148))
    sheet.paint([(3, y, 102, y + 0.6) for y in (3, 38, 70, 110, 144)] + [(3, 3, 3.6, 144), (101.4, 3, 102, 144), (60, 38, 60.6, 70)], (20, 20, 20))
    sheet.write(ENVELOPE[:2], 6, 6, 8, NARROW)
    sheet.write(ENVELOPE[4:], 6, 41, 11, NARROW)
    sheet.write(["PRIORITY"], 64, 48, 18, SANS)
    widths = rng.integers(1, 4, 120)
    x = 12.0
    for number, wide in enumerate(widths):
        if number % 2 == 0 and x < 90:
            sheet.paint([(x, 74, x + wide * 0.33, 100)], (20, 20, 20))
        x += wide * 0.33
    sheet.write(["4471 0926 3385 0174"], 30, 102, 10, MONO)
    sheet.write(RECEIPT[-3:], 6, 114, 9, NARROW)
    page = Sheet()
    page.image.paste(sheet.image, (pixels(50), pixels(30)))
    return damage.scan(page.image, rng), sheet.words


PAGES: dict[str, HardPage] = {
    "pink-paper": HardPage(partial(in_colour, paper=(244, 170, 190), colour=(150, 80, 100))),
    "yellow-paper-pale": HardPage(partial(in_colour, paper=(250, 232, 110), colour=(190, 160, 60))),
    "blue-ink": HardPage(partial(in_colour, colour=(50, 70, 190))),
    "red-ink": HardPage(partial(in_colour, colour=(205, 40, 50))),
    "green-ink-cream": HardPage(partial(in_colour, paper=CREAM, colour=(60, 150, 90))),
    "pale-blue-carbon": HardPage(partial(in_colour, paper=(250, 205, 212), colour=(130, 135, 205), font=MONO)),
    "pencil-squared": HardPage(pencilled),
    "columns": HardPage(columns),
    "mixed-table": HardPage(mixed_table),
    "dark-flyer": HardPage(dark_flyer),
    "shaded-table": HardPage(partial(shaded_table, fill=(205, 214, 232))),
    "dark-shaded-table": HardPage(partial(shaded_table, fill=(140, 150, 170))),
    "watermark": HardPage(watermarked),
    "cheque": HardPage(cheque, quick=True),
    "needles": HardPage(needles),
    "striped": HardPage(striped, quick=True),
    "worn-toner": HardPage(partial(gray_letter, change=worn_toner)),
    "squared": HardPage(squared),
    "signed": HardPage(signed),
    "gray-highlighter": HardPage(gray_highlighter),
    "few-words": HardPage(few_words),
    "label": HardPage(label),
    "fine-print": HardPage(partial(gray_letter, change=lambda image, _: image, text=SMALL_PRINT, points=5, font=NARROW, colour=(90, 90, 92))),
}
