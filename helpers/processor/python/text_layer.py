"""Places the recognized words on the stored image, invisibly."""

from __future__ import annotations

import cmath
import math
import re
import unicodedata
from typing import Any, Callable

# Every character of Tesseract's font is half as wide as it is high.
CHARACTER_WIDTH = 0.5
# In points, for a line of unknown height.
DEFAULT_SIZE = 8
# PDF readers join words with a gap below LEAST_GAP of the height; some of Tesseract's boxes touch.
# A word is shortened to make a gap if more than LEAST_KEPT of it remains.
LEAST_GAP, LEAST_KEPT = 0.12, 0.5
# If a line rises by less, all its words have one base line, as in Tesseract's own PDF.
FLAT_POINTS = 2

# The first part of a word that is split, and words before which a hyphen is kept ("Haus- und Garten").
SPLIT_WORD = re.compile(r"[^\W\d_]{2,}-")
SUSPENDED = ("und", "oder", "bis", "and", "or", "to", "et", "ou")
# Lines of one text have heights within this factor.
MOST_HEIGHT = 1.5

MICRO, MU = "\u00b5", "\u03bc"
GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")

AffineMap = list[float]


def text_layer(lines: list[dict[str, Any]], read_dpi: int, motion: AffineMap, dpi: int, height: int) -> bytes:
    """The page content for these lines (see recognizer.py), recognized at `read_dpi`.

    `motion` maps the recognized image, scaled to `dpi`, to the stored image, which has that
    resolution and is `height` pixels high. Each word is placed by itself, parallel to the rows of
    the stored image, because PDF readers split text that is askew.
    """
    a, b, c, d, right, down = motion

    def moved(place: complex) -> complex:
        """Maps x + iy in the recognized image to the page: in points, y upwards."""
        u, v = place.real * dpi / read_dpi, place.imag * dpi / read_dpi
        return complex(a * u + c * v + right, height - (b * u + d * v + down)) * 72 / dpi

    joined = join_columns(lines)
    return b"BT\n3 Tr\n" + b"".join(placed(line, moved, read_dpi, joined.get(at, {})) for at, line in enumerate(lines)) + b"ET\n"


def placed(line: dict[str, Any], moved: Callable[[complex], complex], dpi: int, joined: dict[int, str]) -> bytes:
    """Writes the words of a line, each with its middle on the line's base line. `joined` replaces
    words, by index, in copied and searched text.
    """
    start, along = straight(line["base_line"], dpi)
    quarters = round(cmath.phase(moved(start + along) - moved(start)) / (math.pi / 2))
    forward = (1, 1j, -1, -1j)[quarters % 4]
    size = int(line["height"] * 72 / dpi + 0.5) or DEFAULT_SIZE
    written = []
    for at, ((text, *_, leftwards), base_line) in enumerate(zip(line["words"], apart(line))):
        text = searchable(text)
        begin, end = base_line
        # The width along the image's rows. On a skewed page, the word itself is longer and would
        # reach into the next one.
        width = abs(((moved(end) - moved(begin)) / forward).real)
        if text == "" or width == 0:
            continue
        middle = moved(start + along * (((begin + end) / 2 - start) / along).real)
        # A right-to-left word is mirrored, so that its letters follow in reading order.
        reading, up = -forward if leftwards else forward, forward * 1j
        corner = middle - reading * width / 2
        stretch = 100 * width / (len(text) * size * CHARACTER_WIDTH)
        if at in joined:
            written.append(b"/Span <</ActualText <FEFF%s>>> BDC\n" % encoded(joined[at]))
        written.append(
            b"%d %d %d %d %.2f %.2f Tm /f-0-0 %d Tf %.1f Tz [ <%s> ] TJ\n"
            # The space keeps readers from joining words that nearly touch. It is not part of the
            # width.
            % (reading.real, reading.imag, up.real, up.imag, corner.real, corner.imag, size, stretch, encoded(text + " "))
        )
        if at in joined:
            written.append(b"EMC\n")
    return b"".join(written)


def join_columns(lines: list[dict[str, Any]]) -> dict[int, dict[int, str]]:
    """Words that are split between the end of a column and the next one, by line and index: whole at
    the first place, empty at the second. Readers join words that are split between lines of a column
    themselves.
    """
    joined: dict[int, dict[int, str]] = {}
    for at, (line, following) in enumerate(zip(lines, lines[1:])):
        if not (line["words"] and following["words"] and begins_column(line, following)):
            continue
        words = line["words"][-1], following["words"][0]
        # Words without a width are not written.
        if any(begin == end for *_, (begin, end), _ in words):
            continue
        (first, *_), (second, *_) = words
        if SPLIT_WORD.fullmatch(first) and second[:2].islower() and second.rstrip(".,;:!?)") not in SUSPENDED:
            joined.setdefault(at, {})[len(line["words"]) - 1] = searchable(first[:-1] + second)
            joined.setdefault(at + 1, {})[0] = ""
    return joined


def begins_column(line: dict[str, Any], following: dict[str, Any]) -> bool:
    """True if `following` is to the right of `line` and higher on an upright page."""
    (_, _), (right, y) = line["base_line"]
    (left, next_y), (end, _) = following["base_line"]
    low, high = sorted((line["height"], following["height"]))
    return right < left < end and next_y < y - high and high <= MOST_HEIGHT * low


def apart(line: dict[str, Any]) -> list[tuple[complex, complex]]:
    """The ends of each word's base line. Shortens a word that reaches the next one, unless
    punctuation is between them: a web address is printed without spaces."""
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
    """Start and direction (a unit vector) of a base line."""
    start, end = (complex(*place) for place in base_line)
    way = end - start
    if abs(way.imag) < FLAT_POINTS * dpi / 72 < abs(way.real):
        start, way = start + way.imag // 2 * 1j, complex(way.real)
    return start, cmath.rect(1, cmath.phase(way))


def searchable(text: str) -> str:
    """Composes characters. In a Greek word, mu replaces the micro sign that Tesseract writes."""
    text = unicodedata.normalize("NFC", text)
    return text.replace(MICRO, MU) if GREEK.search(text) else text


def encoded(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass").hex().upper().encode()
