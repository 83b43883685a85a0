"""How like a page is to its raw page: `python3 likeness.py RAW RENDERED DPI PICTURES [--bilevel]` prints JSON.

PICTURES are boxes in millimetres, as JSON. Structural similarity (Wang, Bovik, Sheikh, Simoncelli: Image quality assessment, 2004; K1
0.01, K2 0.03) in windows of 8 x 8 pixels that overlap by half and weigh each pixel alike. scikit-image would do it too, but brings another
BLAS, which changes what the processor's numpy costs on the machine that is measured.
"""

import json
import sys

import numpy
from PIL import Image

BLOCK = 4  # a window is two by two blocks
MM_PER_INCH = 25.4
# A window holds an edge where the raw page differs within it by this much of 255 (standard deviation): far above the grain of paper
# (2 to 4) and the gradients of pictures, below the thinnest strokes of letters.
EDGE_CONTRAST = 32
# Brightness, and the two of colour, as JPEG takes them apart (JFIF 1.02); Pillow's own are less exact.
YCBCR = ((0.299, 0.587, 0.114), (-0.168736, -0.331264, 0.5), (0.5, -0.418688, -0.081312))
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def planes_of(image):
    """The brightness of an image, and of one with colours these two."""
    samples = numpy.asarray(image, dtype=numpy.float64)
    if image.mode == "L":
        return [samples]
    offsets = (0, 128, 128)
    return [numpy.rint(samples @ weights + offset) for weights, offset in zip(YCBCR, offsets)]


def means(plane):
    """The mean of each window."""
    rows, columns = (side // BLOCK for side in plane.shape)
    blocks = plane[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK).mean(axis=(1, 3))
    return (blocks[:-1, :-1] + blocks[1:, :-1] + blocks[:-1, 1:] + blocks[1:, 1:]) / 4


def similarity(one, other):
    """The similarity of each window, and the variance of the first image in it."""
    mean_a, mean_b = means(one), means(other)
    var_a, var_b = means(one * one) - mean_a**2, means(other * other) - mean_b**2
    covariance = means(one * other) - mean_a * mean_b
    brightness = (2 * mean_a * mean_b + C1) / (mean_a**2 + mean_b**2 + C1)
    return brightness * (2 * covariance + C2) / (var_a + var_b + C2), var_a


def features(raw, rendered, dpi, pictures):
    """The mean similarity of the whole page, its edges of text, its pictures and its colours, where it has them."""
    (brightness, *colours), (brightness_rendered, *colours_rendered) = planes_of(raw), planes_of(rendered)
    values, variance = similarity(brightness, brightness_rendered)
    top, left = numpy.indices(values.shape) * BLOCK * MM_PER_INCH / dpi
    size = 2 * BLOCK * MM_PER_INCH / dpi
    inside = numpy.zeros(values.shape, dtype=bool)
    for box in pictures:
        across = (left >= box["left"]) & (left + size <= box["left"] + box["width"])
        inside |= across & (top >= box["top"]) & (top + size <= box["top"] + box["height"])
    found = {
        "whole page": values,
        "text edges": values[(variance >= EDGE_CONTRAST**2) & ~inside],
        "pictures": values[inside],
        "colours": [similarity(*pair)[0].mean() for pair in zip(colours, colours_rendered)],
    }
    return {name: float(numpy.mean(list_of)) for name, list_of in found.items() if len(list_of) > 0}


def main(raw_file, rendered_file, dpi, pictures, *bilevel):
    with Image.open(raw_file) as raw, Image.open(rendered_file) as rendered:
        mode = "L" if raw.mode in ("1", "L") else "RGB"
        pages = [image.convert(mode) for image in (raw, rendered)]
    if bilevel:
        print(json.dumps(int((numpy.asarray(pages[0]) != numpy.asarray(pages[1])).sum())))
        return
    halves = [page.reduce(2) for page in pages]
    looks = [(pages, int(dpi)), (halves, int(dpi) // 2)]
    print(json.dumps([{"dpi": at, "features": features(*pair, at, json.loads(pictures))} for pair, at in looks]))


main(*sys.argv[1:])
