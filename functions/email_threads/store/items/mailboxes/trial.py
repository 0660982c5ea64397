"""Trials of a version of a mailbox's settings beside the live one."""

from typing import ClassVar, Self

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
