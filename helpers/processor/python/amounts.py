"""Repairs amounts on coarse receipts, where recognition confuses `.` and `,`, splits `79.60`, and
reads a zero that the edge of the paper cuts off as `C`."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

Word = list[Any]
Line = dict[str, Any]

# Words closer than this share of the line height may belong to one amount.
GAP = 0.8
# An amount with its currency and tax code is at most this long.
MOST_CHARACTERS = 14
AMOUNT = re.compile(r"(?<![\d.,])(?<!\d:)(\d{1,6}) ?([.,]) ?(\d\d)(?![\d.,])")
# An amount split between two words: the end of the first and the start of the second, with the
# decimal sign at either.
PARTED = re.compile(r"\d [.,]|\d ?[.,] \d")
# An amount with letters instead of zeros. Other words with a point, such as `No.20`, have letters
# before it.
WITH_LETTERS = re.compile(r"(?<![\w.,])(RM|EUR|USD|GBP|CHF)?([\dOo]{1,6}[.,](?=[\dOoC]*\d)[\dOoC]{2}|\d{1,6}[.,][OoC]{2})(?![\w.,])")
ZEROS = str.maketrans("OoC", "000")
# All amounts get the same decimal sign if at least 4 have it, and 3 times as many as have the
# other.
LEAST_AMOUNTS, MORE_OFTEN = 4, 3


def repair_amounts(lines: list[Line]) -> None:
    """Repairs amounts in place. See recognizer.py for `lines`."""
    amounts = []
    for line in lines:
        groups = [joined(group) if is_amount(group) else group for group in groups_of(line)]
        line["words"] = [word for group in groups for word in group]
        amounts += [word for group in groups if is_amount(group) for word in group if AMOUNT.search(word[0])]
    unify_signs(amounts)


def zeros_for_letters(lines: list[Line]) -> None:
    """Corrects `35.0C` and `RMO.00` in place. Where Tesseract alone reads letters, it often reads
    wrong digits too.
    """
    for line in lines:
        for word in line["words"]:
            word[0] = WITH_LETTERS.sub(lambda found: (found[1] or "") + found[2].translate(ZEROS), word[0])


def groups_of(line: Line) -> list[list[Word]]:
    """Divides a line at wide gaps."""
    groups: list[list[Word]] = []
    for word in line["words"]:
        if groups and word[2] - groups[-1][-1][4] < GAP * line["height"]:
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def text_of(group: list[Word]) -> str:
    return " ".join(word[0] for word in group)


def is_amount(group: list[Word]) -> bool:
    """True for one amount with little beside it. Numbers in longer text are not amounts."""
    text = text_of(group)
    return len(text) <= MOST_CHARACTERS and len(AMOUNT.findall(text)) == 1


def joined(group: list[Word]) -> list[Word]:
    words = [group[0]]
    for word in group[1:]:
        last = words[-1]
        if PARTED.search(f"{last[0][-2:]} {word[0][:2]}"):
            words[-1] = merged([last, word])
        else:
            words.append(word)
    return words


def merged(group: list[Word]) -> Word:
    first, last = group[0], group[-1]
    text, confidence = "".join(word[0] for word in group), min(word[1] for word in group)
    top, bottom = min(word[3] for word in group), max(word[5] for word in group)
    return [text, confidence, first[2], top, last[4], bottom, (first[6][0], last[6][1]), first[7]]


def unify_signs(amounts: list[Word]) -> None:
    signs = Counter(AMOUNT.findall(word[0])[0][1] for word in amounts)
    for sign, other in ((".", ","), (",", ".")):
        if signs[sign] >= max(LEAST_AMOUNTS, MORE_OFTEN * signs[other]):
            for word in amounts:
                word[0] = AMOUNT.sub(lambda found: found[0].replace(other, sign), word[0])
