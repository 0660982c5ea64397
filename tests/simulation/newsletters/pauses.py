"""A worker that pauses before one of its calls while other things happen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tests.simulation.crashes.disturbances import unlike

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.newsletters.system import System

_OF_ALL: Final = re.compile(r"secrets-manager\.|s3\.ListObjectsV2|s3\.\w+ corpus/")


@dataclass
class Pause:
    """Calls *act* before the call of AWS with this *number*, once; *count* are the calls so far."""

    number: int
    act: Callable[[], object]
    count: int = 0

    def note(self, _operation: str, _parameters: dict[str, Any]) -> None:
        """One call of a function."""
        self.count += 1
        if self.count == self.number:
            self.act()


def moments(system: System) -> list[int]:
    """
    Run the worker of the next message; return the numbers of its calls before which a pause is unlike the others.

    Documents and keys are the same for all: a pause before such a call is one before the next call.
    """
    calls: list[str] = []

    def note(operation: str, parameters: dict[str, Any]) -> None:
        key = parameters.get("Key", "")
        calls.append(
            f"{operation} {key if isinstance(key, str) else ' '.join(map(_text, key.values()))}"
        )

    _run(system, note)
    own = [(n, "") for n, call in enumerate(calls, start=1) if not _OF_ALL.match(call)]
    return [number for number, _ in unlike(own, calls)]


def run_with_a_pause(system: System, number: int, act: Callable[[], object]) -> None:
    """Run the worker of the next message, which pauses before its call *number*; other messages wait."""
    pause = Pause(number, act)
    _run(system, pause.note)
    assert pause.count >= number


def _run(system: System, observer: Callable[[str, dict[str, Any]], None]) -> None:
    (queue, message), *_ = system.fifo_queues.receive()
    system.interceptor.observer = observer
    try:
        system.run_worker(queue, message)
    finally:
        del system.interceptor.observer  # the default of the class


def _text(value: dict[str, str]) -> str:
    return value["S"]
