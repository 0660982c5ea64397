"""Processes one event of `whatsapp.fifo` or one file: resolves its owner and dispatches it to a handler."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.stored_objects import GONE, ObjectUnusable, Pointer, record
from shared.aws.tables.dynamodb_json import storable
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import metrics
from whatsapp.configuration.folders import claims
from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import (
    OUTBOUND,
    PRIVACY_JOB,
    TRANSCRIPTION,
    UNFINISHED_SEND,
    Event,
    Outcome,
)
from whatsapp.inbound.owners import Account, Origin, origin_of
from whatsapp.inbound.queued_events import parse_event
from whatsapp.privacy.tombstones import Erased
from whatsapp.recovery import parking
from whatsapp.store import ordering
from whatsapp.store.items import Phone
from whatsapp.worker import contacts
from whatsapp.worker.media import downloads
from whatsapp.worker.messages import (
    app_echoes,
    history,
    intake,
    read_receipts,
    sent_by_conversations,
    settlement,
    statuses,
)
from whatsapp.worker.messages.contents import edits

# The slowest calls for one receipt together.
PROVIDER_MS = 40 * clock.SECOND_MS

type Handle = Callable[[Resources, Event, Phone], Outcome]


@dataclass(frozen=True, slots=True)
class Invocation:
    """The current invocation: its request id and remaining time."""

    request_id: str
    remaining_ms: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Handled:
    """The logged and measured result of one event. *reason* is set when it was parked."""

    event: Event | None
    origin: Origin | None
    outcome: Outcome
    reason: str | None = None


def process(resources: Resources, body: str, run: Invocation) -> Handled:
    """Process one queue record. Raises Permanent if no retry can succeed; after other errors it is delivered again."""
    event = _storable(parse_event(body))
    if event.kind == PRIVACY_JOB:
        from whatsapp.privacy import jobs  # noqa: PLC0415 - of rare events, and it loads many items

        return Handled(event, None, jobs.work(resources, event))
    origin = origin_of(resources, event)
    try:
        outcome = _handle(resources, _with_payload(resources, event), origin, run)
    except Erased:
        outcome = Outcome.DUPLICATE
    if event.kind not in {
        downloads.KIND,
        TRANSCRIPTION,
    }:  # handed on: their replays end with the work
        parking.resolve(resources, event)
    return Handled(event, origin, outcome)


def process_file(resources: Resources, body: str) -> Handled:
    """Process one record of the queue of jobs: a download, or one step of longer work. Raises as `process`."""
    event = _storable(parse_event(body))
    origin = origin_of(resources, event)
    work = _JOBS.get(event.kind)
    if work is None or isinstance(origin, Account):
        raise Permanent("not_a_file")
    outcome = work(resources, event, origin)
    parking.resolve(resources, event)
    return Handled(event, origin, outcome)


def _with_payload(resources: Resources, event: Event) -> Event:
    """
    Return the event with its payload, fetched from S3 if it was too large for the queue.

    Raises Permanent (`claim_gone`, `claim_damaged`).
    """
    if event.claim is None:
        return event
    try:
        payload = claims(resources.bucket).get_json(Pointer.read(event.claim))
    except ObjectUnusable as fault:
        record(fault, "claim")
        raise Permanent("claim_gone" if fault.reason in GONE else "claim_damaged") from None
    return replace(event, payload=storable(payload))


def _storable(event: Event) -> Event:
    """Return the event with values that DynamoDB can store; the hash of the received payload stays."""
    fields = {name: getattr(event, name) for name in Event.__dataclass_fields__}
    return Event(**storable(fields))


def _handle(resources: Resources, event: Event, origin: Origin, run: Invocation) -> Outcome:
    if event.kind == "other":
        metrics.add_metric("UnknownField", MetricUnit.Count, 1)
    if isinstance(origin, Account):
        return _update(resources, event, origin)
    phone = origin
    if event.kind == read_receipts.KIND:
        if run.remaining_ms() < PROVIDER_MS:
            # If a provider hangs, the function times out and the batch's other events fail with it.
            raise Transient("no_time")
        return read_receipts.send(
            resources, event, phone, owner=run.request_id, remaining_ms=run.remaining_ms()
        )
    message_type = str((event.payload or {}).get("type"))
    change = _CHANGES.get(message_type) if event.kind in _WITH_CHANGES else None
    handle = change or _OF_PHONES.get(event.kind, _update)
    outcome = handle(resources, event, phone)
    if resources.log_all_events and event.kind in {"message", "status"}:
        parking.keep(resources, event, phone)
    return outcome


def _update(resources: Resources, event: Event, origin: Origin) -> Outcome:
    """Handle events other than messages and statuses."""
    # Imported lazily: rarely used, and its item classes would lengthen every cold start.
    from whatsapp.worker.updates import dispatcher  # noqa: PLC0415 - see above

    return dispatcher.handle(resources, event, origin)


def _identity(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Handle a changed user id: store the event, and link the new id to the same contact."""
    if parking.is_erased(resources, event):
        return Outcome.DUPLICATE
    lookup = contacts.look_up(resources.table, event, phone)
    if lookup is not None:
        contacts.remember(resources, event, lookup.customer, phone)
        at = ordering.received_at(event.at, event.accepted_at, event.place)
        contacts.follow_change(resources, event, lookup.customer.contact_key, phone, at)
    return parking.keep(resources, event, phone)


def _export_page(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """Write one part of an export of messages."""
    # Imported here: exports are rare, and downloads start faster without them.
    from whatsapp.worker import message_exports  # noqa: PLC0415 - see above

    return message_exports.write_part(resources, event, phone)


# The work of the queue of jobs, by kind. It has neither order nor deduplication: each is safe to repeat, also at the
# same time.
_JOBS: Mapping[str, Handle] = {
    downloads.KIND: downloads.fetch,
    "export_page": _export_page,
}
# The types of messages that change an earlier message, and the kinds of events that have them.
_CHANGES: Mapping[str, Handle] = {
    "edit": edits.edit,
    "revoke": edits.revoke,
    "reaction": edits.react,
}
_WITH_CHANGES = frozenset({"message", "echo", "history"})
_OF_PHONES: Mapping[str, Handle] = {
    "message": intake.receive,
    "echo": app_echoes.receive,
    "status": statuses.merge,
    "identity": _identity,
    "history": history.receive,
    OUTBOUND: sent_by_conversations.receive,
    downloads.KIND: downloads.hand_on,
    TRANSCRIPTION: downloads.hand_on,
    UNFINISHED_SEND: settlement.finish,
}
