"""Damage to paper before scanning, and artifacts of scanners."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from sheet import Colour, pixels


def scan(image: Image.Image, rng: np.random.Generator, gray: bool = True, noise: float = 2.0, quality: int | None = None) -> Image.Image:
    image = image.convert("L") if gray else image
    levels = np.asarray(image, np.float32)
    levels = levels + rng.normal(0, noise, levels.shape).astype(np.float32)
    return compressed(Image.fromarray(levels.clip(0, 255).astype(np.uint8)), quality)


def compressed(image: Image.Image, quality: int | None) -> Image.Image:
    if quality is None:
        return image
    data = io.BytesIO()
    image.save(data, "JPEG", quality=quality)
    return Image.open(data)


def times(image: Image.Image, light: np.ndarray) -> Image.Image:
    levels = np.asarray(image, np.float32)
    light = light[..., None] if levels.ndim == 3 else light
    return Image.fromarray((levels * light).clip(0, 255).astype(np.uint8))


def shaded(image: Image.Image, left: float, right: float) -> Image.Image:
    width, height = image.size
    return times(image, np.broadcast_to(np.linspace(left, right, width, dtype=np.float32), (height, width)))


def gutter(image: Image.Image) -> Image.Image:
    """The left page of a book on the glass, dark towards the fold."""
    width, height = image.size
    light = 1 - 0.75 * np.exp(-np.arange(width, dtype=np.float32) / pixels(12))
    return times(image, np.broadcast_to(light[::-1], (height, width)))


def streaked(image: Image.Image, places: list[float], colour: Colour, rng: np.random.Generator) -> Image.Image:
    """Adds streaks down the whole image, as from dust on the glass of a feeder. `places` in mm."""
    levels = np.asarray(image, np.float32).copy()
    levels = levels[..., None] if levels.ndim == 2 else levels
    shade = np.array(colour[: levels.shape[2]], np.float32)
    for place in places:
        left, wide = pixels(place), int(rng.integers(2, 6))
        strength = rng.uniform(0.45, 0.85, (levels.shape[0] // 40 + 1, 1, 1)).astype(np.float32).repeat(40, axis=0)[: levels.shape[0]]
        part = levels[:, left : left + wide]
        levels[:, left : left + wide] = part * (1 - strength) + np.minimum(part, shade) * strength
    return Image.fromarray(levels.squeeze().astype(np.uint8))


def shone_through(image: Image.Image, back: Image.Image, strength: float) -> Image.Image:
    """Adds the print of the other side, mirrored and blurred."""
    print_ = 255 - np.asarray(back.convert("L").transpose(Image.Transpose.FLIP_LEFT_RIGHT).filter(ImageFilter.GaussianBlur(2.5)), np.float32)
    return times(image, 1 - strength * print_ / 255)


def folded(image: Image.Image, rows: list[float]) -> Image.Image:
    """Adds horizontal folds, each a shadow with a light edge. `rows` in mm."""
    width, height = image.size
    light = np.ones(height, np.float32)
    for row in rows:
        away = np.arange(height, dtype=np.float32) - pixels(row)
        light -= 0.35 * np.exp(-((away / pixels(2.5)) ** 2)) - 0.08 * np.exp(-(((away - pixels(3)) / pixels(2)) ** 2))
    return times(image, np.broadcast_to(light[:, None], (height, width)))


def coffee(image: Image.Image, centres: list[tuple[float, float]]) -> Image.Image:
    mask = Image.new("L", image.size)
    draw = ImageDraw.Draw(mask)
    for x, y in centres:
        box = [pixels(side) for side in (x - 38, y - 38, x + 38, y + 38)]
        draw.ellipse(box, 90)
        draw.ellipse(box, outline=190, width=pixels(3))
    share = np.asarray(mask.filter(ImageFilter.GaussianBlur(6)), np.float32)[..., None] / 255
    levels = np.asarray(image, np.float32)
    return Image.fromarray((levels * (1 - share + share * np.array((0.72, 0.5, 0.3), np.float32))).astype(np.uint8))


def grainy(image: Image.Image, rng: np.random.Generator, depth: float, size: int) -> Image.Image:
    width, height = image.size
    spots = rng.normal(0, depth, (height // size + 1, width // size + 1)).astype(np.float32)
    light = np.asarray(Image.fromarray(spots).resize((width, height), Image.Resampling.BICUBIC))
    return times(image, 1 + light)


def halftone(image: Image.Image, box: tuple[float, float, float, float], depth: float) -> Image.Image:
    rows, columns = np.mgrid[0 : image.height, 0 : image.width].astype(np.float32)
    dots = (np.sin((rows + columns) * 0.75) * np.sin((rows - columns) * 0.75) > 0.2) * depth
    inside = np.zeros((image.height, image.width), np.float32)
    left, top, right, bottom = (pixels(side) for side in box)
    inside[top:bottom, left:right] = 1
    return times(image, 1 - dots * inside)


def worn(mask: Image.Image, rng: np.random.Generator, share: float) -> Image.Image:
    """Removes ink in places, like a worn ribbon or carbon paper."""
    spots = rng.normal(0, 1, (mask.height // 3 + 1, mask.width // 3 + 1)).astype(np.float32)
    spots = np.asarray(Image.fromarray(spots).resize(mask.size, Image.Resampling.BILINEAR))
    return Image.fromarray((np.asarray(mask) * (1 - share * (spots > 0.35))).astype(np.uint8))


def dotted(mask: Image.Image, pitch: int) -> Image.Image:
    """Turns ink into the dots of a dot matrix printer."""
    rows, columns = np.mgrid[0 : mask.height, 0 : mask.width]
    dot = ((rows % pitch - pitch // 2) ** 2 + (columns % pitch - pitch // 2) ** 2) <= (pitch * 0.47) ** 2
    cells = mask.reduce(pitch).resize((mask.width, mask.height), Image.Resampling.NEAREST).point(lambda value: 255 if value > 95 else 0)
    return Image.fromarray((np.asarray(cells) * dot).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.8))
