"""Trials of a version of a mailbox's settings beside the live one, and its drafts that are never offered."""

from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from email_threads.store.items.item import ThreadItem
from shared.ai.trials.items import StoredTrial
from shared.runtime import clock

SHADOW_DAYS = 30


class MailboxTrial(ThreadItem, StoredTrial):
    """A trial of a version of a mailbox's settings."""

    pattern: ClassVar[str] = "trial#{company_id}#{address}#{trial_id}"

    conversation_id: str = ""  # the item's key
    company_status: str = ""  # its list in CompanyIndex
    updated_at: str = ""  # the order of the list: when it began

    @staticmethod
    def list_of(company_id: str, address: str) -> str:
        """Return the partition of CompanyIndex with the trials of a mailbox."""
        return f"{company_id}#trials#{address}"


class MailboxTrialCounts(ThreadItem):
    """
    What a trial has counted, of a part of its threads.

    Attributes: by version and kind, such as `trial_handed_off`; the kinds are `conversations` that have joined,
    `answers` of the model, `handed_off` of them, `micros`; of drafts `sent`, `corrected` by people, their `edits` and
    `words`, and `discarded`; and of a shadow `ms` and `faulty`. `begun` and `failed` are of a shadow.
    """

    pattern: ClassVar[str] = "trialcounts#{company_id}#{address}#{trial_id}#{part}"

    conversation_id: str = ""  # the item's key


class ShadowPlace(ThreadItem):
    """The mail at which a draft in shadow is; a list of them by time. It has ids only."""

    pattern: ClassVar[str] = "shadow#{company_id}#{trial_id}#{email_id}"

    conversation_id: str = ""  # the item's key
    company_status: str  # its list in CompanyIndex
    updated_at: str  # the order of the list: when it was begun
    email_id: str
    ttl: int

    @staticmethod
    def list_of(company_id: str, trial_id: str) -> str:
        """Return the partition of CompanyIndex with the drafts of a trial."""
        return f"{company_id}#shadows#{trial_id}"

    @classmethod
    def of(cls, company_id: str, trial_id: str, email_id: str, at: str) -> Self:
        """Return the place of a draft that is begun at a time."""
        return cls(
            **cls.key(company_id, trial_id, email_id),
            company_status=cls.list_of(company_id, trial_id),
            updated_at=at,
            email_id=email_id,
            ttl=clock.expires_in(SHADOW_DAYS * clock.DAY_SECONDS),
        )


class ShadowDraft(BaseModel):
    """
    What a version on trial would have answered to a mail, kept with it: never offered, approved or sent.

    `begun`: the model is being asked, or the worker has died. `text` is None if a person must write the answer; `waits`
    is why a person must approve it where safe answers are sent without one. `live_reply` is the live version's draft,
    None if it left the answer to a person.
    """

    model_config = ConfigDict(extra="allow")

    trial_id: str
    version: int
    at: str
    status: Literal["begun", "made", "failed"] = "begun"
    reason: str | None = None  # of a failure, a code
    text: str | None = Field(default=None, repr=False)
    waits: str | None = None
    needs_human: bool = False
    live_reply: str | None = None
    live_handed_off: bool = False
    cost_micros: int = 0
    ms: int = 0

    @property
    def hands_off(self) -> bool:
        """Whether the version leaves the answer to a person."""
        return self.text is None or self.needs_human
