"""
The comparable final state of a run, and its invariants.

`VARIES` lists all attributes in which two runs may differ, with the reason for each.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from events.whatsapp.sample_data import COUNTER
from local.docs.declarations import bounds_of
from shared.aws.dynamodb.values import encoded
from shared.aws.sqs_fifo import digest
from shared.aws.tables.dynamodb_json import storable
from shared.providers.action_ledger import Action
from tests.simulation.whatsapp import heads
from whatsapp.inbound.event import ANNOUNCED
from whatsapp.inbound.queued_events import parse_event
from whatsapp.recovery import parking
from whatsapp.store.items import Status, WebhookEvent, WhatsAppItem
from whatsapp.store.items.register import CONTRACTED, SUPPORT
from whatsapp.store.ordering import second_in
from whatsapp.worker.messages.statuses import RANKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.simulation.whatsapp.system import Items, System

LARGEST_ITEM_BYTES = 400 * 1024
LARGEST_RING = 25

VARIES = {
    # Attempt, worker and time: a crash causes a second attempt. The outcome (`state`) must be the same.
    "ACTION": {"attempt", "owner", "reservedAt", "deadline", "ttl", "providerId", "reason"},
    # The time of handling: a redelivery follows six minutes later. The number of changes: a proof after an unproven
    # first event is one more.
    "ALIAS": {"createdAtMs", "createdAt", "ttl", "revision"},
    "MEDIA": {"uploadedAt", "ttl"},
    # Only an entry that is written before its message is listed under the hash of its customer.
    "STATUS": {"ttl", "customerPhone", "createdAt"},
    "REACTION": {"customerPhone", "createdAt"},
    # Times of parking and storing; `receivedAt` is set by the ingress, which a retrying provider reaches later.
    "WEBHOOK_EVENT": {"processedAt", "createdAt", "receivedAt", "ttl"},
    "PARKED_ENTRY": {"processedAt", "receivedAt", "ttl"},
    # A crash between the count and the item increments the count again.
    "PARKED_QUOTA": {"count_86400", "window_86400", "ttl"},
    "CONTACT_LINK_CHANGE": {"changedAt"},
    # The number of writes: neither a crash after a write nor a retry of the SDK causes a second one. The rest as above.
    "EDIT": {"revision", "customerPhone", "createdAt"},
    "CALL": {"revision"},
    "GROUP": {"revision"},
    "CONVERSATION": {"groupRevision"},
    "ADDRESS_DEFAULT": {"revision"},
    # The time of the first write that settled it.
    "GROUP_REQUEST": {"ttl"},
    "UNKNOWN_SEND": {"ttl"},
    "SEQUENCE_RUN": {"ttl"},
}


_OF_ACCOUNTS = {"template", "account", "flow", "payment_config"}
_OF_ARRIVAL = {"deliveryStatusHistory", "priceCategory"}
# A message and an answer of one second: which is first decides what is shown, and whether the message is unread.
_SHOWN = {"lastMessagePk", "lastPreview", "lastType", "unreadCount", "listPk"}
_ORDERS = {"order", "editOrder"}
_OF_ACCEPTANCE = {
    "ALIAS": {"since"},  # the first event that was handled
    "CONVERSATION": {"lastKey", "recentKeys", "ringFloor", "readUpTo"},
}


@dataclass(frozen=True)
class FinalState:
    """The final state of a run, with an empty queue."""

    items: Items
    objects: dict[str, object]
    receipts: frozenset[str]
    dead_letters: int
    handed_over: frozenset[str] = frozenset()


def final_state_of(system: System) -> FinalState:
    """Read the final state; the queue must be empty."""
    assert not system.queue.messages
    items = {
        key: {
            name: _unhashed(value["key"]) if name == "fullEvent" else value
            for name, value in item.items()
            if name not in _varying(item)
        }
        for key, item in system.items().items()
        # The number of parkings, and the hours in which something was handled late: a crash or an outage changes both.
        if not key.startswith(("PARKED_QUOTA#", "CHANGED_HOURS#"))
    }
    objects = {_unhashed(key): _comparable(content) for key, content in system.objects().items()}
    return FinalState(
        items,
        objects,
        frozenset(system.receipts()),
        len(system.queue.dead_letters),
        frozenset(_handed_over(system)),
    )


def _unhashed(key: str) -> str:
    """The key of a parked event without the hash of its content, which depends on the time of the ingress."""
    return re.sub(r"-[0-9a-f]{24}\.json$", ".json", key) if key.startswith("parked/") else key


def differences(left: FinalState, right: FinalState) -> list[str]:
    """The differences, attribute by attribute, for the message of a failing test; empty if there are none."""
    found = [
        f"{key} {name}: {old.get(name)!r} != {new.get(name)!r}"
        for key in sorted(left.items.keys() | right.items.keys())
        for old, new in [(left.items.get(key, {}), right.items.get(key, {}))]
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    found += [
        f"object {key}"
        for key in sorted(left.objects.keys() | right.objects.keys())
        if left.objects.get(key) != right.objects.get(key)
    ]
    if left.receipts != right.receipts:
        found.append(f"receipts {sorted(left.receipts ^ right.receipts)}")
    found += [
        f"handed over {event_id}" for event_id in sorted(left.handed_over ^ right.handed_over)
    ]
    if left.dead_letters != right.dead_letters:
        found.append(f"dead letters {left.dead_letters} != {right.dead_letters}")
    return found


def in_any_order(final: FinalState) -> FinalState:
    """
    Remove the attributes that depend on the order of arrival by design.

    - A status that arrives after a later one is not added to the history (one entry per rank, forward only); its own
    item stores it with its price.
    - A reaction that arrived before its message waited in an EDIT item, which remains.
    - Messages of one second are in the order of their acceptance. `check_at_rest` checks the heads.
    """
    final = without_acceptance(final)
    items = {
        key: {
            name: value
            for name, value in item.items()
            if name not in (_OF_ARRIVAL | _SHOWN if key.startswith("CONV#") else _OF_ARRIVAL)
        }
        for key, item in final.items.items()
    } | {
        key: {name: value for name, value in item.items() if name != "reactions"}
        for key, item in final.items.items()
        if key.startswith("EDIT#")
    }
    only_reactions = {
        key
        for key, item in items.items()
        if key.startswith("EDIT#") and not item.keys() & {"versions", "revokedAt"}
    }
    return replace(final, items={k: item for k, item in items.items() if k not in only_reactions})


def without_acceptance(final: FinalState) -> FinalState:
    """Remove the order within a second, which depends on the acceptance: a provider that repeats is accepted later."""
    items = {
        key: {
            name: _cut(name, value)
            for name, value in item.items()
            if name not in _OF_ACCEPTANCE.get(str(item["itemType"]), set())
        }
        for key, item in final.items.items()
    }
    return replace(final, items=items)


def _cut(name: str, value: Any) -> Any:
    """A time, or the order of a change to a message, without the order within its second."""
    if isinstance(value, dict):
        return {inner: _cut(inner, part) for inner, part in value.items()}
    if isinstance(value, list):
        return [_cut(name, part) for part in value]
    if name in _ORDERS:
        return second_in(value)
    is_time = isinstance(value, str) and re.fullmatch(r"[0-9T:-]{19}\.[0-9]+Z", value)
    return value[:19] if is_time else value


def as_if_never_failed(final: FinalState) -> FinalState:
    """Remove the traces of failures: parked events, the reasons of dead letters."""
    items = {
        key: item
        for key, item in final.items.items()
        if item.get("webhookEventType") not in {"parked", "dead_letter"}
    }
    kept = {item.get("fullEvent") for item in items.values()}
    objects = {
        key: content
        for key, content in final.objects.items()
        if key in kept or not key.startswith("parked/")
    }
    return replace(final, items=items, objects=objects)


def check_parked(system: System) -> None:
    """Check the invariant of parked events: each is in the index that its state requires."""
    parked = {
        item["eventId"]: WebhookEvent.read(item)
        for item in system.items().values()
        if item.get("webhookEventType") == "parked"
    }
    under_way = [*system.queue.messages, *system.queue.dead_letters]
    replays = {json.loads(message.body).get("replayOf") for message in under_way}
    items, objects = system.items(), system.objects()
    for event_id, event in parked.items():
        assert event.full_event is not None
        original = json.loads(objects[event.full_event["key"]])
        if event.state == "replayed":
            assert event_id in replays
        elif event.state == "replaced":
            assert event.replaced_by in parked
        elif event.state == "resolved" and (homes := _homes_of(original)):
            assert any(key in items for key in homes)


def check_at_any_time(system: System, before: Items) -> Items:
    """Check the invariants between any two runs of a worker; return the items, which are the next *before*."""
    items = system.items()
    for key, item in items.items():
        assert _size(item) < LARGEST_ITEM_BYTES, key
        assert len(item.get("recentKeys", ())) <= LARGEST_RING, key
        if "statusRank" in item:
            old = before.get(key, {})
            assert item["statusRank"] >= old.get("statusRank", 0), key
        history = [RANKS[entry["status"]] for entry in item.get("deliveryStatusHistory", [])]
        assert history == sorted(set(history)), key
    # An intent becomes a message; of too many addresses the oldest is removed.
    assert before.keys() - items.keys() <= {
        key for key in before if key.startswith(("INTENT#", "ADDRESS#"))
    }
    return items


def check_at_rest(system: System, items: Items) -> None:
    """Check the invariants of an empty queue: every head shows its newest message and has counted each message once."""
    check_declared(system.items())  # unfiltered: *items* lacks the attributes of `VARIES`
    entries = [
        entry for item in items.values() if (entry := heads.entry_of(item, items)) is not None
    ]
    continued = {e.conversation: _continued(items, e.conversation) for e in entries}
    for conversation in set(continued.values()):
        of_it = [entry for entry in entries if continued[entry.conversation] == conversation]
        heads.check_head(items[conversation], of_it)
    check_conservation(system, items)


def _continued(items: Items, conversation_pk: str) -> str:
    """The conversation that lists another one's messages: itself, unless it is linked."""
    linked_to = items[conversation_pk].get("linkedTo")
    if linked_to is None:
        return conversation_pk
    assert not items[conversation_pk].keys() & {"inboxPk", "listPk", "assigneePk"}
    assert conversation_pk in items[linked_to]["linkedConversations"]
    return str(linked_to)


