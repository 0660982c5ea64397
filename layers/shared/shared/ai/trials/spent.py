"""A model that keeps what its calls have cost, also if the answer fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from shared.runtime import clock
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.ai import port as ai


@dataclass(slots=True, eq=False)
class Spent:
    """
    A model that keeps what its calls have cost, in micro-dollars, and how long they took, in ms. *store* stores the
    cost after each call, for a worker that dies before the end.
    """

    store: Callable[[int], None]
    model: ai.Model | None = None
    micros: int = 0
    ms: int = 0

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name if self.model else ""

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        assert self.model is not None  # noqa: S101 - for mypy: set before the first call
        began = clock.now_ms()
        try:
            reply = self.model.reply(request)
        finally:
            self.ms += clock.now_ms() - began
        if reply.usage.micros:
            self.micros += reply.usage.micros
            self._store()
        return reply

    def _store(self) -> None:
        try:
            self.store(self.micros)
        except (ClientError, BotoCoreError) as failure:
            # The result has the cost, too, and this reply is paid for.
            logger.warning("cost of an answer on trial not stored", extra=describe(failure))
