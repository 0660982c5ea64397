"""What a turn of the AI comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.ai.checks.faults import Fault
    from conversations.ai.functions import Call, Result
    from shared.ai import Usage


class Cause(StrEnum):
    """Why a person has to go on. AI: the model said so itself, and why."""

    AI = "ai"
    REFUSED = "ai_refused"  # by the model, its provider's filter or a guardrail
    INVALID = "ai_invalid_output"
    FUNCTION_FAILED = "function_failed"
    APPROVAL = "function_approval"


@dataclass(frozen=True, slots=True)
class HandOff:
    """A person has to go on. *reason* is what they are shown: the model's words, or the cause's name."""

    cause: Cause
    reason: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A function that was called; without a result it waits for a person's approval."""

    call: Call
    result: Result | None


@dataclass(frozen=True, slots=True)
class Cost:
    """What a turn took: *calls* to the model, answered or not, and the milliseconds spent in them."""

    model: str
    usage: Usage
    calls: int
    ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    The outcome of a turn. *content* may be empty; for a template it is the rendered body, and *variables* its values.

    *faults* are those of answers that were not used, in their order.
    """

    content: str = field(default="", repr=False)
    subject: str | None = field(default=None, repr=False)
    variables: Mapping[str, str] | None = field(default=None, repr=False)
    calls: tuple[MadeCall, ...] = ()
    hand_off: HandOff | None = None
    faults: tuple[Fault, ...] = ()
    cost: Cost
