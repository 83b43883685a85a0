"""Corrects where words begin and end.

Tesseract guesses where letters end, and is sometimes off by half a letter, most often at words of
one letter. Here, the ink decides.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from PIL import Image, TiffImagePlugin

# Pillow would load its formats in each fork of the recognizer, which takes 30 ms.
Image.preinit()

# Tesseract has already read the page, so its size is no risk.
Image.MAX_IMAGE_PIXELS = None

# As shares of the line height: the height of letters above the base line, the minimum gap between
# words, and the largest correction.
LETTERS, GAP, OFF = 0.8, 0.2, 1
# Lines are not corrected if their contrast is lower (no ink), or if more than DARK_GROUND of their
# pixels are dark (light print on a dark background).
CONTRAST, DARK_GROUND = 60, 0.6

# First column, and the one after the last.
Run = tuple[int, int]


def find_ends(lines: list[dict[str, Any]], file: str) -> None:
    """Corrects words in level lines, in place. `file` is the recognized image."""
    with Image.open(file, formats=[TiffImagePlugin.TiffImageFile.format]) as image:
        for line in lines:
            if not line["sideways"]:
                correct(line, clusters_of(line, image))


def clusters_of(line: dict[str, Any], image: Image.Image) -> list[Run]:
    """The runs of columns with ink, joined across gaps between letters."""
    height = line["height"]
    bases = [y for word in line["words"] for _, y in word[6]]
    left = max(0, min(word[2] for word in line["words"]) - round(height))
    right = min(image.width, max(word[4] for word in line["words"]) + round(height))
    top, bottom = max(0, round(min(bases) - LETTERS * height)), min(image.height, max(bases))
    if left >= right or top >= bottom:
        return []
    strip = image.crop((left, top, right, bottom)).convert("L")
    darkest, brightest = strip.getextrema()
    if brightest - darkest < CONTRAST:
        return []
    ink = strip.point([255 * (2 * level < darkest + brightest) for level in range(256)])
    if ink.histogram()[255] > DARK_GROUND * ink.width * ink.height:
        return []
    columns = bytes(ink.getprojection()[0])
    clusters = []
    first = columns.find(1)
    while first >= 0:
        gap = columns.find(bytes(max(1, round(GAP * height))), first)
        last = gap if gap >= 0 else len(columns.rstrip(b"\0"))
        clusters.append((left + first, left + last))
        first = columns.find(1, last)
    return clusters


def correct(line: dict[str, Any], clusters: list[Run]) -> None:
    """Moves the ends of words to those of their clusters."""
    words = line["words"]
    owned: dict[int, list[Run]] = {}
    begins = [first for first, _ in clusters]
    claims: dict[Run, list[tuple[int, int]]] = {}
    for number, (_, _, left, _, right, *_) in enumerate(words):
        for first, last in clusters[max(0, bisect_right(begins, left) - 1) :]:
            if first >= right:
                break
            if last > left:
                claims.setdefault((first, last), []).append((min(last, right) - max(first, left), number))
    for cluster, claimants in claims.items():
        # Skips a cluster of several words printed without a gap: only Tesseract can separate them.
        if sum(2 * shared > words[number][4] - words[number][2] for shared, number in claimants) < 2:
            owned.setdefault(max(claimants)[1], []).append(cluster)
    reach = OFF * line["height"]
    for number, clusters in owned.items():
        word = words[number]
        left, right = min(clusters)[0], max(clusters)[1]
        left, right = (new if abs(new - old) <= reach else old for new, old in ((left, word[2]), (right, word[4])))
        (_, begin), (_, end) = word[6]
        word[2], word[4], word[6] = left, right, ((left, begin), (right, end))
