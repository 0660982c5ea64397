"""Calls to a model within the time and attempts of a turn, and their cost."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversations.ai.outcome import Cost
from shared import ai
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_CALL_MS = 45 * clock.SECOND_MS
SHORTEST_LEFT_MS = 20 * clock.SECOND_MS  # minimum time left to start a call
ATTEMPTS = 2
PAUSE_MS = (500, 2_000)  # before the second attempt, with full jitter


@dataclass(slots=True)
class Asking:
    """Model calls of one turn, until *deadline_ms* (milliseconds since 1970)."""

    model: ai.Model
    deadline_ms: int
    most_tokens: int
    temperature: float | None
    usage: ai.Usage = field(default_factory=ai.Usage)
    calls: int = 0
    ms: int = 0

    @property
    def cost(self) -> Cost:
        """Cost so far."""
        return Cost(self.model.name, self.usage, self.calls, self.ms)

    def ask(
        self,
        system: str,
        history: Sequence[ai.Turn],
        schema: ai.Schema,
        tools: Sequence[ai.Tool],
    ) -> ai.Reply:
        """
        Call the model, with a second attempt after a retryable failure. Raises ai.Unavailable.

        The raised error has `repeat` `later` only if a new turn may work; `once` becomes `never` after a failed retry.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._once(system, history, schema, tools)
            except ai.Unavailable as failure:
                if failure.repeat is ai.Repeat.NEVER:
                    raise
                if attempt == ATTEMPTS:
                    again = ai.Repeat.NEVER if failure.repeat is ai.Repeat.ONCE else failure.repeat
                    raise ai.Unavailable(failure.code, again) from None
            clock.sleep_ms(random.randint(*PAUSE_MS))  # noqa: S311 - spreads load; not used for security
        raise AssertionError("unreachable")

    def _once(
        self,
        system: str,
        history: Sequence[ai.Turn],
        schema: ai.Schema,
        tools: Sequence[ai.Tool],
    ) -> ai.Reply:
        started = clock.now_ms()
        remaining_ms = self.deadline_ms - started
        if remaining_ms < SHORTEST_LEFT_MS:
            raise ai.Unavailable("no_time_left")
        limits = ai.Limits(
            most_tokens=self.most_tokens,
            within_ms=min(LONGEST_CALL_MS, remaining_ms),
            temperature=self.temperature,
        )
        self.calls += 1
        try:
            reply = self.model.reply(system, history, limits=limits, schema=schema, tools=tools)
        finally:
            self.ms += clock.now_ms() - started
        self.usage += reply.usage
        return reply
