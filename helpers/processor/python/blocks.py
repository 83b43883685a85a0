from __future__ import annotations

import numpy as np
from PIL import Image

TINY = 1e-6


def ratio(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The mean of each block's known pixels; meaningless for a block without any."""
    return values / np.maximum(shares, TINY)


def means(pixels: Image.Image | np.ndarray, factor: int) -> np.ndarray:
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels.astype(np.float32))
    return np.asarray(image.reduce(factor), np.float32)


def filled(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Fills unknown values from known ones nearby."""
    if known.all() or not known.any() or min(values.shape) == 1:
        mean = values[known].mean() if known.any() else 255
        return np.where(known, values, np.float32(mean))
    shares = means(known, 2)
    coarse = filled(ratio(means(values * known, 2), shares), shares > 0)
    fine = coarse.repeat(2, axis=0).repeat(2, axis=1)[: values.shape[0], : values.shape[1]]
    return np.where(known, values, fine)


def merged(bands: list[np.ndarray]) -> Image.Image:
    images = [Image.fromarray(np.clip(np.rint(band), 0, 255).astype(np.uint8)) for band in bands]
    return images[0] if len(images) == 1 else Image.merge("RGB", images)


def cells_of(pixels: np.ndarray, size: int) -> np.ndarray:
    """Axes: cell row, row, cell column, column. Drops partial cells at the right and bottom."""
    height, width = (side // size for side in pixels.shape)
    whole = pixels[: height * size, : width * size]
    return whole.reshape(height, size, width, size)


def extreme_around(pixels: np.ndarray, window: int, extreme: np.ufunc) -> np.ndarray:
    """np.maximum or np.minimum in a square around each pixel; `window` must be odd. Faster than
    Pillow's filters on noisy images, as these sort each square.
    """
    height, width = pixels.shape
    padded = np.pad(pixels, window // 2, "edge")
    across = extreme.reduce([padded[:, left : left + width] for left in range(window)])
    return extreme.reduce([across[top : top + height] for top in range(window)])


def surrounded(cells: np.ndarray, steps: int) -> np.ndarray:
    """Cells that are set with all neighbours within `steps`. Beyond the edges, cells are unset."""
    padded = np.pad(cells, steps)
    for axis in (0, 1):
        moved = [np.roll(padded, step, axis) for step in range(-steps, steps + 1)]
        padded = np.logical_and.reduce(moved)
    return padded[steps:-steps, steps:-steps]


def with_neighbours(cells: np.ndarray) -> np.ndarray:
    padded = np.pad(cells, 1)
    rows = padded[:-2] | padded[1:-1] | padded[2:]
    return rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]


def enlarged(cells: np.ndarray, size: int, shape: tuple[int, ...]) -> np.ndarray:
    """Pixels beyond the last whole cell are unset."""
    pixels = cells.repeat(size, axis=0).repeat(size, axis=1)[: shape[0], : shape[1]]
    room = [(0, side - own) for side, own in zip(shape, pixels.shape)]
    return np.pad(pixels, room)
