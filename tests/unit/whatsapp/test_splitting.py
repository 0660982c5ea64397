"""Splitting a webhook body into events: completely, in order, for any content."""

import json
from typing import Any

import pytest

from shared.runtime.failures import Permanent
from tests.cases import each
from whatsapp.inbound import senders
from whatsapp.inbound.event import Event
from whatsapp.inbound.json_body import BodyRefused, parse_body, read_body
from whatsapp.inbound.queued_events import parse_event
from whatsapp.inbound.splitter import Delivery, events_of, queue_entry

NOW = 1_767_225_600_000
DELIVERY = Delivery(source="meta", app="100", accepted_at=NOW)
METADATA = {"phone_number_id": "111", "display_phone_number": "15550001111"}


def body(*changes: dict[str, Any], waba: str = "900") -> dict[str, Any]:
    return {
        "object": "whatsapp_business_account",
        "entry": [{"id": waba, "changes": list(changes)}],
    }


def change(field: str, **value: Any) -> dict[str, Any]:
    return {"field": field, "value": {"metadata": METADATA, **value}}


def message(identity: str, **more: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "from": "447700900123",
        "timestamp": "1767225599",
        "type": "text",
        **more,
    }


def events(*changes: dict[str, Any]) -> list[Event]:
    return list(events_of(body(*changes), DELIVERY))


def test_every_entry_change_and_item_becomes_an_event_in_order() -> None:
    two_entries = {
        "entry": [
            {"id": "900", "changes": [
                change("messages", messages=[message("a"), message("b")], statuses=[{"id": "s"}], errors=[{"code": 1}]),
                change("smb_message_echoes", message_echoes=[message("e", to="447700900124")]),
            ]},
            {"id": "901", "changes": [change("messages", messages=[message("c")])]},
        ]
    }  # fmt: skip

    found = [(e.kind, e.id, e.waba, e.index) for e in events_of(two_entries, DELIVERY)]

    assert [entry[:2] for entry in found if entry[0] != "error"] == [
        ("message", "a"), ("message", "b"), ("status", "s"), ("echo", "e"), ("message", "c"),
    ]  # fmt: skip
    assert [entry[3] for entry in found][:2] == [0, 1]
    assert [event.place for event in events_of(two_entries, DELIVERY)] == list(range(len(found)))
    assert found[-1][2] == "901"
    assert "error" in [entry[0] for entry in found]


def test_an_event_has_sender_content_and_time() -> None:
    contact = {"wa_id": "447700900123", "profile": {"name": "Ann"}}
    (event,) = events(change("messages", contacts=[contact], messages=[message("a")]))

    assert (event.source, event.app, event.waba, event.phone, event.display_phone, event.field) == (
        "meta", "100", "900", "111", "15550001111", "messages",
    )  # fmt: skip
    assert (event.at, event.accepted_at, event.contact) == (1767225599, NOW, contact)
    assert event.payload == message("a")


@each(
    ("field", "kind"),
    [
        ("message_template_status_update", "template"),
        ("account_update", "account"),
        ("phone_number_quality_update", "account"),
        ("flows", "flow"),
        ("user_id_update", "identity"),
        ("user_preferences", "preference"),
        ("payment_configuration_update", "payment_config"),
        ("smb_app_state_sync", "other"),
        ("a_field_of_next_year", "other"),
        ("messages", "other"),  # a known field without its arrays
    ],
)
def test_a_change_without_items_is_one_event(field: str, kind: str) -> None:
    (event,) = events({"field": field, "value": {"event": "APPROVED"}})

    assert (event.kind, event.field, event.payload) == (kind, field, {"event": "APPROVED"})


def test_history_gives_each_message_of_each_thread() -> None:
    threads = [
        {"id": "1", "messages": [message("a"), message("b")]},
        {"id": "2", "messages": [message("c")]},
    ]

    found = events(change("history", history=[{"threads": threads}]))

    assert [(e.kind, e.id) for e in found] == [("history", "a"), ("history", "b"), ("history", "c")]


def test_an_echo_in_the_history_names_the_customer_of_its_thread() -> None:
    thread = {"id": "4477", "messages": [{"id": "a", "from": "4477"}, {"id": "b", "from": "1555"}]}
    found = events(change("history", history=[{"threads": [thread]}]))

    assert [event.payload for event in found] == [
        {"id": "a", "from": "4477"},
        {"id": "b", "from": "1555", "to": "4477"},
    ]


