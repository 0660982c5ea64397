"""The item of a notification, in the live table: one write unit, and in none of its indexes."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

from shared.aws.sqs_fifo import digest
from shared.aws.tables.items import Item, filled
from shared.inbox.items import Context, Entry
from shared.runtime import clock

KEPT_DAYS: Final = 30
_EVENT_CHARACTERS: Final = 24  # 96 bits


class NotificationKind(StrEnum):
    """The subject of a notification."""

    ASSIGNED = "assigned"
    MENTIONED = "mentioned"  # in an internal note
    REPLIED = "replied"  # the customer, in an assigned conversation
    AT_RISK = "at_risk"  # the alarm before a due time
    OVERDUE = "overdue"
    DRAFT = "draft"  # waits for a person
    CAMPAIGN = "campaign"  # has ended, or stopped by itself
    ISSUE = "issue"  # of a newsletter: was sent, or stopped by itself
    WEBHOOK = "webhook"  # was paused, since deliveries fail


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedCampaign:
    """
    A campaign that is over, or has stopped by itself and may go on. *owner*: who created it. *at*: when it ended.
    *by*: the principal who cancelled it.
    """

    company: str
    campaign: str
    owner: str
    at: str
    is_over: bool
    by: str | None = None


class Notification(Item):
    """
    Something that a person or a team is notified of. It has ids only, no text and no address.

    `event` is the same however often the same thing is reported; a crash between a notification and the write that
    follows it may leave two items of one event, which are shown as one. `entry` is the key of the conversation's entry,
    `campaign` a campaign's id, `issue` an issue's, which is mail, or `webhook` a webhook's: what a row shows is read
    from there, with the rights that its reader has then.
    """

    pk_pattern: ClassVar[str] = "NOTIFIED#{company}#{owner}"
    sk_pattern: ClassVar[str] = "{time}#{event}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = KEPT_DAYS

    pk: str
    sk: str
    company: str
    owner: str  # a person or a team
    kind: NotificationKind
    context: Context
    entry: str | None = None
    campaign: str | None = None
    issue: str | None = None
    webhook: str | None = None
    project_id: str | None = None
    by: str | None = None  # the principal who caused it
    ttl: int

    @classmethod
    def of(
        cls,
        kind: NotificationKind,
        owner: str,
        entry: Entry,
        at: str,
        *cause: str,
        by: str | None = None,
    ) -> "Notification":
        """Return a notification about a conversation. *cause*: what makes its event, with kind and conversation."""
        return cls(
            pk=cls.partition(entry.company_id, owner),
            sk=cls.sort_key(at, _event(kind, entry.pk, *cause)),
            company=entry.company_id,
            owner=owner,
            kind=kind,
            context=entry.context,
            entry=entry.pk,
            project_id=entry.project_id,
            by=by,
            ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
        )

    @classmethod
    def of_campaign(cls, ended: "EndedCampaign") -> "Notification":
        """Return the notification that a campaign has ended: the same item, however often it is made."""
        kind, stopped = NotificationKind.CAMPAIGN, () if ended.is_over else (ended.at,)
        return cls(
            pk=cls.partition(ended.company, ended.owner),
            sk=cls.sort_key(ended.at, _event(kind, ended.campaign, *stopped)),
            company=ended.company,
            owner=ended.owner,
            kind=kind,
            context=Context.WHATSAPP,
            campaign=ended.campaign,
            by=ended.by,
            ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
        )

    @classmethod
    def of_issue(
        cls, company: str, owner: str, issue: str, at: str, version: int
    ) -> "Notification":
        """Return the notification that an issue was sent, or stopped. *version*: of the issue by that."""
        return cls(
            pk=cls.partition(company, owner),
            sk=cls.sort_key(at, _event(NotificationKind.ISSUE, issue, str(version))),
            company=company,
            owner=owner,
            kind=NotificationKind.ISSUE,
            context=Context.EMAIL_THREADS,
            issue=issue,
            ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
        )

    @classmethod
    def of_webhook(
        cls, company: str, owner: str, webhook: str, at: str, failing_since: str
    ) -> "Notification":
        """Return the notification that a webhook was paused, which has failed since a time."""
        return cls(
            pk=cls.partition(company, owner),
            sk=cls.sort_key(at, _event(NotificationKind.WEBHOOK, webhook, failing_since)),
            company=company,
            owner=owner,
            kind=NotificationKind.WEBHOOK,
            context=Context.WHATSAPP,
            webhook=webhook,
            ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
        )

    @classmethod
    def partition(cls, company: str, owner: str) -> str:
        """Return the partition of a person's or a team's notifications."""
        return filled(cls.pk_pattern, company, owner)

    @classmethod
    def sort_key(cls, at: str, event: str) -> str:
        """Return the place of a notification; text order is time order."""
        return filled(cls.sk_pattern, at, event)

    @property
    def at(self) -> str:
        """The time of the event."""
        return self.sk.partition("#")[0]

    @property
    def event(self) -> str:
        """The id of the event."""
        return self.sk.partition("#")[2]


def _event(kind: NotificationKind, *cause: str) -> str:
    return digest("notification", kind, *cause)[:_EVENT_CHARACTERS]
