"""Parked events, and events without an item type."""

import json
from contextlib import suppress
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.sqs_fifo import digest
from shared.events.recovery import over_quota
from shared.events.versions import NewerVersion
from shared.runtime import clock
from shared.runtime.failures import Permanent
from shared.runtime.observability import metrics
from shared.runtime.redaction import outline, redact
from whatsapp import store
from whatsapp.configuration.folders import parked_events
from whatsapp.configuration.resources import SendingResources
from whatsapp.inbound import senders
from whatsapp.inbound.event import Event, Outcome
from whatsapp.inbound.owners import NoOwner, Origin, origin_of
from whatsapp.inbound.queued_events import parse_event
from whatsapp.privacy import subjects, tombstones
from whatsapp.store.items import WebhookEvent

PARKED = "parked"
DEAD_LETTER = "dead_letter"
UNREADABLE = "unreadable"
TTL_SECONDS = 30 * clock.DAY_SECONDS
LARGEST_PAYLOAD_BYTES = 16_000
LONGEST_NAME = 128


def park(
    resources: SendingResources, body: str, refusal: Permanent
) -> tuple[Event | None, Origin | None]:
    """
    Park a queue record that can never be processed; return its event and its owner, as far as they can be read.

    A failing record is redelivered repeatedly, blocks its conversation and becomes a dead letter. Parked, it blocks
    nothing, is visible and can be replayed.
    """
    event: Event | None = None
    origin: Origin | None = None
    with suppress(Permanent):
        event = parse_event(body)
        if not isinstance(refusal, NoOwner):
            origin = origin_of(resources, event)
    _park(resources, body, event, origin, refusal.reason)
    return event, origin


def is_erased(resources: SendingResources, event: Event) -> bool:
    """Whether a stored event (`keep`) was erased with its customer: a redelivery restores nothing."""
    stored = store.events.get(resources.table, digest(*_identity(event)))
    if stored is None or not stored.erased:
        return False
    metrics.add_metric("TombstoneHits", MetricUnit.Count, 1)
    return True


def keep(
    resources: SendingResources, event: Event, origin: Origin | None, event_type: str | None = None
) -> Outcome:
    """Store an event without an item type under its webhook field."""
    payload = senders.with_contact(event.payload or {}, event.contact)
    full_event = None
    event_id = digest(*_identity(event))
    if _size(payload) > LARGEST_PAYLOAD_BYTES:
        whole = event.unreplayed().to_json().encode()
        full_event = parked_events(resources.bucket).put(event_id, whole).attributes()
        payload = _outline(payload)
    item = _item(
        event,
        origin,
        event_type or event.field or event.kind,
        event_id,
    )
    occurred_at = clock.to_text(event.at * 1_000)
    item = item.model_copy(
        update={"payload": payload, "full_event": full_event, "occurred_at": occurred_at}
    )
    is_new = store.events.add(resources.table, item)
    return Outcome.PERSISTED if is_new else Outcome.DUPLICATE


def _park(
    resources: SendingResources, body: str, event: Event | None, origin: Origin | None, reason: str
) -> None:
    """
    Store the whole event in S3, and an item with the reason and an outline.

    Above the quota of the company it is stored in S3 only.
    """
    event_id = digest(PARKED, reason, *(_identity(event) if event else (body,)))
    if event and event.replay_of:
        body = parse_event(body).unreplayed().to_json()  # The content that the object had before.
    whole_event = body.encode("utf-8", "surrogatepass")
    company = origin.company if origin else None
    if event and company:
        try:
            tombstones.check_event(resources.table, company, event)
        except tombstones.Erased:
            return
    parked_before = store.events.get(resources.table, event_id)
    if parked_before is not None and parked_before.erased:
        metrics.add_metric("TombstoneHits", MetricUnit.Count, 1)
        return
    if not _is_listed(resources, event, parked_before, company):
        folder = parked_events(resources.bucket)
        subject = subjects.of_event(event) if event else None
        over_quota.keep(
            folder,
            company,
            event_id,
            whole_event,
            reason=reason,
            subjects=[" ".join(filter(None, (company, subject)))] if subject else [],
        )
        return
    # The object first: an item without its object could not be replayed.
    whole = parked_events(resources.bucket).put(event_id, whole_event)
    parked: dict[str, Any] = {"reason": reason, "full_event": whole.attributes()}
    if event is None:
        now = clock.to_text(clock.now_ms())
        item = WebhookEvent(
            pk=WebhookEvent.key(event_id), ttl=clock.expires_in(TTL_SECONDS), event_id=event_id,
            webhook_event_type=PARKED, event_type=UNREADABLE, processed_at=now, received_at=now,
        )  # fmt: skip
    else:
        item = _item(event, origin, PARKED, event_id)
        # The problem of a malformed body is a text of Parley: a field and a rule.
        is_ours = event.kind == "malformed" and event.payload
        problem = {name: redact(str(text)) for name, text in (event.payload or {}).items()}
        parked["payload"] = problem if is_ours else _outline(event.payload or {})
        parked["correlation_id"] = event.correlation_id
    store.events.park(resources.table, item.model_copy(update=parked))
    if event and event.replay_of:
        _record_parked_replay(resources, event, event.replay_of, event_id)


