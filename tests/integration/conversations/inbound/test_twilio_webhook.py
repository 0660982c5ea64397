"""The inbound endpoint for Twilio: calls of API Gateway into the handler, events on the queues out."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from events.conversations.twilio import (
    ACCOUNT,
    AUTH_TOKEN,
    PUBLIC_URL,
    SECRET,
    SHARED_KEY,
    SHARED_KEY_ID,
    callback,
    post,
    post_json,
    sid_of,
    sign,
    status,
    text,
    whatsapp,
)
from tests.integration.conversations.inbound.ingress import Ingress
from tests.integration.logs import recorded

TAKEN = (200, "<Response/>")
REFUSED = (403, "")
UNAVAILABLE = (503, "")
OTHER_ACCOUNT = "AC" + "0b5e" * 8


def test_a_message_is_accepted_and_enqueued(ingress: Ingress) -> None:
    assert ingress.call(post(text("t", "Grüße 😀"))) == TAKEN

    [put] = ingress.inbound.taken()
    assert put.body == {
        "type": "inbound_message",
        "v": 1,
        "provider": "twilio",
        "provider_message_id": sid_of("t"),
        "account": ACCOUNT,
        "channel_method": "sms",
        "business_address": "+12025550142",
        "customer_address": "+447700900123",
        "received_at": "2026-01-01T12:00:00.000Z",
        "kind": "text",
        "text": "Grüße 😀",
        "extra": {
            "ToCountry": "US",
            "FromCity": "",
            "SmsStatus": "received",
            "NumSegments": "1",
            "ApiVersion": "2010-04-01",
        },
    }
    assert ingress.statuses.taken() == []


def test_the_answer_is_empty_twiml(ingress: Ingress) -> None:
    answer = ingress.twilio.handler(post(text("t")), None)

    assert answer["headers"] == {"Content-Type": "text/xml"}


def test_a_status_goes_to_its_own_queue_with_the_action_of_its_query(ingress: Ingress) -> None:
    assert ingress.call(callback(status("s", "delivered"), "action-1")) == TAKEN

    [put] = ingress.statuses.taken()
    assert (put.body["type"], put.body["status"]) == ("delivery_status", "delivered")
    assert (put.body["provider_message_id"], put.body["action_id"]) == (sid_of("s"), "action-1")
    assert ingress.inbound.taken() == []


def test_a_status_of_a_message_without_an_action_is_accepted_too(ingress: Ingress) -> None:
    """It is kept as unmatched: a message may have been sent from Twilio's console."""
    assert ingress.call(callback(status("s", "delivered"), None)) == TAKEN

    [put] = ingress.statuses.taken()
    assert "action_id" not in put.body


def test_all_statuses_of_a_message_are_enqueued_in_any_order(
    ingress: Ingress,
) -> None:
    words = ["delivered", "sent", "queued", "sent"]

    for word in words:
        assert ingress.call(callback(status("s", word), "action-1")) == TAKEN

    puts = ingress.statuses.taken()
    assert [put.body["status"] for put in puts] == ["delivered", "sent", "queued"]
    assert len({put.group for put in puts}) == 1


def test_messages_of_one_customer_share_a_group_that_shows_no_address(ingress: Ingress) -> None:
    for name in ("a", "b"):
        ingress.call(post(text(name)))
    ingress.call(post(text("c", From="+447700900199")))
    ingress.call(post(whatsapp("d")))

    puts = ingress.inbound.taken()
    groups = {put.body["provider_message_id"]: put.group for put in puts}
    assert groups[sid_of("a")] == groups[sid_of("b")]
    assert len(set(groups.values())) == 3
    assert not [put for put in puts if "7700900" in put.group + put.deduplication]


# Bad input (spec, section 10)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        (text("e", ""), "text"),
        (text("e", "", NumMedia="1", MediaUrl0="https://api.twilio.com/ME1"), "media"),
        (whatsapp("e", "", Latitude="51.5", Longitude="-0.1"), "location"),
        (whatsapp("e", "", MessageType="hologram"), "unknown"),
        ({"AccountSid": ACCOUNT, "CallSid": "CA1", "CallStatus": "ringing"}, "unknown"),
    ],
)
def test_an_empty_text_a_file_a_location_and_an_unknown_kind_are_accepted(
    ingress: Ingress, fields: dict[str, str], kind: str
) -> None:
    assert ingress.call(post(fields)) == TAKEN

    [put] = ingress.inbound.taken()
    assert put.body["kind"] == kind


def test_the_same_call_within_minutes_is_enqueued_once(ingress: Ingress) -> None:
    """For example, the first answer was lost and Twilio called the fallback address."""
    assert ingress.call(post(text("t"))) == TAKEN
    ingress.now[0] += 1_000
    assert ingress.call(post(text("t"), query={"fallback": "1"})) == TAKEN

    assert len(ingress.inbound.taken()) == 1


