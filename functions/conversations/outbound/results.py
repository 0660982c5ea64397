"""Results of turns: how a turn ended, what a refused or failed message leads to, and what the model did in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.lifecycle.status import Status


class Ended(StrEnum):
    """The present end of a turn."""

    SENT = "sent"
    FAILED = "failed"  # rejected permanently by the provider
    UNKNOWN = "unknown"  # delivery unknown; not sent again
    REFUSED = "refused"  # by the policy
    LATER = "later"  # in doubt: settled when due
    OUTDATED = "outdated"  # the customer has written again: the next turn answers
    FENCED = "fenced"  # the fence was raised since the claim, such as by an agent
    UNWRITTEN = "unwritten"  # there is no message to send


@dataclass(frozen=True, slots=True)
class Noted:
    """
    The effects of a model's turn stored in the conversation: functions by name, in order, and answers by their keys.

    *reported_functions* are approved or refused functions; the model was given their outcome (`State.to_tell`).
    """

    functions: Sequence[str] = ()
    answers: Mapping[str, str] = field(default_factory=dict, repr=False)
    reported_functions: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """
    The end of a turn with an unsent message: *status* None leaves the conversation unchanged.

    *reason* is a code; *words* replaces it where agents see a hand-off. With *proposes* the turn's message holds a
    function call that waits for approval.
    """

    reason: str
    status: Status | None = None
    due_at_ms: int | None = None
    words: str | None = field(default=None, repr=False)
    noted: Noted | None = None
    proposes: bool = False
