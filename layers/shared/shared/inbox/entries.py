"""
Writes entries so that each shows its head, in whichever order changes are reported.

A report (a stream record, a rebuild, a repeat) only says which head changed. Each run reads the entry, then the head,
and writes on the condition that the entry is still the one that it read. So a run that has read an older head than the
one shown is refused and starts over: entries follow their heads and never go back, without a counter in the heads.

What has happened in the conversation since the entry was written is counted in the same transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError

from shared.aws.dynamodb import ConditionFailed, TransactionRefused, has_hot_partition
from shared.identity.contacts import resolution
from shared.identity.contacts.claims import mark_of
from shared.inbox import rounds
from shared.inbox.items import (
    LIST_INDEX,
    OPEN,
    PARKED_DAYS,
    SNOOZED,
    Context,
    Entry,
    Head,
    ParkedHead,
    pk,
)
from shared.inbox.lists import partitions
from shared.inbox.reports import counters
from shared.inbox.reports.outcomes import Assisted
from shared.inbox.rounds import Happened, Seen
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

OF_NO_CONVERSATION = ""  # the reference of a change
MOST_ROUNDS = 8  # Two runs write one entry only around a crash or during a rebuild.


# Gets the stored entry, the one that will be written, and its head; returns who is notified.
type Notify = Callable[[Entry | None, Entry, Head], tuple[str, ...]]
# Gets the stored entry, the one that will be written, and what has happened; returns the webhooks that have deliveries.
type Publish = Callable[[Entry | None, Entry, Sequence[Happened]], tuple[str, ...]]


class ReadableHeads(Protocol):
    """The heads of a context's conversations, by their references."""

    @property
    def context(self) -> Context:
        """The context."""
        ...

    def read(self, reference: str) -> Head | None:
        """Return the present head, strongly consistent; None if it does not exist or is in no list."""
        ...


class Heads(ReadableHeads, Protocol):
    """The heads of a context's conversations, which the keys of its items lead to."""

    def reference_of(self, key: Attributes) -> str | None:
        """Return the reference of the head that an item with this key belongs to; None if it belongs to none."""
        ...


