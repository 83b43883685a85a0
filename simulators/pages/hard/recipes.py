"""The hard pages by name: functions that take random numbers and return the scanned image and its
words. worn.py and printed.py have more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

import damage
from sheet import A5, DEJAVU, INK, MONO, ROMAN, SANS, Colour, Sheet, in_frame, pixels
from texts import BOXES, CARD, ENVELOPE, LANGUAGES, LETTER, RECEIPT, SMALL_PRINT, TABLE

Random = np.random.Generator
Scan = tuple[Image.Image, list[str]]

BLACK_BACKING, GRAY_BACKING = (14, 14, 15), (120, 120, 122)
CREAM, KRAFT, NEWSPRINT, YELLOWED = (240, 228, 196), (186, 152, 108), (205, 200, 188), (228, 212, 164)


@dataclass(frozen=True)
class HardPage:
    """`quick` pages form the reduced set."""

    make: Callable[[Random], Scan]
    language: str = "eng"
    dpi: tuple[int, int] = (300, 300)
    quick: bool = False


def letter(points: float = 11, text: str = LETTER, font: str = ROMAN, paper: Colour | None = None, **ink) -> Sheet:
    sheet = Sheet(paper=paper) if paper else Sheet()
    sheet.paragraph(text, 25, 40, 160, points, font, **ink)
    return sheet


def receipt(paper: Colour, ink: Colour) -> Sheet:
    """A till receipt, 80 mm wide."""
    sheet = Sheet((80, 140), paper)
    sheet.write(RECEIPT, 8, 8, 10.5, MONO, colour=ink)
    return sheet


def gray_letter(rng: Random, change: Callable[[Image.Image, Random], Image.Image], noise: float = 2.0, **print_) -> Scan:
    """A letter scanned in gray after `change` was applied."""
    sheet = letter(**print_)
    return damage.scan(change(sheet.image, rng), rng, noise=noise), sheet.words


def placed(rng: Random, sheet: Sheet, gray: bool = True, **place) -> Scan:
    """A small sheet in front of the scanner's backing."""
    return damage.scan(in_frame(sheet, **place), rng, gray), sheet.words


def receipt_placed(rng: Random, paper: Colour, ink: Colour, gray: bool = True, **place) -> Scan:
    return placed(rng, receipt(paper, ink), gray, **{"place": (60, 12), **place})


def envelope(rng: Random) -> Scan:
    """A brown envelope, fed sideways."""
    sheet = Sheet((220, 110), KRAFT)
    sheet.write(ENVELOPE[:2], 10, 8, 9, SANS)
    sheet.write(ENVELOPE[2:], 110, 40, 13, SANS)
    sheet.image = sheet.image.transpose(Image.Transpose.ROTATE_270)
    return placed(rng, sheet, gray=False, place=(40, 20))


def card(rng: Random, angle: float = 0.0, backing: Colour = (252, 252, 252)) -> Scan:
    """A plastic card on the glass, with a fine pattern behind its text."""
    sheet = Sheet((86, 54), (214, 228, 236))
    waves = [(0.0, y, 86.0, y + 0.2) for y in np.arange(1, 54, 0.9)]
    sheet.paint(waves, (150, 190, 205), 0.6)
    sheet.paint([(0, 0, 86, 9)], (40, 70, 130))
    sheet.image = white_text(sheet, CARD[:1], 4, 2, 10)
    sheet.write(CARD[1:], 32, 15, 9, SANS)
    sheet.paint([(5, 14, 26, 42)], (120, 110, 105), 0.8)
    return placed(rng, sheet, gray=False, angle=angle, backing=backing, place=(50, 60))


def white_text(sheet: Sheet, lines: list[str], x: float, y: float, points: float) -> Image.Image:
    mask = Sheet((sheet.image.width / pixels(25.4) * 25.4, sheet.image.height / pixels(25.4) * 25.4), (0, 0, 0))
    mask.image = Image.new("RGB", sheet.image.size, (255, 255, 255))
    mask.write(lines, x, y, points, colour=(0, 0, 0))
    sheet.words += lines
    return Image.composite(sheet.image, Image.new("RGB", sheet.image.size, (250, 250, 250)), mask.image.convert("L"))


