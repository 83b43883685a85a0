"""The connected marks of a mask, and what is measured of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Components:
    """Arrays with one entry per component; lengths are in pixels, ends are exclusive."""

    left: np.ndarray
    right: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    area: np.ndarray
    # One entry per pixel: its place in the flat image, and its component.
    pixels: np.ndarray
    labels: np.ndarray

    def members(self, number: int) -> np.ndarray:
        """Places in the flat image of the pixels of a component."""
        return self.pixels[self.labels == number]

    def largest(self, values: np.ndarray) -> np.ndarray:
        """For each component the largest of the values of its pixels."""
        return largest_by_label(values.ravel()[self.pixels], self.labels, len(self.area))


def runs_of(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last place in the flat image of every level run of pixels."""
    flat = np.flatnonzero(mask)
    if len(flat) == 0:
        return flat, flat
    new = np.empty(len(flat), dtype=bool)
    new[0] = True
    # A run ends where the next pixel is not its neighbour, or is on the next row.
    new[1:] = (np.diff(flat) > 1) | (flat[1:] % mask.shape[1] == 0)
    firsts = np.flatnonzero(new)
    return flat[firsts], flat[np.append(firsts[1:], len(flat)) - 1]


def find_components(mask: np.ndarray) -> Components:
    """The components of a mask, over eight neighbours."""
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
    """The pairs of runs that touch from one row to the next, also at a corner."""
    below = width
    # A run at the edge of the image does not touch those at the other edge.
    at_left, at_right = starts % width == 0, ends % width == width - 1
    first = np.searchsorted(ends, starts + below - ~at_left)
    last = np.searchsorted(starts, ends + below + ~at_right, side="right")
    counts = np.maximum(0, last - first)
    upper = np.repeat(np.arange(len(starts)), counts)
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return upper, np.repeat(first, counts) + offsets


def joined(count: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Labels from 0 for things of which pairs belong together: the same for all that are connected."""
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
    """For each label the largest of its values."""
    smallest = np.iinfo(values.dtype).min if values.dtype.kind == "i" else -np.inf
    largest = np.full(count, smallest, dtype=values.dtype)
    np.maximum.at(largest, labels, values)
    return largest
