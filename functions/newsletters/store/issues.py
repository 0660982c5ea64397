"""Access patterns of issues: made, listed, changed by people, and moved on by the worker that holds the lease."""

from __future__ import annotations

import base64
import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr, Key

from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items import Issue, IssueEntry, IssueState
from newsletters.store.items.issues import ISSUES
from newsletters.store.items.item import (
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    SORT_KEY,
    timestamp,
)
from newsletters.store.items.jobs import OPEN_WORK, due_key
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.leases import LeaseAttributes, LeaseLost, Leases
from shared.runtime import clock

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

LEASE: Final = LeaseAttributes(owner="lease_owner", until="lease_until")
LOOK_AFTER_MS: Final = 6 * 60 * clock.SECOND_MS  # a worker's lease is over by then
_SUFFIX: Final = 8
_CROCKFORD: Final = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
)
_DUE: Final = (INDEX_PARTITION_KEY, INDEX_SORT_KEY)
_NAME: Final = "issue"  # of the work in the list of open work


def new_id(cause: str, now_ms: int) -> str:
    """Return the id of the issue that a request makes: a repeated request of the same day has the same."""
    hashed = hashlib.sha256(f"newsletter issue {cause}".encode()).digest()
    suffix = base64.b32encode(hashed).decode().translate(_CROCKFORD)[:_SUFFIX]
    return f"IS-{timestamp(now_ms)[:10].replace('-', '')}-{suffix}"


def create(table: Table, issue: Issue) -> Issue:
    """Write an issue and its entry in the list of the company; return what is stored. Safe to repeat."""
    entry = IssueEntry(
        **IssueEntry.key(issue.company_id, issue.created_at, issue.issue_id),
        issue_id=issue.issue_id,
    )
    written = {name: value for name, value in issue.attributes().items() if name not in _DUE}
    try:
        table.transact(
            table.to_put(written, when=Attr(PARTITION_KEY).not_exists()),
            table.to_put(entry.attributes()),
        )
    except TransactionRefused:
        stored = get(table, issue.issue_id)
        if stored is None or stored.cause != issue.cause:
            raise StaleVersion("issue: another request has just made it") from None
        return stored
    return issue


def get(table: Table, issue_id: str) -> Issue | None:
    """Return an issue."""
    item = table.get(Issue.key(issue_id))
    return Issue.read(item) if item else None


def of_company(
    table: Table, company_id: str, *, limit: int, start: Attributes | None
) -> tuple[list[Issue], Attributes | None]:
    """Return a page of the issues of a company, newest first, and the next start key."""
    rows, last = table.query(
        None,
        Key(PARTITION_KEY).eq(IssueEntry.key(company_id, "-", "-")[PARTITION_KEY])
        & Key(SORT_KEY).begins_with(ISSUES),
        limit=limit,
        start=start,
        newest_first=True,
    )
    ids = [IssueEntry.read(row).issue_id for row in rows]
    found = {item["issue_id"]: Issue.read(item) for item in table.get_many([*map(Issue.key, ids)])}
    return [found[one] for one in ids if one in found], last


def change(table: Table, issue: Issue, *states: IssueState, **changes: Any) -> Issue:  # noqa: ANN401 - fields of the issue
    """
    Change an issue that is as it was read, and in one of *states*; None removes a field. Raises StaleVersion.

    An issue that is scheduled or sent is open work, due at *due_ms* among the changes; any other is none.
    """
    due_ms = changes.pop("due_ms", None)
    changed = issue.model_copy(
        update={**changes, "version": issue.version + 1, "updated_at": timestamp(clock.now_ms())}
    )
    written = changed.attributes()
    names = [*changes, "version", "updated_at"]
    put = {name: written[name] for name in names if name in written}
    drop = [name for name in names if name not in written]
    if due_ms is None:
        drop += _DUE
    else:
        put |= _due_at(issue.issue_id, due_ms)
    is_as_read: ConditionBase = Issue.attr("version").eq(issue.version)
    is_as_read &= Issue.attr("state").is_in([one.value for one in states])
    try:
        # A transaction, because the SDK's own retries of it have no second effect.
        table.transact(
            table.to_update(Issue.key(issue.issue_id), put=put, drop=drop, when=is_as_read)
        )
    except TransactionRefused:
        raise StaleVersion("version: the issue has changed; read it again") from None
    return changed


def delete(table: Table, issue: Issue) -> None:
    """Delete an issue that was never sent, and its entry. Raises StaleVersion."""
    unsent = Issue.attr("state").eq(IssueState.DRAFT.value)
    try:
        table.transact(
            table.to_delete(
                Issue.key(issue.issue_id), when=unsent & Issue.attr("version").eq(issue.version)
            ),
            table.to_delete(IssueEntry.key(issue.company_id, issue.created_at, issue.issue_id)),
        )
    except TransactionRefused:
        if get(table, issue.issue_id) is not None:
            raise StaleVersion("version: the issue has changed; read it again") from None