def highlighted(rng: Random) -> Scan:
    sheet = letter()
    for number, colour in enumerate([(250, 245, 60), (110, 235, 110), (255, 120, 190), (250, 170, 60), (95, 190, 250)] * 2):
        y = 40.5 + number * 10.5
        sheet.paint([(24 + number * 6, y, 120 + number * 7, y + 5)], colour, 0.95)
    return damage.scan(sheet.image, rng, gray=False), sheet.words


def stamped(rng: Random) -> Scan:
    sheet = letter()
    for x, y, angle in ((40, 48, 12), (110, 75, -8), (60, 98, 5)):
        stamp = Sheet((70, 24), (255, 255, 255))
        mask = stamp.mask()
        draw = ImageDraw.Draw(mask)
        draw.rectangle([8, 8, mask.width - 9, mask.height - 9], outline=255, width=14)
        for bar in range(60, mask.width - 100, 90):
            draw.rectangle([bar, 70, bar + 55, 210], outline=255, width=16)
        turned = damage.worn(mask.filter(ImageFilter.GaussianBlur(1)), rng, 0.4).rotate(angle, Image.Resampling.BICUBIC, expand=True)
        whole = sheet.mask()
        whole.paste(turned, (pixels(x), pixels(y)))
        sheet.ink(whole, (200, 30, 40), 0.9)
    return damage.scan(sheet.image, rng, gray=False), sheet.words


def streaks(rng: Random, count: int, gray: bool) -> Scan:
    sheet = letter()
    places = [float(place) for place in np.linspace(30, 182, count) + rng.uniform(-4, 4, count)]
    dirty = damage.streaked(sheet.image, places, (70, 66, 60), rng)
    return damage.scan(dirty, rng, gray), sheet.words


def form(rng: Random, lines: Colour) -> Scan:
    """A form with fine coloured lines around and between its words."""
    sheet = Sheet()
    for row, cells in enumerate(TABLE * 2):
        for x, cell in zip((22, 90, 120, 155), cells):
            sheet.write([cell] if cell else [], x, 38.8 + row * 10, 9, SANS)
    grid = [(18.0, 38 + row * 5.0, 192.0, 38.25 + row * 5.0) for row in range(38)]
    grid += [(x, 38.0, x + 0.25, 223.0) for x in (18, 40, 62, 86, 103, 118, 137, 152, 172, 192)]
    sheet.paint(grid, lines)
    return damage.scan(sheet.image, rng, gray=False), sheet.words


def boxed(rng: Random) -> Scan:
    """White headings on dark boxes, with text between them."""
    sheet = Sheet()
    for number, (heading, sentence) in enumerate(zip(BOXES, SMALL_PRINT.split(". "))):
        top = 30 + number * 40
        sheet.paint([(20, top, 190, top + 11)], ((30, 45, 90), (90, 90, 90), (120, 30, 30), (20, 90, 60), (70, 70, 70))[number])
        sheet.image = white_text(sheet, [heading], 25, top + 2.5, 14)
        sheet.paragraph(sentence, 25, top + 16, 155, 10)
    return damage.scan(sheet.image, rng), sheet.words


def coffee_stained(rng: Random) -> Scan:
    sheet = letter()
    return damage.scan(damage.coffee(sheet.image, [(70, 70), (130, 95)]), rng, gray=False), sheet.words


def fax(rng: Random) -> Scan:
    """A fax in standard resolution, with specks."""
    sheet = letter(points=12)
    small = sheet.image.convert("L").resize((1728, 1143), Image.Resampling.BOX)
    levels = np.asarray(small, np.float32) + rng.normal(0, 14, (1143, 1728)).astype(np.float32)
    return Image.fromarray(levels > 165), sheet.words


def in_language(rng: Random, language: str) -> Scan:
    if language != "heb":
        return gray_letter(rng, lambda image, _: image, text=LANGUAGES[language], font=SANS)
    sheet = Sheet()
    y, line = 40.0, ""
    for word in [*LANGUAGES["heb"].split(), ""]:
        if word == "" or len(line) + len(word) > 60:
            # Reversed, since fonts without a layout engine are drawn from left to right.
            sheet.write([line[::-1]], 40, y, 13, DEJAVU)
            sheet.words[-1] = line
            y, line = y + 7, ""
        line = f"{line} {word}".strip()
    return damage.scan(sheet.image, rng), sheet.words