def check_declared(items: Items) -> None:
    """Check that every item is of a declared type, with values and sizes that its declaration allows."""
    for key, item in items.items():
        assert "" not in item.values(), f"{key}: an empty attribute is absent"
        if key.startswith("ACTION#"):
            Action.model_validate(item)
            continue
        declared = _declaration(key, item)
        read = declared.read(item)
        assert not read.model_extra or set(read.model_extra) == {"itemType"}, key
        for name, field in declared.model_fields.items():
            for bound in bounds_of(field):
                value = getattr(read, name)
                size = 0 if value is None else len(value)
                if bound.what == "bytes":
                    size = len(json.dumps(value, default=str).encode())
                assert size <= bound.count, f"{key}: {name}"


def _declaration(key: str, item: dict[str, Any]) -> type[WhatsAppItem]:
    """The item class of a stored item: several settings share the type CONFIG, and differ in their keys."""
    named = [c for c in (*CONTRACTED, *SUPPORT) if c.item_type == item["itemType"]]
    assert named, key
    return max(named, key=lambda c: key.startswith(c.pk_pattern.partition("{")[0]))


def check_conservation(system: System, items: Items) -> None:
    """Check that every accepted event is persisted, a duplicate, parked, or in the queue (or a dead letter)."""
    queued = {message.message_id for message in system.queue.messages + system.queue.dead_letters}
    is_any_parked = any(item.get("fullEvent") for item in items.values())
    for message_id, body in system.queue.accepted.items():
        if message_id in queued or message_id in system.queue.redriven:
            continue
        outcome = system.outcomes[message_id]
        assert outcome in {"persisted", "duplicate", "parked"}
        event = json.loads(body)
        if outcome == "parked":
            assert is_any_parked
        elif keys := _homes_of(event):
            assert any(key in items for key in keys), keys