def claim(table: Table, issue: Issue, owner: str, lease_until: int) -> Issue:
    """Take the lease of an issue that is being sent. Raises Held (Transient) and Finished (`Leases`)."""
    mine = {LEASE.owner: owner, LEASE.until: lease_until}
    taken = Leases(table, LEASE).take_over(
        Issue.key(issue.issue_id),
        issue.attributes(),
        mine,
        put=_due_at(issue.issue_id, lease_until + LOOK_AFTER_MS),
        when=_is_sending() & Issue.attr("turn").eq(issue.turn),
    )
    return Issue.read(taken)


def release(table: Table, issue: Issue) -> None:
    """Free an issue for the next worker at once."""
    Leases(table, LEASE).release(Issue.key(issue.issue_id), str(issue.lease_owner))


def advance(table: Table, issue: Issue, **place: Any) -> Issue:  # noqa: ANN401 - fields of the issue
    """
    Write the place from which the next turn goes on. None removes a field. Raises LeaseLost, also if people have
    paused or cancelled the issue.
    """
    changed = issue.model_copy(update=place)
    written = changed.attributes()
    try:
        stored = table.update(
            Issue.key(issue.issue_id),
            put={name: written[name] for name in place if name in written},
            drop=[name for name in place if name not in written],
            when=_is_of(issue) & _is_sending(),
        )
    except ConditionFailed:
        raise LeaseLost from None
    return Issue.read(stored)


def next_turn(table: Table, issue: Issue, due_ms: int) -> Issue | None:
    """
    Move an issue that is being sent to its next turn, which the schedule looks after at *due_ms*; None if it is not
    being sent any more, or has been moved.
    """
    try:
        moved = table.update(
            Issue.key(issue.issue_id),
            put={
                "turn": issue.turn + 1,
                LEASE.until: 0,
                **_due_at(issue.issue_id, due_ms),
            },
            when=_is_sending() & Issue.attr("turn").eq(issue.turn),
        )
    except ConditionFailed:
        return None
    return Issue.read(moved)


def start(table: Table, issue: Issue, due_ms: int) -> Issue | None:
    """Begin to send a scheduled issue; None if people have changed it meanwhile."""
    try:
        started = table.update(
            Issue.key(issue.issue_id),
            put={
                "state": IssueState.SENDING.value,
                "started_at": timestamp(clock.now_ms()),
                "version": issue.version + 1,
                "turn": issue.turn + 1,
                **_due_at(issue.issue_id, due_ms),
            },
            when=Issue.attr("version").eq(issue.version)
            & Issue.attr("state").eq(IssueState.SCHEDULED.value),
        )
    except ConditionFailed:
        return None
    return Issue.read(started)


def end(table: Table, issue: Issue, state: IssueState, *others: Attributes, **facts: Any) -> Issue:  # noqa: ANN401 - fields of the issue
    """
    End the work of the worker that holds the lease: sent, failed, paused or missed. Raises LeaseLost. *others*:
    further writes of the transaction.
    """
    is_open = state in {IssueState.PAUSED, IssueState.MISSED}
    ended = {} if is_open else {"ended_at": timestamp(clock.now_ms())}
    changes = {"version": issue.version + 1, LEASE.until: 0, **ended, **facts}
    try:
        table.transact(
            table.to_update(
                Issue.key(issue.issue_id),
                put={**changes, "state": state.value},
                drop=_DUE,
                when=_is_of(issue) & _is_sending(),
            ),
            *others,
        )
    except TransactionRefused:
        raise LeaseLost from None
    return issue.model_copy(update={**changes, "state": state})


def forget_author(table: Table, company_id: str, user_id: str, name: str) -> None:
    """Replace a user who made or approved issues by *name*. Idempotent."""
    start: Attributes | None = None
    while True:
        found, start = of_company(table, company_id, limit=100, start=start)
        for issue in found:
            for field in ("created_by", "approved_by"):
                if getattr(issue, field) == user_id:
                    is_theirs = Issue.attr(field).eq(user_id)
                    with suppress(ConditionFailed):
                        table.update(Issue.key(issue.issue_id), put={field: name}, when=is_theirs)
        if start is None:
            return


def pause(table: Table, issue: Issue, reason: str, *others: Attributes) -> Issue | None:
    """
    Pause an issue that is being sent; None if it is not any more. A worker stops within its batch. *others*: further
    writes of the transaction.
    """
    changes = {
        "state": IssueState.PAUSED,
        "pause_reason": reason,
        "updated_at": timestamp(clock.now_ms()),
    }
    try:
        table.transact(
            table.to_update(
                Issue.key(issue.issue_id),
                put={**changes, "state": IssueState.PAUSED.value},
                add={"version": 1},
                drop=_DUE,
                when=_is_sending(),
            ),
            *others,
        )
    except TransactionRefused:
        return None
    return issue.model_copy(update={**changes, "version": issue.version + 1})


def _due_at(issue_id: str, due_ms: int) -> dict[str, str]:
    return {INDEX_PARTITION_KEY: OPEN_WORK, INDEX_SORT_KEY: due_key(due_ms, issue_id, _NAME)}


def _is_sending() -> ConditionBase:
    return Issue.attr("state").eq(IssueState.SENDING.value)


def _is_of(issue: Issue) -> ConditionBase:
    return Attr(LEASE.owner).eq(issue.lease_owner)
