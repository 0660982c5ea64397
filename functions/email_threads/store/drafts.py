"""Access patterns of drafts, and of the list of drafts that wait for review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr, Key

from email_threads.store.items import Draft, DraftDay, Thread
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.items.replies.draft import FINAL, WAITING, DraftStatus
from email_threads.store.items.replies.draft_day import KEPT_DAYS
from email_threads.store.items.threads.thread import COMPANY_INDEX
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.items import stored
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

MOST_OPEN: Final = 10  # drafts of a thread


def get(table: Table, conversation_id: str, reply_id: str) -> Draft | None:
    """Return a draft of a thread."""
    item = table.get(Draft.key(conversation_id, reply_id))
    return Draft.read(item) if item else None


def get_many(table: Table, conversation_id: str, reply_ids: Iterable[str]) -> list[Draft]:
    """Return the drafts with these ids, newest change first."""
    keys = [Draft.key(conversation_id, one) for one in sorted(reply_ids)]
    found = [Draft.read(item) for item in table.get_many(keys)]
    return sorted(found, key=lambda draft: draft.updated_at, reverse=True)


def get_all(table: Table, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Draft]:
    """Return drafts of several threads by the ids of thread and draft."""
    keys = [Draft.key(*place) for place in places]
    found = (Draft.read(item) for item in table.get_many(keys)) if keys else ()
    return {(draft.thread, draft.reply_id): draft for draft in found}


def create(table: Table, draft: Draft) -> bool:
    """Store a new draft; False if it exists. It is listed once `list_in_thread` has named it."""
    listed = _with_list(draft)
    try:
        table.put(listed.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return False
    return True


def to_create(table: Table, draft: Draft) -> Attributes:
    """Return the write of a transaction that stores a new draft."""
    return table.to_put(_with_list(draft).attributes(), when=Attr(PARTITION_KEY).not_exists())


def move(
    table: Table,
    draft: Draft,
    *,
    counted: Sequence[Attributes] = (),
    **changes: Any,  # noqa: ANN401 - values of any field
) -> Draft | None:
    """
    Change a draft as it was read, and return it; None if another caller has changed it meanwhile.

    Its place in the list of waiting drafts follows its status. *counted* are writes of the same transaction.
    """
    changed = _with_list(
        draft.model_copy(
            update={
                **changes,
                "updated_at": clock.to_text(clock.now_ms()),
                "ttl": Draft.lifetime(),
            }
        )
    )
    before, after = stored(draft), stored(changed)
    put = {name: value for name, value in after.items() if before.get(name) != value}
    drop = [name for name in before if name not in after]
    write: Any = {"put": put, "drop": drop, "when": _is_unchanged(draft)}
    key = {PARTITION_KEY: draft.conversation_id}
    try:
        if counted:
            table.transact(table.to_update(key, **write), *counted)
        else:
            table.update(key, **write)
    except (ConditionFailed, TransactionRefused):
        return None
    return changed


def to_count(table: Table, draft: Draft, edits: int, words: int) -> Attributes:
    """
    Return the write that counts a sent draft of the model: the words that people changed, and those that it had
    written.
    """
    date = clock.to_text(clock.now_ms())[: len("2026-01-01")]
    counts = {"sent": 1, "corrected": min(edits, 1), "edits": edits, "words": words}
    version = draft.ai_version or 0
    lifetime = clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS)
    return table.to_update(
        DraftDay.key(draft.company_id, draft.mailbox, date),
        put=DraftDay.named(date=date, ttl=lifetime),
        add={DraftDay.name(version, name): n for name, n in counts.items() if n},
    )


def days(table: Table, company_id: str, address: str, dates: Sequence[str]) -> list[DraftDay]:
    """Return the counts of a mailbox on these dates, in their order; days without any are left out."""
    keys = [DraftDay.key(company_id, address, date) for date in dates]
    found = [DraftDay.read(item) for item in table.get_many(keys)]
    return sorted(found, key=lambda day: day.date)


def replace(table: Table, draft: Draft, copy: Draft, *, reason: str) -> bool:
    """
    Store a copy of a draft and supersede the draft as it was read, or neither; False if it has changed meanwhile.

    The copy replaces one that was superseded for the same *reason*: the draft has returned.
    """
    closing: dict[str, Any] = {"draft_status": DraftStatus.SUPERSEDED.value, "reason": reason}
    closing |= {"updated_at": clock.to_text(clock.now_ms()), "ttl": Draft.lifetime()}
    closing |= {"company_status": Draft.closed_list_of(draft.company_id)}
    update = table.to_update(
        {PARTITION_KEY: draft.conversation_id}, put=closing, when=_is_unchanged(draft)
    )
    has_left = Draft.attr("reason").eq(reason) & Draft.attr("draft_status").eq(
        DraftStatus.SUPERSEDED.value
    )
    is_free = Attr(PARTITION_KEY).not_exists() | has_left
    new = table.to_put(_with_list(copy).attributes(), when=is_free)
    try:
        table.transact(update, new)
    except TransactionRefused as refused:
        if 0 in refused.positions:
            return False
        return move(table, draft, draft_status=DraftStatus.SUPERSEDED, reason=reason) is not None
    return True


def list_in_thread(table: Table, draft: Draft) -> None:
    """Name an open draft on the head of its thread. Idempotent; a thread that is gone stays gone."""
    try:
        table.update(
            Thread.key(draft.thread),
            add={"open_drafts": {draft.reply_id}},
            when=Attr(PARTITION_KEY).exists(),
        )
    except ConditionFailed:
        return


def unlist_in_thread(table: Table, draft: Draft) -> None:
    """Remove a final draft from the head of its thread. Idempotent."""
    _unlist(table, draft.thread, {draft.reply_id})


def open_of(table: Table, thread: Thread) -> list[Draft]:
    """Return the drafts of a thread that are not final, newest change first."""
    found = get_many(table, thread.conversation_id, thread.open_drafts)
    return [draft for draft in found if draft.draft_status not in FINAL]


def count_open(table: Table, thread: Thread) -> int:
    """Return the number of open drafts of a thread; removes final and expired drafts from its head."""
    still_open = {draft.reply_id for draft in open_of(table, thread)}
    if gone := thread.open_drafts - still_open:
        _unlist(table, thread.conversation_id, gone)
    return len(still_open)


def waiting(
    table: Table, company_id: str, *, limit: int, mailbox: str | None, start: Attributes | None
) -> tuple[list[tuple[Attributes, Draft]], Attributes | None]:
    """
    Return a page of drafts of a company that wait for a person, oldest change first, each with its position.

    *limit* counts the rows that are read, before rows of other mailboxes are left out.
    """
    rows, last = table.query(
        COMPANY_INDEX,
        Key("company_status").eq(Draft.list_of(company_id)),
        limit=limit,
        start=start,
        only=Attr("mailbox").eq(mailbox) if mailbox else None,
    )
    keys = [{PARTITION_KEY: row[PARTITION_KEY]} for row in rows]
    found = {str(item[PARTITION_KEY]): Draft.read(item) for item in table.get_many(keys)}
    return [
        ({name: row[name] for name in (PARTITION_KEY, "company_status", "updated_at")}, draft)
        for row in rows
        # An index may lag.
        if (draft := found.get(str(row[PARTITION_KEY]))) is not None
        and draft.draft_status in WAITING
    ], last


def page(
    table: Table, partition: str, *, limit: int, start: Attributes | None
) -> tuple[list[Draft], Attributes | None]:
    """Return a page of a list of drafts, `Draft.list_of` or `Draft.closed_list_of`, and where the next one starts."""
    rows, last = table.query(
        COMPANY_INDEX, Key("company_status").eq(partition), limit=limit, start=start
    )
    items = table.get_many([{PARTITION_KEY: row[PARTITION_KEY]} for row in rows])
    return [Draft.read(item) for item in items], last


def note_ses_id(table: Table, draft: Draft, ses_id: str) -> None:
    """Store the id that SES gave a mail whose answer was lost. Idempotent."""
    try:
        table.update(
            {PARTITION_KEY: draft.conversation_id},
            put_once={"ses_id": ses_id},
            when=Draft.attr("action_id").eq(draft.action_id),
        )
    except ConditionFailed:
        return


def _unlist(table: Table, conversation_id: str, reply_ids: set[str]) -> None:
    try:
        table.update(
            Thread.key(conversation_id),
            take_from_set={"open_drafts": reply_ids},
            when=Attr(PARTITION_KEY).exists(),
        )
    except ConditionFailed:
        return


def _with_list(draft: Draft) -> Draft:
    partition = None
    is_scheduled = draft.draft_status is DraftStatus.APPROVED and draft.send_at is not None
    if draft.draft_status in WAITING or is_scheduled:  # An erasure finds both.
        partition = Draft.list_of(draft.company_id)
    elif draft.draft_status in FINAL:
        partition = Draft.closed_list_of(draft.company_id)
    return draft.model_copy(update={"company_status": partition})


def _is_unchanged(draft: Draft) -> ConditionBase:
    same = (
        Draft.attr("draft_status").eq(DraftStatus(draft.draft_status).value)
        & Draft.attr("version").eq(draft.version)
        & Draft.attr("attempt").eq(draft.attempt)
    )
    if draft.draft_status is not DraftStatus.UNKNOWN:
        return same
    # An event of SES or a person may have settled the send since it was read.
    for name in ("ses_id", "resolved_by"):
        known = getattr(draft, name)
        same &= Draft.attr(name).not_exists() if known is None else Draft.attr(name).eq(known)
    return same
