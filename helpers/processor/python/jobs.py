"""Runs jobs from standard input, one at a time, until it is closed.

Each line is a JSON object, and so is each answer. If the process dies, only the current job is
lost.

  {"job": "compose", "options": {...}, "directory": "/tmp/x", "memory_bytes": 800000000}
  {"result": {...}}   or   {"error": "unreadable" | "no_space" | "no_memory" | "failed",
  "message": "..."}
"""

from __future__ import annotations

import errno
import json
import os
import resource
import sys
import tempfile
from typing import Any, Callable

from unreadable import Unreadable

Jobs = dict[str, Callable[..., Any]]


def named(*functions: Callable[..., Any]) -> Jobs:
    return {function.__name__: function for function in functions}


def outcome(function: Callable[..., Any], options: dict[str, Any], directory: str, memory_bytes: int) -> dict[str, Any]:
    """Exceptions become an error answer."""
    try:
        os.chdir(directory)
        tempfile.tempdir = directory
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        # Memory that earlier jobs left mapped, such as thread stacks, does not count.
        resource.setrlimit(resource.RLIMIT_AS, (address_space() + memory_bytes, hard))
        return {"result": function(**options)}
    except Unreadable as error:
        return {"error": "unreadable", "message": str(error)}
    except MemoryError:
        return {"error": "no_memory", "message": f"more than {memory_bytes // 2**20} MB of memory would be needed"}
    except Exception as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        return {"error": "no_space" if full else "failed", "message": f"{type(error).__name__}: {error}"}
    finally:
        os.chdir("/")  # the directory will be removed


def address_space() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def serve(jobs: Jobs) -> None:
    """Sends the output of modules to standard error, since it would corrupt the answers."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        order = json.loads(line)
        function = jobs[order.pop("job")]
        print(json.dumps(outcome(function, **order)), file=answers, flush=True)