def test_the_same_id_with_another_text_reaches_intake_which_parks_it(ingress: Ingress) -> None:
    ingress.call(post(text("t", "Yes")))
    ingress.call(post(text("t", "No")))

    assert [put.body["text"] for put in ingress.inbound.taken()] == ["Yes", "No"]


def test_a_message_signed_by_another_known_account_does_not_suppress_ours(ingress: Ingress) -> None:
    """That account may sign any content about our number: intake sees which account signed it."""
    tokens = {"auth_tokens": ["theirs"]}
    ingress.rotate({"accounts": SECRET["accounts"] | {OTHER_ACCOUNT: tokens}})

    assert ingress.call(post(text("t", AccountSid=OTHER_ACCOUNT), key="theirs")) == TAKEN
    assert ingress.call(post(text("t"))) == TAKEN

    assert [put.body["account"] for put in ingress.inbound.taken()] == [OTHER_ACCOUNT, ACCOUNT]


def test_a_call_signed_by_another_known_account_is_refused(ingress: Ingress) -> None:
    tokens = {"auth_tokens": ["theirs"]}
    ingress.rotate({"accounts": SECRET["accounts"] | {OTHER_ACCOUNT: tokens}})

    assert ingress.call(post(text("t"), key="theirs")) == REFUSED
    assert ingress.inbound.taken() == []


def test_a_body_in_base64_is_accepted(ingress: Ingress) -> None:
    assert ingress.call(post(text("t", "Grüße 😀"), in_base64=True)) == TAKEN

    [put] = ingress.inbound.taken()
    assert put.body["text"] == "Grüße 😀"


def test_json_is_verified_by_the_hash_of_its_body(ingress: Ingress) -> None:
    assert (
        ingress.call(post_json({"MessageSid": "SM1", "AccountSid": ACCOUNT, "Body": "é"})) == TAKEN
    )

    [put] = ingress.inbound.taken()
    assert put.body["text"] == "é"