def test_files_of_the_history_are_messages_and_failures_separate_events() -> None:
    chunk = {"threads": [{"id": "4477", "messages": [{"id": "a"}]}], "errors": [{"code": 1}]}
    found = events(change("history", history=[chunk], messages=[{"id": "b"}]))

    assert [event.kind for event in found] == ["history", "history", "error"]
    assert found[2].payload == {"errors": [{"code": 1}]}


def test_fields_of_a_history_besides_its_messages_are_one_more_event() -> None:
    threads = [{"id": "4477", "messages": [{"id": "a"}], "muted": True}]
    metadata = {"phase": 0, "chunk_order": 1, "progress": 55, "device": "app"}
    found = events(change("history", history=[{"threads": threads, "metadata": metadata}]))

    assert [(event.kind, event.payload) for event in found[1:]] == [
        (
            "other",
            {
                "history": [
                    {"metadata": {"device": "app"}, "threads": [{"id": "4477", "muted": True}]}
                ]
            },
        )
    ]


def test_contacts_of_nobody_in_the_change_and_fields_of_the_number_are_more_events() -> None:
    contacts = [{"wa_id": "1"}, {"wa_id": "2"}, {"wa_id": "3", "user_id": "GB.3"}]
    value = {
        "metadata": {"phone_number_id": "1", "tier": "TIER_1K"},
        "contacts": contacts,
        "messages": [message("a") | {"from": "1"}, message("b") | {"from": "2"}],
    }
    found = events({"field": "messages", "value": value})

    assert [event.kind for event in found] == ["message", "message", "contact", "other"]
    assert found[2].payload == contacts[2]
    assert found[3].payload == {"metadata": {"tier": "TIER_1K"}}
    assert senders.customer_of("contact", contacts[1], None) == "2"


def test_session_descriptions_of_a_call_are_removed() -> None:
    call = {"id": "c", "event": "connect", "session": {"sdp": "v=0"}, "connection": {"webrtc": {}}}
    found = events(change("calls", calls=[call], odd={"deep": [{"sdp": "v=0", "kept": 1}]}))

    assert [event.payload for event in found] == [
        {"id": "c", "event": "connect"},
        {"odd": {"deep": [{"kept": 1}]}},
    ]


def test_the_status_of_a_call_is_in_the_message_group_of_the_callee() -> None:
    call = {"id": "c", "event": "connect", "to": "4477", "direction": "BUSINESS_INITIATED"}
    status = {"id": "c", "type": "call", "status": "RINGING", "recipient_id": "4477"}

    first, second = message_groups(
        change("calls", calls=[call]), change("calls", statuses=[status])
    )
    assert first == second


def test_a_payment_status_is_a_payment() -> None:
    (event,) = events(change("messages", statuses=[{"id": "p", "type": "payment"}]))

    assert event.kind == "payment"


@pytest.mark.parametrize(
    "odd",
    [
        {"entry": None},
        {"entry": "x"},
        {"entry": [None, 3, {"changes": [None, "x", {"value": None}, {"field": 7, "value": []}]}]},
        {"entry": [{"changes": [{"field": "messages", "value": {"messages": ["x", None, 3]}}]}]},
        {
            "entry": [
                {"changes": [{"field": "messages", "value": {"metadata": "x", "messages": [{}]}}]}
            ]
        },
    ],
)
def test_unexpected_shapes_are_kept_without_an_error(odd: dict[str, Any]) -> None:
    for event in events_of(odd, DELIVERY):
        assert parse_event(queue_entry(event).body) == event