def newspaper(rng: Random) -> Scan:
    """Two narrow columns on newsprint, with the other side showing through."""
    sheet = Sheet(paper=NEWSPRINT)
    for column, text in enumerate((LETTER, SMALL_PRINT)):
        sheet.paragraph(text, 20 + column * 62, 30, 54, 8, ROMAN, colour=(70, 70, 70))
    image = damage.shone_through(damage.grainy(sheet.image, rng, 0.02, 4), letter(points=8).image, 0.1)
    return damage.scan(image, rng, noise=4), sheet.words


def dot_matrix(rng: Random) -> Scan:
    sheet = Sheet(paper=CREAM)
    lines = ["".join(cell.ljust(width) for cell, width in zip(cells, (18, 12, 10, 10))).rstrip() for cells in TABLE * 2]
    sheet.write(lines, 25, 40, 13, MONO, wear=lambda mask: damage.dotted(mask, 5), colour=(70, 70, 80))
    return damage.scan(sheet.image, rng), sheet.words


def carbon(rng: Random) -> Scan:
    """The blue, blurred carbon copy of a form."""
    sheet = Sheet(paper=(250, 236, 200))
    wear = lambda mask: damage.worn(mask.filter(ImageFilter.GaussianBlur(1.6)), rng, 0.45)  # noqa: E731
    sheet.paragraph(LETTER, 25, 40, 160, 11, MONO, wear=wear, colour=(80, 85, 150), strength=0.9)
    return damage.scan(damage.grainy(sheet.image, rng, 0.03, 6), rng, gray=False, noise=4), sheet.words


def typewritten(rng: Random) -> Scan:
    """A letter from a typewriter with a worn ribbon, on yellowed paper."""
    sheet = Sheet(paper=YELLOWED)
    wear = lambda mask: damage.worn(mask.filter(ImageFilter.GaussianBlur(1.1)), rng, 0.55)  # noqa: E731
    sheet.paragraph(LETTER, 25, 40, 165, 11, MONO, wear=wear, colour=(60, 55, 60))
    return damage.scan(damage.grainy(sheet.image, rng, 0.02, 10), rng), sheet.words


def ruled(rng: Random) -> Scan:
    sheet = letter(points=12)
    sheet.paint([(15.0, 30 + row * 5.0, 198.0, 30.3 + row * 5.0) for row in range(48)], (120, 150, 215))
    return damage.scan(sheet.image, rng, gray=False), sheet.words


def halftoned(rng: Random) -> Scan:
    sheet = letter()
    return damage.scan(damage.halftone(sheet.image, (15, 55, 195, 90), 0.35), rng), sheet.words


def small_letter(rng: Random, angle: float, backing: Colour) -> Scan:
    """An A5 letter in an A4 frame."""
    sheet = Sheet(A5, (238, 236, 230))
    sheet.paragraph(LETTER, 15, 20, 118, 10, ROMAN)
    return placed(rng, sheet, angle=angle, backing=backing, place=(26, 12))


def askew(image: Image.Image, _: Random, angle: float) -> Image.Image:
    return image.rotate(-angle, Image.Resampling.BICUBIC, fillcolor=(250, 250, 250))


def coarse(image: Image.Image, _: Random) -> Image.Image:
    """Reduces to 150 dpi."""
    return image.reduce(2)


LIGHT_GRAY, THERMAL, FAINT = (168, 168, 170), (120, 118, 140), (182, 178, 176)

