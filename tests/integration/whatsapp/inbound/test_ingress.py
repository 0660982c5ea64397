"""Ingress: API Gateway and SNS events into the two handlers, entries on the queue out."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import boto3
import pytest

from events.whatsapp.sample_builder import Sample
from events.whatsapp.sample_data import APP_ID, APP_SECRET, VERIFY_TOKEN
from events.whatsapp.samples import samples
from shared.aws.sqs_fifo import NotEnqueued
from tests.integration.whatsapp.inbound.ingress import BUCKET, Ingress
from whatsapp.inbound import webhook

OVER_HTTP = [s for s in samples() if not s.is_social]
OVER_SNS = [s for s in samples() if s.is_social]


@pytest.mark.parametrize("sample", OVER_HTTP, ids=lambda sample: sample.name)
def test_each_sample_is_answered_and_enqueued_as_the_sample_states(
    ingress: Ingress, sample: Sample
) -> None:
    answer = ingress.webhook.handler(sample.event, None)

    assert answer["statusCode"] == sample.expects.status
    assert len(ingress.sqs.entries) == sample.expects.accepted
    assert all(event.app == APP_ID for event in ingress.sqs.events)
    if sample.expects.status != 200:
        assert answer["body"] == ""


@pytest.mark.parametrize("sample", OVER_SNS, ids=lambda sample: sample.name)
def test_each_message_of_the_topic_is_enqueued_as_the_sample_states(
    ingress: Ingress, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = sample.event["Records"][0]["Sns"]["TopicArn"]
    if not sample.expects.refused:
        arns = type(ingress.social.settings)(
            whatsapp_queue_url="url", media_bucket_name=BUCKET, social_topic_arns=(topic,)
        )
        monkeypatch.setattr(ingress.social, "settings", arns)
    ingress.social.handler(sample.event, None)

    assert len(ingress.sqs.entries) == sample.expects.accepted
    assert {event.source for event in ingress.sqs.events} <= {"eum"}


def test_a_notice_of_an_account_over_the_topic_has_the_time_of_its_message(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notice,) = [sample for sample in OVER_SNS if sample.name == "sns_template_status"]
    topic = notice.event["Records"][0]["Sns"]["TopicArn"]
    arns = type(ingress.social.settings)(
        whatsapp_queue_url="url", media_bucket_name=BUCKET, social_topic_arns=(topic,)
    )
    monkeypatch.setattr(ingress.social, "settings", arns)

    ingress.social.handler(notice.event, None)

    (event,) = ingress.sqs.events
    assert event.at == 1_767_269_521  # 2026-01-01T12:12:01Z


def test_equal_messages_of_the_topic_without_an_id_are_as_many_as_were_published(
    ingress: Ingress,
) -> None:
    said = {
        "from": "447700900101",
        "timestamp": "1767268000",
        "type": "text",
        "text": {"body": "Hi"},
    }
    notice = {"field": "account_alerts", "value": {"alert_type": "OBA_APPROVED"}}
    changes = [{"field": "messages", "value": {"messages": [said]}}, notice]
    entry = json.dumps({"id": "102290129340398", "changes": changes})
    # The second one is delivered twice.
    for identity in ("1", "2", "2"):
        envelope = {
            "whatsAppWebhookEntry": entry,
            "message_timestamp": "2026-01-01T12:12:01.271279391Z",
            "messageId": identity,
        }
        webhook.take_social(json.dumps(envelope), ingress.social.queue, ingress.social.bucket)

    kept = [(event.kind, event.id) for event in ingress.sqs.events]
    assert [len({i for k, i in kept if k == kind}) for kind in ("message", "account")] == [2, 1]


def test_the_handshake_returns_the_challenge_for_a_valid_token(ingress: Ingress) -> None:
    ingress.rotate(verify_token=["old", "new"], apps={})

    for token in ("old", "new"):
        assert ingress.get(hub_mode="subscribe", hub_verify_token=token, hub_challenge="42") == (
            200,
            "42",
        )


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"hub_mode": "subscribe"},
        {"hub_mode": "subscribe", "hub_verify_token": "", "hub_challenge": "42"},
        {"hub_mode": "subscribe", "hub_verify_token": "wrong", "hub_challenge": "42"},
        {"hub_mode": "unsubscribe", "hub_verify_token": VERIFY_TOKEN, "hub_challenge": "42"},
        {"hub_verify_token": VERIFY_TOKEN, "hub_challenge": "42"},
        {"hub_mode": "subscribe", "hub_verify_token": "é\ud800", "hub_challenge": "42"},
    ],
)
def test_any_other_handshake_is_refused_without_a_body(
    ingress: Ingress, query: dict[str, str]
) -> None:
    assert ingress.get(**query) == (403, "")


def test_a_handshake_without_a_challenge_names_the_missing_parameter(ingress: Ingress) -> None:
    query = {"hub_mode": "subscribe", "hub_verify_token": VERIFY_TOKEN}

    assert ingress.get(**query) == (400, "hub.challenge: is required")
    assert ingress.get(**query, hub_challenge="") == (400, "hub.challenge: is required")


BODY = json.dumps(
    {
        "object": "whatsapp_business_account",
        "entry": [
            {
                "id": "9",
                "changes": [
                    {
                        "field": "messages",
                        "value": {"messages": [{"id": "wamid.1", "from": "447700900101"}]},
                    }
                ],
            }
        ],
    }
).encode()


@pytest.mark.parametrize(
    "headers",
    [
        None,
        {},
        {"X-Hub-Signature-256": ""},
        {"X-Hub-Signature-256": "sha256=zz"},
        {"X-Hub-Signature-256": "sha256=" + "é" * 64},
        {"X-Hub-Signature": "sha1=" + "0" * 40},
    ],
)
def test_an_unsigned_post_is_refused_and_nothing_is_enqueued(
    ingress: Ingress, headers: dict[str, str] | None
) -> None:
    answer = ingress.post(BODY, headers=headers)

    assert (answer["statusCode"], answer["body"], ingress.sqs.entries) == (403, "", [])


def test_headers_are_found_in_any_case(ingress: Ingress) -> None:
    signature = "sha256=" + hmac.new(APP_SECRET.encode(), BODY, hashlib.sha256).hexdigest()

    assert ingress.post(BODY, headers={"x-HUB-signature-256": signature})["statusCode"] == 200


def test_a_base64_body_is_verified_over_its_bytes(ingress: Ingress) -> None:
    assert (
        ingress.post(BODY, body=base64.b64encode(BODY).decode(), isBase64Encoded=True)["statusCode"]
        == 200
    )
    assert ingress.post(BODY, body="not base64!", isBase64Encoded=True)["statusCode"] == 403


def test_a_new_secret_is_accepted_beside_the_old_one_within_a_minute(ingress: Ingress) -> None:
    assert ingress.post(BODY)["statusCode"] == 200
    ingress.rotate(verify_token="t", apps={APP_ID: ["new", APP_SECRET]})

    assert ingress.post(BODY, secret="new")["statusCode"] == 403
    ingress.now[0] += 60_000
    assert ingress.post(BODY, secret="new")["statusCode"] == 200
    assert ingress.post(BODY)["statusCode"] == 200


def test_a_removed_secret_is_refused_once_the_cache_expires(ingress: Ingress) -> None:
    assert ingress.post(BODY)["statusCode"] == 200
    ingress.rotate(verify_token="t", apps={APP_ID: ["new"]})

    ingress.now[0] += 300_000
    assert ingress.post(BODY)["statusCode"] == 403


def test_wrong_signatures_do_not_cause_reads_of_the_secret(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = 0
    real = ingress.secrets.get_secret_value

    def counted(**arguments: Any) -> Any:
        nonlocal reads
        reads += 1
        return real(**arguments)

    monkeypatch.setattr(ingress.secrets, "get_secret_value", counted)
    for _ in range(50):
        assert ingress.post(BODY, secret="wrong")["statusCode"] == 403
    assert reads == 2, "reads of the apps' secret and of the canary's"
    ingress.now[0] += 60_000
    for _ in range(50):
        ingress.post(BODY, secret="wrong")
    assert reads == 3


@pytest.mark.parametrize(("size", "status"), [(3 << 20, 200), ((3 << 20) + 1, 413)])
def test_a_body_over_three_megabytes_is_too_large(ingress: Ingress, size: int, status: int) -> None:
    body = BODY + b" " * (size - len(BODY))

    answer = ingress.post(body)

    assert (answer["statusCode"], answer["body"]) == (status, "")


def batch(count: int) -> bytes:
    messages = [
        {"id": f"wamid.{n}", "from": f"4477009{n:05d}", "timestamp": "1767268700"}
        for n in range(count)
    ]
    changes = [{"field": "messages", "value": {"messages": [message]}} for message in messages]
    return json.dumps(
        {"object": "whatsapp_business_account", "entry": [{"id": "9", "changes": changes}]}
    ).encode()


def test_a_thousand_updates_in_one_post_are_all_enqueued(ingress: Ingress) -> None:
    assert ingress.post(batch(1_000))["statusCode"] == 200

    assert {event.id for event in ingress.sqs.events} == {f"wamid.{n}" for n in range(1_000)}
    assert ingress.sqs.batches == [10] * 100


def test_a_body_with_more_events_than_can_be_enqueued_in_time_is_kept_whole(
    ingress: Ingress,
) -> None:
    """After a 503 Meta would retry it for days, and none of its events would ever be enqueued."""
    body = batch(5_001)

    assert ingress.post(body)["statusCode"] == 200

    (event,) = ingress.sqs.events
    assert event.kind == "malformed"
    stored = (
        boto3.client("s3").get_object(Bucket=BUCKET, Key=(event.claim or {})["key"])["Body"].read()
    )
    assert json.loads(stored) == {"raw": body.decode()}


@pytest.mark.parametrize("refused", [0, 555, 999])
def test_one_refused_entry_makes_the_provider_retry_the_whole_post(
    ingress: Ingress, refused: int
) -> None:
    ingress.sqs.refuses = refused

    answer = ingress.post(batch(1_000))

    assert (answer["statusCode"], answer["body"]) == (503, "")


def test_refused_entries_of_a_topic_message_raise_an_exception(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = next(s for s in OVER_SNS if s.name == "sns_text").event
    settings = type(ingress.social.settings)(
        whatsapp_queue_url="url",
        media_bucket_name=BUCKET,
        social_topic_arns=(event["Records"][0]["Sns"]["TopicArn"],),
    )
    monkeypatch.setattr(ingress.social, "settings", settings)
    ingress.sqs.refuses = 0

    with pytest.raises(NotEnqueued):
        ingress.social.handler(event, None)


def test_a_payload_too_large_for_the_queue_is_stored_in_the_bucket(ingress: Ingress) -> None:
    message = {
        "id": "wamid.1",
        "from": "447700900101",
        "type": "text",
        "text": {"body": "x" * 950_000},
    }
    value = {"messages": [message]}
    entry = {"id": "9", "changes": [{"field": "messages", "value": value}]}
    body = json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()

    assert ingress.post(body)["statusCode"] == 200

    (event,) = ingress.sqs.events
    assert event.claim is not None
    assert event.claim["key"].startswith("claims/")
    stored = boto3.client("s3").get_object(Bucket=BUCKET, Key=event.claim["key"])["Body"].read()
    assert json.loads(stored) == message
    assert event.payload == {"id": "wamid.1", "from": "447700900101", "type": "text"}


def test_a_body_with_a_field_twice_is_kept_whole_with_the_problem(ingress: Ingress) -> None:
    entry = b'{"id": "9", "changes": [{"field": "messages", "value": {"messages": [{"id": "a"}], "messages": []}}]}'
    body = b'{"object": "whatsapp_business_account", "entry": [' + entry + b"]}"

    assert ingress.post(body)["statusCode"] == 200

    (event,) = ingress.sqs.events
    assert (event.kind, event.payload) == (
        "malformed",
        {"problem": "'messages': must not occur twice in one object"},
    )
    stored = (
        boto3.client("s3").get_object(Bucket=BUCKET, Key=(event.claim or {})["key"])["Body"].read()
    )
    assert json.loads(stored) == {"raw": body.decode()}


@pytest.mark.parametrize(
    "body",
    [b"{", b"[]", b'{"object": "page"}', b'{"object": "whatsapp_business_account"}', b"null"],
)
def test_a_signed_body_without_events_is_enqueued_and_parked_later(
    ingress: Ingress, body: bytes
) -> None:
    assert ingress.post(body)["statusCode"] == 200

    (event,) = ingress.sqs.events
    assert event.kind == "malformed"
    assert event.claim is not None
    stored = boto3.client("s3").get_object(Bucket=BUCKET, Key=event.claim["key"])["Body"].read()
    assert json.loads(stored) == {"raw": body.decode()}
