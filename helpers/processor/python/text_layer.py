"""The text of a page, as the text-only PDF of Tesseract holds it, brought to the image that is stored."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Iterator

# What Tesseract writes: the place of a word (Tm), or its way from the word before (Td), its size (Tf), its width (Tz), its characters (TJ).
OPERATION = re.compile(
    rb"(?P<tm>(?:\S+ ){6})Tm|(?P<td>\S+ \S+) Td|/f-0-0 (?P<size>\S+) Tf|(?P<stretch>\S+) Tz|\[ <(?P<text>[0-9A-F]*)> \] TJ"
)
# Every character of Tesseract's font is half as wide as high.
CHARACTER_WIDTH = 0.5

MICRO, MU = "\u00b5", "\u03bc"
GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")

Motion = list[float]


def text_layer(content: bytes, motion: Motion | None, dpi: int, heights: tuple[int, int]) -> bytes:
    """The content of a text-only page with its characters as they are searched for, its words placed by a motion.

    The motion maps pixels of the image that was read to those of the stored one; null leaves every place as it is. `heights` are those of
    the two images. Words are placed one by one, each along the rows of the stored image: readers of PDF take a text that is askew apart.
    """
    if motion is None:
        return re.sub(rb"\[ <([0-9A-F]*)> \] TJ", lambda found: b"[ <%s> ] TJ" % encoded(searchable(decoded(found[1]))), content)
    words = (placed(word, motion, 72 / dpi, heights) for word in words_of(content))
    return b"BT\n3 Tr\n" + b"\n".join(words) + b"\nET\n"


Word = tuple[list[float], float, float, str]


def words_of(content: bytes) -> Iterator[Word]:
    """Each word: the matrix of its beginning, its size, its stretch in percent, its characters."""
    matrix, size, stretch = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], 1.0, 100.0
    for found in OPERATION.finditer(content):
        if found["tm"]:
            matrix = [float(value) for value in found["tm"].split()]
        elif found["td"]:
            right, up = (float(value) for value in found["td"].split())
            a, b, c, d, x, y = matrix
            matrix = [a, b, c, d, x + a * right + c * up, y + b * right + d * up]
        elif found["size"]:
            size = float(found["size"])
        elif found["stretch"]:
            stretch = float(found["stretch"])
        else:
            yield matrix, size, stretch, decoded(found["text"])


def placed(word: Word, motion: Motion, points: float, heights: tuple[int, int]) -> bytes:
    """A word with the middle of its base line where the motion brings it."""
    (along_x, along_y, _, _, x, y), size, stretch, text = word
    clean = searchable(text)
    width = len(text.rstrip()) * CHARACTER_WIDTH * size * stretch / 100
    stretch *= len(text.rstrip()) / max(1, len(clean.rstrip()))
    u = (x + along_x * width / 2) / points
    v = heights[0] - (y + along_y * width / 2) / points
    a, b, c, d, right, down = motion
    middle_x = (a * u + c * v + right) * points
    middle_y = (heights[1] - (b * u + d * v + down)) * points
    # The direction of the word in the stored image, where down counts.
    angle = math.atan2(b * along_x - d * along_y, a * along_x - c * along_y)
    quarters = round(angle / (math.pi / 2)) % 4
    cosine, sine = ((1, 0), (0, -1), (-1, 0), (0, 1))[quarters]
    begin_x, begin_y = middle_x - cosine * width / 2, middle_y - sine * width / 2
    return b"%d %d %d %d %.3f %.3f Tm /f-0-0 %g Tf %.3f Tz [ <%s> ] TJ" % (
        cosine, sine, -sine, cosine, begin_x, begin_y, size, stretch, encoded(clean),
    )  # fmt: skip


def searchable(text: str) -> str:
    """Composed characters, and the Greek letter where Tesseract writes the sign for a millionth in a Greek word."""
    text = unicodedata.normalize("NFC", text)
    return text.replace(MICRO, MU) if GREEK.search(text) else text


def decoded(digits: bytes) -> str:
    """The characters of a string of hexadecimal digits."""
    return bytes.fromhex(digits.decode()).decode("utf-16-be", "surrogatepass")


def encoded(text: str) -> bytes:
    """The same, the other way round."""
    return text.encode("utf-16-be", "surrogatepass").hex().upper().encode()
