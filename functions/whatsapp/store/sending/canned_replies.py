"""Canned replies of a company: one item each, and a list of their names."""

from shared.aws.dynamodb import ConditionFailed, Table
from shared.aws.tables.seen import Seen
from shared.aws.tables.seen import put as put_over
from whatsapp.store.items import pk
from whatsapp.store.items.sending.canned_replies import CannedReply, CannedReplyList

MOST = 200
_names = CannedReplyList.attr("names")


class ListFull(Exception):
    """A company has at most 200 canned replies."""


def get(table: Table, company: str, name: str) -> CannedReply | None:
    """Return one canned reply (strongly consistent read)."""
    item = table.get(pk(CannedReply.key(company, name)))
    return CannedReply.read(item) if item else None


def listed(table: Table, company: str) -> list[CannedReply]:
    """Return all canned replies of a company, by name."""
    item = table.get(pk(CannedReplyList.key(company)))
    names = sorted(CannedReplyList.read(item).names) if item else []
    items = table.get_many([pk(CannedReply.key(company, name)) for name in names])
    return sorted(map(CannedReply.read, items), key=lambda reply: reply.name)


def put(table: Table, reply: CannedReply, seen: Seen | None = None) -> None:
    """
    Write a canned reply in place of the one that was *seen* and list it. Idempotent. Raises ListFull, ChangedMeanwhile.

    Listed first: a name without its item is left out of lists, an item without its name could not be found. One that
    was seen is listed already, and after its removal its name must not be listed again.
    """
    if seen is None or seen.updated_at is None:
        _list(table, reply)
    put_over(table, pk(reply.pk), reply, seen)


def _list(table: Table, reply: CannedReply) -> None:
    company = str(reply.company)
    room = _names.not_exists() | _names.size().lt(MOST) | _names.contains(reply.name)
    head = {"itemType": CannedReplyList.item_type, **CannedReplyList.named(company=company)}
    try:
        table.update(
            pk(CannedReplyList.key(company)),
            put=head,
            add=CannedReplyList.named(names={reply.name}),
            when=room,
        )
    except ConditionFailed:
        raise ListFull(f"a company has at most {MOST} canned replies") from None


def remove(table: Table, company: str, name: str) -> None:
    """Delete a canned reply, then its name from the list. Idempotent."""
    table.delete(pk(CannedReply.key(company, name)))
    table.update(
        pk(CannedReplyList.key(company)),
        put={"itemType": CannedReplyList.item_type, **CannedReplyList.named(company=company)},
        take_from_set=CannedReplyList.named(names={name}),
    )
