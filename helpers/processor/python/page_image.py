"""Converts unusual TIFFs to plain images, and rotates pages.

Tesseract, Leptonica and PDF can all use a plain image: one image per file, 1-bit, 8-bit gray or
24-bit RGB, with equal resolutions, stored upright.
"""

from __future__ import annotations

from typing import Any

from PIL import Image

from tiff import open_tiff, plain_size, resolution

QUARTER_TURNS = {
    1: Image.Transpose.ROTATE_270,
    2: Image.Transpose.ROTATE_180,
    3: Image.Transpose.ROTATE_90,
}


def prepare(tiff: str, plain: str | None, max_pixels: int | None) -> dict[str, Any]:
    """Writes `tiff` as a plain image to `plain`, unless null.

    `images` counts the images in the file; the first one is used. Rejects an image of more than
    `max_pixels` before decoding it.
    """
    image = open_tiff(tiff, max_pixels)
    images = getattr(image, "n_frames", 1)
    pixels, dpi = plain_pixels(image)
    if plain is not None:
        # Copying drops the tags. Otherwise the orientation would be saved and applied twice.
        pixels.copy().save(plain, "TIFF", dpi=(dpi, dpi))
    return {
        "width": pixels.width,
        "height": pixels.height,
        "dpi": dpi,
        "bilevel": pixels.mode == "1",
        "images": images,
    }


def turn(tiff: str, out: str, quarters: int) -> dict[str, Any]:
    """Rotates the plain image `tiff` clockwise."""
    image = Image.open(tiff)
    turned = image.transpose(QUARTER_TURNS[quarters])
    turned.save(out, "TIFF", dpi=image.info["dpi"])
    return {"width": turned.width, "height": turned.height}


def plain_pixels(image: Image.Image) -> tuple[Image.Image, int]:
    """Pillow has already applied the orientation tag."""
    size, dpi = plain_size(image), max(resolution(image))
    pixels = plain_mode(image)
    if pixels.size != size:
        pixels = pixels.resize(size, Image.Resampling.LANCZOS if pixels.mode != "1" else Image.Resampling.NEAREST)
    return pixels, dpi


def plain_mode(image: Image.Image) -> Image.Image:
    if image.mode in ("1", "L", "RGB"):
        return image
    if image.mode.startswith("I") or image.mode == "F":
        # 16-bit gray. Scaled to eight bits first, since Pillow's conversion clips.
        return image.convert("I").point(lambda value: value / 256).convert("L")
    if image.mode == "LA":
        return on_white(image).convert("L")
    if "A" in image.mode or "transparency" in image.info:
        return on_white(image)
    return image.convert("RGB")


def on_white(image: Image.Image) -> Image.Image:
    layer = image.convert("RGBA")
    paper = Image.new("RGBA", layer.size, "white")
    return Image.alpha_composite(paper, layer).convert("RGB")
