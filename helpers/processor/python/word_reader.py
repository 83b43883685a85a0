"""Reads doubtful words of receipts again with PP-OCR.

Tesseract confuses the letters of coarse receipt printers, and reads amounts wrongly. PP-OCR rarely
does. It needs ONNX Runtime (`python3-onnxruntime`, in Debian since 13), and is left out otherwise.
"""

from __future__ import annotations

import os
import re
import resource
from importlib.util import find_spec
from typing import Any, Callable

import numpy as np
from PIL import Image

from amounts import AMOUNT, MOST_CHARACTERS, groups_of, merged, text_of
from word_ends import CONTRAST

Line = dict[str, Any]
Word = list[Any]
# Text and confidence (0 to 1) of an image.
Reader = Callable[[Image.Image], tuple[str, float]]

# Words that Tesseract is less sure of are read again, in percent. Numbers have their own limit,
# since Tesseract is often sure of a wrong digit.
SURE, SURE_OF_NUMBER = 75, 93
# A second reading below LEAST counts as none; the word is then dropped if Tesseract was less sure
# than NO_WORD. An amount in parts is only replaced by a reading above LEAST_OF_PARTS.
LEAST, NO_WORD, LEAST_OF_PARTS = 0.6, 60, 0.8
HAS_DIGIT = re.compile(r"\d")
NUMBER = re.compile(r"[^A-Za-z]*\d[^A-Za-z]*")
# A page that Tesseract is less sure of is left as it is. It may be upside down, which its confidence
# shows: 28 to 37 % instead of 53 to 90 % on real receipts.
UPRIGHT = 45
# Asterisks, dashes or dots in a row are no words.
ROW_OF_SIGNS = re.compile(r"[\W_]{4,}")
# Only these characters of the model are used, as it also knows Chinese.
CHARACTERS = {chr(code) for code in range(0x20, 0x7F)} | set("£€")

# Height of the model's input, margin around a word as a share of its height, and least height of a
# word.
HEIGHT, MARGIN, LOWEST = 48, 0.12, 8
WIDEST = 40 * HEIGHT
# For libraries and the model, which use 45 MB of it.
ADDRESS_SPACE = 512 * 2**20
# A receipt takes 1 s, on a Raspberry Pi a few.
LONGEST_SECONDS = 60


def is_installed() -> bool:
    return find_spec("onnxruntime") is not None


def read_again(lines: list[Line], image: Image.Image, read: Reader, only_numbers: bool) -> None:
    """Replaces doubtful words of `lines` (see recognizer.py), and drops those that are none.

    `only_numbers`: the model does not know all letters of the page's language.
    """

    def reading_of(words: list[Word]) -> tuple[str, float]:
        crop = area_of(image, words)
        return ("", 0.0) if crop is None else read(crop)

    def is_usable(text: str) -> bool:
        return bool(text) and (not only_numbers or NUMBER.fullmatch(text) is not None)

    def words_of(line: Line) -> list[Word]:
        words: list[Word] = []
        for group in groups_of(line):
            if is_amount_in_parts(group) and is_usable(text_of(group)):
                text, sure = reading_of(group)
                if sure >= LEAST_OF_PARTS and len(AMOUNT.findall(text)) == 1 and is_usable(text):
                    words.append(replaced(merged(group), "".join(text.split()), sure))
                    continue
            for word in group:
                if not is_doubtful(word) or not is_usable(word[0]):
                    words.append(word)
                    continue
                text, sure = reading_of([word])
                if ROW_OF_SIGNS.fullmatch(text):
                    continue
                if sure >= LEAST and is_usable(text):
                    words.append(replaced(within_ink(word, image), text, sure))
                elif word[1] >= NO_WORD or only_numbers:
                    words.append(word)
        return words

    read_lines = [line if line["sideways"] else {**line, "words": words_of(line)} for line in lines]
    lines[:] = [line for line in read_lines if line["words"]]


def is_upright(lines: list[Line]) -> bool:
    words = [word for line in lines for word in line["words"]]
    characters = sum(len(word[0]) for word in words)
    return sum(len(word[0]) * word[1] for word in words) >= UPRIGHT * max(1, characters)


