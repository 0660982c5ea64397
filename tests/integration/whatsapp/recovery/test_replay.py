"""Replay of parked events: each event stores the result of its replays."""

from dataclasses import replace
from typing import Any

import pytest

from shared.aws.sqs_fifo import NotEnqueued, digest
from shared.events.recovery import parked_events
from shared.events.recovery.parked_events import Replay, listed, replay, replay_all
from shared.events.recovery.port import Filter, NotFound, NotReplayable, Position, Recovery
from shared.events.recovery.views import ParkedEvent
from shared.runtime import clock
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, a_phone, text
from whatsapp import store
from whatsapp.inbound.queued_events import parse_event
from whatsapp.recovery.parked_events import InboxParkedEvents
from whatsapp.recovery.parking import note_dead_letter
from whatsapp.store.items import Phone, WebhookEvent, pk

EVERYBODY = Filter()


def unregister(harness: Harness) -> None:
    harness.resources.table.delete(pk(Phone.key(PHONE)))
    store.phones.forget()


def register(harness: Harness, **changes: Any) -> None:
    harness.resources.table.put(a_phone(**changes).attributes())
    store.phones.forget()


def key_of(event: WebhookEvent) -> str:
    """The key of a parked event's body."""
    return str((event.full_event or {})["key"])


def park(harness: Harness, *identities: str) -> list[WebhookEvent]:
    """Park messages of an unregistered number; returns the items in the order of the ids."""
    unregister(harness)
    harness.take({"messages": [text(identity) for identity in identities]})
    harness.outbox.entries.clear()
    resources = harness.resources
    store = InboxParkedEvents(resources.table, resources.bucket, resources.queue)
    found, _ = listed(store, EVERYBODY, limit=100)
    by_id = {one.item.correlation_id: one.item for one in found}
    return [by_id[digest(identity)[:26]] for identity in identities]


def views(
    recovery: Recovery[WebhookEvent], wanted: Filter, **more: Any
) -> tuple[list[ParkedEvent], Position]:
    """A page of parked events as shown, and the cursor of the next page."""
    found, last = listed(recovery.parked, wanted, **more)
    return [one.view for one in found], last


def parked(harness: Harness, event_id: str) -> WebhookEvent:
    event = store.events.get(harness.resources.table, event_id)
    assert event is not None
    return event


def drain(harness: Harness) -> None:
    entries, harness.outbox.entries = harness.outbox.entries, []
    for entry in entries:
        harness.handle(entry.body)


