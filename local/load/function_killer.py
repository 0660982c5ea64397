"""Kills the processes that run functions, to simulate a crash, a timeout or exhausted memory on AWS."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from local.stack.processes import ours

INBOX = ("parley-local-whatsapp-worker", "parley-local-whatsapp-webhook")
MAIL = ("parley-local-email-threads-worker", "parley-local-email-threads-ingest")


@dataclass
class FunctionKiller:
    """Kills a process of each function every few seconds, until stopped or *most* of a function are killed."""

    seed: int
    most: int
    every_seconds: tuple[float, float]
    functions: tuple[str, ...] = INBOX
    killed: Counter[str] = field(default_factory=Counter)
    _stop: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Start one thread per function."""
        for function in self.functions:
            threading.Thread(target=self._run, args=(function,), daemon=True).start()

    def stop(self) -> None:
        """Stop killing."""
        self._stop.set()

    def _run(self, function: str) -> None:
        random = Random(f"{self.seed} {function}")  # noqa: S311 - it picks moments, no secrets
        while self.killed[function] < self.most:
            if self._stop.wait(random.uniform(*self.every_seconds)):
                return
            for process in _processes_of(function)[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    self.killed[function] += 1


def _processes_of(function: str) -> list[int]:
    """Return the processes of this checkout's stack that run *function*."""
    mark = f"AWS_LAMBDA_FUNCTION_NAME={function}".encode()
    processes = []
    for process_id in ours():
        with contextlib.suppress(OSError):
            if mark in Path(f"/proc/{process_id}/environ").read_bytes().split(b"\0"):
                processes.append(process_id)
    return processes
