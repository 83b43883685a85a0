"""A Python that has loaded its modules, and runs scripts in copies of itself: loading takes longer than most scripts do.

`warm_python.py MODULE...` loads the modules that are there, then reads orders, a JSON object a line, and answers each
`argv` with a line when its script has ended:

    {"id": 1, "argv": ["/script.py", "x"], "cwd": "/", "env": {"PATH": "/bin"}, "stdout_file": null}
    {"id": 1, "kill": true}

    {"id": 1, "exit_code": 0, "signal": null, "stdout": "", "stderr": ""}

Each script has a process, a process group, an environment and a working directory of its own; whatever it does, the next
one finds everything as it was. All of them are killed when the orders end, or this process does.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import sys
import traceback
from contextlib import ExitStack, suppress
from typing import Any, NoReturn

# Text kept of each output of a script. One that prints more is broken, and is killed.
MAX_OUTPUT_BYTES = 4_000_000

# All that a pipe can hold.
READ_BYTES = 1_048_576

# From <linux/prctl.h>.
PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15

# No descriptor of ours is higher: there are three for each script that runs.
HIGHEST_DESCRIPTOR = 4096

# Where the answers go; a module that prints while it is loaded does not get in between.
ANSWERS = 3

SIGNAL_NAMES = {known.value: known.name for known in signal.Signals}

libc = ctypes.CDLL(None)


class Run:
    """A script that runs. `process` becomes readable when it has ended."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.id = order["id"]
        self.kept = {"stdout": bytearray(), "stderr": bytearray()}
        with ExitStack() as undo:
            pipes = {name: open_pipe(undo) for name in self.kept}
            original = os.getpid()
            self.pid = os.fork()
            if self.pid == 0:
                become(order, original, {name: write for name, (_, write) in pipes.items()})
            undo.callback(os.waitpid, self.pid, 0)
            undo.callback(os.kill, self.pid, signal.SIGKILL)
            with suppress(OSError):  # the copy does it too: whoever comes first
                os.setpgid(self.pid, self.pid)
            self.process = os.pidfd_open(self.pid)
            undo.pop_all()
        self.outputs = {}
        for name, (read, write) in pipes.items():
            os.close(write)
            os.set_blocking(read, False)
            self.outputs[read] = name

    def kill(self) -> None:
        """Ends the script and all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def read(self, output: int) -> bool:
        """Keeps what there is to read; false when nothing more will come."""
        kept = self.kept[self.outputs[output]]
        try:
            chunk = os.read(output, READ_BYTES)
        except BlockingIOError:
            return True
        if len(kept) + len(chunk) > MAX_OUTPUT_BYTES:
            self.kill()
        else:
            kept += chunk
        return chunk != b""

    def end(self) -> dict[str, Any]:
        """The answer for a script that has ended; closes what it needed."""
        self.kill()  # what it left running
        for output in self.outputs:
            self.read(output)
        _, status = os.waitpid(self.pid, 0)
        for descriptor in (self.process, *self.outputs):
            os.close(descriptor)
        code = os.waitstatus_to_exitcode(status)
        return {
            "id": self.id,
            "exit_code": code if code >= 0 else None,
            "signal": SIGNAL_NAMES.get(-code, f"signal {-code}") if code < 0 else None,
            **{name: text.decode(errors="replace") for name, text in self.kept.items()},
        }


def open_pipe(undo: ExitStack) -> tuple[int, int]:
    """The two ends of a new pipe, which are closed when something goes wrong."""
    ends = os.pipe()
    for end in ends:
        undo.callback(os.close, end)
    return ends


def become(order: dict[str, Any], original: int, outputs: dict[str, int]) -> NoReturn:
    """Runs a script in this process, which is a copy, and ends it."""
    status = 1
    try:
        os.setpgid(0, 0)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != original:
            os._exit(status)  # it had died before the kernel was told
        script = order["argv"][0]
        libc.prctl(PR_SET_NAME, os.path.basename(script).encode())
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(outputs["stderr"], 2)
        file = order["stdout_file"]
        os.dup2(outputs["stdout"] if file is None else os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.closerange(3, HIGHEST_DESCRIPTOR)
        os.chdir(order["cwd"])
        os.environ.clear()
        os.environ.update(order["env"])
        sys.argv = order["argv"]
        code = exit_code_of(script)
        sys.stdout.flush()
        sys.stderr.flush()
        status = code
    except OSError as error:
        print(error, file=sys.stderr, flush=True)
    finally:
        os._exit(status)


def exit_code_of(script: str) -> int:
    """Runs the script as Python itself would."""
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return int(end.code or 0)
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def serve() -> None:
    """Carries out orders until there are no more."""
    runs: dict[int, Run] = {}
    selector = selectors.DefaultSelector()
    selector.register(0, selectors.EVENT_READ)
    unread = b""
    while True:
        for key, _ in selector.select():
            if key.data is None:
                chunk = os.read(0, READ_BYTES)
                if not chunk:
                    for run in runs.values():
                        run.kill()
                    return
                *lines, unread = (unread + chunk).split(b"\n")
                for line in lines:
                    carry_out(json.loads(line), runs, selector)
            elif key.fileobj in selector.get_map():
                go_on(key.data, key.fileobj, runs, selector)


def carry_out(order: dict[str, Any], runs: dict[int, Run], selector: selectors.BaseSelector) -> None:
    """Starts a script, or kills one; one that has ended meanwhile cannot be killed, which is as well."""
    if "kill" in order:
        if order["id"] in runs:
            runs[order["id"]].kill()
        return
    try:
        run = runs[order["id"]] = Run(order)
    except OSError as error:  # no memory, or no descriptors
        answer({"id": order["id"], "exit_code": 1, "signal": None, "stdout": "", "stderr": str(error)})
        return
    for descriptor in (run.process, *run.outputs):
        selector.register(descriptor, selectors.EVENT_READ, run)


def go_on(run: Run, ready: Any, runs: dict[int, Run], selector: selectors.BaseSelector) -> None:
    """Reads what a script has printed, or answers when it has ended."""
    if ready != run.process:
        if not run.read(ready):
            selector.unregister(ready)
        return
    for descriptor in (run.process, *run.outputs):
        if descriptor in selector.get_map():
            selector.unregister(descriptor)
    del runs[run.id]
    answer(run.end())


def answer(facts: dict[str, Any]) -> None:
    """Writes an answer whole; whoever gives the orders reads all the time."""
    line = json.dumps(facts).encode() + b"\n"
    while line:
        line = line[os.write(ANSWERS, line) :]


if __name__ == "__main__":
    # Linux has it from 5.3 on. Where there is none this ends here, and each script gets a Python of its own.
    os.close(os.pidfd_open(os.getpid()))
    os.dup2(1, ANSWERS, inheritable=False)
    os.dup2(2, 1)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    for module in sys.argv[1:]:
        # The script that needs it says it better.
        with suppress(ImportError):
            importlib.import_module(module)
    # What is there now stays for good: looking through it again would only unshare its memory.
    gc.collect()
    gc.freeze()
    serve()