PAGES: dict[str, HardPage] = {
    "receipt-yellow": HardPage(partial(receipt_placed, paper=YELLOWED, ink=(104, 96, 84)), quick=True),
    "receipt-faint": HardPage(partial(receipt_placed, paper=(236, 232, 226), ink=FAINT), quick=True),
    "receipt-thermal": HardPage(partial(receipt_placed, paper=(225, 222, 216), ink=THERMAL, gray=False)),
    "receipt-dark-backing": HardPage(partial(receipt_placed, paper=(244, 242, 238), ink=INK, backing=BLACK_BACKING), quick=True),
    "receipt-gray-backing": HardPage(partial(receipt_placed, paper=(244, 242, 238), ink=INK, backing=GRAY_BACKING)),
    "receipt-askew": HardPage(partial(receipt_placed, paper=(238, 234, 226), ink=(80, 78, 76), angle=-3.5), quick=True),
    "receipt-askew-dark": HardPage(partial(receipt_placed, paper=(240, 238, 230), ink=INK, angle=4.0, backing=BLACK_BACKING)),
    "envelope-sideways": HardPage(envelope, quick=True),
    "card": HardPage(card, quick=True),
    "card-askew": HardPage(partial(card, angle=9.0)),
    "card-dark-backing": HardPage(partial(card, angle=-4.0, backing=BLACK_BACKING), quick=True),
    "underexposed": HardPage(partial(gray_letter, change=lambda image, _: damage.shaded(image, 0.75, 0.25)), quick=True),
    "shaded": HardPage(partial(gray_letter, change=lambda image, _: damage.shaded(image, 0.35, 1.0))),
    "highlighter": HardPage(highlighted, quick=True),
    "stamps": HardPage(stamped, quick=True),
    "streaks-colour": HardPage(partial(streaks, count=10, gray=False), quick=True),
    "streaks-gray": HardPage(partial(streaks, count=6, gray=True)),
    "green-form": HardPage(partial(form, lines=(130, 200, 150))),
    "black-form": HardPage(partial(form, lines=(60, 60, 60))),
    "dot-matrix": HardPage(dot_matrix),
    "carbon-copy": HardPage(carbon),
    "typewriter": HardPage(typewritten),
    "white-on-dark": HardPage(boxed, quick=True),
    "light-gray": HardPage(partial(gray_letter, change=lambda image, _: image, points=9, font=SANS, colour=LIGHT_GRAY)),
    "skew-8": HardPage(partial(gray_letter, change=partial(askew, angle=8.0)), quick=True),
    "skew-minus-5": HardPage(partial(gray_letter, change=partial(askew, angle=-5.0))),
    "skew-13": HardPage(partial(gray_letter, change=partial(askew, angle=13.0))),
    "a5-askew": HardPage(partial(small_letter, angle=2.5, backing=(252, 252, 252)), quick=True),
    "a5-askew-dark": HardPage(partial(small_letter, angle=-6.0, backing=BLACK_BACKING)),
    "coffee": HardPage(coffee_stained),
    "shows-through": HardPage(
        partial(gray_letter, change=lambda image, _: damage.shone_through(image, letter(points=13, font=SANS).image, 0.3)), quick=True
    ),
    "six-points": HardPage(partial(gray_letter, change=lambda image, _: image, points=6, text=SMALL_PRINT)),
    "fax": HardPage(fax, dpi=(204, 98)),
    "newspaper": HardPage(newspaper),
    "folded": HardPage(partial(gray_letter, change=lambda image, _: damage.folded(image, [60, 99]))),
    "book": HardPage(partial(gray_letter, change=lambda image, _: damage.gutter(image))),
    "kraft": HardPage(partial(gray_letter, change=lambda image, _: image, paper=KRAFT)),
    "red-paper": HardPage(partial(gray_letter, change=lambda image, rng: damage.grainy(image, rng, 0.03, 5), paper=(205, 96, 92))),
    "halftone": HardPage(halftoned, quick=True),
    "ruled": HardPage(ruled, quick=True),
    "jpeg": HardPage(partial(gray_letter, change=lambda image, _: damage.compressed(image, 12))),
    "noisy": HardPage(partial(gray_letter, change=lambda image, _: image, noise=24)),
    "150-dpi": HardPage(partial(gray_letter, change=coarse), dpi=(150, 150)),
    "upside-down": HardPage(partial(gray_letter, change=lambda image, _: damage.shaded(image.rotate(180), 0.9, 0.45)), quick=True),
    **{f"letter-{language}": HardPage(partial(in_language, language=language), language) for language in LANGUAGES},
}