def test_a_parked_event_is_open_then_replayed_then_resolved_and_its_message_is_stored(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    [event] = park(harness, "wamid.1")
    assert (event.state, event.reason) == ("open", "unknown_phone")
    register(harness)

    assert replay(recovery.parked, event.event_id, None).number == 1
    assert parked(harness, event.event_id).state == "replayed"
    drain(harness)

    resolved = parked(harness, event.event_id)
    assert (resolved.state, resolved.resolved_at) == ("resolved", clock.to_text(NOW))
    assert harness.item("MSG#wamid.1")["textBody"] == "hello"


def test_a_replay_keeps_body_lane_and_source_and_has_a_new_deduplication_id(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    [event] = park(harness, "wamid.1")
    original = parse_event(harness.resources.bucket.get(key_of(event)).decode())

    replay(recovery.parked, event.event_id, None)
    replay(recovery.parked, event.event_id, None)

    first, second = harness.outbox.entries
    sent = parse_event(first.body)
    assert (sent.replay_of, sent.replay) == (event.event_id, 1)
    assert sent.unreplayed() == original
    assert sent.source == "meta"
    assert first.group == second.group == digest(PHONE, "447700900101")
    assert first.deduplication != second.deduplication


def test_a_file_parked_for_a_missing_token_is_replayed_in_its_own_lane(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    photo = text("wamid.1") | {
        "type": "image",
        "image": {"id": "media-1", "mime_type": "image/png", "sha256": "x"},
    }
    harness.take({"messages": [photo]})
    [fetch] = harness.outbox.entries
    unregister(harness)
    harness.handle(fetch.body)
    harness.outbox.entries.clear()
    [event], _ = views(recovery, EVERYBODY, limit=1)

    replay(recovery.parked, event.event_id, None)

    assert [entry.group for entry in harness.outbox.entries] == [fetch.group]


def test_a_replayed_event_that_is_parked_again_is_open_again_with_its_time(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    [event] = park(harness, "wamid.1")
    before = harness.resources.bucket.get(key_of(event))

    replay(recovery.parked, event.event_id, None)
    drain(harness)

    back = parked(harness, event.event_id)
    assert (back.state, back.returned, back.parked_again_at) == ("open", 1, clock.to_text(NOW))
    assert replay(recovery.parked, event.event_id, None).number == 2
    assert harness.resources.bucket.get(key_of(event)) == before


def test_an_older_replay_that_is_parked_again_late_does_not_hide_a_newer_one(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    [event] = park(harness, "wamid.1")
    replay(recovery.parked, event.event_id, None)
    replay(recovery.parked, event.event_id, None)
    first, second = harness.outbox.entries
    harness.handle(first.body)
    assert parked(harness, event.event_id).state == "replayed"

    harness.handle(second.body)
    harness.handle(first.body)

    assert (parked(harness, event.event_id).state, parked(harness, event.event_id).returned) == (
        "open",
        2,
    )


def test_an_event_that_was_handled_stays_resolved(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    [event] = park(harness, "wamid.1")
    register(harness)
    replay(recovery.parked, event.event_id, None)
    [entry] = harness.outbox.entries
    drain(harness)
    unregister(harness)

    harness.handle(entry.body)

    assert parked(harness, event.event_id).state == "resolved"


def test_a_resolved_event_is_not_replayed_again(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    [event] = park(harness, "wamid.1")
    register(harness)
    replay(recovery.parked, event.event_id, None)
    drain(harness)

    done = replay(recovery.parked, event.event_id, None)

    assert (done.number, done.event.state, harness.outbox.entries) == (None, "resolved", [])


def test_a_queue_that_refuses_leaves_the_event_open(
    harness: Harness, recovery: Recovery[WebhookEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    [event] = park(harness, "wamid.1")

    def refuse(_: object) -> int:
        raise NotEnqueued("1 of 1 entries refused")

    monkeypatch.setattr(harness.outbox, "send", refuse)
    with pytest.raises(NotEnqueued):
        replay(recovery.parked, event.event_id, None)

    assert parked(harness, event.event_id).state == "open"


def test_an_event_that_was_never_parked_writes_no_replay_item(harness: Harness) -> None:
    harness.resources.table.forget_consumption()
    harness.take({"messages": [text("wamid.1")]})

    assert not [key for key in harness.keys() if key.startswith("WEBHOOK#")]


@pytest.mark.parametrize("body", ["", "{", "[]", '{"v": 1}'])
def test_a_text_that_is_no_event_cannot_be_replayed(
    harness: Harness, recovery: Recovery[WebhookEvent], body: str
) -> None:
    harness.handle(body)
    [event], _ = views(recovery, EVERYBODY, limit=1)

    with pytest.raises(NotReplayable, match="unreadable"):
        replay(recovery.parked, event.event_id, None)
    assert parked(harness, event.event_id).state == "open"


@pytest.mark.parametrize("key", ["parked/another.json", "media/acme/1/77/file.jpg", None])
def test_an_event_whose_stored_body_was_changed_cannot_be_replayed(
    harness: Harness, recovery: Recovery[WebhookEvent], key: str | None
) -> None:
    [event] = park(harness, "wamid.1")
    forged = {**(event.full_event or {}), "key": key or key_of(event)}
    harness.resources.bucket.put(forged["key"], b'{"kind": "message"}')
    harness.resources.table.update({"pk": event.pk}, put={"fullEvent": forged})

    with pytest.raises(NotReplayable, match="damaged"):
        replay(recovery.parked, event.event_id, None)
    assert harness.outbox.entries == []


def test_an_event_whose_body_is_deleted_cannot_be_replayed(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    [event] = park(harness, "wamid.1")
    harness.resources.bucket.delete(key_of(event))

    with pytest.raises(NotReplayable, match="gone"):
        replay(recovery.parked, event.event_id, None)


@pytest.mark.parametrize("event_id", ["", "0" * 64, "../x", "A" * 64, "0" * 3_000])
def test_an_unknown_event_cannot_be_replayed(
    recovery: Recovery[WebhookEvent], event_id: str
) -> None:
    with pytest.raises(NotFound):
        replay(recovery.parked, event_id, None)


def test_an_event_that_a_provider_names_parked_is_not_listed(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    harness.take({"field": "parked", "reason": "mine"})
    [key] = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    assert harness.item(key)["webhookEventType"] == "parked"

    assert listed(recovery.parked, EVERYBODY, limit=10) == ([], None)
    with pytest.raises(NotFound):
        replay(recovery.parked, key.removeprefix("WEBHOOK#"), None)


def test_an_expired_event_is_not_listed(
    harness: Harness, recovery: Recovery[WebhookEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    park(harness, "wamid.1")
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 30 * 86_400_000)

    assert listed(recovery.parked, EVERYBODY, limit=10) == ([], None)


def test_in_bulk_each_open_event_is_sent_once_page_by_page(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    events = park(harness, *(f"wamid.{n}" for n in range(7)))
    replay(recovery.parked, events[3].event_id, None)
    replays: list[Replay] = []

    start = None
    for _ in range(4):
        start = replay_all(recovery.parked, EVERYBODY, limit=2, start=start, report=replays.append)
        if start is None:
            break

    assert start is None
    assert sorted(one.event.event_id for one in replays) == sorted(
        event.event_id for event in events if event is not events[3]
    )
    assert [one.number for one in replays] == [1] * 6
    assert len(harness.outbox.entries) == 7


def test_in_bulk_events_that_cannot_be_replayed_are_reported_and_do_not_stop_the_others(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    park(harness, "wamid.1", "wamid.2")
    harness.handle("no event")
    replays: list[Replay] = []

    replay_all(recovery.parked, EVERYBODY, limit=10, report=replays.append)

    assert sorted(one.refused or "" for one in replays) == ["", "", "unreadable"]
    assert len(harness.outbox.entries) == 2


def test_a_bulk_replay_stops_when_its_time_runs_out_and_returns_a_cursor(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    park(harness, "wamid.1", "wamid.2", "wamid.3")
    replays: list[Replay] = []

    start = replay_all(
        recovery.parked,
        EVERYBODY,
        limit=10,
        report=replays.append,
        is_over=lambda: len(replays) == 2,
    )
    assert (len(replays), start is None) == (2, False)
    replay_all(recovery.parked, EVERYBODY, limit=10, start=start, report=replays.append)

    assert len({one.event.event_id for one in replays}) == 3


def test_a_list_can_be_filtered_by_reason_company_and_state(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    [unknown] = park(harness, "wamid.1")
    register(harness)
    harness.take({"messages": [text("wamid.2", "one")]}, {"messages": [text("wamid.2", "two")]})

    def ids(wanted: Filter) -> list[str]:
        return [event.reason or "" for event in views(recovery, wanted, limit=10)[0]]

    assert sorted(ids(EVERYBODY)) == ["conflict", "unknown_phone"]
    assert ids(replace(EVERYBODY, reason="unknown_phone")) == ["unknown_phone"]
    assert ids(Filter(company="acme")) == ["conflict"]
    assert ids(Filter(company="globex")) == []
    replay(recovery.parked, unknown.event_id, None)
    drain(harness)
    assert ids(replace(EVERYBODY, states=recovery.parked.waiting)) == ["conflict"]


def a_parked(event_id: str, company: str, at: int) -> WebhookEvent:
    return WebhookEvent(
        pk=WebhookEvent.key(event_id), event_id=event_id, company=company, webhook_event_type="parked",
        event_type="message", reason="conflict", full_event={"key": f"parked/{event_id}.json"},
        received_at=clock.to_text(at), processed_at=clock.to_text(at), ttl=clock.expires_in(1_000),
    )  # fmt: skip


def test_parked_events_of_other_companies_do_not_fill_a_companys_list(
    harness: Harness, recovery: Recovery[WebhookEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One page of the shared list has the newest events of all companies, and none of this company."""
    monkeypatch.setattr(parked_events, "ENTRIES_PER_CALL", parked_events.ENTRIES_PER_QUERY)
    for n in range(2):
        store.events.park(harness.resources.table, a_parked(f"{n:064x}", "acme", NOW + n))
    for n in range(2, 110):
        store.events.park(harness.resources.table, a_parked(f"{n:064x}", "flood", NOW + n))

    (first,), position = views(recovery, Filter(company="acme"), limit=1)
    (second,), end = views(recovery, Filter(company="acme"), limit=1, start=position)
    rest = views(recovery, Filter(company="acme"), limit=1, start=end) if end else None

    assert [first.event_id, second.event_id] == [f"{1:064x}", f"{0:064x}"]
    assert rest in (None, ([], None))


def test_a_webhook_field_named_like_a_companys_list_does_not_add_to_it(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    harness.take({"field": "parked#acme", "reason": "mine"})

    [key] = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    assert harness.item(key)["webhookEventType"] == "parked_acme"


def test_the_last_attempt_stores_the_newest_reason_of_a_dead_letter(harness: Harness) -> None:
    body = "x"
    note_dead_letter(harness.resources, body, "ClientError: PutItem: Throttled", 5)
    note_dead_letter(harness.resources, body, "Transient: no_time", 5)

    note = parked(harness, digest("dead_letter", body))
    assert (note.webhook_event_type, note.reason, note.attempts) == (
        "dead_letter",
        "Transient: no_time",
        5,
    )