def is_doubtful(word: Word) -> bool:
    return word[1] < (SURE_OF_NUMBER if HAS_DIGIT.search(word[0]) else SURE)


def is_amount_in_parts(group: list[Word]) -> bool:
    """True for doubtful words that may be one amount, such as `RMZ8 03`."""
    text = text_of(group)
    if len(group) == 1 or len(text) > MOST_CHARACTERS or not HAS_DIGIT.search(text):
        return False
    return any(map(is_doubtful, group)) and not any(AMOUNT.search(word[0]) for word in group)


def replaced(word: Word, text: str, sure: float) -> Word:
    """The word with this text, as sure as both readings on average."""
    return [text, round((word[1] + 100 * sure) / 2, 2), *word[2:]]


def within_ink(word: Word, image: Image.Image) -> Word:
    """The word without an end that a gap wider than its height separates from the rest.

    Tesseract's box of a word that it could not read may begin at the edge of the paper.
    """
    left, top, right, bottom, ends = word[2:7]
    height = bottom - top
    pixels = np.asarray(image.crop((left, top, right, bottom)))
    if pixels.size == 0 or int(pixels.max()) - int(pixels.min()) < CONTRAST:
        return word
    inked = np.flatnonzero((pixels < (int(pixels.max()) + int(pixels.min())) / 2).any(axis=0))
    part = max(np.split(inked, np.flatnonzero(np.diff(inked) > height) + 1), key=len)
    first, last = int(part[0]), int(part[-1])
    begin = left if first <= height and first == inked[0] else left + first
    end = right if last >= right - left - height and last == inked[-1] else left + last + 1
    return [*word[:2], begin, top, end, bottom, [[begin, ends[0][1]], [end, ends[1][1]]], *word[7:]]


def area_of(image: Image.Image, words: list[Word]) -> Image.Image | None:
    left, top = min(word[2] for word in words), min(word[3] for word in words)
    right, bottom = max(word[4] for word in words), max(word[5] for word in words)
    if bottom - top < LOWEST or right <= left:
        return None
    margin = max(2, round(MARGIN * (bottom - top)))
    box = (max(0, left - margin), max(0, top - margin), min(image.width, right + margin), min(image.height, bottom + margin))
    return image.crop(box)


def reader_of(model: str, keys: str) -> Reader:
    """Loads the model, which takes 0.13 s and 45 MB."""
    allow_address_space()
    session = quietly(load_session, model)
    name = session.get_inputs()[0].name
    with open(keys, encoding="utf-8") as file:
        # The first output is the blank between characters, the last one is a space.
        characters = ["", *(line.rstrip("\n") for line in file), " "]
    if len(characters) != session.get_outputs()[0].shape[-1]:
        raise ValueError(f"{keys} does not belong to the model")
    used = np.array([at for at, character in enumerate(characters) if at == 0 or character in CHARACTERS])

    def read(image: Image.Image) -> tuple[str, float]:
        width = min(WIDEST, max(HEIGHT // 3, -(-image.width * HEIGHT // image.height)))
        gray = np.asarray(image.resize((width, HEIGHT), Image.Resampling.BILINEAR), np.float32) / 127.5 - 1
        shares = session.run(None, {name: np.repeat(gray[None, None], 3, axis=1)})[0][0][:, used]
        best = shares.argmax(axis=1)
        begins = (best != 0) & (best != np.concatenate(([0], best[:-1])))
        text = "".join(characters[used[at]] for at in best[begins])
        return text.strip(), float(shares.max(axis=1)[begins].mean()) if begins.any() else 0.0

    return read


def allow_address_space() -> None:
    """Makes room for libraries, which take more address space than memory."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        more = soft + ADDRESS_SPACE
        resource.setrlimit(resource.RLIMIT_AS, (more if hard == resource.RLIM_INFINITY else min(more, hard), hard))


def load_session(model: str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # One thread, as for Tesseract.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    """Debian's ONNX Runtime prints a thousand warnings when a model is loaded."""
    errors = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        return function(*arguments)
    finally:
        os.dup2(errors, 2)
        os.close(errors)
        os.close(null)
