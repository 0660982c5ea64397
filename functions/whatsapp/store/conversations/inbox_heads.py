"""The row of a head in the inbox over all contexts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Self

from shared.aws.tables.prefetched import PrefetchedTable
from shared.identity.contacts.claims import Proof, claimed
from shared.identity.identifiers import IdentifierKind
from shared.inbox import items as inbox
from whatsapp.store import ordering
from whatsapp.store.conversations import heads
from whatsapp.store.items import Conversation, pk
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table
    from shared.identity.contacts.claims import Claim

_FIRST = Conversation.pk_pattern.partition("{")[0]
_ACTIVE = frozenset({inbox.OPEN, inbox.SNOOZED})


@dataclass(frozen=True, slots=True)
class WhatsAppHeads:
    """The heads of the table. A reference is the key of a head; the API takes it sealed."""

    table: Table
    context: inbox.Context = inbox.Context.WHATSAPP

    def reference_of(self, key: Attributes) -> str | None:
        """Return the key if it is a head's key."""
        reference = str(key[PARTITION_KEY])
        return reference if reference.startswith(_FIRST) else None

    def read(self, reference: str) -> inbox.Head | None:
        """Return the present head (strongly consistent read); None if no list contains it."""
        head = heads.get(self.table, reference)
        return shown(head) if head is not None else None

    def for_keys(self, keys: Sequence[Attributes]) -> Self:
        """Return these heads: a key says whose it is."""
        del keys
        return self

    def prefetched(self, references: Sequence[str]) -> Self:
        """Return the same heads, after a batch read of these."""
        return replace(self, table=PrefetchedTable(self.table, [pk(one) for one in references]))


def shown(head: Conversation) -> inbox.Head | None:
    """Return the inbox entry of a head; None for one without messages, or that another one continues."""
    if not head.inbox_pk or not head.company or not head.phone or not head.received_at:
        return None
    name = head.group_name or head.sender_name
    handle = head.sender_phone or head.username or head.from_
    return inbox.Head(
        company_id=head.company,
        context=inbox.Context.WHATSAPP,
        reference=head.pk,
        channel=inbox.Channel.WHATSAPP,
        address=head.phone,
        last_activity_at=head.received_at,
        answered_at=_answered_at(head),
        received=max(head.recent_keys, default=None),
        has_opted_out=bool(head.marketing_opt_out),
        ended_at=None if head.folder in _ACTIVE else (head.last_change or {}).get("at"),
        status=head.folder,
        snoozed_until=head.snoozed_until,
        assignee=head.assignee,
        assigned_by=_assigned_by(head),
        labels=head.labels or set(),
        unread_count=head.unread_count,
        waiting_since=_waiting_since(head),
        contact=inbox.shortened(name, inbox.LONGEST_NAME),
        handle=inbox.shortened(handle, inbox.LONGEST_NAME),
        user_id=None if head.sender_phone or head.group_name else head.sender_user_id,
        preview=inbox.shortened(head.last_preview, inbox.LONGEST_PREVIEW),
        ttl=head.ttl,
        claims=_claims(head),
    )


def _waiting_since(head: Conversation) -> str | None:
    """
    Return the time of the first message or missed call of the customer after the newest message of the business.

    If more than the newest ones of the ring have come since then, the time of the last one that left it.
    """
    if head.folder not in _ACTIVE:
        return None
    answered_at = _answered_at(head) or ""
    keys = sorted(head.recent_keys | ({head.ring_floor} if head.ring_floor else set()))
    moments = (ordering.moment_of(ordering.time_of(key)) for key in keys)
    return next((moment for moment in moments if moment > answered_at), None)


def _assigned_by(head: Conversation) -> str | None:
    """Return who made the present assignment; None if it is not the newest change."""
    change = head.last_change or {}
    by = change.get("by") if "assignee" in change.get("changed", {}) else None
    return by if isinstance(by, str) else None


def _answered_at(head: Conversation) -> str | None:
    return ordering.moment_of(head.last_outbound_at) if head.last_outbound_at else None


def _claims(head: Conversation) -> tuple[Claim, ...]:
    """
    Return the identifiers of a head's customer: the number or user id of its key, that is of its first owner, for ever.

    Not the number that the customer has now, since another person may have had it before. If another customer of the
    company had the number of the key before, its owner has other ids. The key of a group proves nothing.
    """
    if head.group_name is not None:
        return ()
    key = Conversation.contact_of(head.pk)
    is_number = key.isascii() and key.isdecimal()
    own = () if is_number and head.owner_ids else (_claim(key, head.waba_meta_id),)
    return tuple(chain(*own, *(_claim(one, None) for one in sorted(head.owner_ids))))


def _claim(text: str, account: str | None) -> tuple[Claim, ...]:
    """
    Return the claim of a key, or of an id with its account. No event names the portfolio of a user id; the account is
    within one, so it stands for it.
    """
    number, _, second = text.partition("-")
    if number.isascii() and number.isdecimal():
        spelling = f"+{number}~{second}" if second else f"+{number}"
        return claimed(IdentifierKind.PHONE, spelling, Proof.PROVIDER)
    user_id = f"{account}:{text}" if account else text
    return claimed(IdentifierKind.USER_ID, user_id, Proof.PROVIDER)
