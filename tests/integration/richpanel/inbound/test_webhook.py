"""The help desk's webhook: API Gateway events in, documented responses out, events on two queues of moto's SQS."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError, ConnectTimeoutError

from events.richpanel.samples import TOKEN, Sample, samples
from richpanel.inbound.channels import Channel
from tests.integration.logs import counted, recorded
from tests.integration.richpanel.inbound.ingress import Ingress, call, open_ingress

LIMIT = 32_768


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_each_sample_is_answered_and_enqueued_as_the_sample_states(sample: Sample) -> None:
    with open_ingress("either") as ingress:
        ingress.now[0] = sample.event["requestContext"]["requestTimeEpoch"]

        status, body = ingress.take(sample.event)

        assert status == sample.status
        mail, live = ingress.mail(), ingress.live()
        assert (len(mail), len(live)) == (sample.email, sample.chat)
        assert {event.channel is Channel.LIVECHAT for event in mail} <= {False}
        assert {event.channel is Channel.LIVECHAT for event in live} <= {True}
        if status == 200:
            taken = sample.email + sample.chat
            expected = {"status": "accepted", "accepted": taken, "event_id": sample.event_id}
        else:
            expected = {"status": "error", "code": sample.code}
        assert body == expected


def test_the_conversation_is_the_group_and_the_event_id_drops_repeats(ingress: Ingress) -> None:
    ingress.post(b'{"ticket_id": "70411", "message_id": "c-1"}')

    (message,) = ingress.messages()
    assert message["Attributes"]["MessageGroupId"] == "70411"
    expected = hashlib.sha256(b"evt:rp:70411:c-1").hexdigest()
    assert message["Attributes"]["MessageDeduplicationId"] == expected


def test_a_message_announced_by_three_rules_is_one_queue_entry(ingress: Ingress) -> None:
    bodies = [
        json.dumps({"ticket_id": "70411", "message_id": "c-1", "trigger": trigger}).encode()
        for trigger in ("first", "second", "third")
    ]

    assert [ingress.post(body)[0] for body in bodies] == [200] * 3
    assert len(ingress.mail()) == 1


def test_two_calls_without_a_message_id_are_two_queue_entries(ingress: Ingress) -> None:
    for request in ("request-1", "request-2"):
        assert ingress.post(requestContext={"requestId": request})[0] == 200

    first, second = ingress.messages()
    assert first["Body"] == second["Body"]
    expected = hashlib.sha256(b'{"ticket_id": "70411"}request-1').hexdigest()
    assert first["Attributes"]["MessageDeduplicationId"] == expected


def test_equal_entries_of_one_call_are_all_kept(ingress: Ingress) -> None:
    assert ingress.post(json.dumps([{"ticket_id": "70411"}] * 3).encode())[1]["accepted"] == 3
    assert len(ingress.mail()) == 3


def test_twenty_five_entries_are_accepted_and_one_more_is_too_many(ingress: Ingress) -> None:
    entries = [{"ticket_id": "70411", "message_id": f"c-{n}"} for n in range(26)]

    assert ingress.post(json.dumps(entries).encode()) == (
        400,
        {"status": "error", "code": "too_many_entries"},
    )
    assert ingress.post(json.dumps(entries[:25]).encode())[1]["accepted"] == 25
    assert {event.message_id for event in ingress.mail()} == {f"c-{n}" for n in range(25)}


def test_a_bad_entry_rejects_the_whole_call(ingress: Ingress) -> None:
    entries = [{"ticket_id": "70411"}, {"ticket_id": "{{ticket.id}}"}]

    status, body = ingress.post(json.dumps(entries).encode())

    assert (status, body["code"]) == (400, "unrendered_placeholder")
    assert ingress.mail() == []


@pytest.mark.parametrize(("size", "status"), [(LIMIT, 200), (LIMIT + 1, 413)])
def test_a_body_over_32_kilobytes_is_too_large(ingress: Ingress, size: int, status: int) -> None:
    body = b'{"ticket_id": "70411"}'.ljust(size)

    assert ingress.post(body)[0] == status


@pytest.mark.parametrize("packed", [False, True])
def test_the_size_is_checked_before_the_credentials(ingress: Ingress, packed: bool) -> None:
    body = b" " * (LIMIT + 1)
    text = base64.b64encode(body).decode() if packed else body.decode()

    answer = ingress.take(call(headers={}) | {"body": text, "isBase64Encoded": packed})

    assert answer == (413, {"status": "error", "code": "too_large"})
    assert ingress.secret_reads == 0


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
        ("application/json;charset=utf-8", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/jsonp", 415),
        ("text/html; application/json", 415),
        ("", 415),
        (None, 415),
    ],
)
def test_only_json_is_read(ingress: Ingress, content_type: Any, status: int) -> None:
    headers = {"X-Middleware-Token": TOKEN, "Content-Type": content_type}

    assert ingress.post(headers=headers)[0] == status


def test_a_body_without_a_content_type_is_refused(ingress: Ingress) -> None:
    event = call()
    del event["headers"]["Content-Type"]

    assert ingress.take(event) == (415, {"status": "error", "code": "unsupported_media_type"})


def test_an_unauthenticated_call_learns_of_no_other_error(ingress: Ingress) -> None:
    expected = (401, {"status": "error", "code": "unauthorized"})

    assert ingress.post(b"{", {"Content-Type": "text/plain"}) == expected
    assert ingress.post(b"{", {"X-Middleware-Token": "wrong"}) == expected


@pytest.mark.parametrize("body", [None, "", "not base64!"])
def test_a_missing_body_is_invalid_json(ingress: Ingress, body: str | None) -> None:
    changes = {"body": body, "isBase64Encoded": body == "not base64!"}

    assert ingress.take(call() | changes) == (400, {"status": "error", "code": "invalid_json"})


def test_a_base64_body_is_read_as_its_bytes(ingress: Ingress) -> None:
    text = base64.b64encode('{"ticket_id": "70411", "text": "\u00fc"}'.encode()).decode()

    assert ingress.take(call() | {"body": text, "isBase64Encoded": True})[0] == 200
    assert [event.text for event in ingress.mail()] == ["\u00fc"]


REFUSED = {"Failed": [{"Id": "0", "Code": "InternalError", "SenderFault": False}]}
SLOW = ConnectTimeoutError(endpoint_url="https://sqs")
THROTTLED = ClientError({"Error": {"Code": "ThrottlingException", "Message": "-"}}, "SendMessage")


@pytest.mark.parametrize(
    "trouble", [REFUSED, SLOW, THROTTLED], ids=["refused", "slow", "throttled"]
)
def test_an_event_that_the_queue_refused_is_not_acknowledged(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch, trouble: Any
) -> None:
    def send(**_: Any) -> Any:
        if isinstance(trouble, Exception):
            raise trouble
        return trouble

    monkeypatch.setattr(ingress.webhook.sqs, "send_message_batch", send)
    log = recorded(monkeypatch)

    assert ingress.post() == (503, {"status": "error", "code": "unavailable"})
    assert "not enqueued" in log.getvalue()


def test_a_chat_enqueued_beside_a_refused_mail_is_dropped_as_a_duplicate_of_the_retry(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = ingress.webhook.sqs.send_message_batch

    def send(**arguments: Any) -> Any:
        is_live = arguments["QueueUrl"].endswith("-live.fifo")
        return real(**arguments) if is_live else REFUSED

    chat = {"ticket_id": "1", "message_id": "c-1", "channel": "livechat"}
    mail = {"ticket_id": "2", "message_id": "c-2", "channel": "email"}
    both = json.dumps([chat, mail]).encode()
    with monkeypatch.context() as patch:
        patch.setattr(ingress.webhook.sqs, "send_message_batch", send)
        assert ingress.post(both)[0] == 503
    assert ingress.post(both)[0] == 200

    assert (len(ingress.live()), len(ingress.mail())) == (1, 1)


def test_a_secret_that_cannot_be_read_now_is_a_retryable_failure(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(**_: Any) -> Any:
        raise THROTTLED

    monkeypatch.setattr(ingress.secrets, "get_secret_value", read)

    assert ingress.post() == (503, {"status": "error", "code": "unavailable"})


def test_incoming_events_are_counted(ingress: Ingress, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        ingress.webhook, "handler", ingress.webhook.handler.__wrapped__
    )  # without the flush of the metrics
    for name in ("Received", "Accepted", "SignatureRejected"):
        counted(name)

    ingress.post(json.dumps([{"ticket_id": "1"}, {"ticket_id": "2"}]).encode())
    ingress.post(headers={"X-Middleware-Token": "wrong"})

    assert (counted("Received"), counted("Accepted"), counted("SignatureRejected")) == (2, 2, 1)


def test_a_call_costs_one_request_and_one_line_of_metrics(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The secret is read once in five minutes; no table is used, and no log line is written."""
    requests: list[str] = []
    real = BaseClient._make_api_call  # type: ignore[attr-defined] # the one place that all operations pass

    def noted(client: Any, operation: str, parameters: Any) -> Any:
        requests.append(operation)
        return real(client, operation, parameters)

    monkeypatch.setattr(BaseClient, "_make_api_call", noted)
    ingress.post(requestContext={"requestId": "first"})
    ingress.post(requestContext={"requestId": "second"})

    assert requests == ["GetSecretValue", "SendMessageBatch", "SendMessageBatch"]
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["Accepted"] for line in lines] == [[1.0], [1.0]]
    assert all(len(line) <= 400 for line in lines)


def test_no_text_of_a_customer_and_no_secret_is_logged(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = recorded(monkeypatch)
    said = {"ticket_id": "1", "text": "canary-words", "customer": {"email": "canary@nest.example"}}
    ingress.post(json.dumps(said).encode())
    ingress.post(json.dumps(said | {"ticket_id": "{{canary-id}}"}).encode())
    ingress.post(json.dumps(said).encode()[:-1])
    ingress.post(headers={"X-Middleware-Token": "canary-token"})

    sinks = log.getvalue() + capsys.readouterr().out
    assert "unrendered_placeholder" in sinks
    assert "canary" not in sinks
    assert TOKEN not in sinks


def test_the_webhook_function_uses_no_table() -> None:
    """It does not import the table libraries either: their import would delay the response to the help desk."""
    code = (
        "import sys, richpanel.inbound.webhook;"
        " print([m for m in sys.modules if 'dynamodb' in m or m == 'pydantic'])"
    )
    path = {"PYTHONPATH": "functions:layers/shared", "POWERTOOLS_SERVICE_NAME": "richpanel"}

    ran = subprocess.run(  # noqa: S603 - our own interpreter and our own words
        [sys.executable, "-c", code], env=path, capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == "[]"
