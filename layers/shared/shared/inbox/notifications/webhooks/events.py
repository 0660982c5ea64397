"""
The events of a changed entry. Pure.

    message.received, message.sent   the newest message of the customer, or of the company, is another one: one event
                                     stands for all messages between two looks at the conversation
    conversation.assigned            the assignee is another one, also none
    conversation.overdue             the due time has passed
    contact.opted_out                the AI conversation ended with it, or the customer wants no marketing
    all others                       facts that reports count (`shared.inbox.rounds`)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shared.aws.sqs_fifo import digest
from shared.inbox.items import Marks
from shared.inbox.notifications.webhooks.items import EventType
from shared.inbox.rounds import Fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shared.inbox.items import Entry
    from shared.inbox.rounds import Happened

_ID_CHARACTERS: Final = 24  # 96 bits
_OVERDUE: Final = "overdue"
_OF_FACT: Final = {
    Fact.OPENED: EventType.OPENED,
    Fact.REOPENED: EventType.REOPENED,
    Fact.RESOLVED: EventType.RESOLVED,
    Fact.ARCHIVED: EventType.RESOLVED,
    Fact.HANDED_OFF: EventType.HANDED_OFF,
    Fact.FAILED: EventType.FAILED,
    Fact.OPTED_OUT: EventType.OPTED_OUT,
}


def of_entry(
    stored: Entry | None, wanted: Entry, happened: Iterable[Happened]
) -> tuple[EventType, ...]:
    """Return the events that go with an entry's change from *stored*, which may not exist, to *wanted*, each once."""
    found = {_OF_FACT[one.fact] for one in happened if one.fact in _OF_FACT}
    if EventType.REOPENED in found:  # counts as opened, too
        found.discard(EventType.OPENED)
    found.update(_of_messages(stored, wanted))
    before = stored.assignee if stored is not None else None
    if wanted.assignee != before:
        found.add(EventType.ASSIGNED)
    if wanted.due_state == _OVERDUE and (stored is None or _due(stored) != _due(wanted)):
        found.add(EventType.OVERDUE)
    return tuple(one for one in EventType if one in found)


def id_of(type_: EventType, stored: Entry | None, wanted: Entry) -> str:
    """Return the id of an event: the same however often the change from *stored* is reported."""
    version = str(stored.version) if stored is not None else "0"
    return digest("webhook event", type_, wanted.pk, version)[:_ID_CHARACTERS]


def _of_messages(stored: Entry | None, wanted: Entry) -> Iterator[EventType]:
    after = wanted.marks or Marks()
    before = stored.marks if stored is not None else Marks()
    if before is None:
        # An entry of an earlier release, or of a conversation without messages: only the newest message is known.
        if stored is not None and wanted.last_activity_at > stored.last_activity_at:
            yield (EventType.MESSAGE_RECEIVED if wanted.unread_count else EventType.MESSAGE_SENT)
        return
    if after.received is not None and after.received != before.received:
        yield EventType.MESSAGE_RECEIVED
    if after.sent is not None and after.sent != before.sent:
        yield EventType.MESSAGE_SENT
    if after.opted_out and not before.opted_out:
        yield EventType.OPTED_OUT


def _due(entry: Entry) -> tuple[str | None, str | None, str | None]:
    return entry.due_for, entry.due_at, entry.due_state
