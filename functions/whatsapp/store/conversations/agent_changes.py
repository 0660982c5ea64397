"""
Changes of conversations by agents: archived, assignee, labels, status.

Two agents may change different fields at once: the later write of a field wins. A change that names the revision it is
based on is refused if another one was made since. Messages do not change the revision.
"""

from dataclasses import dataclass
from typing import Any

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store.conversations.head_writes import MAX_ROUNDS, existing, lists_of
from whatsapp.store.items import Conversation, pk
from whatsapp.store.items.conversations.agents import ConversationChange
from whatsapp.store.items.conversations.conversations import OPEN
from whatsapp.store.items.item import PARTITION_KEY

_of = Conversation.attr


class StateConflict(Exception):
    """The conversation was changed after the revision that the change is based on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    *fields*: new values by field of Conversation, None for an absent one. *revision*: the one it is based on, if named.

    *cause* identifies the call, also when it is repeated; *by* is the principal of its caller.
    """

    fields: dict[str, Any]
    revision: int | None
    cause: str
    by: str
    at: str


def apply(table: Table, head: Conversation, change: Change) -> Conversation:
    """
    Make a change and return the changed head; without effect if it changes nothing. Safe to repeat.

    Raises StateConflict, and Transient if the head was deleted, or after many concurrent writes.
    """
    for _ in range(MAX_ROUNDS):
        if (head.last_change or {}).get("cause") == change.cause:
            return head  # An earlier attempt of this call made the change.
        if change.revision not in {None, head.revision}:
            raise StateConflict("revision: the conversation was changed since this revision")
        changed = {name: v for name, v in change.fields.items() if getattr(head, name) != v}
        if not changed:
            return head
        _record_last(table, head)
        try:
            return _write(table, head, change, changed)
        except ConditionFailed as refusal:
            head = existing(refusal)
    raise Transient("head_contended")


def _write(
    table: Table, head: Conversation, change: Change, changed: dict[str, Any]
) -> Conversation:
    """Write the changed fields with their record and their lists. Raises ConditionFailed if *head* is outdated."""
    after = head.model_copy(update=changed)
    # Absent values are dropped; the key of an assignee's list goes with the assignee.
    gone = [name for name, value in changed.items() if value is None]
    gone += ["assignee_pk"] if "assignee" in gone else []
    record = {
        "revision": head.revision + 1,
        "at": change.at,
        "by": change.by,
        "cause": change.cause,
        "changed": {name: _recorded(name, value) for name, value in changed.items()},
    }
    facts = Conversation.named(
        **changed,
        revision=head.revision + 1,
        last_change=record,
        history_id=head.history_id or change.cause,
    )
    revision = _of("revision")
    is_first = revision.not_exists() if head.revision == 0 else revision.eq(head.revision)
    stored = table.update(
        pk(head.pk),
        put=facts | lists_of(after),
        drop=[Conversation.name_of(name) for name in gone],
        # The list stands for everything that a message changes.
        when=is_first & _of("list_pk").eq(head.list_pk),
    )
    return Conversation.read(stored)


def _recorded(name: str, value: Any) -> Any:  # noqa: ANN401 - values of several fields
    """Return a new value for the record: labels are texts of agents, and stay out of it."""
    if name == "labels":
        return len(value or ())
    return OPEN if name == "status" and value is None else value


def _record_last(table: Table, head: Conversation) -> None:
    """Write the record of the newest change as an item, before the head's next change replaces it."""
    last = ConversationChange.last_of(head)
    if last is None:
        return
    try:
        table.put(last.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


def page(table: Table, head: Conversation, *, limit: int, below: int) -> list[ConversationChange]:
    """Return the changes before revision *below*, newest first."""
    last = ConversationChange.last_of(head)
    if last is None or head.history_id is None:
        return []
    newest = min(below - 1, head.revision)
    revisions = range(newest, max(newest - limit, 0), -1)
    keys = [pk(ConversationChange.of(head.history_id, n)) for n in revisions if n != head.revision]
    found = [ConversationChange.read(item) for item in table.get_many(keys)]
    found += [last] if head.revision in revisions else []
    return sorted(found, key=lambda one: one.revision, reverse=True)


def keys_of_records(head: Conversation) -> list[str]:
    """Return the keys that the records of a conversation's changes may have, oldest first."""
    if head.history_id is None:
        return []
    return [ConversationChange.of(head.history_id, n + 1) for n in range(head.revision)]
