"""The help desk's sample events: current, and of every shape that the webhook distinguishes."""

import hashlib
import hmac
import json

import pytest

from events import generated_files
from events.richpanel.direct import direct_events
from events.richpanel.generated_files import files
from events.richpanel.samples import sample, samples
from richpanel.inbound.queued_events import parse_event


def test_the_files_match_the_generator() -> None:
    assert generated_files.outdated(files()) == [], "run python -m events"


def test_every_sample_is_a_post_to_the_webhooks_route() -> None:
    for case in samples():
        event = case.event
        assert (event["httpMethod"], event["resource"]) == ("POST", "/webhooks/richpanel")
        assert event["multiValueHeaders"] == {key: [val] for key, val in event["headers"].items()}


def test_every_sample_is_accepted_or_refused() -> None:
    for case in samples():
        assert (case.status == 200) == (case.email + case.chat > 0) == (case.code == "")


@pytest.mark.parametrize("name", ["signed", "stale_signature"])
def test_a_signed_sample_is_signed_over_time_and_body(name: str) -> None:
    event = sample(name).event
    signed = f"{event['headers']['X-Timestamp']}.{event['body']}".encode()

    key = b"sample-hmac-key-not-a-real-one"
    assert event["headers"]["X-Signature"] == hmac.new(key, signed, hashlib.sha256).hexdigest()


def test_the_samples_include_all_three_shapes() -> None:
    bodies = {case.name: json.loads(case.event["body"]) for case in samples() if case.status == 200}

    assert bodies["minimal"].keys() == {"ticket_id", "ticket_url", "trigger"}
    assert {"message_id", "customer_message", "channel"} <= bodies["full"].keys()
    assert {"event_id", "received_at", "customer", "message", "meta"} <= bodies["envelope"].keys()
    assert len(bodies["batch"]) == 3


def test_the_worker_can_parse_the_sample_queue_entry() -> None:
    (case,) = [direct for direct in direct_events() if direct.function == "RichpanelWorker"]
    (record,) = case.event["Records"]

    event = parse_event(record["body"])

    assert event.to_json() == record["body"]
    assert record["attributes"]["MessageGroupId"] == event.conversation_id
