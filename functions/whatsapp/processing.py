"""One event of `whatsapp.fifo`: whose it is, and who handles it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from aws_lambda_powertools.metrics import MetricUnit

from shared.failures import Permanent
from shared.observability import metrics
from shared.storable import storable
from whatsapp import (
    changes,
    echoes,
    identities,
    inbox,
    media,
    parking,
    receipts,
    senders,
    statuses,
    store,
)
from whatsapp.events import Event, parse_event
from whatsapp.items import Phone
from whatsapp.outcomes import Outcome
from whatsapp.resources import Resources

type Handle = Callable[[Resources, Event, Phone], Outcome]


@dataclass(frozen=True, slots=True)
class Invocation:
    """The run of the function: who it is, and how long it can live on."""

    request_id: str
    remaining_ms: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Handled:
    """What the log and the metrics say about one event. *reason* is there when it was parked."""

    event: Event | None
    phone: Phone | None
    outcome: Outcome
    reason: str | None = None


def process(here: Resources, body: str, run: Invocation) -> Handled:
    """Handle one queue record. Returns for what is done or parked; what it raises, the queue brings back."""
    event: Event | None = None
    phone: Phone | None = None
    outcome = Outcome.PARKED
    # One after the other, so that a parked event is as well known as it could be.
    with parking.parked_when_permanent(here, body, None, None) as unreadable:
        event = _storable(parse_event(body))
    if event is None:
        return Handled(None, None, Outcome.PARKED, unreadable.reason)
    with parking.parked_when_permanent(here, body, event, None) as foreign:
        phone = _phone_of(here, event)
    if foreign.reason:
        return Handled(event, None, Outcome.PARKED, foreign.reason)
    with parking.parked_when_permanent(here, body, event, phone) as refused:
        outcome = _handle(here, _whole(here, event), phone, run)
    return Handled(event, phone, outcome, refused.reason)


def _phone_of(here: Resources, event: Event) -> Phone | None:
    """
    The number an event belongs to; None for events of a whole account.

    Raises Permanent: `unknown_phone`, `phone_disabled`, `app_mismatch`, and `malformed` for a body without events.
    All are replayable, once the number is registered.
    """
    if event.kind == "malformed":
        raise Permanent("malformed")
    if not event.phone and event.kind not in _OF_A_PHONE:
        return None
    phone = store.phones.get(here.table, event.phone)
    if phone is None:
        raise Permanent("unknown_phone")
    if not phone.enabled:
        raise Permanent("phone_disabled")
    if event.source == "meta" and phone.app_id and event.app != phone.app_id:
        raise Permanent("app_mismatch")
    return phone


def _whole(here: Resources, event: Event) -> Event:
    """The event with its payload, fetched from S3 where the queue could not carry it."""
    if event.claim is None:
        return event
    return replace(event, payload=storable(json.loads(here.bucket.get(event.claim))))


def _storable(event: Event) -> Event:
    """The event as DynamoDB can hold it, once for all that follows; its hash is still that of what came."""
    return replace(
        event,
        id=storable(event.id),
        payload=storable(event.payload),
        contact=storable(event.contact),
    )


def _handle(here: Resources, event: Event, phone: Phone | None, run: Invocation) -> Outcome:
    if phone is None:
        return parking.keep(here, event, None)
    if event.kind == receipts.KIND:
        return receipts.send(
            here, event, phone, owner=run.request_id, remaining_ms=run.remaining_ms()
        )
    handle = _HANDLES.get(event.kind)
    if handle is None:
        if event.kind == "other":
            metrics.add_metric("UnknownField", MetricUnit.Count, 1)
        return parking.keep(here, event, phone)
    outcome = handle(here, event, phone)
    if here.log_all_events and event.kind in {"message", "status"}:
        parking.keep(here, event, phone)
    return outcome


def _by_type(whole: Handle) -> Handle:
    """Messages and echoes: some types change a message that was there before, the others are one."""

    def handle(here: Resources, event: Event, phone: Phone) -> Outcome:
        change = _CHANGES.get(str((event.payload or {}).get("type")))
        return (change or whole)(here, event, phone)

    return handle


def _identity(here: Resources, event: Event, phone: Phone) -> Outcome:
    """A customer's user id changed: keep the event, and let the new id lead to the same contact."""
    known = identities.look_up(here.table, event, phone)
    payload = event.payload or {}
    if known is not None and (
        senders.bsuid_of(payload, event.contact) or senders.phone_of(payload, event.contact)
    ):
        identities.follow_change(here.table, event, known.customer.contact_key, phone)
    return parking.keep(here, event, phone)


_CHANGES: Mapping[str, Handle] = {
    "edit": changes.edit,
    "revoke": changes.revoke,
    "reaction": changes.react,
}
_HANDLES: Mapping[str, Handle] = {
    "message": _by_type(inbox.receive),
    "echo": _by_type(echoes.receive),
    "status": statuses.merge,
    "identity": _identity,
    media.KIND: media.fetch,
}
# Without a number, an event of these kinds is nobody's.
_OF_A_PHONE = frozenset({*_HANDLES, receipts.KIND, "payment", "call", "history"})
