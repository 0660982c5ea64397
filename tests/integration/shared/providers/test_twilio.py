"""Twilio's Messages through the sandbox: requests, and the meaning of refusals."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from local.sandbox import Sandbox
from shared.providers import outcomes
from shared.providers.outcomes import (
    AddressUnusable,
    CredentialsRefused,
    InDoubt,
    Misconfigured,
    NotSent,
    OptedOut,
    Refused,
    Sent,
    Throttled,
    WindowClosed,
)
from shared.providers.twilio.api import Credentials
from shared.providers.twilio.messages import Message, Template, Text, Twilio
from tests.integration.shared.providers.twilio_account import (
    ACCOUNT,
    CREDENTIALS,
    CUSTOMER,
    SMS_NUMBER,
    TOKEN,
    WHATSAPP_NUMBER,
)

TEMPLATE = "HX" + "0123456789abcdef" * 2
SERVICE = "MG" + "0123456789abcdef" * 2


@pytest.fixture
def twilio(sandbox: Sandbox) -> Twilio:
    return Twilio(sandbox.url)


def sms(body: str = "Hello", **changes: Any) -> Message:
    facts: dict[str, Any] = {
        "channel": "sms",
        "to": CUSTOMER,
        "sender": SMS_NUMBER,
        "content": Text(body),
    }
    return Message(**facts | changes)


def test_an_sms_is_sent_with_one_request(twilio: Twilio, sandbox: Sandbox) -> None:
    sent = twilio.send(
        CREDENTIALS, sms("Grüße 😀 & more", status_callback="https://parley.example/s?a=1")
    )

    [asked] = sandbox.sent
    answer: Any = asked.answer
    assert sent == Sent(answer["sid"], "queued", 1)
    assert asked.body == {
        "To": CUSTOMER,
        "From": SMS_NUMBER,
        "Body": "Grüße 😀 & more",
        "StatusCallback": "https://parley.example/s?a=1",
    }
    assert asked.path == f"/2010-04-01/Accounts/{ACCOUNT}/Messages.json"


def test_a_long_sms_has_its_number_of_parts(twilio: Twilio) -> None:
    assert twilio.send(CREDENTIALS, sms("a" * 161)).segments == 2


def test_a_messaging_service_reports_the_parts_only_later(twilio: Twilio) -> None:
    sent = twilio.send(CREDENTIALS, sms(sender=None, messaging_service_sid=SERVICE))

    assert (sent.status, sent.segments) == ("accepted", None)


def test_a_template_is_sent_over_whatsapp(twilio: Twilio, sandbox: Sandbox) -> None:
    content = Template(TEMPLATE, {"1": "Zoë"})
    twilio.send(CREDENTIALS, sms(channel="whatsapp", sender=WHATSAPP_NUMBER, content=content))

    body: Any = sandbox.sent[0].body
    assert body["To"] == f"whatsapp:{CUSTOMER}"
    assert (body["ContentSid"], json.loads(body["ContentVariables"])) == (TEMPLATE, {"1": "Zoë"})


def test_an_api_key_authenticates_calls_for_its_account(twilio: Twilio) -> None:
    assert twilio.send(Credentials(ACCOUNT, "SK1", TOKEN), sms()).status == "queued"


def test_a_text_with_half_an_emoji_is_still_sent(twilio: Twilio, sandbox: Sandbox) -> None:
    twilio.send(CREDENTIALS, sms("Hi \ud83d"))

    body: Any = sandbox.sent[0].body
    assert body["Body"] == "Hi ?"


@pytest.mark.parametrize(
    ("change", "kind", "code"),
    [
        ({"to": "+15005550001"}, AddressUnusable, "twilio_21211"),
        ({"to": "12345"}, AddressUnusable, "twilio_21211"),
        ({"to": "+15005550009"}, AddressUnusable, "twilio_21614"),
        ({"to": "+15005550002"}, Refused, "twilio_21612"),
        ({"to": "+15005550003"}, Refused, "twilio_21408"),
        ({"to": "+15005550004"}, OptedOut, "twilio_21610"),
        ({"sender": "+15005550007"}, Misconfigured, "twilio_21606"),
        ({"sender": "+15005550001"}, Refused, "twilio_21212"),
        ({"sender": None}, Refused, "twilio_21603"),
        ({"content": Text("a" * 1_601)}, Refused, "twilio_21617"),
        ({"content": Template("HX1")}, Refused, "twilio_21655"),
        ({"content": Template(TEMPLATE, {"1": "a\nb"})}, Refused, "twilio_21656"),
        ({"status_callback": "parley.example"}, Refused, "twilio_21609"),
    ],
)
def test_each_refusal_raises_its_own_type(
    twilio: Twilio,
    sandbox: Sandbox,
    change: dict[str, Any],
    kind: type[Refused],
    code: str,
) -> None:
    with pytest.raises(Refused) as raised:
        twilio.send(CREDENTIALS, sms(**change))

    assert (type(raised.value), raised.value.code) == (kind, code)
    assert sandbox.sent == []


@pytest.mark.parametrize(
    "credentials",
    [Credentials(ACCOUNT, ACCOUNT, "old"), Credentials(ACCOUNT, "AC0", TOKEN)],
)
def test_credentials_that_are_refused_may_have_been_rotated(
    twilio: Twilio, credentials: Credentials
) -> None:
    with pytest.raises(CredentialsRefused) as raised:
        twilio.send(credentials, sms())

    assert raised.value.code == "twilio_20003"
    assert isinstance(raised.value, Misconfigured)


def test_a_full_queue_at_twilio_is_a_transient_failure(twilio: Twilio) -> None:
    with pytest.raises(NotSent) as raised:
        twilio.send(CREDENTIALS, sms(sender="+15005550008"))

    assert (raised.value.code, raised.value.wait_ms) == ("twilio_21611", None)


@pytest.mark.parametrize(
    ("retry_after", "wait_ms"),
    [("7", 7_000), ("0", None), (None, None), ("soon", None), ("9" * 40, None)],
)
def test_a_throttled_request_names_the_retry_time(
    twilio: Twilio,
    sandbox: Sandbox,
    retry_after: str | None,
    wait_ms: int | None,
) -> None:
    sandbox.faults.add(kind="status", status=429, retry_after=retry_after)

    with pytest.raises(NotSent) as raised:
        twilio.send(CREDENTIALS, sms())

    assert (raised.value.code, raised.value.wait_ms) == ("twilio_20429", wait_ms)


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 500},
        {"kind": "status", "status": 503},
        {"kind": "lost_answer"},
        {"kind": "reset"},
        {"kind": "html"},
        {"kind": "empty"},
    ],
)
def test_without_a_definite_answer_the_send_is_in_doubt_and_not_retried(
    twilio: Twilio,
    sandbox: Sandbox,
    fault: dict[str, Any],
) -> None:
    sandbox.faults.add(**fault)

    with pytest.raises(InDoubt):
        twilio.send(CREDENTIALS, sms())

    assert sandbox.faults.pending() == []
    assert len(sandbox.sent) == (fault["kind"] == "lost_answer")


def test_an_answer_after_the_timeout_leaves_the_send_in_doubt(
    twilio: Twilio, sandbox: Sandbox
) -> None:
    sandbox.faults.add(kind="delay", seconds=1.0)

    with pytest.raises(InDoubt):
        twilio.send(CREDENTIALS, sms(), within_ms=200)

    assert len(sandbox.sent) == 1


def test_a_request_that_does_not_reach_the_provider_was_not_sent() -> None:
    with pytest.raises(NotSent) as raised:
        Twilio("http://127.0.0.1:9").send(CREDENTIALS, sms())

    assert raised.value.code == "no_connection"


def test_no_error_contains_personal_data(twilio: Twilio) -> None:
    with pytest.raises(Refused) as raised:
        twilio.send(CREDENTIALS, sms("my secret", to="+15005550009"))

    shown = f"{raised.value!r} {raised.value}"
    assert not [part for part in ("5005550009", "secret", TOKEN) if part in shown]


# Responses that the sandbox cannot produce


@pytest.fixture
def answering() -> Any:
    """A server with one response: `answering(status, body)` returns the client for it."""
    servers: list[HTTPServer] = []

    def answer(status: int, body: Any) -> Twilio:
        raw = json.dumps(body).encode()

        class Handler(BaseHTTPRequestHandler):
            def take(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(raw)

            do_POST = do_GET = take  # noqa: N815 - the library's names

            def log_message(self, *_: Any) -> None:
                """Write no log to the terminal."""

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        servers.append(server)
        return Twilio(f"http://127.0.0.1:{server.server_port}")

    yield answer
    for server in servers:
        server.shutdown()
        server.server_close()


Answering = Callable[[int, Any], Twilio]


@pytest.mark.parametrize(
    ("status", "body", "kind", "code"),
    [
        (400, {"code": 63016}, WindowClosed, "twilio_63016"),
        (400, {"code": 63024}, AddressUnusable, "twilio_63024"),
        (400, {"code": 21608}, Misconfigured, "twilio_21608"),
        (400, {"code": 63021}, Refused, "twilio_63021"),
        (400, {"code": "21610"}, OptedOut, "twilio_21610"),
        (400, {"code": 63018}, Throttled, "twilio_63018"),
        (400, {"code": 20429}, Throttled, "twilio_20429"),
        (201, {"sid": "SM1", "status": "failed", "error_code": 63018}, Throttled, "twilio_63018"),
        (403, {"code": 20003}, CredentialsRefused, "twilio_20003"),
        (401, {}, CredentialsRefused, "twilio_401"),
        (404, {"code": 20404}, Refused, "twilio_20404"),
        (418, "no object", Refused, "twilio_418"),
        (400, {"code": None}, Refused, "twilio_400"),
        (400, {"code": {"a": 1}}, Refused, "twilio_400"),
        (400, {"code": -1}, Refused, "twilio_400"),
        (429, [], Throttled, "twilio_429"),
        (302, {}, InDoubt, "twilio_302"),
        (502, {"code": 21610}, InDoubt, "twilio_21610"),
        (201, [], InDoubt, "twilio_no_json"),
        (201, {}, InDoubt, "twilio_no_sid"),
        (201, {"sid": None}, InDoubt, "twilio_no_sid"),
        (
            201,
            {"sid": "SM1", "status": "failed", "error_code": 63016},
            WindowClosed,
            "twilio_63016",
        ),
        (201, {"sid": "SM1", "status": "failed", "error_code": None}, Refused, "twilio_failed"),
    ],
)
def test_each_answer_of_twilio_has_an_outcome(
    answering: Answering, status: int, body: Any, kind: type[Exception], code: str
) -> None:
    with pytest.raises(kind) as raised:
        answering(status, body).send(CREDENTIALS, sms())

    assert type(raised.value) is kind
    assert getattr(raised.value, "code") == code  # noqa: B009 - each of them has one


def test_every_kind_of_refusal_is_final_in_the_ledger() -> None:
    kinds = [OptedOut, WindowClosed, AddressUnusable, Misconfigured, CredentialsRefused]

    assert all(issubclass(kind, Refused) for kind in kinds)
    assert not issubclass(outcomes.NotSent, Refused)
