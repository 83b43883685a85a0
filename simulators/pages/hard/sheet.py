"""A sheet of printed paper, and the scanned area around it. Lengths in mm."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

DPI = 300
SCALE = DPI / 25.4
MM_PER_POINT = 25.4 / 72
URW = "/usr/share/fonts/opentype/urw-base35/"
SANS, ROMAN, MONO = URW + "NimbusSans-Regular.otf", URW + "NimbusRoman-Regular.otf", URW + "NimbusMonoPS-Regular.otf"
# The only font here with Hebrew (package fonts-dejavu-core).
DEJAVU = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

WHITE, INK = (247, 247, 245), (38, 38, 42)
A4, A5 = (210.0, 297.0), (148.0, 210.0)

Colour = tuple[int, int, int]
Wear = Callable[[Image.Image], Image.Image]


def pixels(length: float) -> int:
    return round(length * SCALE)


class Sheet:
    """Paper of one colour, and its `words` in reading order."""

    def __init__(self, size: tuple[float, float] = A4, paper: Colour = WHITE) -> None:
        self.image = Image.new("RGB", (pixels(size[0]), pixels(size[1])), paper)
        self.words: list[str] = []

    def ink(self, mask: Image.Image, colour: Colour = INK, strength: float = 1.0) -> None:
        """Adds ink where the mask is light; lighter means denser."""
        box = mask.getbbox()
        if box is None:
            return
        part = np.asarray(mask.crop(box), np.float32)[..., None] * (strength / 255)
        below = np.asarray(self.image.crop(box), np.float32)
        # Ink only darkens, so dark areas stay dark.
        above = below * (1 - part) + np.minimum(below, np.array(colour, np.float32)) * part
        self.image.paste(Image.fromarray(above.astype(np.uint8)), box[:2])

    def mask(self) -> Image.Image:
        return Image.new("L", self.image.size)

    def write(
        self, lines: list[str], x: float, y: float, points: float, font: str = SANS, leading=1.35, wear: Wear | None = None, **ink
    ) -> float:
        """Prints lines downwards from the left edge `x`. `wear` changes the ink first. Returns the
        position of the next line."""
        self.words += lines
        # The basic layout engine does not depend on installed libraries.
        face = ImageFont.truetype(font, pixels(points * MM_PER_POINT), layout_engine=ImageFont.Layout.BASIC)
        for line in lines:
            # Margin for letters that extend beyond their line, and for blur.
            left, top, margin = pixels(x), pixels(y), face.size // 2
            strip = Image.new("L", (round(face.getlength(line)) + 2 * margin, 2 * margin + 2 * face.size))
            ImageDraw.Draw(strip).text((margin, margin), line, 255, face)
            strip = wear(strip) if wear else strip.filter(ImageFilter.GaussianBlur(0.6))
            mask = self.mask()
            mask.paste(strip, (left - margin, top - margin))
            self.ink(mask, **ink)
            y += points * MM_PER_POINT * leading
        return y

    def paragraph(self, text: str, x: float, y: float, width: float, points: float, font: str = SANS, **ink) -> float:
        face = ImageFont.truetype(font, 100)
        letter = face.getlength(text) / len(text) / 100 * points * MM_PER_POINT
        return self.write(textwrap.wrap(text, int(width / letter)), x, y, points, font, **ink)

    def paint(self, boxes: list[tuple[float, float, float, float]], colour: Colour, strength: float = 1.0) -> None:
        """Fills boxes, given by their top left and bottom right corners."""
        mask = self.mask()
        for box in boxes:
            ImageDraw.Draw(mask).rectangle([pixels(side) for side in box], 255)
        self.ink(mask, colour, strength)


def in_frame(
    sheet: Sheet, angle: float = 0.0, backing: Colour = (252, 252, 252), place=(10.0, 6.0), frame: tuple[float, float] = A4
) -> Image.Image:
    """Puts the sheet in front of the scanner's backing, rotated clockwise, with its top left corner
    near `place`."""
    page = Image.new("RGB", (pixels(frame[0]), pixels(frame[1])), backing)
    paper = sheet.image.rotate(-angle, Image.Resampling.BICUBIC, expand=True)
    shape = Image.new("L", sheet.image.size, 255).rotate(-angle, Image.Resampling.BICUBIC, expand=True)
    page.paste(paper, (pixels(place[0]), pixels(place[1])), shape)
    return page
