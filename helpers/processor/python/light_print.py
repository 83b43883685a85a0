"""Print that is lighter than what it is on: headings in white on dark boxes, and on the filled rows of tables."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter

from blocks import cells_of, extreme_around

# It is on what is darker than this share of the usual paper, and as dark around it, to this factor; it is lighter by this share of that paper, and
# covers less than this share of what is around it: otherwise it would be paper between dark print.
GROUND, STEADY, LIGHTER, MOST_LIGHT = 0.8, 1.2, 0.15, 0.45
# So many cells around it belong to it.
WINDOW = 7


def light_print(gray: Image.Image, factor: int, usual: int) -> np.ndarray:
    """Where a gray page, whose paper is `usual`, has light print, in cells of so many pixels: a level between that print and what it is on; elsewhere 0."""
    if min(gray.size) < factor:
        return np.zeros((gray.height // factor, gray.width // factor))
    step = next(step for step in (3, 2, 1) if factor % step == 0)
    cells = cells_of(np.asarray(gray.reduce(step)), factor // step)
    darkest, lightest = cells.min(axis=(1, 3)), cells.max(axis=(1, 3)).astype(np.float32)
    ground = extreme_around(darkest, 3, np.maximum).astype(np.float32)
    mean = np.asarray(gray.reduce(factor).filter(ImageFilter.BoxBlur(1)), np.float32)[: ground.shape[0], : ground.shape[1]]
    steady = ground <= STEADY * extreme_around(darkest, 3, np.minimum).clip(1)
    found = steady & (ground < GROUND * usual) & (lightest - ground > LIGHTER * usual) & (mean - ground < MOST_LIGHT * (lightest - ground))
    return extreme_around(np.where(found, (ground + lightest) / 2, 0), WINDOW, np.maximum) * steady
