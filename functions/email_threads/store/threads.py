"""Access patterns of threads. The numbers refer to the contract's section "Access Patterns"."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from email_threads.store.deadlines.service_levels import writes
from email_threads.store.items import (
    Alias,
    AliasKind,
    Expiry,
    Mail,
    Status,
    Thread,
)
from email_threads.store.items.item import date_of
from email_threads.store.items.threads.thread import PARTICIPANT_INDEX, STATUS_INDEX
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.items import stored
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from email_threads.parsing.kinds import Kind
    from email_threads.store.items import Delivery, HistoryEntry
    from shared.aws.dynamodb import Attributes, Table

PAGE: Final = 25
NEWEST_OF_PARTICIPANT: Final = 10
MOST_JOIN_REQUESTS: Final = 10


class Refusal(Enum):
    """The reason why an append changed nothing."""

    THREAD_CHANGED = 1  # since it was read, or expired
    ALREADY_APPENDED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """
    A mail and the thread with it. *before* is the head as it was read, None for a new thread.

    *entry* is set if the history only grows by it; otherwise the whole window of *after* is written. *sent_draft* is
    the id of the draft that the mail was sent from: it is open no longer.
    """

    before: Thread | None
    after: Thread
    mail: Mail
    entry: HistoryEntry | None
    alias_kind: AliasKind = AliasKind.MAIL
    sent_draft: str | None = None


def get(table: Table, conversation_id: str) -> Thread | None:
    """Return a live thread (pattern 1); None if there is none or it has expired."""
    item = table.get(Thread.key(conversation_id))
    return Thread.read(item) if item else None


def get_many(table: Table, conversation_ids: Iterable[str]) -> dict[str, Thread]:
    """Return the live threads among these ids."""
    items = table.get_many([Thread.key(one) for one in dict.fromkeys(conversation_ids)])
    return {str(item["conversation_id"]): Thread.read(item) for item in items}


def by_status(
    table: Table, status: Status, *, start: Attributes | None = None, limit: int = PAGE
) -> tuple[list[Thread], Attributes | None]:
    """Return a page of threads with this status, newest change first (pattern 2), and where the next one starts."""
    items, last = table.query(
        STATUS_INDEX, Key("status").eq(status), limit=limit, start=start, newest_first=True
    )
    live = [item for item in items if not clock.is_over(item.get("ttl"))]
    return [Thread.read(item) for item in live if "merged_into" not in item], last


def of_participant(table: Table, address: str, company_id: str) -> list[Thread]:
    """Return the live threads of a company among the newest ten of an address, newest first (pattern 3)."""
    rows, _ = table.query(
        PARTICIPANT_INDEX,
        Key("participant").eq(address),
        limit=NEWEST_OF_PARTICIPANT,
        newest_first=True,
    )
    ids = [str(row["conversation_id"]).partition("#")[0] for row in rows]
    threads = get_many(table, ids)
    ordered = [threads[one] for one in dict.fromkeys(ids) if one in threads]
    return [thread for thread in ordered if thread.company_id == company_id]


def mails(table: Table, conversation_id: str, numbers: Sequence[int]) -> list[Mail]:
    """Return the mails with these numbers, in ascending order; those that were moved to another thread are left out."""
    return [mail for mail in places(table, conversation_id, numbers) if mail.moved_to is None]


def places(table: Table, conversation_id: str, numbers: Sequence[int]) -> list[Mail]:
    """Return the mails with these numbers, in ascending order, also the empty places of moved ones."""
    items = table.get_many([Mail.number(conversation_id, n) for n in numbers])
    return sorted((Mail.read(item) for item in items), key=lambda mail: mail.n)


def aliases(table: Table, email_ids: Sequence[str]) -> dict[str, Alias]:
    """Return the aliases of these mail ids."""
    items = table.get_many([Alias.key(one) for one in dict.fromkeys(email_ids)])
    found = [Alias.read(item) for item in items]
    return {alias.email_id: alias for alias in found}


def request_to_join(table: Table, conversation_id: str, joining: str) -> None:
    """
    Note in a thread which one, of a person who may not join it, names it. Idempotent.

    Leaves a thread as it is that has MOST_JOIN_REQUESTS, or has expired: the other one names it all the same.
    """
    requests = Thread.attr("join_requests")
    try:
        table.update(
            Thread.key(conversation_id),
            add={"join_requests": {joining}},
            when=Thread.attr("conversation_id").exists()
            & (requests.not_exists() | requests.size().lt(MOST_JOIN_REQUESTS)),
        )
    except ConditionFailed:
        return


def forget_join_request(table: Table, conversation_id: str, joining: str) -> None:
    """Remove a request to join a thread. Idempotent."""
    try:
        table.update(
            Thread.key(conversation_id),
            take_from_set={"join_requests": {joining}},
            when=Thread.attr("conversation_id").exists(),
        )
    except ConditionFailed:
        return


def append(table: Table, write: Append, *, from_thread: str | None = None) -> Refusal | None:
    """
    Write head, mail and alias, or nothing (patterns 4 and 5). One transaction.

    *from_thread* is the thread that a stored mail is moved from: its alias leads there, or has expired.
    """
    mail = write.mail
    alias = Alias(
        conversation_id=Alias.key(mail.email_id)["conversation_id"],
        thread=mail.thread,
        kind=write.alias_kind,
        email_id=mail.email_id,
        n=mail.n,
        fingerprint=mail.fingerprint,
        ttl=Alias.lifetime(write.alias_kind),
    )
    others = (
        Alias.attr("kind").eq(AliasKind.PHANTOM.value)
        if from_thread is None
        else Alias.attr("thread").eq(from_thread)
    )
    may_lead_here = Alias.attr("conversation_id").not_exists() | others
    try:
        table.transact(
            _head_write(table, write),
            table.to_put(mail.attributes(), when=Mail.attr("conversation_id").not_exists()),
            table.to_put(alias.attributes(), when=may_lead_here),
            *writes(table, write.before, write.after),
        )
    except TransactionRefused as refused:
        # A changed head explains the other two; an alias alone is a delivery that another worker has finished.
        is_only_alias = refused.positions == {2}
        return Refusal.ALREADY_APPENDED if is_only_alias else Refusal.THREAD_CHANGED
    return None


def name_phantoms(table: Table, conversation_id: str, email_ids: Iterable[str]) -> None:
    """Let unknown ids that a mail names lead to its thread. Idempotent; existing aliases stay."""
    for email_id in email_ids:
        alias = Alias(
            conversation_id=Alias.key(email_id)["conversation_id"],
            thread=conversation_id,
            kind=AliasKind.PHANTOM,
            email_id=email_id,
            ttl=Alias.lifetime(AliasKind.PHANTOM),
        )
        try:
            table.put(alias.attributes(), when=Alias.attr("conversation_id").not_exists())
        except ConditionFailed:
            continue


def put_expiry(table: Table, thread: Thread) -> None:
    """
    Write the item by which the children of an expired thread are found, a day longer than its head. Idempotent.

    An older state of the thread does not shorten it.
    """
    ttl = (thread.ttl or 0) + clock.DAY_SECONDS
    row = Expiry(
        conversation_id=Expiry.key(thread.conversation_id)["conversation_id"],
        ttl=ttl,
        ttl_date=date_of(ttl),
    )
    try:
        table.put(
            row.attributes(), when=Expiry.attr("ttl").not_exists() | Expiry.attr("ttl").lt(ttl)
        )
    except ConditionFailed:
        return


def mark_returned(table: Table, alias: Alias, kind: Kind) -> None:
    """Note at a mail that a bounce or a complaint about it has arrived. Idempotent; a moved or removed mail stays."""
    if alias.n is None:
        return
    try:
        table.update(
            Mail.number(alias.thread, alias.n),
            put=Mail.named(returned_as=kind.value),
            when=Mail.attr("email_id").eq(alias.email_id),
        )
    except ConditionFailed:
        return


def mark_delivery(table: Table, alias: Alias, delivery: Delivery) -> bool:
    """Move the delivery of a sent mail forward; False if it is further already, or the mail was moved or removed."""
    if alias.n is None:
        return False
    rank = Mail.attr("delivery_rank")
    try:
        table.update(
            Mail.number(alias.thread, alias.n),
            put=Mail.named(delivery=delivery.value, delivery_rank=delivery.rank),
            when=Mail.attr("email_id").eq(alias.email_id)
            & (rank.not_exists() | rank.lt(delivery.rank)),
        )
    except ConditionFailed:
        return False
    return True


def create(table: Table, thread: Thread) -> bool:
    """Store the head of a thread without mails; False if it exists."""
    try:
        table.put(thread.attributes(), when=Thread.attr("conversation_id").not_exists())
    except ConditionFailed:
        return False
    return True


def note_continued(table: Table, conversation_id: str, other: str) -> None:
    """Note in a thread in which one it is continued. Idempotent; a thread that is gone stays gone."""
    try:
        table.update(
            Thread.key(conversation_id),
            put={"continued_in": other},
            when=Thread.attr("conversation_id").exists(),
        )
    except ConditionFailed:
        return


def refuse_consent(table: Table, conversation_id: str) -> None:
    """Note in a thread that its customer refused consent: no model reads it. Idempotent."""
    table.update(
        Thread.key(conversation_id),
        put={"gdpr_consent": False},
        when=Thread.attr("conversation_id").exists(),
    )


def link(table: Table, conversation_id: str, other: str) -> None:
    """Name another thread as related, unless one is named already. Idempotent."""
    thread = get(table, conversation_id)
    if thread is None or thread.metadata.client_info.related is not None:
        return
    linked = thread.metadata.client_info.model_copy(update={"related": other})
    metadata = thread.metadata.model_copy(update={"client_info": linked})
    try:
        table.update(
            Thread.key(conversation_id),
            put={"metadata": stored(metadata)},
            when=is_unchanged(thread),
        )
    except ConditionFailed:
        raise Transient("thread_contended") from None


def is_unchanged(thread: Thread) -> ConditionBase:
    """Return the condition that a thread is as it was read, and has not expired."""
    seq, ttl = Thread.attr("last_seq"), Thread.attr("ttl")
    is_seen = seq.not_exists() if thread.last_seq is None else seq.eq(thread.last_seq)
    return is_seen & (ttl.not_exists() | ttl.gt(clock.now_ms() // 1_000))


def is_unanalysed_since(thread: Thread) -> ConditionBase:
    """Return the condition that no other analysis was stored since a thread was read, and no mail of the customer."""
    seq, newest = Thread.attr("analysis_seq"), Thread.attr("last_inbound_n")
    is_seen = seq.not_exists() if thread.analysis_seq is None else seq.eq(thread.analysis_seq)
    is_newest = (
        newest.not_exists() if thread.last_inbound_n is None else newest.eq(thread.last_inbound_n)
    )
    return is_seen & is_newest


def _head_write(table: Table, write: Append) -> Attributes:
    """Create the head, or change what an append changes under the sequence number that was read."""
    if write.before is None:
        return table.to_put(
            write.after.attributes(), when=Thread.attr("conversation_id").not_exists()
        )
    before, after = stored(write.before), stored(write.after)
    # Only what changed: the analysis of an earlier mail may write its own attributes at the same time.
    changed = {name: value for name, value in after.items() if before.get(name) != value}
    if write.entry is not None:
        changed.pop("email_history")
    when = is_unchanged(write.before)
    if "ai_analysis" in changed:  # A sent mail asks questions, which are noted there.
        when &= is_unanalysed_since(write.before)
    return table.to_update(
        Thread.key(write.after.conversation_id),
        put=changed,
        drop=[name for name in before if name not in after],
        append={"email_history": [stored(write.entry)]} if write.entry is not None else None,
        take_from_set={"open_drafts": {write.sent_draft}} if write.sent_draft else None,
        when=when,
    )
