"""
Splits a webhook body into canonical events: every entry, every change and every item, of known and unknown types.

Nothing is rejected: unknown shapes become events of kind `other` or `malformed`, which the worker stores or parks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from shared.aws.sqs_fifo import Entry, digest, to_json
from whatsapp.inbound import senders
from whatsapp.inbound.event import LONGEST_ID, Event
from whatsapp.inbound.senders import Contacts

# field -> (array in the change's value, kind of its items). (Meta, "Webhooks reference".)
_ARRAYS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "messages": (("messages", "message"), ("statuses", "status"), ("errors", "error")),
    "smb_message_echoes": (("message_echoes", "echo"),),
    "calls": (("calls", "call"), ("statuses", "call")),
    "group_lifecycle_update": (("groups", "group"),),
    "group_participants_update": (("groups", "group"),),
    "group_settings_update": (("groups", "group"),),
    "group_status_update": (("groups", "group"),),
    "user_preferences": (("user_preferences", "preference"),),
    "user_id_update": (("user_id_update", "identity"),),
    "smb_app_state_sync": (("state_sync", "saved_contact"),),
}
# field -> kind, for fields whose whole value is, or can be, one event.
_KINDS_OF_WHOLE_CHANGES: Mapping[str, str] = {
    "message_template_status_update": "template",
    "message_template_quality_update": "template",
    "message_template_components_update": "template",
    "template_category_update": "template",
    "phone_number_quality_update": "account",
    "phone_number_name_update": "account",
    "business_capability_update": "account",
    "account_update": "account",
    "account_alerts": "account",
    "account_review_update": "account",
    "security": "account",
    "flows": "flow",
    "payment_configuration_update": "payment_config",
    # With their arrays these are several events; the shape without is not confirmed by live traffic.
    "user_preferences": "preference",
    "user_id_update": "identity",
}
# Events of a customer, ordered per customer. Statuses have separate message groups.
_BY_CUSTOMER = frozenset({"message", "echo", "call", "preference", "identity", "saved_contact"})
# Events of which two equal ones are two; of a notice they are the same.
_COUNTED = frozenset({"message", "echo"})
# Events that the worker sends itself: each in a separate message group.
_FOLLOW_UPS = frozenset({"media", "receipt"})
_ENTITY_FIELDS = (
    "message_template_id",
    "id",
    "group_id",
    "flow_id",
    "phone_number",
    "display_phone_number",
    "event",
)
# Parts of a change that identify its subject, not its content.
_FRAME = frozenset({"messaging_product", "metadata", "contacts"})
# Session descriptions of a call (SDP): secret, expired after a minute, and not used by Parley.
_CALL_SESSION_FIELDS = frozenset({"session", "connection", "sdp"})
_NUMBER_FIELDS = frozenset({"phone_number_id", "display_phone_number"})
_CHUNK_FIELDS = frozenset({"metadata", "threads", "errors"})
_PROGRESS_FIELDS = frozenset({"phase", "chunk_order", "progress"})
_LONGEST_NAME = 256  # of fields, accounts, numbers
_LONGEST_SECONDS = 100_000_000_000  # This number and higher ones are milliseconds.


type Item = tuple[str, dict[str, Any], int]  # kind, item as received, position in its array


@dataclass(frozen=True, slots=True)
class Delivery:
    """
    One HTTP request or SNS message of a provider: its source and the time of acceptance.

    *id*: the provider's of the delivery, which a repetition has, too; empty if it gives none.
    """

    source: str  # meta | eum
    app: str
    accepted_at: int  # milliseconds since 1970
    id: str = ""


def events_of(body: Mapping[str, Any], delivery: Delivery) -> Iterator[Event]:
    """Yield all events of a Meta body, in its order."""
    entries = _dicts(body.get("entry"))
    return _distinct(event for entry in entries for event in _events_of_entry(entry, delivery))


def events_of_entry(entry: Mapping[str, Any], delivery: Delivery) -> Iterator[Event]:
    """Yield all events of one entry (`{id, time?, changes[]}`), in its order."""
    return _distinct(_events_of_entry(entry, delivery))


def _distinct(events: Iterable[Event]) -> Iterator[Event]:
    """
    Yield events with their places. Equal ones without the provider's id are several, and each delivery has all of
    them.
    """
    equal: Counter[tuple[str, ...]] = Counter()
    for place, event in enumerate(events):
        same = (event.kind, event.waba, event.phone, event.id)
        before = 0 if (event.payload or {}).get("id") else equal[same]
        equal[same] += 1
        own_id = digest(event.id, str(before)) if before else event.id
        yield replace(event, id=own_id, place=place)


def _events_of_entry(entry: Mapping[str, Any], delivery: Delivery) -> Iterator[Event]:
    if not entry.get("changes"):
        yield _event(
            "other", dict(entry), 0, field="", value={}, contacts=Contacts(), entry=entry, delivery=delivery,
        )  # fmt: skip
    for change in _dicts(entry.get("changes")):
        field = _text(change.get("field"))
        value = change.get("value")
        yield from _events_of_change(
            field, value if isinstance(value, dict) else {"value": value}, entry, delivery
        )


def malformed(
    claim: dict[str, Any], delivery: Delivery, digest_of_body: str, problem: str
) -> Event:
    """Return the event for a signed body without events; *claim* is the pointer to the body, *problem* why."""
    return Event(
        kind="malformed", id=digest_of_body, source=delivery.source, app=delivery.app,
        accepted_at=delivery.accepted_at, waba="", phone="", display_phone="", field="",
        at=delivery.accepted_at // 1_000, index=0, contact=None,
        payload={"problem": problem}, hash=digest_of_body, claim=claim,
    )  # fmt: skip


def _events_of_change(
    field: str, value: dict[str, Any], entry: Mapping[str, Any], delivery: Delivery
) -> Iterator[Event]:
    if field == "history":
        items = list(_history(value))
    else:
        items = [
            (kind, item, index)
            for array, kind in _ARRAYS.get(field, ())
            for index, item in enumerate(_dicts(value.get(array)))
        ]
    arrays = {array for array, _ in _ARRAYS.get(field, ())}
    entries = _dicts(value.get("contacts"))
    contacts = Contacts(entries)
    if not items:
        # A known field without its arrays, or an unknown one: the whole change is the event.
        items = [(_KINDS_OF_WHOLE_CHANGES.get(field, "other"), value, 0)]
    else:
        items += _unused(entries, contacts, items)
        if rest := _besides(field, value, arrays):
            items.append(("other", rest, 0))
    for kind, raw_item, index in items:
        # Removed at this point, so that it reaches no queue, claim or parked event.
        item = _without(raw_item, _CALL_SESSION_FIELDS) if field == "calls" else raw_item
        yield _event(
            kind, item, index, field=field, value=value, contacts=contacts, entry=entry, delivery=delivery,
        )  # fmt: skip


def _unused(entries: list[dict[str, Any]], contacts: Contacts, items: list[Item]) -> list[Item]:
    """Return the entries of `contacts[]` that name the customer of no item, as separate items."""
    used = {id(contacts.of(kind, item)) for kind, item, _ in items}
    return [
        ("contact", entry, index) for index, entry in enumerate(entries) if id(entry) not in used
    ]


def _besides(field: str, value: Mapping[str, Any], arrays: set[str]) -> dict[str, Any]:
    """Return the fields of a change beside its items; empty for the usual change."""
    if field == "history":
        arrays = {"history", "messages"}
    rest = {name: part for name, part in value.items() if name not in arrays | _FRAME}
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {"value": metadata}
    other_metadata = {name: part for name, part in metadata.items() if name not in _NUMBER_FIELDS}
    chunks = [_chunk_fields(chunk) for chunk in _dicts(value.get("history"))]
    parts = {
        "metadata": other_metadata if "metadata" in value else {},
        "history": [chunk for chunk in chunks if chunk] if field == "history" else [],
    }
    return rest | {name: part for name, part in parts.items() if part}


def _chunk_fields(chunk: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a part of a history besides its messages, its failure and the progress of the transfer."""
    rest = {name: part for name, part in chunk.items() if name not in _CHUNK_FIELDS}
    metadata = chunk.get("metadata")
    if isinstance(metadata, dict):
        metadata = {name: part for name, part in metadata.items() if name not in _PROGRESS_FIELDS}
    threads = [
        {name: part for name, part in thread.items() if name != "messages"}
        for thread in _dicts(chunk.get("threads"))
        if thread.keys() - {"id", "messages"}
    ]
    parts = {"metadata": metadata, "threads": threads}
    return rest | {name: part for name, part in parts.items() if part}


