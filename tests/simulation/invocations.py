"""The Lambda context and the sandbox's clock; both use the system's clock."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from local.sandbox import state

if TYPE_CHECKING:
    from tests.simulation.clock import Clock


@dataclass
class Invocation:
    """The Lambda context of one run, which ends *lasts_ms* after its start by the system's clock."""

    clock: Clock
    function_name: str = "simulated"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:123456789012:function:simulated"
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    lasts_ms: int = 120_000
    ends_at: int = field(init=False)

    def __post_init__(self) -> None:
        self.ends_at = self.clock.ms + self.lasts_ms

    def get_remaining_time_in_millis(self) -> int:
        """The rest of the function's timeout."""
        return max(0, self.ends_at - self.clock.ms)


class SandboxClock(state.Clock):
    """Make the sandbox use the system's clock."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        return self._clock.ms / 1_000
