"""Starts, follows and stops the programs of the local stack, and finds programs left over from earlier runs."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
LOCAL = ROOT / ".local"
LOGS = LOCAL / "logs"

# MiniStack's temporary files, including the scripts of its function workers.
TEMPORARY = LOCAL / "tmp"

# An option that Python ignores. It identifies every program started from this checkout by its command line; a stored
# process id could meanwhile belong to another process.
MARK = f"parley-stack={ROOT}"

_TERMINATE_WITHIN_SECONDS = 20
_KILL_WITHIN_SECONDS = 10
_STILL_RUNNING_AFTER_SECONDS = 15
_LINES_OF_A_FAILURE = 40

# Programs launched by this process, which must collect their exit codes.
_launched: list[subprocess.Popen[bytes]] = []


class StackError(Exception):
    """The local stack cannot run; the message explains why to the user."""


def marked(python: Path, *arguments: str) -> list[str]:
    """Build the command that runs this Python so that `ours` finds it."""
    return [str(python), "-X", MARK, *arguments]


def launch(
    name: str, command: Sequence[str], environment: Mapping[str, str], folder: Path = ROOT
) -> subprocess.Popen[bytes]:
    """Start a program in its own process group, in *folder*; it writes to `.local/logs/<name>.log`."""
    LOGS.mkdir(parents=True, exist_ok=True)
    with (LOGS / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _launched.append(process)
    return process


def follow(
    commands: Mapping[str, Sequence[str]], environment: Mapping[str, str], folder: Path = ROOT
) -> None:
    """
    Run programs in parallel, in *folder*, to their ends and print the duration of each.

    If one fails, the others are stopped and StackError contains the end of its output. On interrupt, all are stopped.
    """
    began = time.monotonic()
    next_sign = began + _STILL_RUNNING_AFTER_SECONDS
    running: dict[str, subprocess.Popen[bytes]] = {}
    say(f"{', '.join(commands)} ...")
    try:
        for name, command in commands.items():
            running[name] = launch(name, command, environment, folder)
        while running:
            for name, process in list(running.items()):
                code = process.poll()
                if code is None:
                    continue
                del running[name]
                _launched.remove(process)
                if code:
                    raise StackError(f"{name} failed ({code}):\n{tail(name)}")
                say(f"{name}: {time.monotonic() - began:.1f} s")
            if running and time.monotonic() > next_sign:
                next_sign += next_sign - began  # twice as late each time: few lines in a slow build
                say(f"{', '.join(running)} ... {time.monotonic() - began:.0f} s")
            time.sleep(0.05)
    finally:
        for process in running.values():
            _signal_group(process.pid, signal.SIGTERM)
            process.wait()
            _launched.remove(process)


def wait_for(
    name: str, process: subprocess.Popen[bytes], answers: Callable[[], bool], seconds: float
) -> None:
    """Return as soon as a launched program responds; StackError if it ends or does not respond in time."""
    deadline = time.monotonic() + seconds
    while not answers():
        if process.poll() is not None:
            raise StackError(f"{name} ended ({process.returncode}):\n{tail(name)}")
        if time.monotonic() > deadline:
            raise StackError(f"{name} does not answer:\n{tail(name)}")
        time.sleep(0.05)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a launched program and its group: SIGTERM, then SIGKILL after a timeout."""
    _signal_group(process.pid, signal.SIGTERM)
    try:
        process.wait(_TERMINATE_WITHIN_SECONDS)
    except subprocess.TimeoutExpired:
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()
    _launched.remove(process)


def ours() -> dict[int, str]:
    """Return the running processes of this checkout's stack, including function workers: process id -> command line."""
    if sys.platform != "linux":
        return {}  # the stack needs Linux
    found = {}
    worker = f"{TEMPORARY}/ministack-lambda-"
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has ended meanwhile
        if MARK in words or any(
            word.startswith(worker) and word.endswith("/_worker.py") for word in words
        ):
            found[int(entry.name)] = " ".join(words).strip()
    return found


def stop_ours() -> int:
    """
    Stop all processes of this checkout's stack and return their number.

    SIGTERM to their process groups, SIGKILL to the rest after 20 seconds, StackError if that fails too.
    `launch` created each of these groups, so they contain no other processes.
    """
    began = time.monotonic()
    stopped: set[int] = set()
    told: set[int] = set()
    while running := ours():
        stopped |= running.keys()
        waited = time.monotonic() - began
        if waited > _TERMINATE_WITHIN_SECONDS + _KILL_WITHIN_SECONDS:
            raise StackError("These do not end:\n" + "\n".join(running.values()))
        for number in running:
            with contextlib.suppress(ProcessLookupError):
                group = os.getpgid(number)
                if waited > _TERMINATE_WITHIN_SECONDS:
                    _signal_group(group, signal.SIGKILL)
                elif group not in told:
                    told.add(group)
                    _signal_group(group, signal.SIGTERM)
        time.sleep(0.05)
    for process in _launched:
        process.wait()
    _launched.clear()
    return len(stopped)


@contextlib.contextmanager
def stopping_on_signals() -> Iterator[None]:
    """Treat SIGTERM and a closed terminal like Ctrl-C: raise an exception, so that everything is stopped."""

    def interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers and receives signals
        return
    before = {
        number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def as_program(main: Callable[[], None]) -> None:
    """Run a command's main function: print a StackError and exit with 1, end cleanly on signals."""
    with stopping_on_signals():
        try:
            main()
        except StackError as error:
            sys.exit(str(error))
        except KeyboardInterrupt:
            sys.exit("stopped")


def say(line: str) -> None:
    """Print a progress line."""
    print(f"  {line}", flush=True)


def tail(name: str) -> str:
    """Return the last lines of a program's log, and the log's path."""
    log = LOGS / f"{name}.log"
    lines = log.read_text(errors="replace").splitlines()[-_LINES_OF_A_FAILURE:]
    return "\n".join([*(f"    {line}" for line in lines), f"  All of it: {log}"])


def _signal_group(group: int, what: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, what)
