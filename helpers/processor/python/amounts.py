"""Repairs amounts on coarse receipts, where Tesseract confuses `.` and `,`, and splits `79.60`."""

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
            (start, _), (_, end) = last[6], word[6]
            top, bottom = min(last[3], word[3]), max(last[5], word[5])
            words[-1] = [last[0] + word[0], min(last[1], word[1]), last[2], top, word[4], bottom, (start, end), last[7]]
        else:
            words.append(word)
    return words


def unify_signs(amounts: list[Word]) -> None:
    signs = Counter(AMOUNT.findall(word[0])[0][1] for word in amounts)
    for sign, other in ((".", ","), (",", ".")):
        if signs[sign] >= max(LEAST_AMOUNTS, MORE_OFTEN * signs[other]):
            for word in amounts:
                word[0] = AMOUNT.sub(lambda found: found[0].replace(other, sign), word[0])
