from __future__ import annotations

from PIL import Image

from straighten import inverse_matrix, rotated_image


def cut(tiff: str, out: str, x: float, y: float, width: float, height: float, angle: float) -> dict[str, int]:
    """Writes a part of the plain image `tiff` to `out`: fractions of its width and height, rotated
    about its centre by `angle` degrees clockwise. Returns the part's size in pixels.
    """
    image = Image.open(tiff)
    size = (max(1, round(width * image.width)), max(1, round(height * image.height)))
    if angle == 0:
        left = min(round(x * image.width), image.width - size[0])
        top = min(round(y * image.height), image.height - size[1])
        part = image.crop((left, top, left + size[0], top + size[1]))
    else:
        middle = ((x + width / 2) * image.width, (y + height / 2) * image.height)
        part = rotated_image(image, size, inverse_matrix(middle, (size[0] / 2, size[1] / 2), -angle))
    part.save(out, "TIFF", dpi=image.info["dpi"])
    return {"width": part.width, "height": part.height}
