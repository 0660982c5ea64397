"""
Facts that reports count of a conversation, by comparing its head with what was counted before. Pure.

    (none) --seen--> open --resolved or archived--> ended --open again--> open

From its opening to its end a conversation is in one *round*, which has at most one first answer. The entry of the
inbox holds the round and is written with the counts, so each fact of a round is counted once: a head that comes again,
or an older one, differs from the round in nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Mapping

_WITH_PEOPLE: Final = frozenset({"handoff_pending", "handoff_active"})
_OPTED_OUT: Final = "opted_out"
_FAILED: Final = "failed"


class Fact(StrEnum):
    """The counts of a round. The last five are of AI conversations, beside the others."""

    OPENED = "opened"
    REOPENED = "reopened"  # counts as opened, too
    ANSWERED = "answered"  # first answer
    RESOLVED = "resolved"
    ARCHIVED = "archived"
    HANDED_OFF = "handed_off"
    ENDED_ALONE = "ended_alone"  # without people
    ENDED_WITH_PEOPLE = "ended_with_people"
    OPTED_OUT = "opted_out"
    FAILED = "failed"
    RATED = "rated"  # an answer of the assistant by a person, or the conversation by its customer


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """
    A fact and its time. *since_ms*: of an answer the question, of an end the opening, of a reopening the end before.
    *rating* of a rated answer, given *times* more, or less often. Times in ms since 1970.
    """

    fact: Fact
    at_ms: int
    since_ms: int | None = None
    rating: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """
    A head as rounds compare it. *assistant*: the status of an AI conversation, None of any other.

    *waiting_ms*: since when the customer waits; *answered_ms*: the newest message of the company; *active_ms*: the
    newest message; *ended_ms*: the end of one that is not open, None if the head does not say. *ratings*: how often
    people gave each rating to answers of the assistant.
    """

    is_open: bool
    is_archived: bool
    active_ms: int
    waiting_ms: int | None = None
    answered_ms: int | None = None
    ended_ms: int | None = None
    assistant: str | None = None
    ratings: Mapping[str, int] = field(default_factory=dict)


class Round(BaseModel):
    """
    A round and what was counted of it; short names, since the entry must stay below 1 KB. Times in ms since 1970.

    *asked*: the first message that has no answer yet; of an answered round none is kept. *ratings* are of all rounds.
    """

    model_config = ConfigDict(extra="allow", populate_by_name=True, frozen=True)

    opened: int = Field(alias="o")
    asked: int | None = Field(default=None, alias="a")
    is_answered: bool | None = Field(default=None, alias="r")
    ended: int | None = Field(default=None, alias="e")
    had_people: bool | None = Field(default=None, alias="p")
    has_failed: bool | None = Field(default=None, alias="f")
    ratings: dict[str, int] | None = Field(default=None, alias="t")


def uncounted(seen: Seen, now_ms: int) -> Round:
    """Return the round of a conversation of which nothing was counted, and nothing of what is seen will be."""
    is_asked = seen.is_open and seen.waiting_ms is not None
    return Round(
        opened=seen.waiting_ms or seen.active_ms,
        asked=seen.waiting_ms if is_asked else None,
        is_answered=None if is_asked else True,
        ended=None if seen.is_open else seen.ended_ms or now_ms,
        had_people=seen.assistant in _WITH_PEOPLE or None,
        has_failed=seen.assistant == _FAILED or None,
        ratings=dict(seen.ratings) or None,
    )


def after(before: Round | None, seen: Seen, now_ms: int) -> tuple[Round, list[Happened]]:
    """
    Return the round of a conversation with this head, and what has happened since *before*, None for a new one.

    One that is archived when it is first seen, such as spam, is not counted.
    """
    if before is None and seen.is_archived:
        return uncounted(seen, now_ms), []
    found: list[Happened] = []
    now = before
    if now is None or (now.ended is not None and seen.is_open):
        now = Round(opened=_opening(now, seen, now_ms))
        found.append(Happened(fact=Fact.OPENED, at_ms=now.opened))
        if before is not None:
            ended_ms = before.ended
            found.append(Happened(fact=Fact.REOPENED, at_ms=now.opened, since_ms=ended_ms))
            now = now.model_copy(update={"ratings": before.ratings})
    now, rated = _rated(now, seen, now_ms)
    found += rated
    if now.ended is not None:
        return now, found
    for step in (_answered, _with_assistant, _ended):
        now, happened = step(now, seen, now_ms)
        found += happened
    return now, found


def _opening(ended: Round | None, seen: Seen, now_ms: int) -> int:
    """Return when a round begins: with the customer's message, else with the newest one or a person's change."""
    if seen.waiting_ms is not None:
        return seen.waiting_ms
    is_earlier = ended is not None and ended.ended is not None and seen.active_ms <= ended.ended
    return now_ms if is_earlier else seen.active_ms


def _rated(now: Round, seen: Seen, now_ms: int) -> tuple[Round, list[Happened]]:
    counted, ratings = now.ratings or {}, dict(seen.ratings)
    found = [
        Happened(fact=Fact.RATED, at_ms=now_ms, rating=rating, times=times)
        for rating in sorted({*counted, *ratings})
        if (times := ratings.get(rating, 0) - counted.get(rating, 0))
    ]
    return now.model_copy(update={"ratings": ratings or None}), found


def _answered(now: Round, seen: Seen, now_ms: int) -> tuple[Round, list[Happened]]:
    del now_ms
    if now.is_answered:
        return now, []
    asked = now.asked
    answered_ms, waiting_ms = seen.answered_ms or 0, seen.waiting_ms
    if asked is not None and answered_ms >= asked and (waiting_ms is None or waiting_ms > asked):
        happened = Happened(fact=Fact.ANSWERED, at_ms=answered_ms, since_ms=asked)
        return now.model_copy(update={"asked": None, "is_answered": True}), [happened]
    if waiting_ms is not None and (asked is None or waiting_ms < asked):
        return now.model_copy(update={"asked": waiting_ms}), []
    return now, []


def _with_assistant(now: Round, seen: Seen, now_ms: int) -> tuple[Round, list[Happened]]:
    found: list[Happened] = []
    if seen.assistant in _WITH_PEOPLE and not now.had_people:
        now = now.model_copy(update={"had_people": True})
        found.append(Happened(fact=Fact.HANDED_OFF, at_ms=now_ms))
    if seen.assistant == _FAILED and not now.has_failed:
        now = now.model_copy(update={"has_failed": True})
        found.append(Happened(fact=Fact.FAILED, at_ms=now_ms))
    return now, found


def _ended(now: Round, seen: Seen, now_ms: int) -> tuple[Round, list[Happened]]:
    if seen.is_open:
        return now, []
    at_ms = seen.ended_ms or now_ms
    facts = [Fact.ARCHIVED if seen.is_archived else Fact.RESOLVED]
    if seen.assistant == _OPTED_OUT:
        facts.append(Fact.OPTED_OUT)
    elif seen.assistant is not None:
        facts.append(Fact.ENDED_WITH_PEOPLE if now.had_people else Fact.ENDED_ALONE)
    happened = [Happened(fact=fact, at_ms=at_ms, since_ms=now.opened) for fact in facts]
    return now.model_copy(update={"ended": at_ms, "asked": None}), happened
