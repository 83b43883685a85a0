"""A sheet of paper to draw on. A pixel is the share of light that the sheet reflects."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONT = "/usr/share/fonts/opentype/urw-base35/NimbusSans-Regular.otf"
MM_PER_INCH = 25.4
MM_PER_POINT = MM_PER_INCH / 72
# Layers are drawn at this multiple of the sheet's resolution.
FINER = 2

BLACK, BLUE, RED, PENCIL = (0.0, 0.0, 0.0), (0.1, 0.15, 0.7), (0.75, 0.1, 0.1), (0.3, 0.3, 0.32)

LUMINANCE = (0.299, 0.587, 0.114)

Painter = Callable[[ImageDraw.ImageDraw, float], None]


class Sheet:
    """Coloured paper with grain; coordinates in mm from the upper left corner."""

    def __init__(self, rng: np.random.Generator, width: float, height: float, dpi: int, paper: tuple[float, ...]) -> None:
        self.rng, self.width, self.height, self.dpi = rng, width, height, dpi
        self.scale = dpi / MM_PER_INCH
        shape = (round(height * self.scale), round(width * self.scale))
        self.bands = [np.full(shape, level, dtype=np.float32) for level in paper]

    def area(self, x: float, y: float, width: float, height: float) -> tuple[slice, slice]:
        left, top, across, down = (round(side * self.scale) for side in (x, y, width, height))
        return slice(top, top + down), slice(left, left + across)

    def shade(self, alpha: np.ndarray, where: tuple[slice, slice] = (slice(None), slice(None)), colour=BLACK) -> None:
        """Lays ink over a part of the sheet; `alpha` is the share of the light it absorbs."""
        levels = colour if len(self.bands) == 3 else (float(np.dot(colour, LUMINANCE)),)
        for band, level in zip(self.bands, levels):
            part = band[where]
            part *= 1 - alpha[: part.shape[0], : part.shape[1]] * (1 - level)

    def draw(self, box: tuple[float, float, float, float], paint: Painter, strength=1.0, colour=BLACK, blur=0.04) -> None:
        """Draws with ink into a box. `paint` receives a drawing and its pixels per mm; `blur` is in
        mm."""
        x, y, width, height = box
        fine = self.scale * FINER
        where = self.area(x, y, width, height)
        size = [(part.stop - part.start) * FINER for part in where]
        layer = Image.new("L", (size[1], size[0]))
        paint(ImageDraw.Draw(layer), fine)
        layer = layer.filter(ImageFilter.GaussianBlur(blur * fine)).reduce(FINER)
        self.shade(np.asarray(layer, dtype=np.float32) * (strength / 255), where, colour)

    def text(self, x: float, y: float, words: str, points: float = 11, **ink) -> None:
        size = points * MM_PER_POINT
        font = ImageFont.truetype(FONT, round(size * self.scale * FINER))
        width = font.getlength(words) / self.scale / FINER
        self.draw((x, y, width + 1, size * 1.3), lambda draw, _: draw.text((0, 0), words, 255, font), **ink)

    def scanned(self, grain: float, mode: str, quality: int | None = None) -> Image.Image:
        noise = self.rng.normal(0, grain, self.bands[0].shape).astype(np.float32)
        levels = [((band + noise).clip(0, 1) * 255).astype(np.uint8) for band in self.bands]
        image = Image.merge("RGB", [Image.fromarray(level) for level in levels]) if mode == "colour" else Image.fromarray(levels[0])
        if quality is not None:
            data = io.BytesIO()
            image.save(data, "JPEG", quality=quality)
            image = Image.open(data)
        return image if mode in ("gray", "colour") else bilevel(image, mode)


def bilevel(image: Image.Image, mode: str) -> Image.Image:
    """The image in black and white, as devices make it: by a fixed or local threshold, or dithered.
    """
    gray = image.convert("L")
    if mode == "dithered":
        return gray.convert("1")
    pixels = np.asarray(gray, dtype=np.float32)
    if mode == "local":
        around = gray.reduce(8).filter(ImageFilter.BoxBlur(8)).resize(gray.size, Image.Resampling.BILINEAR)
        return Image.fromarray(pixels > np.asarray(around, dtype=np.float32) * 0.8)
    return Image.fromarray(pixels > int(mode))
