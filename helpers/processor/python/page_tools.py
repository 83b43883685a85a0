"""Runs one job that needs Pillow or pikepdf: `page_tools.py JOB OPTIONS`, with the options as a JSON object.

Prints one JSON object: {"result": {...}}, or {"error": KIND, "message": TEXT} where KIND is `unreadable` (a file is
not what it should be), `no_space` or `failed`. Each job imports only what it uses: importing takes longer than most jobs.
"""

from __future__ import annotations

import errno
import importlib
import json
import os
import sys
from typing import Any

# Isolated mode (-I) leaves the directory of the script out of the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from unreadable import Unreadable  # noqa: E402

MODULES = {"prepare": "page_image", "turn": "page_image", "compose": "page_pdf", "merge": "document_pdf"}


def outcome(job: str, options: dict[str, Any]) -> dict[str, Any]:
    """Does the job; whatever goes wrong becomes an error with its kind."""
    try:
        return {"result": getattr(importlib.import_module(MODULES[job]), job)(**options)}
    except Unreadable as error:
        return {"error": "unreadable", "message": str(error)}
    except Exception as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        return {"error": "no_space" if full else "failed", "message": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    print(json.dumps(outcome(sys.argv[1], json.loads(sys.argv[2]))))
