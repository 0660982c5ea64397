"""Trials of a version of a project's settings beside the live one, and its answers that are not sent."""

from collections import Counter
from enum import StrEnum
from typing import ClassVar, Literal, Self

from pydantic import Field

from conversations.store.items.base import LogItem, key, sort_key
from conversations.store.items.log import OfConversation
from shared.aws.dynamodb import Attributes

_PROJECT = "PROJECT#{company_id}#{project_id}"
_OF_A_COMPANY = "none; settings and counts of a company, without data of persons"
SHADOW_DAYS = 30
PARTS = 8  # of the counts of a share: transactions on one item at the same time conflict


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


class Trial(LogItem):
    """
    A trial of a version beside the `live` one. `share` is in percent of the new conversations; of a shadow there are at
    most `most_answers` that cost at most `most_micros` micro-dollars. It ends `until` a time, and if the version's
    hand-offs in percent exceed the live one's by more than `handed_off_points`, once both have `at_least` conversations
    or answers. `withdrawn`: conversations do not keep the version.
    """

    item_type: ClassVar[str] = "TRIAL"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "TRIAL#{trial_id}"
    first_sk: ClassVar[str] = "TRIAL#"
    ttl_note: ClassVar[str] = _OF_A_COMPANY

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

    @classmethod
    def key_of(cls, company_id: str, project_id: str, trial_id: str) -> Attributes:
        """Return the whole key of a trial; text order is the order of time."""
        return key(cls.partition(company_id, project_id), sort_key(cls.sk_pattern, trial_id))

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.ended_at is not None


class TrialCounts(LogItem):
    """
    What a trial has counted, of a part of its conversations; of a shadow there is one part.

    Attributes: by arm and kind, such as `trial_handed_off`; the kinds are `conversations`, those of the reports'
    outcomes, and of a shadow `answers`, `micros`, `ms` and `faulty`. `begun` and `failed` are of a shadow.
    """

    item_type: ClassVar[str] = "TRIAL_COUNTS"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "TRIAL_COUNTS#{trial_id}#{part}"
    ttl_note: ClassVar[str] = _OF_A_COMPANY

    BEGUN: ClassVar[str] = "begun"
    FAILED: ClassVar[str] = "failed"

    @classmethod
    def key_of(cls, company_id: str, project_id: str, trial_id: str, part: str) -> Attributes:
        """Return the whole key of a part."""
        return key(cls.partition(company_id, project_id), sort_key(cls.sk_pattern, trial_id, part))

    @staticmethod
    def name(arm: Arm, kind: str) -> str:
        """Return the name of a count."""
        return f"{arm}_{kind}"

    @classmethod
    def typed(cls) -> Attributes:
        """Return what an update writes that may create the item."""
        return {"item_type": cls.item_type}

    @property
    def counts(self) -> Counter[str]:
        """The counts by their names."""
        stored = (self.model_extra or {}).items()
        return Counter({name: int(n) for name, n in stored if not isinstance(n, str)})


class ShadowAnswer(OfConversation):
    """
    The answer of a version on trial to the messages up to `asked`, which was never sent; `answered` is the sort key of
    the live one, if it was sent. `begun`: the model is being asked, or the worker has died. `live_handed_off` is the
    cause for which the live version gave the conversation to people. `not_called` are functions without a result.
    """

    item_type: ClassVar[str] = "SHADOW_ANSWER"
    sk_pattern: ClassVar[str] = "SHADOW#{trial_id}#{asked}"
    ttl_days: ClassVar[int | None] = SHADOW_DAYS

    trial_id: str
    company_id: str
    project_id: str
    version: int
    asked: str
    answered: str | None = None
    at: str
    status: Literal["begun", "made", "failed"] = "begun"
    reason: str | None = None  # of a failure, a code
    content: str = Field(default="", repr=False)
    subject: str | None = Field(default=None, repr=False)
    handed_off_for: str | None = None
    live_handed_off_for: str | None = None
    functions: list[str] = Field(default_factory=list)
    not_called: list[str] = Field(default_factory=list)
    faults: list[str] = Field(default_factory=list)
    cost_micros: int = 0
    ms: int = 0

    @classmethod
    def sk(cls, trial_id: str, asked: str) -> str:
        """Return the sort key of the answer to the messages up to the one with the sort key *asked*."""
        return sort_key(cls.sk_pattern, trial_id, asked)


class ShadowPlace(LogItem):
    """Where an answer of a trial is: it lists them by time. Removed with the answer when a person is erased."""

    item_type: ClassVar[str] = "SHADOW_PLACE"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "SHADOW#{trial_id}#{at}#{ref}"
    ttl_days: ClassVar[int | None] = SHADOW_DAYS

    ref: str
    shadow_sk: str

    @classmethod
    def key_of(cls, ref: str, answer: ShadowAnswer) -> Attributes:
        """Return the whole key of the place of an answer."""
        where = cls.partition(answer.company_id, answer.project_id)
        return key(where, sort_key(cls.sk_pattern, answer.trial_id, answer.at, ref))

    @classmethod
    def of(cls, ref: str, answer: ShadowAnswer) -> Self:
        """Return the place of an answer."""
        return cls(ref=ref, shadow_sk=answer.sk(answer.trial_id, answer.asked), ttl=answer.ttl)