def _is_listed(
    resources: SendingResources,
    event: Event | None,
    before: WebhookEvent | None,
    company: str | None,
) -> bool:
    """
    Return whether a parked event gets an item or has one already: within the quota of its company.

    A replay is not counted, since the event that was replayed has an item; nor is an event that has been parked before.
    """
    if (event and event.replay_of) or before is not None:
        return True
    # Imported here: parking is rare, and the item class would lengthen every cold start.
    from whatsapp.recovery import parked_quota  # noqa: PLC0415 - see above

    return parked_quota.has_room(resources.table, company)


def _identity(event: Event) -> tuple[str, ...]:
    """
    Return the identity of an event: its content, its verified sender, and the number or account it concerns.

    Without the sender, an event of another company with the same id and content would replace the stored one.
    """
    sender = (event.source, event.app, event.waba, event.phone)
    return (*sender, event.kind, event.id, event.hash)


def _record_parked_replay(
    resources: SendingResources, event: Event, replay_of: str, event_id: str
) -> None:
    """Record that a replay was parked as event *event_id*: the original one, or one with another reason."""
    now, ttl = clock.to_text(clock.now_ms()), clock.expires_in(TTL_SECONDS)
    if replay_of == event_id:
        store.events.mark_returned(resources.table, event_id, replay=event.replay, at=now, ttl=ttl)
        return
    # In this order: after a crash at any point, at least one of the two is open.
    store.events.reopen(resources.table, event_id, ttl=ttl)
    store.events.mark_replaced(resources.table, replay_of, replay=event.replay, by=event_id)


def resolve(resources: SendingResources, event: Event) -> None:
    """Record that a replayed event was processed. Writes nothing for other events."""
    if event.replay_of:
        now = clock.to_text(clock.now_ms())
        store.events.mark_resolved(resources.table, event.replay_of, at=now)


def note_dead_letter(resources: SendingResources, body: str, reason: str, attempts: int) -> None:
    """Store the reason of a dead letter, which the letter itself does not contain."""
    store.events.note_last_attempt(resources.table, note_of(body, reason, attempts))


def note_of(body: str, reason: str, attempts: int | None = None) -> WebhookEvent:
    """
    Return what is known about a dead letter with this body; the letter itself does not contain its error.

    One item per body: a letter that fails again has the same item.
    """
    event_id = digest(DEAD_LETTER, body)
    try:
        event = parse_event(body)
    except (Permanent, NewerVersion):
        event = None
    now = clock.now_ms()
    return WebhookEvent(
        pk=WebhookEvent.key(event_id),
        ttl=clock.expires_in(TTL_SECONDS),
        event_id=event_id,
        webhook_event_type=DEAD_LETTER,
        event_type=event.kind if event else UNREADABLE,
        processed_at=clock.to_text(now),
        received_at=clock.to_text(event.accepted_at if event else now),
        reason=reason,
        attempts=attempts,
        correlation_id=event.correlation_id if event else None,
    )


def _outline(payload: dict[str, Any]) -> dict[str, Any]:
    """Return the outline of a payload if it is small enough to store: parking must never fail."""
    drawn: dict[str, Any] = outline(payload)
    return drawn if _size(drawn) <= LARGEST_PAYLOAD_BYTES else {"outline": "too large"}


def _size(payload: dict[str, Any]) -> int:
    return len(json.dumps(payload, default=str).encode())


def _item(
    event: Event, origin: Origin | None, webhook_event_type: str, event_id: str
) -> WebhookEvent:
    subject = subjects.of_event(event)
    now = clock.to_text(clock.now_ms())
    return WebhookEvent(
        pk=WebhookEvent.key(event_id),
        company=origin.company if origin else None,
        ttl=clock.expires_in(TTL_SECONDS),
        # Index keys are limited in size, and the sender chooses these values.
        webhook_event_type=webhook_event_type[:LONGEST_NAME].replace("#", "_"),
        event_id=event_id,
        event_type=event.kind,
        waba_meta_id=event.waba[:LONGEST_NAME] or None,
        processed_at=now,
        received_at=clock.to_text(event.accepted_at),
        phone=event.phone[:LONGEST_NAME] or None,
        customer_phone=subject,
        created_at=now if subject else None,
    )
