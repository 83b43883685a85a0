"""Recognizes pages with Tesseract.

Loading models takes a tenth of a second, as long as all other work on a page, so they stay loaded.
Each page is recognized in a fork of this process, which has the models and may crash, hang or be
killed alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

# Isolated mode (-I) removes the script's directory from the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import tesserocr  # noqa: E402
from PIL import Image  # noqa: E402
from tesserocr import RIL  # noqa: E402

from amounts import repair_amounts, zeros_for_letters  # noqa: E402
from jobs import named, serve  # noqa: E402
from word_ends import find_ends  # noqa: E402
from unreadable import Unreadable  # noqa: E402
import word_reader  # noqa: E402

# Combinations of languages whose models stay loaded, about 25 MB per language.
KEPT_COMBINATIONS = 2
# Limit for each file that the fork writes: ten times the size for the densest page.
MAX_FILE_BYTES = 64 * 2**20
# Kept from the end of Tesseract's output.
ERROR_BYTES = 2000

# Without orientation detection, Tesseract reports vertical lines as TOP_TO_BOTTOM.
SIDEWAYS = tesserocr.WritingDirection.TOP_TO_BOTTOM
# True for words read from right to left, by Tesseract's StrongScriptDirection, which tesserocr does
# not export.
LEFTWARDS = {1: False, 2: True}

# prctl(2)
PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15

LIBC = ctypes.CDLL(None)


def versions() -> dict[str, str]:
    return {"tesseract": tesserocr.tesseract_version().split()[1]}


def load(languages: list[str]) -> dict[str, str]:
    tesseract_for(tuple(languages))
    return {}


@functools.lru_cache(maxsize=KEPT_COMBINATIONS)
def tesseract_for(languages: tuple[str, ...]) -> tesserocr.PyTessBaseAPI:
    """Tesseract with these models. Skips orientation detection, which takes a third longer.

    Raises Unreadable for missing or damaged models, and OSError if they temporarily cannot be read.
    """
    options = {"lang": "+".join(languages), "psm": tesserocr.PSM.AUTO}
    # Tesseract does not report why it could not load a model.
    try:
        return tesserocr.PyTessBaseAPI(**options)
    except RuntimeError:
        check_models(languages)
    try:
        return tesserocr.PyTessBaseAPI(**options)
    except RuntimeError as error:
        raise Unreadable(f"cannot load the models of {options['lang']}: {error}") from error


def check_models(languages: tuple[str, ...]) -> None:
    """Raises OSError if the models temporarily cannot be read."""
    directory, _ = tesserocr.get_languages()
    for language in languages:
        with contextlib.suppress(FileNotFoundError, PermissionError):
            Path(directory, f"{language}.traineddata").read_bytes()


def recognize(
    image: str, out: str, languages: list[str], dpi: int, column: dict[str, str] | None = None, bilevel: bool = False
) -> dict[str, Any]:
    """Writes the lines of a page to OUT.json, and an empty page with their font to OUT.pdf.

    `column`: the model of word_reader.py, if the page is a single column of text. `bilevel`: the
    page was scanned in black and white. Returns the fork's exit code, or the signal that killed it,
    and Tesseract's output if it failed. If only reading words again fails, the page is recognized
    without, and `not_read_again` tells how it ended.
    """
    tesseract = tesseract_for(tuple(languages))
    reader = column if column is not None and word_reader.is_installed() else None
    end = read_in_fork(tesseract, image, out, (languages, dpi, column is not None, bilevel, reader))
    if end["exit_code"] == 0 or reader is None:
        return end
    return {**read_in_fork(tesseract, image, out, (languages, dpi, True, bilevel, None)), "not_read_again": end}


def read_in_fork(tesseract: tesserocr.PyTessBaseAPI, image: str, out: str, how: tuple[Any, ...]) -> dict[str, int | str | None]:
    errors = out + ".err"
    # Opened before the fork, so that a lack of descriptors does not look like Tesseract's failure.
    with open(os.devnull, "r+b", buffering=0) as null, open(errors, "wb") as log:
        parent = os.getpid()
        child = os.fork()
        if child == 0:
            try:
                be_a_program(parent, null.fileno(), log.fileno())
                read_page(tesseract, image, out, *how)
            except BaseException as error:
                print(error, file=sys.stderr, flush=True)
            finally:
                # Also if the error cannot be printed. The fork would go on as a second recognizer.
                os._exit(1)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return {
        "exit_code": code if code >= 0 else None,
        "signal": signal.Signals(-code).name if code < 0 else None,
        "stderr": "" if code == 0 else end_of(errors),
    }


def read_page(
    tesseract: tesserocr.PyTessBaseAPI,
    image: str,
    out: str,
    languages: list[str],
    dpi: int,
    column: bool,
    bilevel: bool,
    reader: dict[str, str] | None,
) -> NoReturn:
    tesseract.SetVariable("user_defined_dpi", str(dpi))
    if column:
        # As a block, it finds more amounts, but also dirt, which only the second reading drops. In
        # black and white, the edge of the paper would become a stroke in each line.
        as_block = reader is not None and not bilevel
        tesseract.SetPageSegMode(tesserocr.PSM.SINGLE_BLOCK if as_block else tesserocr.PSM.SINGLE_COLUMN)
    # Nothing reads the UNLV file. Without an output file, tesserocr would open the image with
    # Pillow, which has limits of its own. Writing other formats is slower: it restarts at the top
    # of the page for each line or word.
    tesseract.SetVariable("tessedit_write_unlv", "1")
    if not tesseract.ProcessPages(out, image):
        raise ValueError("the page could not be processed")
    lines = lines_of(tesseract)
    if reader:
        # ONNX Runtime may hang. SIGALRM then ends this process.
        signal.alarm(word_reader.LONGEST_SECONDS)
        read_words_again(lines, image, languages, reader)
        signal.alarm(0)
    if column:
        repair_amounts(lines)
    # If this correction fails, the text is kept as it is.
    with contextlib.suppress(OSError, MemoryError):
        find_ends(lines, image)
    with open(out + ".json", "w", encoding="utf-8") as file:
        file.write(json.dumps(lines, ensure_ascii=False))
    write_font(tesseract, out)
    # A regular exit would free the models piece by piece.
    os._exit(0)


def read_words_again(lines: list[dict[str, Any]], image: str, languages: list[str], reader: dict[str, str]) -> None:
    if not word_reader.is_upright(lines):
        return
    with Image.open(image) as page:
        word_reader.read_again(lines, page.convert("L"), word_reader.reader_of(**reader), only_numbers=languages != ["eng"])
    zeros_for_letters(lines)


def lines_of(tesseract: tesserocr.PyTessBaseAPI) -> list[dict[str, Any]]:
    """In pixels. A line has its direction, the ends of its base line, its height, and its words:
    text, confidence in percent, left, top, right and bottom edge, the ends of the base line, and
    whether it is read from right to left. Base lines start at the left end of the letters.
    """
    lines: list[dict[str, Any]] = []
    found = tesseract.GetIterator()
    # A page without text has no iterator, or an empty one.
    if found is None or found.Empty(RIL.WORD):
        return lines
    leftwards = False
    for word in tesserocr.iterate_level(found, RIL.WORD):
        box = word.BoundingBox(RIL.WORD)
        if box is None:
            continue
        # Asking whether a word starts a line would restart at the top of the page for each word.
        base_line = word.Baseline(RIL.TEXTLINE)
        if not lines or base_line != lines[-1]["base_line"]:
            sideways = word.Orientation()[1] == SIDEWAYS
            height = word.RowAttributes()["row_height"]
            lines.append({"sideways": sideways, "base_line": base_line, "height": height, "words": []})
        # Digits have no direction, so they take the direction of the previous word.
        leftwards = not lines[-1]["sideways"] and LEFTWARDS.get(word.WordDirection(), leftwards)
        confidence, ends = round(word.Confidence(RIL.WORD), 2), word.Baseline(RIL.WORD)
        text = text_of(word, leftwards)
        # Tesseract reports a picture as a word of blanks, with high confidence.
        if text.strip():
            lines[-1]["words"].append([text, confidence, *box, ends, leftwards])
    return [line for line in lines if line["words"]]


def text_of(word: tesserocr.PyResultIterator, leftwards: bool) -> str:
    """The word in reading order. Leaves the iterator within the word."""
    if not leftwards:
        return word.GetUTF8Text(RIL.WORD)
    # As a whole, the word would be in printed order, from left to right.
    text = word.GetUTF8Text(RIL.SYMBOL)
    while not word.IsAtFinalElement(RIL.WORD, RIL.SYMBOL):
        word.Next(RIL.SYMBOL)
        text += word.GetUTF8Text(RIL.SYMBOL)
    return text


def write_font(tesseract: tesserocr.PyTessBaseAPI, out: str) -> None:
    """All text uses Tesseract's font. Writes an empty page with it (OUT.pdf)."""
    blank = Path(out + ".pgm")
    blank.write_bytes(b"P5 8 8 255 " + b"\xff" * 64)
    for name in ("tessedit_create_pdf", "textonly_pdf"):
        tesseract.SetVariable(name, "1")
    if not tesseract.ProcessPages(out, str(blank)):
        raise ValueError("the font could not be written")


def be_a_program(parent: int, null: int, log: int) -> None:
    """Makes the fork a program with its own output, which dies with its parent."""
    LIBC.prctl(PR_SET_NAME, b"tesseract", 0, 0, 0)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_BYTES, MAX_FILE_BYTES))
    for ours, its in ((null, 0), (null, 1), (log, 2)):
        os.dup2(ours, its)


def end_of(file: str) -> str:
    try:
        with open(file, "rb") as opened:
            opened.seek(max(0, os.path.getsize(file) - ERROR_BYTES))
            return opened.read(ERROR_BYTES).decode(errors="replace")
    except OSError:
        return ""


if __name__ == "__main__":
    serve(named(versions, load, recognize))
