"""Hard pages that were creased, folded, worn or not scanned flat. See recipes.py."""

from __future__ import annotations

from functools import partial

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

import damage
from recipes import HardPage, Random, Scan, gray_letter, letter, receipt
from sheet import INK, MONO, ROMAN, SANS, Sheet, in_frame, pixels
from texts import RECEIPT, SMALL_PRINT


def creased(image: Image.Image, rng: Random, depth: float, facets: int) -> Image.Image:
    """Crumpled paper: facets of different brightness with sharp edges."""
    width, height = image.size
    size = (width // 8, height // 8)
    rows, columns = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    light = np.zeros(size[::-1], np.float32)
    for _ in range(facets):
        x, y, angle = rng.uniform(0, size[0]), rng.uniform(0, size[1]), rng.uniform(0, np.pi)
        away = (columns - x) * np.cos(angle) + (rows - y) * np.sin(angle)
        light += np.where(away > 0, 1, -1) * rng.uniform(0.2, 1) * np.exp(-abs(away) / rng.uniform(6, 60))
    light = 1 - depth * (light / abs(light).max()).clip(-0.3, 1)
    return damage.times(image, np.asarray(Image.fromarray(light).resize((width, height), Image.Resampling.BICUBIC)))


def crumpled_receipt(rng: Random) -> Scan:
    """A thermal receipt from a pocket, faded along its creases."""
    sheet = receipt((226, 224, 220), (98, 94, 104))
    sheet.image = creased(sheet.image, rng, 0.35, 26)
    return damage.scan(in_frame(sheet, angle=1.7, place=(50, 20)), rng, gray=False), sheet.words


def warped(image: Image.Image, shift: np.ndarray) -> Image.Image:
    levels = np.asarray(image)
    rows = np.arange(levels.shape[0])[:, None] - np.rint(shift).astype(int)[None, :]
    return Image.fromarray(levels[rows.clip(0, levels.shape[0] - 1), np.arange(levels.shape[1])[None, :]])


def bent_book(rng: Random) -> Scan:
    """The right page of a book on the glass. Its lines bend and darken towards the fold."""
    sheet = letter(points=10.5)
    width = sheet.image.width
    near = np.exp(-np.arange(width, dtype=np.float32) / pixels(16))
    bent = warped(sheet.image, pixels(9) * near)
    light = 1 - 0.7 * np.exp(-np.arange(width, dtype=np.float32) / pixels(14))
    return damage.scan(damage.times(bent, np.broadcast_to(light, (bent.height, width))), rng), sheet.words


def photographed(rng: Random) -> Scan:
    """A photo of a letter on a table, taken at an angle in lamp light."""
    sheet = letter(points=12)
    page = sheet.image
    width, height = page.size
    quad = (-140, -110, -60, height + 160, width + 190, height + 60, width + 80, -190)
    photo = page.transform(page.size, Image.Transform.QUAD, quad, Image.Resampling.BICUBIC)
    inside = Image.new("L", page.size, 255).transform(page.size, Image.Transform.QUAD, quad)
    photo = Image.composite(photo, Image.new("RGB", page.size, (92, 68, 50)), inside)
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    away = np.hypot(columns - width * 0.75, rows - height * 0.2) / height
    photo = damage.times(photo.filter(ImageFilter.GaussianBlur(1.2)), (1.02 - 0.55 * away).clip(0.2, 1))
    return damage.scan(photo, rng, gray=False, noise=5, quality=60), sheet.words


def cross_folded(rng: Random) -> Scan:
    """A letter that was folded in four and carried around."""
    sheet = letter()
    image = damage.folded(sheet.image, [70, 148])
    image = damage.folded(image.transpose(Image.Transpose.TRANSPOSE), [70, 140]).transpose(Image.Transpose.TRANSPOSE)
    return damage.scan(creased(image, rng, 0.15, 14), rng, gray=False), sheet.words


def sticky_note(rng: Random) -> Scan:
    """A letter with a sticky note next to its text, written askew."""
    sheet = letter()
    note = Sheet((76, 76), (250, 236, 120))
    note.write(["Paid on 3 November", "by bank transfer", "Keep until 2031"], 8, 18, 15, SANS, colour=(40, 60, 150))
    turned = note.image.rotate(6, Image.Resampling.BICUBIC, expand=True)
    shape = Image.new("L", note.image.size, 255).rotate(6, expand=True)
    sheet.image.paste(turned, (pixels(105), pixels(140)), shape)
    return damage.scan(sheet.image, rng, gray=False), sheet.words + note.words


def dirty_copy(rng: Random) -> Scan:
    """A copy of a copy: black edges, specks, bold letters."""
    sheet = letter()
    draw = ImageDraw.Draw(sheet.image)
    width, height = sheet.image.size
    draw.rectangle([0, 0, pixels(7), height], (20, 20, 20))
    draw.polygon([(0, height), (width, height), (width, height - pixels(9)), (0, height - pixels(3))], (25, 25, 25))
    for _ in range(700):
        x, y, size = rng.integers(0, width), rng.integers(0, height), rng.integers(2, 7)
        draw.ellipse([int(x), int(y), int(x + size), int(y + size)], (60, 60, 60))
    levels = np.asarray(sheet.image.convert("L").filter(ImageFilter.MinFilter(3)).filter(ImageFilter.GaussianBlur(1.4)))
    return Image.fromarray(levels > 150 + rng.normal(0, 22, levels.shape)), sheet.words


def blurred(image: Image.Image, _: Random, radius: float) -> Image.Image:
    """Blurs the page, as where it does not lie flat on the glass."""
    return image.filter(ImageFilter.GaussianBlur(radius))


def pressed(image: Image.Image, rng: Random) -> Image.Image:
    """A noisy scan at 200 dpi with strong JPEG compression, enlarged by the sender."""
    small = image.resize((image.width * 2 // 3, image.height * 2 // 3), Image.Resampling.BOX)
    return damage.scan(small, rng, noise=5, quality=18).resize(image.size, Image.Resampling.BICUBIC)


def coarse_small_print(rng: Random, dpi: int, points: float) -> Scan:
    sheet = Sheet()
    sheet.paragraph(SMALL_PRINT, 25, 40, 150, points, SANS)
    size = tuple(round(side * dpi / 300) for side in sheet.image.size)
    return damage.scan(sheet.image.resize(size, Image.Resampling.BOX), rng, noise=3), sheet.words


def two_receipts(rng: Random) -> Scan:
    one, two = Sheet((62, 120), (243, 240, 233)), Sheet((62, 120), (228, 222, 212))
    one.write(RECEIPT[:10], 5, 8, 8.5, MONO, colour=INK)
    two.write(RECEIPT[9:], 5, 8, 8.5, MONO, colour=(70, 66, 64))
    page = in_frame(one, angle=-2.2, place=(20, 15))
    paper = two.image.rotate(-3.1, Image.Resampling.BICUBIC, expand=True)
    shape = Image.new("L", two.image.size, 255).rotate(-3.1, Image.Resampling.BICUBIC, expand=True)
    page.paste(paper, (pixels(110), pixels(22)), shape)
    return damage.scan(page, rng), one.words + two.words


def upside_down_receipt(rng: Random) -> Scan:
    """A receipt that lies on the glass turned by 180 degrees, below a dark lid."""
    sheet = receipt((240, 237, 230), (60, 58, 58))
    sheet.image = sheet.image.rotate(180)
    return damage.scan(in_frame(sheet, angle=2.0, backing=(14, 14, 15), place=(70, 60)), rng), sheet.words


PAGES: dict[str, HardPage] = {
    "crumpled-receipt": HardPage(crumpled_receipt),
    "crumpled-letter": HardPage(partial(gray_letter, change=partial(creased, depth=0.3, facets=40))),
    "bent-book": HardPage(bent_book),
    "photographed": HardPage(photographed),
    "cross-folded": HardPage(cross_folded),
    "sticky-note": HardPage(sticky_note),
    "dirty-copy": HardPage(dirty_copy),
    "blurred": HardPage(partial(gray_letter, change=partial(blurred, radius=4.0), font=ROMAN)),
    "pale-print": HardPage(partial(gray_letter, change=partial(blurred, radius=1.8), points=10, colour=(206, 206, 208)), quick=True),
    "pressed": HardPage(partial(gray_letter, change=pressed)),
    "150-dpi-small": HardPage(partial(coarse_small_print, dpi=150, points=7.5), dpi=(150, 150)),
    "200-dpi-small": HardPage(partial(coarse_small_print, dpi=200, points=6), dpi=(200, 200)),
    "100-dpi": HardPage(partial(coarse_small_print, dpi=100, points=11), dpi=(100, 100)),
    "two-receipts": HardPage(two_receipts),
    "receipt-upside-down": HardPage(upside_down_receipt),
}
