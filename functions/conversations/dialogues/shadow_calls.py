"""What an answer in shadow calls: the model, whose cost is kept, and functions, none of which is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from conversations.ai.checks.faults import Severity
from conversations.ai.functions import Result
from conversations.outbound.compose.functions.calls import DONE
from conversations.store.items import identifiers
from conversations.store.items.log import of
from conversations.store.items.parts.function_result import FunctionResult
from shared.runtime import clock
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.ai.functions import Call
    from conversations.ai.outcome import Answer
    from shared.ai import port as ai
    from shared.aws.dynamodb import Table

NOT_CALLED = Result("This could not be done now.", is_error=True)


@dataclass(slots=True, eq=False)
class Spent:
    """
    A model that keeps what its calls have cost, also if the turn fails, and the faults of its answers. *store* stores
    the cost after each call, for a worker that dies before the end.
    """

    store: Callable[[int], None]
    model: ai.Model | None = None
    micros: int = 0
    ms: int = 0
    faults: list[str] = field(default_factory=list)

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

    def note(self, made: Answer) -> None:
        """Keep the faults of an answer."""
        self.faults = [str(one) for one in made.faults if one.severity is not Severity.NOTE]


@dataclass(slots=True, eq=False)
class Calls:
    """The calls of functions in a turn. Results are those of the live version's calls *once_in* its turn."""

    log: Table
    ref: str
    once_in: str
    names: list[str] = field(default_factory=list)
    not_called: list[str] = field(default_factory=list)

    def result(self, call: Call) -> Result:
        """Return the result that the live version got for the same call; built-in functions only report success."""
        self.names.append(call.name)
        if call.is_built_in:
            return DONE
        named = (call.name, call.canonical_arguments)
        action_id = identifiers.action_id(self.ref, self.once_in, *named)
        item = self.log.get(of(self.ref, FunctionResult.sk(action_id)))
        if item is None:
            self.not_called.append(call.name)
            return NOT_CALLED
        stored = FunctionResult.read(item)
        return Result(stored.text, is_error=stored.is_error)
