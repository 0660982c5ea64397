"""Access patterns of what readers choose on their page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items import Choices
from newsletters.store.items.item import INDEX_PARTITION_KEY, INDEX_SORT_KEY, PARTITION_KEY
from newsletters.store.items.jobs import OPEN_WORK, due_key
from newsletters.store.readers.signups import LOOK_AFTER_MS
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.store.items import ConsentEvidence
    from shared.aws.dynamodb import Table

_DUE = (INDEX_PARTITION_KEY, INDEX_SORT_KEY)


def get(table: Table, company_id: str, recipient: str) -> Choices | None:
    """Return the choices of a reader; None before the first one."""
    item = table.get(Choices.key(company_id, recipient))
    return Choices.read(item) if item else None


def newest(table: Table, company_id: str, hashes: Sequence[str]) -> Choices | None:
    """Return the newest choices of an address, by its hashes with all identifier keys. One read."""
    items = table.get_many([Choices.key(company_id, one) for one in hashes])
    found = [Choices.read(item) for item in items]
    return max(found, key=lambda one: one.changed_at, default=None)


def put(
    table: Table, present: Choices | None, made: Choices, evidence: Sequence[ConsentEvidence]
) -> Choices:
    """
    Write choices over those that were read, with the evidence of what they change. They are open work while the contact
    is to be changed. Raises StaleVersion.
    """
    changed = made.model_copy(
        update={
            "version": present.version + 1 if present else 1,
            "turn": present.turn + 1 if present else 0,
        }
    )
    due = _due_at(changed) if changed.changes_contact else {}
    written = {name: value for name, value in changed.attributes().items() if name not in _DUE}
    unchanged = (
        Choices.attr("version").eq(present.version) if present else Attr(PARTITION_KEY).not_exists()
    )
    try:
        table.transact(
            table.to_put({**written, **due}, when=unchanged),
            *(table.to_put(one.attributes()) for one in evidence),
        )
    except TransactionRefused:
        raise StaleVersion("version: the choices have changed; read them again") from None
    return changed


def finish(table: Table, choices: Choices) -> None:
    """Note that the contact has what the reader has chosen. Safe to repeat."""
    try:
        table.update(
            Choices.key(choices.company_id, choices.recipient),
            put=Choices.named(joins=[], is_language_new=False),
            drop=[*_DUE, Choices.name_of("first_name")],
            when=Choices.attr("turn").eq(choices.turn),
        )
    except ConditionFailed:
        return  # chosen again meanwhile


def next_turn(table: Table, choices: Choices, due_ms: int) -> Choices | None:
    """Move open work to its next turn, due at *due_ms*; None if another run has moved it, or it is done."""
    try:
        moved = table.update(
            Choices.key(choices.company_id, choices.recipient),
            put={**Choices.named(turn=choices.turn + 1), **_due_at(choices, due_ms)},
            when=Choices.attr("turn").eq(choices.turn) & Attr(INDEX_SORT_KEY).exists(),
        )
    except ConditionFailed:
        return None
    return Choices.read(moved)


def note_issue(table: Table, choices: Choices, issue_id: str, at: str) -> bool:
    """Note the issue that a reader who wants fewer gets now; False if another issue was noted meanwhile."""
    last = Choices.attr("last_issue_at")
    as_read = last.eq(choices.last_issue_at) if choices.last_issue_at else last.not_exists()
    try:
        table.update(
            Choices.key(choices.company_id, choices.recipient),
            put=Choices.named(last_issue_at=at, last_issue_id=issue_id),
            when=(as_read & Choices.attr("changed_at").exists())
            | Choices.attr("last_issue_id").eq(issue_id),
        )
    except ConditionFailed as refusal:
        return refusal.existing is None
    return True


def _due_at(choices: Choices, due_ms: int | None = None) -> dict[str, str]:
    due = clock.now_ms() + LOOK_AFTER_MS if due_ms is None else due_ms
    name = f"{choices.company_id}#{choices.recipient}"
    return {INDEX_PARTITION_KEY: OPEN_WORK, INDEX_SORT_KEY: due_key(due, name, "choices")}
