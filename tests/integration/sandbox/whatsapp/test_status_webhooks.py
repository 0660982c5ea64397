"""Status reports of the sandbox about accepted messages."""

import hashlib
import hmac
import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from local.sandbox import Config, Sandbox, running
from tests.integration.sandbox.client import MESSAGES, RECEIPT, TEXT, Client
from tests.integration.sandbox.receiver import Received, Receiver

APP_SECRET = "sample-app-secret-not-a-real-one"


def config_for(receiver: Receiver) -> Config:
    url = receiver.url + "/webhooks/whatsapp"
    return Config(webhook_url=url, app_secret=APP_SECRET, webhook_retry_seconds=0.001)


@pytest.fixture
def sandbox(receiver: Receiver) -> Iterator[Sandbox]:
    """A sandbox that sends its callbacks to the receiver."""
    with running(config_for(receiver)) as sandbox:
        yield sandbox


def post_to_a_sandbox_that_stops(config: Config, message: object) -> None:
    """Post a message and stop the sandbox, which has then sent all its reports."""
    with running(config) as sandbox:
        client = Client(sandbox.url)
        client.post(MESSAGES, message)
        client.close()


def status_in(received: Received) -> dict[str, Any]:
    status: dict[str, Any] = json.loads(received.body)["entry"][0]["changes"][0]["value"][
        "statuses"
    ][0]
    return status


def test_a_message_is_reported_as_sent_and_then_as_delivered(
    client: Client, receiver: Receiver
) -> None:
    answer = client.post(MESSAGES, TEXT | {"biz_opaque_callback_data": "action-1"}).json()

    sent, delivered = (receiver.next() for _ in range(2))
    assert [status_in(sent)["status"], status_in(delivered)["status"]] == ["sent", "delivered"]
    for received in (sent, delivered):
        status = status_in(received)
        assert status["id"] == answer["messages"][0]["id"]
        assert status["recipient_id"] == "16505551234"
        assert status["biz_opaque_callback_data"] == "action-1"
        assert status["timestamp"].isdigit()


def test_a_report_has_the_shape_of_metas_webhooks(client: Client, receiver: Receiver) -> None:
    client.post(MESSAGES, TEXT)

    received = receiver.next()
    payload = json.loads(received.body)
    [entry] = payload["entry"]
    [change] = entry["changes"]
    assert (received.method, received.path) == ("POST", "/webhooks/whatsapp")
    assert (payload["object"], entry["id"], change["field"]) == (
        "whatsapp_business_account",
        "102290129340398",
        "messages",
    )
    assert change["value"]["messaging_product"] == "whatsapp"
    assert change["value"]["metadata"] == {
        "display_phone_number": "15550783881",
        "phone_number_id": "106540352242922",
    }
    assert "biz_opaque_callback_data" not in status_in(received)


def test_a_report_is_signed_over_its_raw_bytes(client: Client, receiver: Receiver) -> None:
    client.post(MESSAGES, TEXT | {"biz_opaque_callback_data": "\N{SNOWMAN}"})

    received = receiver.next()
    digest = hmac.new(APP_SECRET.encode(), received.body, hashlib.sha256).hexdigest()
    assert received.headers["X-Hub-Signature-256"] == f"sha256={digest}"
    assert b"\\u2603" in received.body


def test_a_user_without_a_phone_is_named_by_the_user_id(client: Client, receiver: Receiver) -> None:
    message = {"messaging_product": "whatsapp", "recipient": "US.1349120865", "text": {"body": "x"}}

    client.post(MESSAGES, message)

    status = status_in(receiver.next())
    assert status["recipient_user_id"] == "US.1349120865"
    assert "recipient_id" not in status


def test_a_refused_report_is_sent_again(client: Client, receiver: Receiver) -> None:
    receiver.statuses += [503, 403]

    client.post(MESSAGES, TEXT)

    words = [status_in(receiver.next())["status"] for _ in range(4)]
    assert words == ["sent", "sent", "sent", "delivered"]


def test_a_report_is_not_sent_after_five_failed_attempts(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.statuses += [500] * 5

    post_to_a_sandbox_that_stops(config_for(receiver), TEXT)

    words = [status_in(receiver.next())["status"] for _ in range(5)]
    assert words == ["sent"] * 5
    assert receiver.requests.empty()
    assert "the webhook did not accept status sent in 5 attempts" in caplog.text


def test_an_unreachable_webhook_is_not_called_after_five_attempts_either(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"

    post_to_a_sandbox_that_stops(Config(webhook_url=url, app_secret=APP_SECRET), TEXT)

    assert "the webhook did not accept status sent in 5 attempts" in caplog.text


def test_customers_read_messages_if_the_sandbox_is_configured_so(receiver: Receiver) -> None:
    post_to_a_sandbox_that_stops(replace(config_for(receiver), read_receipts=True), TEXT)

    words = [status_in(receiver.next())["status"] for _ in range(3)]
    assert words == ["sent", "delivered", "read"]


def test_a_message_whose_answer_is_lost_is_still_reported(
    sandbox: Sandbox, client: Client, receiver: Receiver
) -> None:
    sandbox.faults.add(kind="lost_answer")
    with pytest.raises(Exception, match="closed connection without response"):
        client.post(MESSAGES, TEXT)

    answer: Any = sandbox.sent[0].answer
    assert status_in(receiver.next())["id"] == answer["messages"][0]["id"]


@pytest.mark.parametrize("message", [RECEIPT, TEXT | {"to": "abc"}], ids=["receipt", "refused"])
def test_a_request_that_is_no_message_is_not_reported(
    receiver: Receiver, message: dict[str, Any]
) -> None:
    post_to_a_sandbox_that_stops(config_for(receiver), message)

    assert receiver.requests.empty()
