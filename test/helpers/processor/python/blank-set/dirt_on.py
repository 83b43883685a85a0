"""Dirt on blank pages: shades, folds, streaks, holes, and print that shines through from the back.
"""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from sheet import FONT, Sheet


def plain(sheet: Sheet) -> None:
    """A clean sheet."""


def dust(sheet: Sheet) -> None:
    for _ in range(sheet.rng.integers(4, 25)):
        size = sheet.rng.uniform(0.15, 0.8)
        x, y = sheet.rng.uniform(5, sheet.width - 5), sheet.rng.uniform(5, sheet.height - 5)
        sheet.draw((x, y, 2, 2), lambda draw, scale: draw.ellipse((scale, scale, (1 + size) * scale, (1 + size) * scale), 255), sheet.rng.uniform(0.2, 0.6))


def soft_line(sheet: Sheet, place: float, width: float, strength: float, level: bool) -> None:
    length = sheet.bands[0].shape[0 if level else 1] / sheet.scale
    distance = (np.arange(round(length * sheet.scale)) / sheet.scale - place) / width
    alpha = (strength * np.exp(-(distance**2) / 2)).astype(np.float32)
    sheet.shade(np.broadcast_to(alpha[:, None] if level else alpha[None, :], sheet.bands[0].shape))


def fold(sheet: Sheet) -> None:
    for share in (1 / 3, 2 / 3):
        soft_line(sheet, sheet.height * share, sheet.rng.uniform(0.35, 0.7), sheet.rng.uniform(0.08, 0.22), True)


def rollers(sheet: Sheet) -> None:
    for share in (0.3, 0.7):
        soft_line(sheet, sheet.width * share, sheet.rng.uniform(1, 3), sheet.rng.uniform(0.04, 0.12), False)


def streak(sheet: Sheet) -> None:
    soft_line(sheet, sheet.rng.uniform(20, sheet.width - 20), sheet.rng.uniform(0.08, 0.2), sheet.rng.uniform(0.15, 0.4), False)


def vignette(sheet: Sheet) -> None:
    down, across = (np.linspace(-1, 1, side, dtype=np.float32) for side in sheet.bands[0].shape)
    sheet.shade(0.09 * (down[:, None] ** 2 + across[None, :] ** 2))


def border(sheet: Sheet) -> None:
    width = sheet.rng.uniform(1, 4)
    sheet.draw((0, 0, width, sheet.height), lambda draw, scale: draw.rectangle((-9, -9, (width - 0.2) * scale, 999 * scale), 255), 0.85, blur=0.15)


def skewed_border(sheet: Sheet) -> None:
    depth = sheet.rng.uniform(2, 5)
    sheet.draw((0, 0, sheet.width, 8), lambda draw, scale: draw.polygon([(0, -9), (sheet.width * scale, -9), (sheet.width * scale, depth * scale)], 255), 0.8, blur=0.15)


def dog_ear(sheet: Sheet) -> None:
    size = sheet.rng.uniform(8, 16)
    sheet.draw((0, 0, 20, 20), lambda draw, scale: draw.polygon([(-9, -9), (size * scale, -9), (-9, size * scale)], 255), sheet.rng.uniform(0.15, 0.8), blur=0.2)


def holes(sheet: Sheet) -> None:
    for offset in (-40, 40):
        x, y = 9, sheet.height / 2 + offset - 3
        sheet.draw((x, y, 7, 7), lambda draw, scale: draw.ellipse((scale / 2, scale / 2, 6 * scale, 6 * scale), 255), sheet.rng.uniform(0.1, 0.8), blur=0.08)


def staple(sheet: Sheet) -> None:
    for x in (8, 20):
        sheet.draw((x, 8, 3, 3), lambda draw, scale: draw.ellipse((scale, scale, 1.7 * scale, 1.7 * scale), 255), 0.7)


def shine_through(sheet: Sheet, strength: float | None = None) -> None:
    """Print of the other side: mirrored, faint and soft."""
    scale = sheet.scale
    layer = Image.new("L", sheet.bands[0].shape[::-1])
    draw = ImageDraw.Draw(layer)
    font = ImageFont.truetype(FONT, round(4 * scale))
    for line in range(int(sheet.height / 6) - 6):
        words = " ".join(str(word) for word in sheet.rng.choice(["the", "invoice", "of", "contract", "is", "payable"], 12))
        draw.text((18 * scale, (18 + line * 6) * scale), words, 255, font)
    soft = layer.transpose(Image.Transpose.FLIP_LEFT_RIGHT).filter(ImageFilter.GaussianBlur(sheet.rng.uniform(0.28, 0.4) * scale))
    sheet.shade(np.asarray(soft, dtype=np.float32) * ((strength or sheet.rng.uniform(0.04, 0.16)) / 255))


def everything(sheet: Sheet) -> None:
    for soil in (fold, vignette, rollers, holes, staple, shine_through):
        soil(sheet)


DIRT = {
    f.__name__: f
    for f in (plain, dust, fold, rollers, streak, vignette, border, skewed_border, dog_ear, holes, staple, shine_through, everything)
}
