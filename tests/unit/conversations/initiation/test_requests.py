"""Validation of a request for a conversation, and the order of its errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conversations.initiation import requests
from conversations.initiation.json_body import RequestRefused, read_json
from conversations.initiation.requests import Request
from conversations.store.items.conversation import ChannelMethod
from events.conversations import sample_data
from shared.runtime import clock

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z
SECRET = "do-not-repeat-me"


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOON)


def parsed(payload: dict[str, Any], region: str | None = None, max_age_ms: int = 0) -> Request:
    return requests.parse(payload, lambda *_: region, max_age_ms)


def refused(
    payload: dict[str, Any], region: str | None = None, max_age_ms: int = 0
) -> RequestRefused:
    with pytest.raises(RequestRefused) as refusal:
        parsed(payload, region, max_age_ms)
    return refusal.value


def request_with(channel: str = "sms", **request: Any) -> dict[str, Any]:
    """A request with other fields in `request_data`; None removes one."""
    payload = sample_data.request(channel)
    payload["request_data"] = _with(payload["request_data"], request)
    return payload


def recipient_with(channel: str = "sms", **recipient: Any) -> dict[str, Any]:
    """A request with other fields in `recipient_data`; None removes one."""
    payload = sample_data.request(channel)
    payload["recipient_data"] = _with(payload["recipient_data"], recipient)
    return payload


def _with(section: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in (section | changes).items() if value is not None}


# Bytes


def test_a_body_of_100_kb_is_read_and_one_byte_more_is_too_large() -> None:
    frame = len(b'{"a":""}')

    assert read_json(b'{"a":"' + b"x" * (102_400 - frame) + b'"}')
    with pytest.raises(RequestRefused) as refusal:
        read_json(b'{"a":"' + b"x" * (102_401 - frame) + b'"}')
    assert (refusal.value.code, refusal.value.status) == ("PAYLOAD_TOO_LARGE", 413)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(None, id="no base64"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"{", id="half of it"),
        pytest.param(b'"text"', id="a text"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"a":1,"a":1}', id="a key twice"),
        pytest.param(b'{"a":{"b":1,"b":2}}', id="a key twice, inside"),
        pytest.param(b'{"a":NaN}', id="NaN"),
        pytest.param(b'{"a":-Infinity}', id="Infinity"),
        pytest.param(b'{"a":' + b"[" * 2_000 + b"]" * 2_000 + b"}", id="2,000 levels"),
        pytest.param(b'{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}", id="50,000 levels"),
        pytest.param(b'{"a":"\xff"}', id="no UTF-8"),
        pytest.param(b'{"a":"\\ud800"}', id="half a character"),
        pytest.param(b'{"a":1e400}', id="a number beyond all bounds"),
    ],
)
def test_a_body_that_is_not_a_plain_json_object_is_an_invalid_request(body: bytes | None) -> None:
    with pytest.raises(RequestRefused) as refusal:
        read_json(body)

    assert (refusal.value.code, refusal.value.status) == ("INVALID_REQUEST", 400)


def test_a_byte_order_mark_is_accepted() -> None:
    assert read_json(b'\xef\xbb\xbf{"a":1}') == {"a": 1}


def test_64_levels_are_accepted_and_65_are_too_deep() -> None:
    def nested(levels: int) -> bytes:
        return b'{"a":' * levels + b"1" + b"}" * levels

    assert read_json(nested(64))
    with pytest.raises(RequestRefused):
        read_json(nested(65))


# Sections and identifiers


@pytest.mark.parametrize("section", ["company_data", "recipient_data", "request_data"])
def test_a_section_that_is_missing_or_not_an_object_is_named(section: str) -> None:
    whole = sample_data.request()
    without = {name: part for name, part in whole.items() if name != section}

    missing, malformed = refused(without), refused(whole | {section: [SECRET]})

    assert (missing.code, missing.field) == (f"MISSING_{section.upper()}", section)
    assert (malformed.code, malformed.field) == (f"INVALID_{section.upper()}_TYPE", section)


@pytest.mark.parametrize("name", ["company_id", "project_id"])
@pytest.mark.parametrize("value", [None, "", "a#b", "a b", "x" * 65, "a\n", 7, ["a"]])
def test_ids_are_short_and_plain(name: str, value: object) -> None:
    payload = sample_data.request()
    payload["company_data"] = _with(payload["company_data"] | {name: "-"}, {name: value})

    refusal = refused(payload)

    assert (refusal.code, refusal.field) == ("MISSING_IDENTIFIERS", f"company_data.{name}")


@pytest.mark.parametrize("name", ["request_id", "channel_method", "initial_request_timestamp"])
def test_a_request_field_that_is_missing_or_not_a_string_is_named(name: str) -> None:
    fields: list[dict[str, Any]] = [{name: value} for value in (None, 7, "  ")]
    missing, malformed, empty = (refused(request_with("sms", **field)) for field in fields)

    assert (missing.code, missing.field) == (f"MISSING_{name.upper()}", f"request_data.{name}")
    assert malformed.code == empty.code == f"INVALID_{name.upper()}_FORMAT"


@pytest.mark.parametrize("value", ["-a", ".a", "a b", "a#b", "ä", "x" * 65, "a\n", "a/b"])
def test_a_request_id_is_letters_digits_and_a_few_signs(value: str) -> None:
    assert refused(request_with(request_id=value)).code == "INVALID_REQUEST_ID"


@pytest.mark.parametrize(
    "value", ["7c0b8f0e-6c9e-4a58-9a53-2f6d0c9c7d11", "A.b_c-1", "0", "x" * 64]
)
def test_valid_request_ids_are_accepted(value: str) -> None:
    assert parsed(request_with(request_id=value)).request_id == value


def test_a_channel_is_one_of_three_in_any_case() -> None:
    assert parsed(request_with(channel_method="SMS")).channel_method is ChannelMethod.SMS
    assert parsed(request_with(channel_method="WhatsApp")).channel_method is ChannelMethod.WHATSAPP
    assert refused(request_with(channel_method="fax")).code == "UNSUPPORTED_CHANNEL"


# Times


@pytest.mark.parametrize(
    "value",
    [
        "2026-01-01T12:05:00.000Z",  # five minutes ahead
        "2026-01-01T13:00:00+01:00",
        "2026-01-01T12:00:00.123456Z",
        "1999-12-31T23:59:59Z",
        "20260101T120000Z",
    ],
)
def test_valid_times_are_accepted(value: str) -> None:
    assert parsed(request_with(initial_request_timestamp=value)).requested_at == value


@pytest.mark.parametrize(
    "value",
    [
        "2026-01-01T12:05:00.001Z",
        "2026-01-01T12:00:00",
        "2026-01-01",
        "noon",
        "2026-02-30T12:00:00Z",
        "1767268800",
    ],
)
def test_a_time_needs_a_zone_and_is_at_most_five_minutes_ahead(value: str) -> None:
    assert refused(request_with(initial_request_timestamp=value)).code == "INVALID_TIMESTAMP"


def test_old_requests_are_refused_only_with_a_maximum_age() -> None:
    old = request_with(initial_request_timestamp="2026-01-01T11:58:58.999Z")

    assert parsed(old)
    assert refused(old, max_age_ms=61_000).code == "TIMESTAMP_EXPIRED"
    assert parsed(
        request_with(initial_request_timestamp="2026-01-01T11:58:59.000Z"), max_age_ms=61_000
    )


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (None, None),
        ("2026-01-01T14:00:00+01:00", "2026-01-01T13:00:00.000Z"),
        ("2026-04-01T12:00:00Z", "2026-04-01T12:00:00.000Z"),  # 90 days
        ("2025-12-31T12:00:00Z", "2025-12-31T12:00:00.000Z"),  # over: at once
    ],
)
def test_a_first_message_may_have_a_time(value: str | None, read: str | None) -> None:
    assert parsed(request_with(send_at=value)).send_at == read


@pytest.mark.parametrize("value", ["2026-04-01T12:00:00.001Z", "2026-01-02T12:00:00", "soon"])
def test_the_time_of_a_first_message_needs_a_zone_and_is_at_most_ninety_days_ahead(
    value: str,
) -> None:
    refusal = refused(request_with(send_at=value))

    assert (refusal.code, refusal.field) == ("INVALID_SEND_AT", "request_data.send_at")


# Contacts


@pytest.mark.parametrize(
    ("channel", "name"),
    [("sms", "recipient_tel"), ("whatsapp", "recipient_tel"), ("email", "recipient_email")],
)
def test_the_contact_of_the_channel_is_needed(channel: str, name: str) -> None:
    missing, malformed, number = (
        refused(recipient_with(channel, **{name: value})) for value in (None, SECRET, 7)
    )

    assert (missing.code, missing.field) == (f"MISSING_{name.upper()}", f"recipient_data.{name}")
    assert malformed.code == number.code == f"INVALID_{name.upper()}"


@pytest.mark.parametrize(
    "value", ["+44", "12", "+447700900123,+447700900124", "+44 7700 900123 ext. 5", "☎"]
)
def test_an_impossible_number_is_not_a_contact(value: str) -> None:
    assert refused(recipient_with("sms", recipient_tel=value), "GB").code == "INVALID_RECIPIENT_TEL"


def test_a_number_of_a_reserved_range_is_possible_and_accepted() -> None:
    assert (
        parsed(recipient_with("sms", recipient_tel="+447700900123")).recipient.tel
        == "+447700900123"
    )


def test_a_number_without_a_plus_is_read_in_the_projects_region() -> None:
    local = recipient_with("sms", recipient_tel="07700 900123")

    assert parsed(local, "GB").recipient.tel == "+447700900123"
    assert refused(local).code == "INVALID_RECIPIENT_TEL"


def test_the_region_is_read_only_for_a_number_without_a_country() -> None:
    def region(*_: str) -> str:
        raise AssertionError("the region is not needed")

    assert requests.parse(recipient_with("sms", recipient_tel="+447700900123"), region, 0)


def test_a_whatsapp_number_loses_its_prefix_and_a_mexican_mobile_its_leading_1() -> None:
    assert (
        parsed(recipient_with("sms", recipient_tel="whatsapp:+5215512345678")).recipient.tel
        == "+525512345678"
    )


def test_a_bad_contact_that_the_channel_does_not_need_is_dropped_with_a_warning() -> None:
    by_sms = parsed(recipient_with("sms", recipient_email="nobody at home"))
    by_mail = parsed(recipient_with("email", recipient_tel="call me"))

    assert (by_sms.recipient.email, by_sms.warnings) == (None, ("RECIPIENT_EMAIL_DROPPED",))
    assert (by_mail.recipient.tel, by_mail.warnings) == (None, ("RECIPIENT_TEL_DROPPED",))


def test_a_contact_that_the_channel_does_not_need_may_be_absent() -> None:
    request = parsed(recipient_with("sms", recipient_email=None))

    assert (request.recipient.email, request.warnings) == (None, ())


def test_an_address_is_stored_as_written_and_compared_normalised() -> None:
    recipient = parsed(recipient_with("email", recipient_email="Ann.Doe+x@Example.COM")).recipient

    assert recipient.email == "ann.doe+x@example.com"
    assert recipient.email_as_given == "Ann.Doe+x@Example.COM"
    assert recipient.primary(ChannelMethod.EMAIL) == "ann.doe+x@example.com"


def test_on_whatsapp_a_business_scoped_id_replaces_a_number() -> None:
    request = parsed(
        recipient_with("whatsapp", recipient_tel=None, recipient_user_id="US.13491208655302741918")
    )

    assert request.recipient.primary(ChannelMethod.WHATSAPP) == "bsuid:US.13491208655302741918"
    assert request.recipient.in_id(ChannelMethod.WHATSAPP) == "US.13491208655302741918"
    assert request.recipient.tel is None


def test_a_malformed_business_scoped_id_or_one_on_another_channel_is_refused() -> None:
    by_sms = recipient_with("sms", recipient_tel=None, recipient_user_id="US.13491208655302741918")
    malformed = refused(recipient_with("whatsapp", recipient_tel=None, recipient_user_id=SECRET))

    assert refused(by_sms).code == "MISSING_RECIPIENT_TEL"
    assert (malformed.code, malformed.field) == (
        "INVALID_RECIPIENT_TEL",
        "recipient_data.recipient_user_id",
    )


# The order of the checks


FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("MISSING_IDENTIFIERS", {"company_data": {"company_id": SECRET}}),
    ("MISSING_RECIPIENT_DATA", {"recipient_data": None}),
    ("INVALID_REQUEST_DATA_TYPE", {"request_data": SECRET}),
    ("MISSING_REQUEST_ID", {"request_data": {"channel_method": SECRET}}),
    ("INVALID_REQUEST_ID", {"request_id": f"#{SECRET}"}),
    ("UNSUPPORTED_CHANNEL", {"channel_method": SECRET}),
    ("INVALID_TIMESTAMP", {"initial_request_timestamp": SECRET}),
    ("INVALID_RECIPIENT_TEL", {"recipient_tel": SECRET}),
    ("INVALID_COMMS_CONSENT_TYPE", {"comms_consent": SECRET}),
    ("INVALID_PROJECT_DATA", {"project_data": SECRET}),
]

NESTED: dict[str, Any] = {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {}}}}}}}}}


@pytest.mark.parametrize("first", range(len(FAULTS)), ids=[code for code, _ in FAULTS])
def test_the_first_error_is_reported_without_repeating_a_value(first: int) -> None:
    payload = sample_data.request()
    for _, fault in reversed(FAULTS[first:]):
        ((name, value),) = fault.items()
        if name in payload:
            payload[name] = value
        elif name in {"recipient_tel", "comms_consent"}:
            payload["recipient_data"] = {**payload["recipient_data"], name: value}
        else:
            payload["request_data"] = {**payload["request_data"], name: value}

    refusal = refused(payload)

    assert refusal.code == FAULTS[first][0]
    assert SECRET not in json.dumps([refusal.message, refusal.field, str(refusal)])


@pytest.mark.parametrize("project_data", [dict.fromkeys(map(str, range(201)), 1), NESTED])
def test_project_data_with_too_many_keys_or_too_many_levels_is_refused(
    project_data: dict[str, Any],
) -> None:
    refusal = refused(sample_data.request() | {"project_data": project_data})

    assert (refusal.code, refusal.field) == ("INVALID_PROJECT_DATA", "project_data")


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"request_data": {"request_id": "req-1"}}, "req-1"),
        ({"request_data": {"request_id": "#"}}, "unknown"),
        ({"request_data": {"request_id": 7}}, "unknown"),
        ({"request_data": []}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_a_response_contains_the_request_id_if_it_is_readable(
    payload: dict[str, Any], expected: str
) -> None:
    assert requests.request_id_of(payload) == expected
