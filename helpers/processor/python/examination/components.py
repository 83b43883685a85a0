from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Components:
    """Arrays with one entry per component. Lengths are in pixels, ends are exclusive."""

    left: np.ndarray
    right: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    area: np.ndarray
    # One entry per pixel: its index in the flattened image, and its component.
    pixels: np.ndarray
    labels: np.ndarray

    def members(self, number: int) -> np.ndarray:
        return self.pixels[self.labels == number]

    def largest(self, values: np.ndarray) -> np.ndarray:
        return largest_by_label(values.ravel()[self.pixels], self.labels, len(self.area))


def runs_of(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and last flat index of every horizontal run of pixels."""
    flat = np.flatnonzero(mask)
    if len(flat) == 0:
        return flat, flat
    new = np.empty(len(flat), dtype=bool)
    new[0] = True
    # A run ends at a gap or at the end of a row.
    new[1:] = (np.diff(flat) > 1) | (flat[1:] % mask.shape[1] == 0)
    firsts = np.flatnonzero(new)
    return flat[firsts], flat[np.append(firsts[1:], len(flat)) - 1]


def find_components(mask: np.ndarray) -> Components:
    """Uses 8-connectivity."""
    width = mask.shape[1]
    starts, ends = runs_of(mask)
    labels = joined(len(starts), *touching(starts, ends, width))
    count = int(labels.max()) + 1 if len(labels) else 0
    lengths = ends - starts + 1
    per_pixel = np.repeat(labels, lengths)
    return Components(
        left=-largest_by_label(-(starts % width), labels, count),
        right=largest_by_label(ends % width, labels, count) + 1,
        top=-largest_by_label(-(starts // width), labels, count),
        bottom=largest_by_label(starts // width, labels, count) + 1,
        area=np.bincount(labels, weights=lengths, minlength=count).astype(int),
        pixels=np.flatnonzero(mask),
        labels=per_pixel,
    )


def touching(starts: np.ndarray, ends: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of runs that touch on adjacent rows, also diagonally."""
    below = width
    # Runs at opposite edges of the image do not touch.
    at_left, at_right = starts % width == 0, ends % width == width - 1
    first = np.searchsorted(ends, starts + below - ~at_left)
    last = np.searchsorted(starts, ends + below + ~at_right, side="right")
    counts = np.maximum(0, last - first)
    upper = np.repeat(np.arange(len(starts)), counts)
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return upper, np.repeat(first, counts) + offsets


def joined(count: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Numbers groups of connected items, given pairs of connected ones."""
    labels = np.arange(count)
    while len(a):
        low = np.minimum(labels[a], labels[b])
        before = labels.copy()
        np.minimum.at(labels, labels[a], low)
        np.minimum.at(labels, labels[b], low)
        labels = labels[labels]
        if (labels == before).all():
            break
    return np.unique(labels, return_inverse=True)[1]


def largest_by_label(values: np.ndarray, labels: np.ndarray, count: int) -> np.ndarray:
    smallest = np.iinfo(values.dtype).min if values.dtype.kind == "i" else -np.inf
    largest = np.full(count, smallest, dtype=values.dtype)
    np.maximum.at(largest, labels, values)
    return largest