class BatchHeads(Heads, Protocol):
    """Heads that can be read in batches, as feeds do."""

    def for_keys(self, keys: Sequence[Attributes]) -> Self:
        """Return the same heads, after a batch read of what `reference_of` reads for these keys."""
        ...

    def prefetched(self, references: Sequence[str]) -> Self:
        """Return the same heads, after a batch read of these; `read` answers the first call for each with it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    An entry that was written or removed, with its new version. *is_new*: there was none before. *notified*: the people
    and teams that have a new notification about it. With the reference OF_NO_CONVERSATION it is about that alone.
    *webhooks*: those that have new deliveries.
    """

    company_id: str
    context: Context
    reference: str
    project_id: str | None
    version: int
    is_removed: bool
    is_new: bool = False
    notified: tuple[str, ...] = ()
    webhooks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The table of the inbox, and the table of the contacts of its conversations."""

    inbox: Table
    contacts: Table


def refresh(
    tables: Tables,
    heads: ReadableHeads,
    reference: str,
    *,
    resolves_again: bool = False,
    notify: Notify | None = None,
    publish: Publish | None = None,
    counts_new: bool = True,
) -> Change | None:
    """
    Make the entry of a conversation show its present head, and the contact that the head's claims name; return the
    change, None if there was nothing to change.

    With *resolves_again* claims are resolved even if the entry has their mark: their contacts may have been lost.
    *notify* and *publish* are called before each attempt to write the entry.
    Without *counts_new* reports do not count the opening of a conversation without an entry: it was counted with the
    entry that was lost.

    Safe to repeat, and beside any other run. Raises Transient after many concurrent writes, and ClientError; if one
    partition of a list is throttled, the company's lists get more of them.
    """
    change: Change | None = None
    notified: dict[str, None] = {}
    webhooks: dict[str, None] = {}
    key = Entry.key(heads.context, reference)
    for _ in range(MOST_ROUNDS):
        stored = get(tables.inbox, key)  # before the head: see above
        head = heads.read(reference)
        wanted, happened = _wanted(
            tables, head, stored, resolves_again=resolves_again, counts_new=counts_new
        )
        if _is_shown(wanted, stored):
            return change
        if notify is not None and head is not None and wanted is not None:
            notified.update(dict.fromkeys(notify(stored, wanted, head)))
        if publish is not None and wanted is not None:
            webhooks.update(dict.fromkeys(publish(stored, wanted, happened)))
        version = max(stored.version + 1 if stored else 0, clock.now_ms())
        if wanted is not None:
            wanted = wanted.model_copy(update={"version": version})
        try:
            _replace(tables.inbox, key, stored, wanted, happened=happened, head=head)
        except (ConditionFailed, TransactionRefused):
            continue
        shown = wanted or stored
        change = Change(
            company_id=shown.company_id if shown else "",
            context=heads.context,
            reference=reference,
            project_id=shown.project_id if shown else None,
            version=version,
            is_removed=wanted is None,
            is_new=wanted is not None
            and (stored is None or (change is not None and change.is_new)),
            notified=tuple(notified),
            webhooks=tuple(webhooks),
        )
        if stored is not None:
            return change
        # A new entry has no earlier version to compare: its head may have been removed, with the entry that another
        # run had made of it, before this run wrote. So the head is read again.
    raise Transient("entry_contended")


def _wanted(
    tables: Tables,
    head: Head | None,
    stored: Entry | None,
    *,
    resolves_again: bool,
    counts_new: bool,
) -> tuple[Entry | None, list[Happened]]:
    """Return the entry of a head, without a version, and what is to be counted; None if no list contains the head."""
    if head is None or clock.is_over(head.ttl):
        return None, []
    round_, happened = _round(stored, head, counts_new=counts_new)
    contact = _contact(tables.contacts, head, None if resolves_again else stored)
    made = Entry.of(head, partitions.written(tables.inbox, head.company_id))
    return made.model_copy(update=contact | {"round": round_}), happened


def _replace(
    table: Table,
    key: str,
    stored: Entry | None,
    new: Entry | None,
    *,
    happened: Sequence[Happened],
    head: Head | None,
) -> None:
    """
    Write the entry of a *head* in place of *stored*, or delete that, and count what has happened.

    Raises as `Table.put` and `Table.transact`, and ClientError; a throttled partition of a list is divided.
    """
    unchanged = _as_read(stored)
    if new is None:
        table.delete(pk(key), when=unchanged)
        return
    try:
        if happened:
            put = table.to_put(new.attributes(), when=unchanged)
            assignee = new.assignee or (stored.assignee if stored is not None else None)
            assisted = _assisted(head) if head is not None else None
            counters.write(table, put, new, assignee, happened, assisted=assisted)
        else:
            table.put(new.attributes(), when=unchanged)
    except ClientError as error:
        if has_hot_partition(error, LIST_INDEX):
            partitions.double(table, new.company_id)
        raise


def _is_shown(wanted: Entry | None, stored: Entry | None) -> bool:
    if wanted is None or stored is None:
        return wanted is stored
    return wanted.content() == stored.content() and wanted.round == stored.round


def _round(
    stored: Entry | None, head: Head, *, counts_new: bool
) -> tuple[rounds.Round, list[Happened]]:
    """
    Return the round of a conversation with this head, and what is to be counted.

    What an entry of an earlier release shows was not counted, and is not: only what has happened since.
    """
    seen, now_ms = _seen(head), clock.now_ms()
    if stored is None:
        return (
            rounds.after(None, seen, now_ms) if counts_new else (rounds.uncounted(seen, now_ms), [])
        )
    before = stored.round or rounds.uncounted(_seen(stored), now_ms)
    return rounds.after(before, seen, now_ms)


def _seen(shown: Head | Entry) -> Seen:
    is_of_assistant = shown.context is Context.CONVERSATIONS
    head = shown if isinstance(shown, Head) else None
    return Seen(
        is_open=shown.status in {OPEN, SNOOZED},
        is_archived=shown.status == "archived",
        active_ms=clock.from_text(shown.last_activity_at),
        waiting_ms=_ms(shown.waiting_since),
        answered_ms=_ms(head.answered_at) if head else None,
        ended_ms=_ms(head.ended_at) if head else None,
        assistant=shown.context_status if is_of_assistant else None,
        ratings=head.ratings if head else {},
    )


def _assisted(head: Head) -> Assisted | None:
    if head.context is not Context.CONVERSATIONS:
        return None
    return Assisted(
        version=head.ai_version,
        language=head.language,
        handed_off_for=head.handed_off_for,
        tally=head.tally,
    )


def _ms(at: str | None) -> int | None:
    return clock.from_text(at) if at else None


def _contact(contacts: Table, head: Head, stored: Entry | None) -> dict[str, str | set[str]]:
    """Return the fields of the contact of a head. Claims that *stored* has the mark of are not resolved again."""
    if not head.claims:
        return {}
    mark = mark_of(head.company_id, head.claims, head.contact, head.signed)
    known = stored.contact_id if stored is not None and stored.claims_mark == mark else None
    at_ms = clock.from_text(head.last_activity_at)
    found = known or resolution.resolve(
        contacts, head.company_id, head.claims, at_ms, head.contact, signed=head.signed
    )
    order = Entry.contact_order_of(head.context, head.reference, at_ms)
    signed = {resolution.ids_of(head.company_id, one)[0] for one in head.signed}
    shown = {"signed": signed} if signed else {}
    return {"contact_id": found, "contact_order": order, "claims_mark": mark, **shown}


def get(table: Table, key: str) -> Entry | None:
    """Return the entry with this key (strongly consistent read)."""
    item = table.get(pk(key))
    return Entry.read(item) if item else None


def park(table: Table, context: Context, reference: str, reason: str) -> None:
    """Store that a head could not be shown. Safe to repeat: one item per conversation."""
    parked = ParkedHead(
        pk=ParkedHead.key(context, reference),
        list_pk=ParkedHead.list_of(context),
        activity=clock.to_text(clock.now_ms()),
        context=context,
        reference=reference,
        reason=reason,
        ttl=clock.expires_in(PARKED_DAYS * clock.DAY_SECONDS),
    )
    table.put(parked.attributes())


def unpark(table: Table, context: Context, reference: str) -> None:
    """Delete the record of a head that is shown by now. Safe to repeat."""
    table.delete(pk(ParkedHead.key(context, reference)))


def parked(table: Table, context: Context) -> Iterator[ParkedHead]:
    """Yield the parked heads of a context, oldest first."""
    condition = Key(ParkedHead.name_of("list_pk")).eq(ParkedHead.list_of(context))
    start: Attributes | None = None
    while True:
        items, start = table.query(LIST_INDEX, condition, start=start)
        yield from map(ParkedHead.read, items)
        if start is None:
            return


def _as_read(stored: Entry | None) -> ConditionBase:
    """Return a condition that the entry is the one that was read. DynamoDB deletes expired entries late."""
    version = Entry.attr("version")
    if stored is None:
        expired: ConditionBase = Attr(Entry.name_of("ttl")).lte(clock.now_ms() // clock.SECOND_MS)
        return version.not_exists() | expired
    return version.eq(stored.version)
