"""Where words begin and end.

Tesseract cuts the outlines of a line where it guesses that letters end. The guess is off by half a letter now and then, most often for
words of one letter. Here, the ink decides.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from PIL import Image

# Tesseract has read the page by now, however large it is.
Image.MAX_IMAGE_PIXELS = None

# As shares of the height of a line: how far above the base line its letters reach; the gap between words, which letters do not have; and
# by how much the end of a word may be off.
LETTERS, GAP, OFF = 0.8, 0.2, 1
# Less contrast is no ink. Where more of a line is dark than this share, its print is light.
CONTRAST, DARK_GROUND = 60, 0.6

# What is from the first number to before the second.
Run = tuple[int, int]


def find_ends(lines: list[dict[str, Any]], file: str) -> None:
    """Corrects the left and right edges and the base lines of the words in level lines that were found on an image."""
    with Image.open(file) as image:
        for line in lines:
            if not line["sideways"]:
                correct(line, clusters_of(line, image))


def clusters_of(line: dict[str, Any], image: Image.Image) -> list[Run]:
    """The columns with ink of a line, with those between its letters."""
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
    """Brings the ends of words to those of the clusters that are theirs."""
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
        # Words that are printed so near to each other are told apart by Tesseract only.
        if sum(2 * shared > words[number][4] - words[number][2] for shared, number in claimants) < 2:
            owned.setdefault(max(claimants)[1], []).append(cluster)
    reach = OFF * line["height"]
    for number, clusters in owned.items():
        word = words[number]
        left, right = min(clusters)[0], max(clusters)[1]
        left, right = (new if abs(new - old) <= reach else old for new, old in ((left, word[2]), (right, word[4])))
        (_, begin), (_, end) = word[6]
        word[2], word[4], word[6] = left, right, ((left, begin), (right, end))