def changed(event: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return event | changes


def with_header(event: dict[str, Any], name: str, *values: str) -> dict[str, Any]:
    several = {k: v for k, v in event["multiValueHeaders"].items() if k.lower() != name.lower()}
    single = {k: v for k, v in event["headers"].items() if k.lower() != name.lower()}
    if values:
        several[name] = list(values)
        single[name] = values[-1]
    return event | {"headers": single, "multiValueHeaders": several}


GOOD = post(text("t"))
SIGNATURE = GOOD["headers"]["X-Twilio-Signature"]
SHARED = sign(f"{PUBLIC_URL}/webhooks/twilio", list(text("t").items()), SHARED_KEY, "sha256")
SETTINGS = f"key={SHARED_KEY_ID},algorithm=HMAC_SHA256"
JSON = post_json({"AccountSid": ACCOUNT})


@pytest.mark.parametrize(
    "event",
    [
        with_header(GOOD, "X-Twilio-Signature"),
        with_header(GOOD, "X-Twilio-Signature", ""),
        with_header(GOOD, "X-Twilio-Signature", SIGNATURE, SIGNATURE),
        with_header(GOOD, "X-Twilio-Signature", "é\ud83d"),
        with_header(GOOD, "X-Twilio-Webhooks-Signature-Settings", ""),
        with_header(GOOD, "Content-Type", "application/json"),
        changed(GOOD, body=None),
        changed(GOOD, isBase64Encoded=True, body="no base64!"),
        changed(GOOD, isBase64Encoded=True, body="é"),
        changed(GOOD, path="/webhooks/twilio/status", resource="/webhooks/twilio/status"),
        post(text("t"), key="guessed"),
        changed(JSON, body=JSON["body"] + " "),
        changed(JSON, queryStringParameters=None, multiValueQueryStringParameters=None),
        with_header(JSON, "Content-Type", "application/x-www-form-urlencoded"),
        with_header(JSON, "Content-Type"),
        with_header(JSON, "Content-Type", "application/json", "application/json"),
    ],
)
def test_a_call_without_a_valid_signature_is_refused_with_an_empty_answer(
    ingress: Ingress, event: dict[str, Any]
) -> None:
    assert ingress.call(event) == REFUSED
    assert (ingress.inbound.taken(), ingress.statuses.taken()) == ([], [])


def test_calls_are_counted_by_their_outcome(ingress: Ingress) -> None:
    ingress.call(post(text("t")))
    ingress.call(post(text("t"), key="guessed"))

    assert ingress.counted == ["Received", "Accepted", "Received", "SignatureRejected"]


def test_no_content_of_a_call_is_logged(ingress: Ingress, monkeypatch: pytest.MonkeyPatch) -> None:
    log = recorded(monkeypatch)
    ingress.inbound.refuses = True

    for key in (AUTH_TOKEN, "guessed"):
        ingress.call(post(text("t", "my secret wish"), key=key))

    assert "request not enqueued" in log.getvalue()
    secret = ("my secret", "7700900123", AUTH_TOKEN, SIGNATURE)
    assert not [part for part in secret if part in log.getvalue()]


@pytest.mark.parametrize(("surplus", "answer"), [(0, TAKEN), (1, (413, ""))])
@pytest.mark.parametrize("in_base64", [False, True])
def test_a_body_has_64_kilobytes_at_most(
    ingress: Ingress, surplus: int, answer: tuple[int, str], *, in_base64: bool
) -> None:
    bare = len(post(text("t", ""))["body"])
    fields = text("t", "x" * (65_536 - bare + surplus))

    assert ingress.call(post(fields, in_base64=in_base64)) == answer


@pytest.mark.parametrize(("surplus", "answer"), [(0, TAKEN), (1, (413, ""))])
def test_a_form_has_256_fields_at_most(
    ingress: Ingress, surplus: int, answer: tuple[int, str]
) -> None:
    fields = text("t")
    fields |= {f"Field{n}": "" for n in range(256 - len(fields) + surplus)}

    assert ingress.call(post(fields)) == answer


@pytest.mark.parametrize(("count", "answer"), [(16, TAKEN), (17, (413, ""))])
def test_a_query_has_16_parameters_at_most(
    ingress: Ingress, count: int, answer: tuple[int, str]
) -> None:
    assert ingress.call(post(text("t"), query={f"p{n:02}": "1" for n in range(count)})) == answer


def test_each_value_of_a_query_parameter_counts(ingress: Ingress) -> None:
    flood = GOOD | {"multiValueQueryStringParameters": {"a": ["1"] * 17}}

    assert ingress.call(flood) == (413, "")


def test_a_call_above_a_bound_is_refused_before_its_signature_is_computed(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingress.twilio.twilio_signature, "signer_of", None)

    assert ingress.call(post({f"Field{n}": "" for n in range(300)})) == (413, "")


def test_json_that_nests_too_deep_is_refused_as_an_unsigned_body(ingress: Ingress) -> None:
    deep = JSON | {"body": "[" * 60_000}

    assert ingress.call(deep) == REFUSED


@pytest.mark.parametrize("name", ["x-twilio-signature", "X-TWILIO-SIGNATURE"])
def test_headers_are_read_in_any_letter_case(ingress: Ingress, name: str) -> None:
    event = with_header(with_header(GOOD, "X-Twilio-Signature"), name, SIGNATURE)

    assert ingress.call(event) == TAKEN


def test_a_call_signed_with_a_shared_key_is_accepted(ingress: Ingress) -> None:
    event = with_header(GOOD, "X-Twilio-Signature", SHARED)

    assert (
        ingress.call(with_header(event, "X-Twilio-Webhooks-Signature-Settings", SETTINGS)) == TAKEN
    )


# Queues


def test_an_event_that_the_queue_refuses_is_not_acknowledged(ingress: Ingress) -> None:
    ingress.inbound.refuses = ingress.statuses.refuses = True

    assert ingress.call(post(text("t"))) == UNAVAILABLE
    assert ingress.call(callback(status("s", "sent"), "a")) == UNAVAILABLE


def test_an_event_is_not_acknowledged_if_the_queue_is_unreachable(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "ServiceUnavailable"}}, "SendMessageBatch")

    monkeypatch.setattr(ingress.inbound, "send_message_batch", fail)

    assert ingress.call(post(text("t"))) == UNAVAILABLE


# Addresses


def test_calls_to_each_of_several_public_addresses_are_accepted(ingress: Ingress) -> None:
    ingress.known_as("https://new.example", "https://old.example")

    assert ingress.call(post(text("a"), public_url="https://new.example")) == TAKEN
    assert ingress.call(post(text("b"), public_url="https://old.example")) == TAKEN
    assert ingress.call(post(text("c"), public_url="https://other.example")) == REFUSED


def test_without_a_public_address_that_of_api_gateway_is_used(ingress: Ingress) -> None:
    ingress.known_as()
    gateway = "https://parleylocal.execute-api.us-east-1.amazonaws.com/local"

    assert ingress.call(post(text("t"), public_url=gateway)) == TAKEN
    assert ingress.call(post(text("t"))) == REFUSED


def test_a_callback_is_signed_with_its_query(ingress: Ingress) -> None:
    event = callback(status("s", "delivered"), "action-1")
    query = {"a": "action-2"}
    forged = event | {
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {"a": ["action-2"]},
    }

    assert ingress.call(forged) == REFUSED
