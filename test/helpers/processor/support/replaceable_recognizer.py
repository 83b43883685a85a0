"""recognizer.py, in whose copies a program named "tesseract" takes the place of Tesseract, where the PATH has one that goes wrong."""

import contextlib
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / "helpers/processor/python"))

import recognizer  # noqa: E402
from jobs import named, serve  # noqa: E402

REAL_PROGRAM = "/usr/bin/tesseract"

read_page = recognizer.read_page


def replaced(tesseract, image, out, settings):
    """Starts the program as if it were Tesseract's own. It writes what it is told to, and a list of words without any."""
    program = shutil.which("tesseract")
    if program == REAL_PROGRAM:
        read_page(tesseract, image, out, settings)
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    os.environ["TMPDIR"] = os.getcwd()
    with contextlib.suppress(IsADirectoryError):  # of a test
        Path(out + ".json").write_text("[]", encoding="utf-8")
    os.execv(program, ["tesseract", image, out, "-l", "eng", *options, "pdf"])


recognizer.read_page = replaced
serve(named(recognizer.versions, recognizer.load, recognizer.recognize))
