"""Where a page has ink that may be text: what the recognition leaves unread shows on it."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from PIL import Image

from examination.skew import SKEW_DPI
from tiff import MM_PER_INCH

# Squares of 2 mm, of which at least so much is ink.
CELL_PIXELS, LEAST_INK = 8, 0.08
# A run of ink of 6 mm is a rule.
RULE_PIXELS = 24


def ink_cells(ink: np.ndarray) -> dict[str, Any]:
    """The squares with ink that is no rule: their `size` in mm, how many there are in `columns` and rows, and a bit for each, row by row."""
    letters = Image.fromarray((ink & ~(rules(ink) | rules(ink.T).T)).view(np.uint8) * np.uint8(255))
    shares = np.asarray(letters.reduce(CELL_PIXELS))
    cells = np.packbits(shares > 255 * LEAST_INK)
    return {
        "size": round(CELL_PIXELS * MM_PER_INCH / SKEW_DPI, 3),
        "columns": shares.shape[1],
        "cells": base64.b64encode(cells.tobytes()).decode(),
    }


def rules(ink: np.ndarray) -> np.ndarray:
    """The level runs of ink that fill their part of a row."""
    width = ink.shape[1] // RULE_PIXELS * RULE_PIXELS
    full = np.logical_and.reduce([ink[:, place:width:RULE_PIXELS] for place in range(RULE_PIXELS)])
    found = np.zeros_like(ink)
    for place in range(RULE_PIXELS):
        found[:, place:width:RULE_PIXELS] = full
    return found
