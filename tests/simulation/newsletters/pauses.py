"""A worker that pauses before one of its calls while other things happen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.newsletters.system import System


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


def run_with_a_pause(system: System, number: int, act: Callable[[], object]) -> bool:
    """
    Run the worker of the next message, which pauses before its call *number*; other messages wait. Return whether it
    made that many calls.
    """
    (queue, message), *_ = system.fifo_queues.receive()
    pause = Pause(number, act)
    system.interceptor.observer = pause.note
    try:
        system.run_worker(queue, message)
    finally:
        del system.interceptor.observer  # the default of the class
    return pause.count >= number
