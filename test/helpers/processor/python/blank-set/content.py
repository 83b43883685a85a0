"""Marks that people and printers leave on nearly empty pages."""

from __future__ import annotations

import numpy as np
from sheet import BLUE, PENCIL, RED, Painter, Sheet


def place(sheet: Sheet, width: float, height: float, margin: float = 9) -> tuple[float, float]:
    return (
        sheet.rng.uniform(margin, sheet.width - width - margin),
        sheet.rng.uniform(margin, sheet.height - height - margin),
    )


def page_number(sheet: Sheet) -> None:
    y = sheet.height - sheet.rng.uniform(9, 20)
    sheet.text(sheet.rng.choice([12, sheet.width / 2, sheet.width - 20]), y, str(sheet.rng.integers(2, 99)), sheet.rng.uniform(5.5, 11))


def word(sheet: Sheet) -> None:
    sheet.text(*place(sheet, 40, 6), str(sheet.rng.choice(["Seite 2", "continued", "Anlage", "Yours,", "confidential"])), sheet.rng.uniform(7, 14))


def faint_stamp(sheet: Sheet) -> None:
    stamp(sheet, 0.3)


def faint_word(sheet: Sheet) -> None:
    sheet.text(*place(sheet, 40, 6), "draft copy", 11, strength=sheet.rng.uniform(0.3, 0.5))


def lines_of_text(sheet: Sheet) -> None:
    x, y = place(sheet, 70, 20)
    for line in range(3):
        sheet.text(x, y + line * 5, "Please return this form to our office.", 10)


def stroke(rng: np.random.Generator, width: float, height: float, points: int, pen: float) -> Painter:
    xs = np.linspace(0.1, 0.9, points) + rng.uniform(-0.06, 0.06, points)
    ys = rng.uniform(0.1, 0.9, points)
    at = np.linspace(0, points - 1, points * 12)
    smooth = np.convolve(np.pad(np.interp(at, np.arange(points), ys), 5, mode="edge"), np.ones(11) / 11, mode="valid")
    path = list(zip(np.interp(at, np.arange(points), xs) * width, smooth * height))

    def paint(draw, scale: float) -> None:
        draw.line([(x * scale, y * scale) for x, y in path], 255, max(1, round(pen * scale)), joint="curve")

    return paint


def signature(sheet: Sheet) -> None:
    x, y = place(sheet, 50, 18)
    sheet.draw((x, y, 50, 18), stroke(sheet.rng, 50, 18, 12, 0.5), sheet.rng.uniform(0.6, 0.95), BLUE)


def initials(sheet: Sheet) -> None:
    x, y = place(sheet, 10, 8)
    sheet.draw((x, y, 10, 8), stroke(sheet.rng, 10, 8, 6, 0.4), 0.8, BLUE)


def pencil(sheet: Sheet, strength: float | None = None) -> None:
    x, y = place(sheet, 40, 10)
    sheet.draw((x, y, 40, 10), stroke(sheet.rng, 40, 10, 14, 0.45), strength or sheet.rng.uniform(0.2, 0.5), PENCIL)


def tick(sheet: Sheet) -> None:
    x, y = place(sheet, 8, 8)
    sheet.draw((x, y, 8, 8), lambda draw, scale: draw.line([(scale, 4 * scale), (3 * scale, 7 * scale), (7 * scale, scale)], 255, round(0.5 * scale)), 0.8, BLUE)


def stamp(sheet: Sheet, strength: float = 0.75) -> None:
    x, y = place(sheet, 40, 16)
    colour = RED if sheet.rng.random() < 0.5 else BLUE
    sheet.draw((x, y, 40, 16), lambda draw, scale: draw.rectangle((scale, scale, 39 * scale, 15 * scale), outline=255, width=round(0.6 * scale)), strength, colour, 0.08)
    sheet.text(x + 5, y + 4, "RECEIVED", 15, strength=strength, colour=colour, blur=0.08)


def rule(sheet: Sheet) -> None:
    x, y = place(sheet, 90, 2)
    sheet.draw((x, y, 90, 2), lambda draw, scale: draw.line((0, scale, 90 * scale, scale), 255, round(0.35 * scale)))


def dotted_line(sheet: Sheet) -> None:
    x, y = place(sheet, 80, 6)
    sheet.text(x, y, "." * 60, 11)


def bar_code(sheet: Sheet) -> None:
    x, y = place(sheet, 45, 12)
    edges = np.cumsum(sheet.rng.choice([0.33, 0.66, 1.0], 60))

    def paint(draw, scale: float) -> None:
        for left, right in zip(edges[::2], edges[1::2]):
            draw.rectangle((left * scale, 0, right * scale, 10 * scale), 255)

    sheet.draw((x, y, 45, 12), paint)


def photo(sheet: Sheet) -> None:
    x, y = place(sheet, 60, 45)
    where = sheet.area(x, y, 60, 45)
    shape = (where[0].stop - where[0].start, where[1].stop - where[1].start)
    down, across = np.mgrid[0 : shape[0], 0 : shape[1]] / sheet.scale
    sheet.shade((0.5 + 0.3 * np.sin(down / 3) * np.cos(across / 4)).astype(np.float32), where)


def at(x: float, y: float, what: str, sheet: Sheet) -> None:
    """A pen or pencil note at a given place: on a fold, on a streak, beside a hole, near an edge.
    """
    if what == "number":
        sheet.text(x, y, "3", 9)
    elif what == "word":
        sheet.text(x, y, "paid", 10)
    else:
        pen, strength, colour = (0.45, 0.25, PENCIL) if what == "pencil" else (0.5, 0.8, BLUE)
        sheet.draw((x, y, 22, 9), stroke(sheet.rng, 22, 9, 9, pen), strength, colour)


CONTENT = {
    f.__name__: f
    for f in (page_number, word, faint_word, lines_of_text, signature, initials, pencil, tick, stamp, faint_stamp, rule, dotted_line, bar_code, photo)
}
NEEDS_GRAY = ("faint_word", "pencil", "faint_stamp", "photo")
