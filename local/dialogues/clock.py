"""The simulated clock of the handlers, the emulated queues and the sandbox."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from unittest import mock

import moto.sqs.models
from botocore import endpoint

from local.sandbox import state
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

START: Final = (
    "2026-01-05T12:00:00.000Z"  # a Monday at noon: outside quiet hours, within opening hours
)


@dataclass(slots=True)
class Clock:
    """Milliseconds since 1970, which pass only when they are added."""

    ms: int

    def now_ms(self) -> int:
        """Return the time."""
        return self.ms

    def seconds(self) -> float:
        """Return seconds since 1970."""
        return self.ms / 1_000

    def sleep_ms(self, milliseconds: float) -> None:
        """Advance the clock instead of waiting."""
        self.ms += round(milliseconds)

    def sleep(self, seconds: float) -> None:
        """Advance the clock instead of waiting."""
        self.ms += round(seconds * 1_000)


class SandboxClock(state.Clock):
    """The sandbox's clock is the simulated one."""

    def __init__(self, simulated: Clock) -> None:
        super().__init__()
        self._simulated = simulated

    def now(self) -> float:
        """Return seconds since 1970."""
        return self._simulated.seconds()


@contextmanager
def simulated() -> Iterator[Clock]:
    """Replace the clocks of this process that handlers and moto's queues read, and the pauses of the SDK."""
    own = Clock(clock.from_text(START))
    replaced = (
        mock.patch.object(clock, "now_ms", own.now_ms),
        mock.patch.object(clock, "sleep_ms", own.sleep_ms),
        mock.patch.object(endpoint, "time", own),
        mock.patch.object(moto.sqs.models, "unix_time", own.seconds),
        mock.patch.object(moto.sqs.models, "unix_time_millis", own.now_ms),
    )
    with ExitStack() as stack:
        for one in replaced:
            stack.enter_context(one)
        yield own