def _homes_of(event: dict[str, Any]) -> list[str]:
    """The items of which one must exist once an event is handled; none for kinds that are stored by their hash."""
    if event.get("type") == ANNOUNCED:
        message_id = event["provider_message_id"]
        return [f"MSG#{message_id}", f"ALIAS#MSG#{COUNTER.phone}#{message_id}"]
    payload = event["payload"] or {}
    event_id = storable(event["id"])
    if event["kind"] in {"message", "echo", "history"}:
        return [_home_of_message(payload, event_id, event)]
    if event["kind"] == "status":
        reported = payload["status"]  # a list of one word counts as the word
        (word,) = reported if isinstance(reported, list) else [reported]
        return [Status.of(event["phone"], event_id, str(word).lower())]
    if event["kind"] in _OF_ACCOUNTS:  # stored as events, after the change that they describe
        return [f"WEBHOOK#{digest(*parking._identity(parse_event(json.dumps(event))))}"]
    if event["kind"] == "group" and payload.get("group_id"):
        return [f"GROUP#{payload['group_id']}"]
    own = {"media": "MEDIA", "call": "CALL"}.get(event["kind"])
    return [f"{own}#{event_id}"] if own else []


def _home_of_message(payload: dict[str, Any], message_id: str, event: dict[str, Any]) -> str:
    change = payload.get(str(payload.get("type")), {})
    phone = event["phone"]
    if payload.get("type") in {"edit", "revoke"}:
        return f"EDIT#{phone}#{change['original_message_id']}"
    if payload.get("type") == "reaction":
        actor = (payload.get("to") and event["displayPhone"]) or payload.get("from")
        return f"REACTION#{phone}#{change['message_id']}#{actor}"
    return f"MSG#{message_id}"


def _handed_over(system: System) -> Iterator[str]:
    """The distinct events sent to other contexts. When a message is announced again, its file may have been copied."""
    for queue, events in system.handed_over().items():
        for event in events:
            for file in event.get("media", []):
                file.pop("url", None)
            yield f"{queue} {json.dumps(event, sort_keys=True)}"


def _varying(item: dict[str, Any]) -> Iterable[str]:
    return VARIES.get(str(item["itemType"]), ())


def _comparable(content: bytes) -> object:
    """
    An object's content; a parked event without the time of the ingress, see WEBHOOK_EVENT above. An unreadable event
    has no other time.
    """
    try:
        parsed = json.loads(content)
    except ValueError:
        return content
    if isinstance(parsed, dict):
        parsed.pop("acceptedAt", None)
        if parsed.get("kind") == "malformed":
            parsed.pop("at")
    return parsed


def _size(item: dict[str, Any]) -> int:
    """An upper bound of the item size in DynamoDB: names and values as text."""
    return len(json.dumps(encoded(item), default=list, ensure_ascii=False).encode())
