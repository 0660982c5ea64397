"""Access patterns of mailboxes, by address and all of a company, and of the signatures of people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.store.items import CompanyMailboxes, Mailbox, Signature
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from boto3.dynamodb.conditions import ConditionBase

    from email_threads.store.items import Thread
    from shared.aws.dynamodb import Table
    from shared.policy.business_hours import BusinessHours

MOST: Final = 200  # of a company
MOST_BLOCKED: Final = 200  # senders of a mailbox


class TooMany(Exception):
    """The company has as many mailboxes as it may have."""


def get(table: Table, address: str) -> Mailbox | None:
    """Return the mailbox of an address."""
    return get_many(table, [address]).get(address)


def get_many(table: Table, addresses: Iterable[str]) -> dict[str, Mailbox]:
    """Return the mailboxes among at most 100 addresses."""
    items = table.get_many([Mailbox.of(one) for one in dict.fromkeys(addresses)])
    found = (Mailbox.read(item) for item in items)
    return {mailbox.address: mailbox for mailbox in found}


def hours_of(table: Table, thread: Thread) -> BusinessHours | None:
    """Return the business hours of a thread's mailbox, None without any; read only for a thread whose target pauses."""
    level = thread.service_level
    is_paused = level is not None and level.paused_at is not None
    mailbox = get(table, thread.mailbox) if is_paused else None
    is_own = mailbox is not None and mailbox.company_id == thread.company_id
    return mailbox.business_hours if mailbox is not None and is_own else None


def get_with_signature(
    table: Table, address: str, company_id: str, principal: str
) -> tuple[Mailbox | None, Signature | None]:
    """Return a mailbox, and the signature of a person of the company, by one read."""
    items = table.get_many([Mailbox.of(address), Signature.of(company_id, principal)])
    signatures = [Signature.read(one) for one in items if Signature.name_of("principal") in one]
    found = [Mailbox.read(one) for one in items if Mailbox.name_of("address") in one]
    return next(iter(found), None), next(iter(signatures), None)


def signature_of(table: Table, company_id: str, principal: str) -> Signature | None:
    """Return the signature of a person of a company."""
    item = table.get(Signature.of(company_id, principal))
    return Signature.read(item) if item else None


def put_signature(table: Table, signature: Signature) -> None:
    """Write the signature of a person. Idempotent."""
    table.put(signature.attributes())


def remove_of(table: Table, company_id: str, is_lost: Callable[[str], bool]) -> list[str]:
    """Remove the mailboxes of a company whose addresses it no longer owns, and return the addresses. Idempotent."""
    found = [one for one in of_company(table, company_id) if is_lost(one.address)]
    for mailbox in found:
        delete(table, mailbox)
    return [mailbox.address for mailbox in found]


def of_company(table: Table, company_id: str) -> list[Mailbox]:
    """Return the mailboxes of a company, by address."""
    addresses = sorted(_listed(table, company_id))
    found: dict[str, Mailbox] = {}
    for start in range(0, len(addresses), 100):
        found |= get_many(table, addresses[start : start + 100])
    listed = [found[one] for one in addresses if one in found]
    return [one for one in listed if one.company_id == company_id]


def put(table: Table, mailbox: Mailbox, present: Mailbox | None) -> bool:
    """
    Write a mailbox of the company that owns its address; one of an earlier owner is replaced. Idempotent.

    *present* is the one that was read before: False if it has changed since, as by a sender who was blocked.
    Raises TooMany.
    """
    company_id, address = mailbox.company_id, mailbox.address
    earlier = present.company_id if present else company_id
    listed = CompanyMailboxes.attr("addresses")
    writes = [
        table.to_put(mailbox.attributes(), when=_is_unchanged(present)),
        table.to_update(
            CompanyMailboxes.key(company_id),
            add={"addresses": {address}},
            when=listed.not_exists() | listed.size().lt(MOST) | listed.contains(address),
        ),
    ]
    if earlier != company_id:
        writes.append(
            table.to_update(CompanyMailboxes.key(earlier), take_from_set={"addresses": {address}})
        )
    try:
        table.transact(*writes)
    except TransactionRefused as refusal:
        if 1 in refusal.positions:
            raise TooMany(f"address: a company has at most {MOST} mailboxes") from None
        return False
    return True


def put_version(table: Table, mailbox: Mailbox, number: int) -> int:
    """
    Note the version of the settings that a mailbox has, unless it has one; return the stored one. Idempotent.

    Raises Transient if the mailbox has changed since it was read.
    """
    version = Mailbox.named(ai_version=number)
    try:
        stored = table.update(
            Mailbox.of(mailbox.address), put_once=version, when=_is_unchanged(mailbox)
        )
    except ConditionFailed:
        raise Transient("mailbox_contended") from None
    return int(stored[Mailbox.name_of("ai_version")])


def _is_unchanged(present: Mailbox | None) -> ConditionBase:
    """Return the condition that a mailbox is as it was read: its settings, and the senders that people block."""
    if present is None:
        return Mailbox.attr("company_id").not_exists()
    same: ConditionBase = Mailbox.attr("company_id").eq(present.company_id)
    for field in ("updated_at", "blocked_senders", "ai_trial"):
        value = getattr(present, field)
        same &= Mailbox.attr(field).eq(value) if value else Mailbox.attr(field).not_exists()
    return same


def block(table: Table, mailbox: Mailbox, sender: str) -> None:
    """Leave out further mail of a sender. Idempotent. Raises TooMany; a removed mailbox stays removed."""
    blocked = Mailbox.attr("blocked_senders")
    try:
        table.update(
            Mailbox.of(mailbox.address),
            add={Mailbox.name_of("blocked_senders"): {sender}},
            when=Mailbox.attr("company_id").eq(mailbox.company_id)
            & (blocked.not_exists() | blocked.size().lt(MOST_BLOCKED) | blocked.contains(sender)),
        )
    except ConditionFailed:
        raise TooMany(f"mailbox: has at most {MOST_BLOCKED} blocked senders") from None


def unblock(table: Table, mailbox: Mailbox, names: set[str]) -> None:
    """Receive mail of a sender again, who is blocked by these names. Idempotent."""
    try:
        table.update(
            Mailbox.of(mailbox.address),
            take_from_set={Mailbox.name_of("blocked_senders"): names},
            when=Mailbox.attr("company_id").eq(mailbox.company_id),
        )
    except ConditionFailed:
        return


def delete(table: Table, mailbox: Mailbox) -> None:
    """Remove a mailbox; its threads stay. Idempotent."""
    try:
        table.delete(
            Mailbox.of(mailbox.address), when=Mailbox.attr("company_id").eq(mailbox.company_id)
        )
    except ConditionFailed:
        return
    table.update(
        CompanyMailboxes.key(mailbox.company_id), take_from_set={"addresses": {mailbox.address}}
    )


def _listed(table: Table, company_id: str) -> set[str]:
    item = table.get(CompanyMailboxes.key(company_id))
    return CompanyMailboxes.read(item).addresses if item else set()