def _event(
    kind: str, item: dict[str, Any], index: int, *,
    field: str, value: Mapping[str, Any], contacts: Contacts, entry: Mapping[str, Any], delivery: Delivery,
) -> Event:  # fmt: skip
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    if kind == "status" and item.get("type") == "payment":
        kind = "payment"
    about = item.get("metadata")  # of an entry of the business app's address book
    at = item.get("timestamp") or (about.get("timestamp") if isinstance(about, dict) else None)
    fingerprint = digest(to_json(_without_media_urls(item)))
    provider_id = _text(item.get("id"))
    phone = _text(metadata.get("phone_number_id"))[:_LONGEST_NAME]
    delivered = delivery.id if kind in _COUNTED else ""
    return Event(
        kind=kind,
        # Without an id an event is identified by content, time and number: an account may be flagged a second time, and
        # a person may greet two companies at once. A message also by its delivery, if that has an id.
        id=provider_id
        if 0 < len(provider_id) <= LONGEST_ID
        else digest(fingerprint, _text(entry.get("time")), *filter(None, [phone, delivered])),
        source=delivery.source,
        app=delivery.app,
        accepted_at=delivery.accepted_at,
        waba=_text(entry.get("id"))[:_LONGEST_NAME],
        phone=phone,
        display_phone=_text(metadata.get("display_phone_number"))[:_LONGEST_NAME],
        field=field[:_LONGEST_NAME],
        at=_seconds(at or entry.get("time"), delivery),
        index=index,
        contact=senders.saved_contact(item) if kind == "saved_contact" else contacts.of(kind, item),
        payload=item,
        hash=fingerprint,
    )


