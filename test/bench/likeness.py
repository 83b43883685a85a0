"""Compares a document with its raw pages, by hand: `/usr/bin/python3 test/bench/likeness.py
DOCUMENT.pdf PAGE.tif...`

Renders each page at the resolution of its raw page with cairo, which shows image pixels unchanged.
Prints the structural similarity (Wang, Bovik, Sheikh, Simoncelli: Image quality assessment, 2004; 1
is identical) at that resolution and at half of it or, for 1-bit pages, how many pixels differ.
Similarity is computed on gray in unweighted windows of 8 x 8 pixels that overlap by half; for
colour, as the mean of the three channels.
"""

import subprocess
import sys
import tempfile

import numpy
from PIL import Image

BLOCK = 4  # a window is two by two blocks
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def rendered(document, page, raw):
    (width, height), dpi = raw.size, str(round(raw.info["dpi"][0]))
    size = ["-r", dpi, "-x", "0", "-y", "0", "-W", str(width), "-H", str(height)]
    gray = ["-gray"] if raw.mode in ("1", "L") else []
    with tempfile.TemporaryDirectory() as directory:
        which = ["-f", str(page), "-l", str(page), "-singlefile"]
        subprocess.run(["pdftocairo", "-png", *gray, *which, *size, document, f"{directory}/page"], check=True)
        with Image.open(f"{directory}/page.png") as image:
            return image.convert("L" if gray else "RGB")


def means(plane):
    rows, columns = (side // BLOCK for side in plane.shape)
    blocks = plane[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK).mean(axis=(1, 3))
    return (blocks[:-1, :-1] + blocks[1:, :-1] + blocks[:-1, 1:] + blocks[1:, 1:]) / 4


def similarity(one, other):
    a, b = (numpy.asarray(image, dtype=numpy.float64) for image in (one, other))
    mean_a, mean_b = means(a), means(b)
    variances = means(a * a) - mean_a**2 + means(b * b) - mean_b**2
    covariance = means(a * b) - mean_a * mean_b
    brightness = (2 * mean_a * mean_b + C1) / (mean_a**2 + mean_b**2 + C1)
    return (brightness * (2 * covariance + C2) / (variances + C2)).mean()


def likeness(raw, page):
    if raw.mode == "1":
        return f"{(numpy.asarray(raw.convert('L')) != numpy.asarray(page)).sum()} pixels differ"
    found = []
    for factor in (1, 2):
        pair = [image.reduce(factor).split() for image in (raw, page)]
        found.append(numpy.mean([similarity(*channels) for channels in zip(*pair)]))
    return "similarity {:.4f}, {:.4f} at half the resolution".format(*found)


def main(document, *pages):
    for number, file in enumerate(pages, 1):
        with Image.open(file) as raw:
            print(f"{file}: {likeness(raw, rendered(document, number, raw))}")


main(*sys.argv[1:])
