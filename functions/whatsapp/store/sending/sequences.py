"""Sequences and their runs. A run moves on with the number of its step as the condition of each write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime import clock
from whatsapp.store.conversations.head_writes import update_if
from whatsapp.store.items import Conversation, pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.sending.sequences import Sequence, SequenceRun

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes

_run = SequenceRun.attr


def get(table: Table, account: str, name: str) -> Sequence | None:
    """Return a sequence of the account with Meta's id *account* (strongly consistent read)."""
    item = table.get(pk(Sequence.key(account, name)))
    return Sequence.read(item) if item else None


def put(table: Table, sequence: Sequence) -> None:
    """Write a sequence, or replace it. Safe to repeat: the last one stays."""
    table.put(sequence.attributes())


def claim(table: Table, conversation_pk: str, run: str) -> bool:
    """Make a run the one of its conversation; False if that had another one. Safe to repeat."""
    named = Conversation.attr("sequence_run")
    facts = Conversation.named(sequence_run=run)
    free = Attr(PARTITION_KEY).exists() & (named.not_exists() | named.eq(run))
    return update_if(table, conversation_pk, facts, free) is not None


def get_run(table: Table, run: str) -> SequenceRun | None:
    """Return a run (strongly consistent read)."""
    item = table.get(pk(SequenceRun.key(run)))
    return SequenceRun.read(item) if item else None


def add_run(table: Table, run: SequenceRun) -> SequenceRun:
    """Write a new run; return the stored one if it exists. Safe to repeat."""
    try:
        table.put(run.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        return SequenceRun.read(refusal.existing) if refusal.existing else run
    return run


def advance(
    table: Table,
    seen: SequenceRun,
    outcome: str,
    due_at: str | None,
    stop_reason: str | None = None,
) -> SequenceRun | None:
    """
    Note the outcome of the current step and go on to the next one, due at *due_at*; without that time the run ends.

    Returns None if another worker has noted it, or the run was erased.
    """
    done = {"state": "stopped" if stop_reason else "completed"} if due_at is None else {}
    named = SequenceRun.named(
        step=seen.step + 1, due_at=due_at, tries=0, stop_reason=stop_reason,
        outcomes=seen.outcomes | {str(seen.step): outcome}, ttl=_expiry(), **done,
    )  # fmt: skip
    return _changed(table, seen, named, _run("step").eq(seen.step) & _run("state").eq("running"))


def postpone(table: Table, seen: SequenceRun, due_at: str) -> SequenceRun | None:
    """Try the current step again at *due_at*; None after a concurrent change."""
    named = SequenceRun.named(due_at=due_at, tries=seen.tries + 1, ttl=_expiry())
    is_seen = _run("step").eq(seen.step) & _run("due_at").eq(seen.due_at)
    return _changed(table, seen, named, is_seen & _run("state").eq("running"))


def stop(table: Table, seen: SequenceRun, reason: str) -> None:
    """End a run before its current step. Safe to repeat; without effect on one that went on, ended or was erased."""
    named = SequenceRun.named(state="stopped", stop_reason=reason, due_at=None, ttl=_expiry())
    _changed(table, seen, named, _run("step").eq(seen.step) & _run("state").eq("running"))


def _changed(
    table: Table, seen: SequenceRun, named: Attributes, when: ConditionBase
) -> SequenceRun | None:
    dropped = [name for name, value in named.items() if value is None]
    try:
        item = table.update(pk(seen.pk), put=named, drop=dropped, when=when)
    except ConditionFailed as refusal:
        # Our own write, whose response was lost.
        stored = refusal.existing or {}
        is_own = all(stored.get(n) == value for n, value in named.items() if n != "ttl")
        return SequenceRun.read(stored) if stored and is_own else None
    return SequenceRun.read(item)


def _expiry() -> int:
    return clock.expires_in((SequenceRun.ttl_days or 0) * clock.DAY_SECONDS)
