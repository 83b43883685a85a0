"""recognizer.py, but its child processes prefer a failing "tesseract" in the PATH."""

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


def replaced(tesseract, image, out, languages, dpi, *column):
    """Runs the program in place of Tesseract and writes the files its caller reads."""
    program = shutil.which("tesseract")
    if program == REAL_PROGRAM:
        read_page(tesseract, image, out, languages, dpi, *column)
    os.environ["TMPDIR"] = os.getcwd()
    with contextlib.suppress(IsADirectoryError):  # made by a test
        Path(out + ".json").write_text("[]", encoding="utf-8")
    os.execv(program, ["tesseract", image, out, "-l", "eng", "--dpi", str(dpi), "-c", "textonly_pdf=1", "pdf"])


recognizer.read_page = replaced
serve(named(recognizer.versions, recognizer.load, recognizer.recognize))
