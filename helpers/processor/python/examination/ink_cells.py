"""Locates ink that may be text, to find what recognition missed."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from PIL import Image

from examination.skew import SKEW_DPI
from tiff import MM_PER_INCH

# Squares of 2 mm, with at least this share of ink.
CELL_PIXELS, LEAST_INK = 8, 0.08
# 6 mm. A run of ink this long is a rule, not a letter.
RULE_PIXELS = 24


def ink_cells(ink: np.ndarray) -> dict[str, Any]:
    """Squares with ink other than rules: `size` in mm, squares per row (`columns`), and one bit per
    square, row by row, in base64.
    """
    letters = Image.fromarray((ink & ~(rules(ink) | rules(ink.T).T)).view(np.uint8) * np.uint8(255))
    shares = np.asarray(letters.reduce(CELL_PIXELS))
    cells = np.packbits(shares > 255 * LEAST_INK)
    return {
        "size": round(CELL_PIXELS * MM_PER_INCH / SKEW_DPI, 3),
        "columns": shares.shape[1],
        "cells": base64.b64encode(cells.tobytes()).decode(),
    }


def rules(ink: np.ndarray) -> np.ndarray:
    """Horizontal runs that fill a RULE_PIXELS-wide section of a row."""
    width = ink.shape[1] // RULE_PIXELS * RULE_PIXELS
    full = np.logical_and.reduce([ink[:, place:width:RULE_PIXELS] for place in range(RULE_PIXELS)])
    found = np.zeros_like(ink)
    for place in range(RULE_PIXELS):
        found[:, place:width:RULE_PIXELS] = full
    return found
