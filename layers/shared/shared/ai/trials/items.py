"""What is stored of a trial; each context has an item class with a key."""

from __future__ import annotations

import hashlib
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS: Final = 8  # of the counts of a trial: transactions on one item at the same time conflict
BEGUN, FAILED = "begun", "failed"  # counts of a shadow
CONVERSATIONS, ANSWERS, HANDED_OFF, MICROS = "conversations", "answers", "handed_off", "micros"


class Mode(StrEnum):
    """Whether the version answers beside the live one without sending, or takes a share of the conversations."""

    SHADOW = "shadow"
    SHARE = "share"


class Arm(StrEnum):
    """The two versions that a trial compares: the live one, and the one on trial."""

    LIVE = "live"
    TRIAL = "trial"


class EndCause(StrEnum):
    """Why a trial has ended. With `handed_off` its conversations go back to the live version."""

    STOPPED = "stopped"
    UNTIL = "until"
    CONVERSATIONS = "most_conversations"
    ANSWERS = "most_answers"
    DOLLARS = "most_dollars"
    HANDED_OFF = "handed_off"
    LIVE_CHANGED = "live_changed"


class StoredTrial(BaseModel):
    """
    A trial of a version beside the `live` one. `share` is in percent of the new conversations; of a shadow there are at
    most `most_answers` that cost at most `most_micros` micro-dollars. It ends `until` a time, and if the version's
    hand-offs in percent exceed the live one's by more than `handed_off_points`, once both have `at_least` conversations
    or answers. `withdrawn`: conversations do not keep the version.
    """

    trial_id: str
    mode: Mode
    version: int
    live: int
    share: int | None = None
    most_conversations: int | None = None
    most_answers: int | None = None
    most_micros: int | None = None
    until: str
    handed_off_points: int | None = None
    at_least: int
    by: str
    at: str
    made_for: str  # hash of the call that began it
    ended_at: str | None = None
    ended_for: EndCause | None = None
    ended_by: str | None = None
    withdrawn: bool = False

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.ended_at is not None


def count_name(arm: Arm, kind: str) -> str:
    """Return the name of a count of one of the two versions, such as `trial_handed_off`."""
    return f"{arm}_{kind}"


def counts_in(attributes: Mapping[str, object]) -> Counter[str]:
    """Return the counts among the attributes of an item, by their names."""
    return Counter({name: int(str(n)) for name, n in attributes.items() if not isinstance(n, str)})


def part_of(conversation: str) -> str:
    """Return the part of the counts in which a conversation counts: always the same."""
    return str(int(hashlib.sha256(conversation.encode()).hexdigest(), 16) % PARTS)