def queue_entry(event: Event) -> Entry:
    """Return the event as an entry of `whatsapp.fifo`: its group has exactly the events that must stay in order."""
    payload = event.payload or {}
    status_facts: tuple[str, ...] = ()
    if event.kind in _BY_CUSTOMER:
        group: tuple[str, ...] = (
            event.phone,
            senders.customer_of(event.kind, payload, event.contact),
        )
    elif event.kind == "status":
        recipient = senders.recipient_of(payload)
        group = ("status", event.phone, recipient)
        status_facts = (_text(payload.get("status")), str(event.at), recipient)
    elif event.kind in _FOLLOW_UPS:
        group = (event.kind, event.id)
    else:
        entity = next((_text(payload[name]) for name in _ENTITY_FIELDS if payload.get(name)), "")
        group = (event.field or event.kind, event.waba, entity)
    return event.entry(
        group=group, deduplication=(event.kind, event.phone, event.id, *status_facts)
    )


def _history(value: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], int]]:
    """
    Yield the messages of a `history` change: from its threads, or with files of earlier messages; then its failures.

    The second shape, `messages` as in the field of that name, is not confirmed by live traffic.
    """
    chunks = _dicts(value.get("history"))
    threads = [thread for chunk in chunks for thread in _dicts(chunk.get("threads"))]
    messages = [
        _to_customer(message, thread)
        for thread in threads
        for message in _dicts(thread.get("messages"))
    ] + _dicts(value.get("messages"))
    failures = [{"errors": chunk["errors"]} for chunk in chunks if chunk.get("errors")]
    for index, message in enumerate(messages):
        yield "history", message, index
    for index, failure in enumerate(failures):
        yield "error", failure, index


def _to_customer(message: dict[str, Any], thread: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message of a thread; one not written by the customer gets `to`, the thread's customer."""
    customer = _text(thread.get("id"))
    if not customer or message.get("to") or _text(message.get("from")) == customer:
        return message
    return message | {"to": customer}


def _without(value: Any, names: frozenset[str]) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {key: _without(part, names) for key, part in value.items() if key not in names}
    return [_without(part, names) for part in value] if isinstance(value, list) else value


def _without_media_urls(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a payload without the `url` of its media, which is signed anew for every delivery."""
    if isinstance(value, dict):
        is_media = "id" in value and ("sha256" in value or "mime_type" in value)
        return {
            key: _without_media_urls(entry)
            for key, entry in value.items()
            if not (is_media and key == "url")
        }
    return [_without_media_urls(entry) for entry in value] if isinstance(value, list) else value


def _seconds(value: object, delivery: Delivery) -> int:
    """Return the provider's time in epoch seconds; ours if it is missing or no number. Milliseconds are converted."""
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(_LONGEST_SECONDS)) + 2:
        return delivery.accepted_at // 1_000
    number = int(text)
    return number // 1_000 if number >= _LONGEST_SECONDS else number


def _dicts(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list; any other value is wrapped in an object."""
    if value is None:
        return []
    entries = value if isinstance(value, list) else [value]
    return [entry if isinstance(entry, dict) else {"value": entry} for entry in entries]


def _text(value: object) -> str:
    """Return a provider's id or value as text; empty if missing."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