@each(
    ("timestamp", "expected"),
    [
        ("1767225599", 1767225599),
        (1767225599, 1767225599),
        ("1767225599000", 1767225599),
        (None, NOW // 1000),
        ("soon", NOW // 1000),
        ("-5", NOW // 1000),
        ("1" * 40, NOW // 1000),
        (True, NOW // 1000),
        ("\u0661\u0662", NOW // 1000),
    ],
)
def test_an_invalid_time_is_replaced_by_the_ingress_time(timestamp: object, expected: int) -> None:
    (event,) = events(change("messages", messages=[message("a") | {"timestamp": timestamp}]))

    assert event.at == expected


def test_the_hash_excludes_volatile_fields() -> None:
    def image(url: str, caption: str = "x") -> dict[str, Any]:
        return message(
            "a", type="image", image={"id": "1", "sha256": "h", "url": url, "caption": caption}
        )

    first, again, other = (
        events(change("messages", messages=[one]))[0].hash
        for one in (image("https://a"), image("https://b"), image("https://a", "y"))
    )

    assert first == again != other


def test_a_link_that_a_customer_wrote_is_part_of_the_hash() -> None:
    def location(url: str) -> dict[str, Any]:
        return message("a", type="location", location={"latitude": 1, "url": url})

    first, other = (
        events(change("messages", messages=[location(u)]))[0].hash
        for u in ("https://a", "https://b")
    )

    assert first != other


def message_groups(*changes: dict[str, Any]) -> list[str]:
    return [queue_entry(event).group for event in events(*changes)]


def test_messages_of_one_customer_share_a_message_group() -> None:
    ann, ann_again, bob = message_groups(
        change(
            "messages",
            messages=[message("a"), message("b"), message("c", **{"from": "447700900999"})],
        )
    )

    assert ann == ann_again != bob


def test_a_customer_with_both_ids_is_grouped_by_the_user_id() -> None:
    both = change(
        "messages",
        contacts=[{"wa_id": "447700900123", "user_id": "GB.1"}],
        messages=[message("a", from_user_id="GB.1")],
    )
    only = change("messages", messages=[message("b", from_user_id="GB.1") | {"from": None}])

    assert message_groups(both) == message_groups(only)


def test_statuses_have_their_own_message_group_per_recipient() -> None:
    status = {"id": "s", "status": "sent", "recipient_id": "447700900123", "timestamp": "1"}
    first, second, of_message = message_groups(
        change("messages", statuses=[status, status | {"status": "read"}], messages=[])
    ) + message_groups(change("messages", messages=[message("a")]))

    assert first == second != of_message


def deduplication(item: dict[str, Any], array: str = "messages") -> str:
    (event,) = events(change("messages", **{array: [item]}))
    return queue_entry(event).deduplication


def test_the_same_message_has_the_same_deduplication_id_and_other_content_another() -> None:
    assert deduplication(message("a")) == deduplication(message("a"))
    assert deduplication(message("a")) != deduplication(message("a", text={"body": "other"}))


def test_two_statuses_of_a_message_are_two_events() -> None:
    sent = {"id": "s", "status": "sent", "timestamp": "1", "recipient_id": "1"}

    assert deduplication(sent, "statuses") != deduplication(sent | {"status": "read"}, "statuses")


def test_ids_of_the_queue_contain_no_address_and_fit_its_rules() -> None:
    (event,) = events(change("messages", messages=[message("wamid.x y\ud800é")]))
    entry = queue_entry(event)

    assert len(entry.group) == len(entry.deduplication) == 64
    assert (entry.group + entry.deduplication).isalnum()
    assert entry.body.isascii()


@pytest.mark.parametrize("raw", [b"", b"no json", b"[]", b"3", b"null", b"\xff", b"[" * 200_000])
def test_a_body_that_is_not_an_object_is_rejected(raw: bytes) -> None:
    assert parse_body(raw) is None


def test_numbers_outside_json_are_kept_as_strings() -> None:
    assert parse_body(b'{"a": NaN}') == {"a": "NaN"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "no json",
        json.dumps({"v": 1}),
        json.dumps({"v": 1, "kind": "message"}),
    ],
)
def test_a_queue_body_that_is_no_event_is_permanently_malformed(text: str) -> None:
    with pytest.raises(Permanent, match="malformed_event"):
        parse_event(text)


@pytest.mark.parametrize(
    ("name", "value"), [("at", "1"), ("phone", None), ("payload", []), ("index", 1.5)]
)
def test_an_event_with_a_field_of_another_type_is_malformed(name: str, value: object) -> None:
    (event,) = events(change("messages", messages=[message("a")]))
    changed = json.loads(event.to_json()) | {name: value}

    with pytest.raises(Permanent, match="malformed_event"):
        parse_event(json.dumps(changed))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b'{"entry": [1], "entry": [2]}', "'entry': must not occur twice in one object"),
        (b'{"a": {"messages": [1], "messages": []}}', "'messages': must not occur twice"),
        (b"{", "body: must be JSON"),
        (b"[]", "body: must be an object"),
    ],
)
def test_a_refused_body_names_the_field_and_the_rule(body: bytes, problem: str) -> None:
    with pytest.raises(BodyRefused, match=problem):
        read_body(body)
