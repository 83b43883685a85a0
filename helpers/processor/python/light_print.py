"""Detects print lighter than its background, as on dark headings and filled table rows."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter

from blocks import cells_of, extreme_around

# The background is darker than GROUND times the paper, and uniform within the factor STEADY. The
# print is lighter than the background by LIGHTER times the paper. If it covers more than MOST_LIGHT
# of its surroundings, it may instead be paper between dark print.
GROUND, STEADY, LIGHTER, MOST_LIGHT = 0.8, 1.2, 0.15, 0.45
# In cells. Everything within this window belongs to the light print.
WINDOW = 7


def light_print(gray: Image.Image, factor: int, usual: int) -> np.ndarray:
    """The gray level between print and background, per cell of `factor` pixels; 0 without light
    print. `usual` is the brightness of the paper.
    """
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
