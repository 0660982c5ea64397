"""Parks events that cannot be processed, and keeps the reasons of dead letters."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from newsletters.store import newsletters, parked
from newsletters.store.items import DeadLetterNote, ParkedEvent
from newsletters.store.items.metadata import is_code
from newsletters.store.items.recovery import KEPT_DAYS
from shared.aws.sqs_fifo import digest, to_json
from shared.recovery.event_letters import letter_id
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.inbound.events import Event
    from shared.aws.dynamodb import Table
    from shared.failures import Permanent


# Changed by a replay, so that the event keeps its id.
_OF_REPLAYS = frozenset({"replay_of", "replay"})


def park(table: Table, body: str, refusal: Permanent) -> str | None:
    """
    Park a queue record that can never be processed; return its company, as far as it is known.

    Parked, it blocks nothing, is visible and can be replayed.
    """
    event = _fields_of(body)
    original = {name: value for name, value in event.items() if name not in _OF_REPLAYS}
    whole = to_json(original) if event else body
    event_id = digest("parked", refusal.reason, whole)
    company = _company_of(table, event)
    parked_at = clock.to_text(clock.now_ms())
    parked.add(
        table,
        ParkedEvent(
            **ParkedEvent.key(event_id),
            event_id=event_id,
            company_id=company,
            GSI1SK=f"{ParkedEvent.list_of(company)}{parked_at}#{event_id}",
            parked_at=parked_at,
            ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
            reason=refusal.reason,
            kind=_text(event.get("type")),
            correlation_id=_text(event.get("code")),
            body=whole,
        ),
    )
    if (replayed := _text(event.get("replay_of"))) is not None:
        _record_parked_replay(table, event, replayed, event_id)
    return company


def resolve(table: Table, event: Event) -> None:
    """Record that a replayed event was processed. Writes nothing for other events."""
    if event.replay_of:
        parked.mark_resolved(table, event.replay_of, at=clock.to_text(clock.now_ms()))


def note_dead_letter(table: Table, body: str, reason: str, attempts: int) -> None:
    """Store why an event becomes a dead letter: the letter itself does not contain the error."""
    note = DeadLetterNote(
        **DeadLetterNote.key(letter_id(body)),
        event_id=letter_id(body),
        reason=reason,
        attempts=attempts,
        failed_at=clock.to_text(clock.now_ms()),
        ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
    )
    parked.note_dead_letter(table, note)


def _record_parked_replay(
    table: Table, event: dict[str, Any], replay_of: str, event_id: str
) -> None:
    number = event.get("replay")
    replay = number if isinstance(number, int) else 0
    if replay_of == event_id:
        now = clock.to_text(clock.now_ms())
        parked.mark_returned(table, event_id, replay=replay, at=now)
    else:
        parked.mark_replaced(table, replay_of, replay=replay, by=event_id)


def _company_of(table: Table, event: dict[str, Any]) -> str | None:
    """Return the company of the newsletter that an event names."""
    code = _text(event.get("code"))
    metadata = newsletters.get_metadata(table, code) if code and is_code(code) else None
    return metadata.company_id if metadata else None


def _fields_of(body: str) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        event = json.loads(body)
        if isinstance(event, dict):
            return event
    return {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
