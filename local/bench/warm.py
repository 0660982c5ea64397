"""Processor time per event of a warm function, with AWS calls answered in the process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from local.bench.fresh import told_by

if TYPE_CHECKING:
    from local.stack.functions import Function


@dataclass(frozen=True)
class Handling:
    """Per event: user and system time, the SDK's part of it, and the number of AWS calls."""

    cpu_ms: float
    sdk_ms: float
    calls: int

    @property
    def own_ms(self) -> float:
        """The processor time without the SDK's part."""
        return self.cpu_ms - self.sdk_ms


def handling_of(function: Function, first: object, event: object, times: int) -> Handling:
    """Have a warm function handle `event` repeatedly; `first` is the event that warms it up."""
    asked = {"handler": function.handler, "first": first, "event": event, "times": times}
    return Handling(**told_by("handle_warm.py", function, given=json.dumps(asked)))
