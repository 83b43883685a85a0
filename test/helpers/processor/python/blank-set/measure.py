"""Scores labelled pages for blankness. Prints one JSON object per page.

Generates pages, the same each time, and reads more from DIRECTORY_OF_PAGES.

python3 measure.py DIRECTORY_OF_THE_DETECTOR DIRECTORY_OF_PAGES
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from itertools import chain

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), sys.argv[1]]

import numpy as np  # noqa: E402
from examination.blank_page import blank_score  # noqa: E402
from content import CONTENT, NEEDS_GRAY, at, pencil  # noqa: E402
from dirt_on import DIRT, fold, holes, shine_through, streak  # noqa: E402
from examination.page_copy import small_copy  # noqa: E402
from PIL import Image  # noqa: E402
from sheet import Sheet, bilevel  # noqa: E402

A5, A4 = (148.0, 210.0), (210.0, 297.0)
PAPERS = {
    "white": (0.97,) * 3,
    "gray": (0.85,) * 3,
    "recycled": (0.82, 0.8, 0.74),
    "yellow": (0.97, 0.93, 0.6),
    "blue": (0.7, 0.8, 0.93),
    "pink": (0.95, 0.75, 0.78),
    "kraft": (0.7, 0.58, 0.42),
}
THRESHOLDS = ("128", "170", "local")

Page = tuple[str, str, str, Image.Image, int]


def new_sheet(seed: int, mode: str, paper: str) -> Sheet:
    rng = np.random.default_rng(seed)
    bands = PAPERS[paper] if mode == "colour" else PAPERS[paper][:1]
    size, dpi = (A5, 300) if mode in THRESHOLDS else (A4 if seed % 3 == 0 else A5, 150)
    return Sheet(rng, *size, dpi, bands)


def scanned(sheet: Sheet, mode: str, seed: int) -> Image.Image:
    quality = int(sheet.rng.integers(60, 90)) if seed % 3 == 1 and mode in ("gray", "colour") else None
    return sheet.scanned(sheet.rng.uniform(0.003, 0.012), mode, quality)


def modes_for(kind: str) -> tuple[str, ...]:
    return ("gray", "colour") if kind in NEEDS_GRAY else ("gray", "colour", "128", "170")


def generated() -> Iterator[Page]:
    seed = 0
    papers = list(PAPERS)
    for number, (kind, soil) in enumerate(DIRT.items()):
        # Clean sheets in every mode; each kind of dirt in gray, in colour and with one of the
        # thresholds.
        others = (0, 2, 4 + number % 3, 1 if number % 2 else 3)
        for turn, mode in enumerate(("gray", "gray", "colour", "colour", *THRESHOLDS)):
            seed += 1
            if number > 0 and turn not in others:
                continue
            sheet = new_sheet(seed, mode, papers[seed % len(papers)] if mode == "colour" else papers[seed % 2])
            soil(sheet)
            yield "blank", kind, mode, scanned(sheet, mode, seed), sheet.dpi
    for number, (kind, write) in enumerate(CONTENT.items()):
        for turn, mode in enumerate(modes_for(kind) * 2):
            seed += 1
            if turn not in (0, 1, 2 + number % 2, 4):
                continue
            sheet = new_sheet(seed, mode, papers[seed % len(papers)] if mode == "colour" else papers[seed % 2])
            write(sheet)
            if seed % 2:
                list(DIRT.values())[seed % len(DIRT)](sheet)
            yield "content", kind, mode, scanned(sheet, mode, seed), sheet.dpi
    for kind, page in hostile(seed):
        yield "content", kind, "gray", page, 150


def hostile(seed: int) -> Iterator[tuple[str, Image.Image]]:
    """Notes on folds and streaks, beside holes, near the edge, over print that shines through."""
    for what in ("number", "word", "pencil", "pen"):
        for where, soil, x, y in (
            ("on a fold", fold, 60, 66),
            ("on a streak", streak, 60, 60),
            ("beside a hole", holes, 18, 62),
            ("near an edge", fold, 6.5, 100),
            ("near a corner", fold, 7, 7),
        ):
            seed += 1
            sheet = Sheet(np.random.default_rng(seed), *A5, 150, PAPERS["white"][:1])
            soil(sheet)
            at(x, y, what, sheet)
            yield f"{what} {where}", scanned(sheet, "gray", seed)
    for strength in (0.04, 0.1, 0.16, 0.2):
        seed += 1
        sheet = Sheet(np.random.default_rng(seed), *A5, 150, PAPERS["white"][:1])
        shine_through(sheet, strength)
        pencil(sheet, 0.25)
        yield f"pencil over print that shines through at {strength}", scanned(sheet, "gray", seed)


def printed(directory: str) -> Iterator[Page]:
    """Full pages, as dense as newspaper, and the empty backs among them."""
    pages = [name for name in sorted(os.listdir(directory)) if name.endswith((".jpg", ".png"))]
    for number, name in enumerate(pages):
        stem = os.path.splitext(name)[0]
        page = Image.open(os.path.join(directory, name)).convert("L")
        label = "blank" if stem.startswith("blank-") else "content"
        yield label, stem, "gray", page, 300
        for mode in ("dithered", ("128", "local")[number % 2]) if label == "content" else ():
            yield label, stem, mode, bilevel(page.reduce(2) if mode == "dithered" else page, mode), 150 if mode == "dithered" else 300


def main() -> None:
    for label, kind, mode, page, dpi in chain(generated(), printed(sys.argv[2])):
        found = blank_score(small_copy(page, dpi), page.mode == "1")
        print(json.dumps({"label": label, "kind": kind, "mode": mode, **found}), flush=True)


if __name__ == "__main__":
    main()
