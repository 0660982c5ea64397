"""Trials of a version of a project's settings beside the live one, and its answers that are not sent."""

from typing import ClassVar, Literal, Self

from pydantic import Field

from conversations.store.items.base import LogItem, key, sort_key
from conversations.store.items.log import OfConversation
from shared.ai.trials.items import StoredTrial
from shared.aws.dynamodb import Attributes

_PROJECT = "PROJECT#{company_id}#{project_id}"
_OF_A_COMPANY = "none; settings and counts of a company, without data of persons"
SHADOW_DAYS = 30


class Trial(LogItem, StoredTrial):
    """A trial of a version of a project's settings."""

    item_type: ClassVar[str] = "TRIAL"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "TRIAL#{trial_id}"
    first_sk: ClassVar[str] = "TRIAL#"
    ttl_note: ClassVar[str] = _OF_A_COMPANY

    @classmethod
    def key_of(cls, company_id: str, project_id: str, trial_id: str) -> Attributes:
        """Return the whole key of a trial; text order is the order of time."""
        return key(cls.partition(company_id, project_id), sort_key(cls.sk_pattern, trial_id))


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

    @classmethod
    def key_of(cls, company_id: str, project_id: str, trial_id: str, part: str) -> Attributes:
        """Return the whole key of a part."""
        return key(cls.partition(company_id, project_id), sort_key(cls.sk_pattern, trial_id, part))

    @classmethod
    def typed(cls) -> Attributes:
        """Return what an update writes that may create the item."""
        return {"item_type": cls.item_type}


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
