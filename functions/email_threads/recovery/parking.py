"""Parks events that cannot be processed, and keeps the reasons of dead letters."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from email_threads.inbound.events import FEEDBACK, Event
from email_threads.recovery import claims
from email_threads.store import parked
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

    Parked, it blocks nothing, is visible and can be replayed. The raw mail stays in the bucket for 30 days. An event
    about several recipients is parked once for each: they are erased one by one.
    """
    event = _fields_of(body)
    if isinstance(refusal, CompanyRefusal):
        company: str | None = refusal.company_id
    else:
        company = claims.company_of(resources, event)
    original = {name: value for name, value in event.items() if name not in _OF_REPLAYS}
    for part in _by_recipient(original):
        whole = to_json(part) if event else body
        event_id = digest("parked", refusal.reason, whole)
        subject = claims.subject_of(resources.bucket, part) if company is None else None
        parked.add(
            resources.table,
            _parked(event_id, whole, part, refusal.reason).model_copy(
                update={
                    "company_id": company,
                    "company_status": ParkedEvent.list_of(company),
                    "participant": subject,
                }
            ),
        )
        if (replayed := claims.text(event.get("replay_of"))) is not None:
            _record_parked_replay(resources.table, event, replayed, event_id)
    return company


def _parked(event_id: str, whole: str, event: dict[str, Any], reason: str) -> ParkedEvent:
    """Return the item of an event that no company is known for."""
    ttl = clock.expires_in(parked.DAYS * clock.DAY_SECONDS)
    return ParkedEvent(
        conversation_id=ParkedEvent.key(event_id)["conversation_id"],
        event_id=event_id,
        company_status=ParkedEvent.list_of(None),
        updated_at=clock.to_text(clock.now_ms()),
        ttl=ttl,
        ttl_date=date_of(ttl),
        reason=reason,
        kind=claims.text(event.get("type")),
        received_at=claims.text(event.get("received_at")),
        body=whole,
    )


def _by_recipient(event: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an event of SES once for each of its recipients; any other event as it is."""
    named = event.get("recipients")
    if event.get("type") != FEEDBACK or not isinstance(named, list) or len(named) < 2:  # noqa: PLR2004 - several
        return [event]
    return [{**event, "recipients": [one]} for one in dict.fromkeys(map(str, named))]


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


def _fields_of(body: str) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        event = json.loads(body)
        if isinstance(event, dict):
            return event
    return {}
