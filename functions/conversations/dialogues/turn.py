"""Events of a dialogue, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.dialogues.world import Line
    from shared.ai.evaluation.judge import Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """
    What happened in a turn. *lines* are the messages that it added, the customer's too; *model_inputs* what the model
    was given, None if that is not known. *faults* are the faults of rejected answers. *failures* are the broken
    expectations, none if the turn went as expected.
    """

    status: str
    reason: str | None
    lines: Sequence[Line] = field(repr=False)
    calls: Sequence[str]
    model_inputs: Sequence[str] | None = field(repr=False)
    unused_answers: int = 0
    at: str = ""
    faults: Sequence[str] = ()
    judgements: Sequence[tuple[str, Judgement]] = ()
    failures: Sequence[str] = ()

    def sent_by(self, *authors: str) -> list[str]:
        """Return the texts that these authors sent."""
        return [line.text for line in self.lines if line.was_sent and line.author in authors]


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """A played dialogue: its first messages, why they were not sent, and its turns."""

    name: str
    channel: str
    opening: Sequence[Line]
    turns: Sequence[Turn]
    not_opened: str | None = None

    @property
    def is_as_expected(self) -> bool:
        """Whether the first message was sent and no turn broke an expectation."""
        return not self.not_opened and not any(turn.failures for turn in self.turns)
