"""Access patterns of mailboxes: by address, and all of a company."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.store.items import CompanyMailboxes, Mailbox, MailDomain
from shared.aws.dynamodb import ConditionFailed, TransactionRefused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Table

MOST: Final = 200  # of a company


class Refused(Exception):
    """A mailbox cannot be written. *why* is `taken` (by another company) or `too_many`."""

    def __init__(self, why: str) -> None:
        super().__init__(f"address: {why}")
        self.why = why


def get(table: Table, address: str) -> Mailbox | None:
    """Return the mailbox of an address."""
    return get_many(table, [address]).get(address)


def get_many(table: Table, addresses: Iterable[str]) -> dict[str, Mailbox]:
    """Return the mailboxes among at most 100 addresses."""
    items = table.get_many([Mailbox.of(one) for one in dict.fromkeys(addresses)])
    found = (Mailbox.read(item) for item in items)
    return {mailbox.address: mailbox for mailbox in found}


def owner_of_domain(table: Table, addresses: Iterable[str]) -> str | None:
    """Return the company to which the domain of the first of these addresses belongs that has an owner."""
    domains = list(dict.fromkeys(one.rpartition("@")[2] for one in addresses if "@" in one))
    items = table.get_many([MailDomain.key(one) for one in domains])
    owners = {str(item["conversation_id"]): MailDomain.read(item).company_id for item in items}
    keys = (MailDomain.key(one)["conversation_id"] for one in domains)
    return next((owners[key] for key in keys if key in owners), None)


def may_send(table: Table, mailbox: Mailbox) -> bool:
    """Whether an operator has permitted the company to send from the mailbox's domain."""
    item = table.get(MailDomain.key(mailbox.address.rpartition("@")[2]))
    domain = MailDomain.read(item) if item else None
    return domain is not None and domain.may_send and domain.company_id == mailbox.company_id


def claim_domain(table: Table, company_id: str, domain: str) -> list[str]:
    """
    Give a domain to a company, which may send from it, and return the mailboxes of its earlier owner, which are
    removed. Idempotent.
    """
    key = MailDomain.key(domain)
    item = table.get(key)
    earlier = MailDomain.read(item).company_id if item else company_id
    claim = MailDomain(conversation_id=key["conversation_id"], company_id=company_id, may_send=True)
    # Before and after: a command that dies is repeated, and the earlier owner may register one meanwhile.
    removed = _remove_of(table, earlier, domain) if earlier != company_id else []
    table.put(claim.attributes())
    if earlier != company_id:
        removed += _remove_of(table, earlier, domain)
    return removed


def _remove_of(table: Table, company_id: str, domain: str) -> list[str]:
    """Remove the mailboxes of a company at a domain, and return their addresses."""
    found = [one for one in of_company(table, company_id) if one.address.endswith(f"@{domain}")]
    for mailbox in found:
        delete(table, mailbox)
    return [mailbox.address for mailbox in found]


def of_company(table: Table, company_id: str) -> list[Mailbox]:
    """Return the mailboxes of a company, by address."""
    addresses = sorted(_listed(table, company_id))
    found: dict[str, Mailbox] = {}
    for start in range(0, len(addresses), 100):
        found |= get_many(table, addresses[start : start + 100])
    return [found[one] for one in addresses if one in found]


def put(table: Table, mailbox: Mailbox) -> None:
    """
    Write a mailbox. Idempotent.

    A domain belongs to the company that first registers an address of it. Raises Refused.
    """
    company_id, address = mailbox.company_id, mailbox.address
    listed = _listed(table, company_id)
    if address not in listed and len(listed) >= MOST:
        raise Refused("too_many")
    domain = address.rpartition("@")[2]
    try:
        table.transact(
            table.to_put(mailbox.attributes(), when=_is_free_or_of(company_id)),
            table.to_update(
                MailDomain.key(domain),
                put=MailDomain.named(company_id=company_id),
                when=_is_free_or_of(company_id),
            ),
            table.to_update(CompanyMailboxes.key(company_id), add={"addresses": {address}}),
        )
    except TransactionRefused:
        raise Refused("taken") from None


def delete(table: Table, mailbox: Mailbox) -> None:
    """Remove a mailbox; its threads stay, and its domain stays with the company. Idempotent."""
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


def _is_free_or_of(company_id: str) -> ConditionBase:
    owner = Mailbox.attr("company_id")
    return owner.not_exists() | owner.eq(company_id)
