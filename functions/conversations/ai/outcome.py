"""Outcome of an AI turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.ai.checks.faults import Fault
    from conversations.ai.functions import Call, Result
    from shared.ai.port import Usage


class Cause(StrEnum):
    """
    Cause of a hand-off to a human agent. AI: the model requested it and gave a reason. The last three are explained in
    `escalation`.
    """

    AI = "ai"
    REFUSED = "ai_refused"  # by the model, its provider's filter or a guardrail
    INVALID = "ai_invalid_output"
    FUNCTION_FAILED = "function_failed"
    APPROVAL = "function_approval"
    ASKED_FOR_PERSON = "asked_for_person"
    NO_PROGRESS = "no_progress"
    REPEATED_QUESTION = "repeated_question"


@dataclass(frozen=True, slots=True)
class HandOff:
    """A hand-off to a human agent. *reason* is shown to agents: the model's text, or the cause's name."""

    cause: Cause
    reason: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A function call of the turn; without a result it waits for a human agent's approval."""

    call: Call
    result: Result | None


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a turn: *calls* to the model, answered or not, and the milliseconds spent in them."""

    model: str
    usage: Usage
    calls: int
    ms: int


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A passage that the model was given: its id and score, never its text."""

    chunk_id: str
    score: float
    is_cited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    The outcome of a turn. *content* may be empty; for a template it is the rendered body, and *variables* its values.

    *faults* of rejected answers, in order; *retrieved* are the passages of the company's documents. *outdated* is the
    reason why a function was not executed; then *content* only names the function. *done* are the project's functions
    that have succeeded. *asks_again*: the model says that the customer asks again what no answer has settled.
    """

    content: str = field(default="", repr=False)
    subject: str | None = field(default=None, repr=False)
    variables: Mapping[str, str] | None = field(default=None, repr=False)
    calls: tuple[MadeCall, ...] = ()
    done: tuple[str, ...] = ()
    hand_off: HandOff | None = None
    outdated: str | None = None
    faults: tuple[Fault, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    asks_again: bool = False
    cost: Cost
