"""The text of a page: the words that Tesseract found, invisible on the image that is stored."""

from __future__ import annotations

import cmath
import math
import re
import unicodedata
from typing import Any, Callable

# Every character of Tesseract's font is half as wide as high.
CHARACTER_WIDTH = 0.5
# For a line whose height Tesseract does not know.
DEFAULT_SIZE = 8
# PDF readers join words that are closer than this share of their height. Some boxes of Tesseract touch the next word.
LEAST_GAP, LEAST_KEPT = 0.12, 0.5
# Words of a line that rises by less stand at one height, as in Tesseract's own PDF.
FLAT_POINTS = 2

MICRO, MU = "\u00b5", "\u03bc"
GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")

AffineMap = list[float]


def text_layer(lines: list[dict[str, Any]], read_dpi: int, motion: AffineMap, dpi: int, height: int) -> bytes:
    """The content of a page with these lines of text (see recognizer.py), which were found on an image of `read_dpi`.

    The motion maps pixels of that image, if it had the resolution `dpi` of the stored one, to those of the stored one, which is `height`
    pixels high. Words are placed one by one, each along the rows of the stored image: readers of PDF take a text that is askew apart.
    """
    a, b, c, d, right, down = motion

    def moved(place: complex) -> complex:
        """A place in the image that was read, as x and i times y, on the page: in points, upwards."""
        u, v = place.real * dpi / read_dpi, place.imag * dpi / read_dpi
        return complex(a * u + c * v + right, height - (b * u + d * v + down)) * 72 / dpi

    return b"BT\n3 Tr\n" + b"".join(placed(line, moved, read_dpi) for line in lines) + b"ET\n"


def placed(line: dict[str, Any], moved: Callable[[complex], complex], dpi: int) -> bytes:
    """The words of a line, each with the middle of its base line, which is brought onto that of the line, where the motion brings it."""
    start, along = straight(line["base_line"], dpi)
    quarters = round(cmath.phase(moved(start + along) - moved(start)) / (math.pi / 2))
    forward = (1, 1j, -1, -1j)[quarters % 4]
    size = int(line["height"] * 72 / dpi + 0.5) or DEFAULT_SIZE
    written = []
    for (text, *_, leftwards), base_line in zip(line["words"], apart(line)):
        text = searchable(text)
        begin, end = base_line
        # The width along the rows: on a skewed page, a longer word would touch the next.
        width = abs(((moved(end) - moved(begin)) / forward).real)
        if text == "" or width == 0:
            continue
        middle = moved(start + along * (((begin + end) / 2 - start) / along).real)
        # Mirrors a word of a right-to-left script, so that its letters follow in reading order.
        reading, up = -forward if leftwards else forward, forward * 1j
        corner = middle - reading * width / 2
        stretch = 100 * width / (len(text) * size * CHARACTER_WIDTH)
        written.append(
            b"%d %d %d %d %.2f %.2f Tm /f-0-0 %d Tf %.1f Tz [ <%s> ] TJ\n"
            # The space is outside the width of the word. Without it, readers join words that nearly touch.
            % (reading.real, reading.imag, up.real, up.imag, corner.real, corner.imag, size, stretch, encoded(text + " "))
        )
    return b"".join(written)


def apart(line: dict[str, Any]) -> list[tuple[complex, complex]]:
    """The base lines of the words of a line. A word that reaches to the next one ends before it, if that keeps most of it. One before a sign,
    as in an address, stays: these are printed without a space."""
    ends = [(complex(*begin), complex(*end)) for *_, (begin, end), _ in line["words"]]
    for at, ((begin, end), (following, _)) in enumerate(zip(ends, ends[1:])):
        width = abs(end - begin)
        (text, *_, leftwards), (next_text, *_) = line["words"][at : at + 2]
        if width == 0 or leftwards or not (text[-1:].isalnum() and next_text[:1].isalnum()):
            continue
        left = ((following - begin) / (end - begin)).real * width - LEAST_GAP * line["height"]
        if LEAST_KEPT * width < left < width:
            ends[at] = begin, begin + (end - begin) * left / width
    return ends


def straight(base_line: list[list[int]], dpi: int) -> tuple[complex, complex]:
    """Where the base line of a line begins, and its direction, of the length 1."""
    start, end = (complex(*place) for place in base_line)
    way = end - start
    if abs(way.imag) < FLAT_POINTS * dpi / 72 < abs(way.real):
        start, way = start + way.imag // 2 * 1j, complex(way.real)
    return start, cmath.rect(1, cmath.phase(way))


def searchable(text: str) -> str:
    """Composed characters, and the Greek letter where Tesseract writes the sign for a millionth in a Greek word."""
    text = unicodedata.normalize("NFC", text)
    return text.replace(MICRO, MU) if GREEK.search(text) else text


def encoded(text: str) -> bytes:
    """A string of hexadecimal digits with the characters of a text."""
    return text.encode("utf-16-be", "surrogatepass").hex().upper().encode()
