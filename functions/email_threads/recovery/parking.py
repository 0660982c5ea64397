"""Parks events that cannot be processed, and keeps the reasons of dead letters."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from email_threads.configuration.resources import owns
from email_threads.inbound.events import RECEIVED, SENT, Event
from email_threads.store import mailboxes, objects, parked
from email_threads.store.items import DeadLetterNote, ParkedEvent
from email_threads.store.items.item import date_of
from shared.aws.sqs_fifo import digest, to_json
from shared.failures import Permanent
from shared.recovery.event_letters import letter_id
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources
    from shared.aws.dynamodb import Table


class CompanyRefusal(Permanent):
    """A mail of a known company can never be processed."""

    def __init__(self, reason: str, company_id: str) -> None:
        super().__init__(reason)
        self.company_id = company_id


# Changed by a replay, so that the event keeps its id.
_OF_REPLAYS = frozenset({"replay_of", "replay", "is_released"})


def park(resources: Resources, body: str, refusal: Permanent) -> str | None:
    """
    Park a queue record that can never be processed; return its company, as far as it is known.

    Parked, it blocks nothing, is visible and can be replayed. The raw mail stays in the bucket for 30 days.
    """
    event = _fields_of(body)
    original = {name: value for name, value in event.items() if name not in _OF_REPLAYS}
    whole = to_json(original) if event else body
    event_id = digest("parked", refusal.reason, whole)
    if isinstance(refusal, CompanyRefusal):
        company: str | None = refusal.company_id
    else:
        company = _company_of(resources, event)
    now = clock.now_ms()
    ttl = clock.expires_in(parked.DAYS * clock.DAY_SECONDS)
    parked.add(
        resources.table,
        ParkedEvent(
            conversation_id=ParkedEvent.key(event_id)["conversation_id"],
            event_id=event_id,
            company_id=company,
            company_status=ParkedEvent.list_of(company),
            updated_at=clock.to_text(now),
            ttl=ttl,
            ttl_date=date_of(ttl),
            reason=refusal.reason,
            kind=_text(event.get("type")),
            received_at=_text(event.get("received_at")),
            body=whole,
        ),
    )
    if (replayed := _text(event.get("replay_of"))) is not None:
        _record_parked_replay(resources.table, event, replayed, event_id)
    return company


def resolve(table: Table, event: Event) -> None:
    """Record that a replayed event was processed. Writes nothing for other events."""
    if event.replay_of:
        parked.mark_resolved(table, event.replay_of, at=clock.to_text(clock.now_ms()))


def note_dead_letter(table: Table, body: str, reason: str, attempts: int) -> None:
    """Store why an event becomes a dead letter: the letter itself does not contain the error."""
    note = DeadLetterNote(
        conversation_id=DeadLetterNote.key(letter_id(body))["conversation_id"],
        reason=reason,
        attempts=attempts,
        failed_at=clock.to_text(clock.now_ms()),
        ttl=clock.expires_in(parked.DAYS * clock.DAY_SECONDS),
    )
    parked.note_dead_letter(table, note)


def _record_parked_replay(
    table: Table, event: dict[str, Any], replay_of: str, event_id: str
) -> None:
    replay = int(event.get("replay") or 0)
    if replay_of == event_id:
        now = clock.to_text(clock.now_ms())
        parked.mark_returned(table, event_id, replay=replay, at=now)
    else:
        parked.mark_replaced(table, replay_of, replay=replay, by=event_id)


def _company_of(resources: Resources, event: dict[str, Any]) -> str | None:
    """Return the company of the mailbox that an event's key names, or that has sent a mail."""
    if event.get("type") == SENT:
        return _text(event.get("company"))
    key = _text(event.get("key"))
    if event.get("type") != RECEIVED or key is None:
        return None
    address = key.removeprefix(objects.RAW).partition("/")[0]
    mailbox = mailboxes.get(resources.table, address) if address else None
    return mailbox.company_id if mailbox and owns(resources, mailbox) else None


def _fields_of(body: str) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        event = json.loads(body)
        if isinstance(event, dict):
            return event
    return {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
