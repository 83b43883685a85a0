"""Does jobs that need Pillow, NumPy, pikepdf or OCRmyPDF, one after the other, for as long as its standard input is open.

Reads one JSON object per line and answers each with one: loading the modules takes longer than most jobs do, so it
happens once. A worker that is killed, or dies, takes only the job under way with it.

    {"job": "compose", "options": {...}, "directory": "/tmp/x", "memory_bytes": 800000000}

    {"result": {...}}   or   {"error": "unreadable" | "no_space" | "no_memory" | "failed", "message": "..."}
"""

from __future__ import annotations

import errno
import json
import os
import platform
import resource
import sys
import tempfile
from typing import Any

# Isolated mode (-I) leaves the directory of the script out of the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy  # noqa: E402
import ocrmypdf  # noqa: E402
import pikepdf  # noqa: E402
import PIL  # noqa: E402

from bilevel import binarize  # noqa: E402
from crop import crop  # noqa: E402
from document_pdf import assemble  # noqa: E402
from examination.examine import examine  # noqa: E402
from layers import separate  # noqa: E402
from page_image import prepare, turn  # noqa: E402
from page_pdf import compose  # noqa: E402
from unreadable import Unreadable  # noqa: E402


def versions() -> dict[str, str]:
    """The versions of what the jobs use."""
    return {
        "ocrmypdf": ocrmypdf.__version__,
        "python": platform.python_version(),
        "pikepdf": pikepdf.__version__,
        "pillow": PIL.__version__,
        "numpy": numpy.__version__,
    }


JOBS = {
    job.__name__: job
    for job in (versions, prepare, examine, turn, crop, binarize, separate, compose, assemble)
}


def outcome(job: str, options: dict[str, Any], directory: str, memory_bytes: int) -> dict[str, Any]:
    """Does a job in its own directory; whatever goes wrong becomes an error with its kind."""
    try:
        os.chdir(directory)
        tempfile.tempdir = directory
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        # What earlier jobs have left mapped, such as the stacks of threads, is not this job's.
        resource.setrlimit(resource.RLIMIT_AS, (address_space() + memory_bytes, hard))
        return {"result": JOBS[job](**options)}
    except Unreadable as error:
        return {"error": "unreadable", "message": str(error)}
    except MemoryError:
        return {"error": "no_memory", "message": f"more than {memory_bytes // 2**20} MB of memory would be needed"}
    except Exception as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        return {"error": "no_space" if full else "failed", "message": f"{type(error).__name__}: {error}"}
    finally:
        os.chdir("/")  # the directory is removed


def address_space() -> int:
    """Bytes of address space that this process has now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def serve() -> None:
    """Answers jobs until there are no more. What a module prints goes to standard error, not between the answers."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(outcome(**json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    serve()
