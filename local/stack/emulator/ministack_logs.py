"""
Patch of MiniStack for the log of an invocation: its lines up to a mark that the function's process writes at the end.

MiniStack answers an invocation if no line of its log has arrived for some milliseconds. On a busy machine lines arrive
later; they appear with the next invocation of that process, and the lines of its last one never. Reports are made from
these logs. A longer wait would be longer than most invocations.
"""

import queue
import time
import uuid
from weakref import WeakKeyDictionary

from ministack.core import lambda_runtime
from ministack.core.lambda_runtime import Worker

_MARK = f"end of the invocation {uuid.uuid4().hex}"
# The end of the loop over invocations in the program of a Python function: here it sends the answer.
_ANSWERED = "        _real_stdout.flush()\n\nrun()\n"
# How many marks of each process have not come in time.
_late: WeakKeyDictionary["queue.Queue[str]", int] = WeakKeyDictionary()
_LOOK_SECONDS, _LONGEST_SECONDS = 0.1, 10.0


def all_lines(worker: Worker, **_waits: float) -> str:
    """
    Return a function's output up to its mark, or to its end if the process ended before. Lines that come too late are
    with those of the next invocation, which has its mark behind theirs.
    """
    reader, arrived = worker._stderr_thread, worker._stderr_queue
    lines: list[str] = []
    marks = _late.pop(arrived, 0) + 1
    deadline = time.monotonic() + _LONGEST_SECONDS
    while time.monotonic() < deadline:
        is_complete = not reader.is_alive()  # then all lines are in the queue
        try:
            line = arrived.get(timeout=0 if is_complete else _LOOK_SECONDS)
        except queue.Empty:
            if is_complete:
                break
            continue
        lines.append(line.removesuffix(_MARK))
        marks -= line.endswith(_MARK)
        if not marks:
            break
    else:
        _late[arrived] = marks
    return "\n".join(line for line in lines if line)


def install() -> None:
    """Replace MiniStack's wait. SystemExit if its program of a function is another one."""
    program = lambda_runtime._PYTHON_WORKER_SCRIPT
    if not program.endswith(_ANSWERED) or not hasattr(Worker, "_drain_stderr_bounded"):
        raise SystemExit(
            "this MiniStack works in another way: local/stack/emulator/ministack_logs.py has to follow"
        )
    marked = (
        f"        sys.stderr.write({_MARK!r} + chr(10))\n        sys.stderr.flush()\n{_ANSWERED}"
    )
    lambda_runtime._PYTHON_WORKER_SCRIPT = program.removesuffix(_ANSWERED) + marked
    Worker._drain_stderr_bounded = all_lines
