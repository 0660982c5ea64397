"""What an answer in shadow calls: the model, whose cost is kept, and functions, none of which is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversations.ai.checks.faults import Severity
from conversations.ai.functions import Result
from conversations.outbound.compose.functions.calls import DONE
from conversations.store.items import identifiers
from conversations.store.items.log import of
from conversations.store.items.parts.function_result import FunctionResult
from shared.ai.trials import spent

if TYPE_CHECKING:
    from conversations.ai.functions import Call
    from conversations.ai.outcome import Answer
    from shared.aws.dynamodb import Table

NOT_CALLED = Result("This could not be done now.", is_error=True)


@dataclass(slots=True, eq=False)
class Spent(spent.Spent):
    """See `spent.Spent`; it keeps also the faults of its answers."""

    faults: list[str] = field(default_factory=list)

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
