"""Twilio as the sandbox simulates it: messages, their lists, callbacks and webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from local.sandbox import Config, Sandbox, running
from tests.integration.sandbox.client import Client, Reply
from tests.integration.sandbox.receiver import Received, Receiver

TOKEN = "sample-token"
ACCOUNT = Config().twilio_account_sid
MESSAGES = f"/2010-04-01/Accounts/{ACCOUNT}/Messages.json"
NUMBER, WHATSAPP = Config().twilio_senders
CUSTOMER = "+447700900123"
SERVICE = "MG" + "0123456789abcdef" * 2
TEMPLATE = "HX" + "0123456789abcdef" * 2
PUBLIC = "https://parley.example"


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def create(
    client: Client,
    *,
    authorization: str = basic(ACCOUNT, "any"),
    path: str = MESSAGES,
    **form: Any,
) -> Reply:
    asked = {"To": CUSTOMER, "From": NUMBER, "Body": "Hi"} | form
    given = {name: value for name, value in asked.items() if value is not None}
    return client.send("POST", path, urlencode(given).encode(), authorization=authorization)


def listed(client: Client, **query: str) -> list[dict[str, Any]]:
    reply = client.get(f"{MESSAGES}?{urlencode(query)}", authorization=basic(ACCOUNT, "any"))
    messages: list[dict[str, Any]] = reply.json()["messages"]
    return messages


def test_a_message_is_accepted_recorded_and_listed(client: Client, sandbox: Sandbox) -> None:
    reply = create(client)

    answer = reply.json()
    [sent] = sandbox.sent
    assert reply.status == 201
    assert (answer["status"], answer["num_segments"], answer["error_code"]) == ("queued", "1", None)
    assert (answer["direction"], answer["from"], answer["to"]) == ("outbound-api", NUMBER, CUSTOMER)
    assert (sent.provider, sent.operation) == ("twilio", "create_message")
    assert sent.body == {"To": CUSTOMER, "From": NUMBER, "Body": "Hi"}
    assert [message["sid"] for message in listed(client)] == [answer["sid"]]


def test_no_credentials_are_recorded(client: Client, sandbox: Sandbox) -> None:
    create(client, authorization=basic("SK1", "s3cret"))

    assert "authorization" not in sandbox.sent[0].headers
    assert base64.b64encode(b"SK1:s3cret").decode() not in str(sandbox.sent)


@pytest.mark.parametrize(
    ("form", "code"),
    [
        ({"To": None}, 21604),
        ({"To": "07700 900123"}, 21211),
        ({"To": "+15005550001"}, 21211),
        ({"To": "+15005550002"}, 21612),
        ({"To": "+15005550003"}, 21408),
        ({"To": "+15005550004"}, 21610),
        ({"To": "+15005550009"}, 21614),
        ({"To": f"whatsapp:{CUSTOMER}"}, 21910),
        ({"From": None}, 21603),
        ({"From": "+12025550199"}, 21606),
        ({"From": "+15005550001"}, 21212),
        ({"From": "+15005550007"}, 21606),
        ({"From": "+15005550008"}, 21611),
        ({"From": "whatsapp:+12025550199", "To": f"whatsapp:{CUSTOMER}"}, 63007),
        ({"MessagingServiceSid": "MG1"}, 21701),
        ({"Body": None}, 21619),
        ({"Body": "a" * 1_601}, 21617),
        ({"ContentVariables": "{}"}, 21654),
        ({"ContentSid": "HX1"}, 21655),
        ({"ContentSid": TEMPLATE, "ContentVariables": "1"}, 21656),
        ({"ContentSid": TEMPLATE, "ContentVariables": "{"}, 21656),
        ({"ContentSid": TEMPLATE, "ContentVariables": '{"1": ""}'}, 21656),
        ({"ContentSid": TEMPLATE, "ContentVariables": '{"1": "a     b"}'}, 21656),
        ({"ContentSid": TEMPLATE, "ContentVariables": '{"1": null}'}, 21656),
        ({"StatusCallback": "/webhooks"}, 21609),
    ],
)
def test_a_request_that_breaks_a_rule_is_refused_with_twilios_code(
    client: Client, sandbox: Sandbox, form: dict[str, Any], code: int
) -> None:
    reply = create(client, **form)

    assert reply.json()["code"] == code
    assert reply.json()["status"] == reply.status
    assert reply.status in {400, 404}
    assert (sandbox.sent, sandbox.texts.messages) == ([], [])


@pytest.mark.parametrize(
    "form",
    [
        {"From": None, "MessagingServiceSid": SERVICE},
        {"From": "+15005550006"},
        {"From": WHATSAPP, "To": f"whatsapp:{CUSTOMER}"},
        {"From": WHATSAPP, "To": "whatsapp:GB.20417733968512046377"},
        {"Body": None, "ContentSid": TEMPLATE},
        {"Body": None, "ContentSid": TEMPLATE, "ContentVariables": '{"1": "Ann"}'},
        {"Body": "a" * 1_600},
    ],
)
def test_a_request_that_breaks_no_rule_is_accepted(client: Client, form: dict[str, Any]) -> None:
    assert create(client, **form).status == 201


@pytest.mark.parametrize(
    ("authorization", "path", "status", "code"),
    [
        ("Bearer a-token", MESSAGES, 401, 20003),
        ("Basic !", MESSAGES, 401, 20003),
        (basic("AC0", "any"), MESSAGES, 401, 20003),
        (basic(ACCOUNT, ""), MESSAGES, 401, 20003),
        (basic("SK1", "any"), MESSAGES.replace(ACCOUNT, "AC0"), 404, 20404),
    ],
)
def test_a_request_with_wrong_credentials_is_refused(
    client: Client, authorization: str, path: str, status: int, code: int
) -> None:
    reply = create(client, authorization=authorization, path=path)

    assert (reply.status, reply.json()["code"]) == (status, code)


def test_the_list_is_newest_first_and_filtered_and_paged(client: Client, sandbox: Sandbox) -> None:
    create(client, Body="first")
    sandbox.clock.advance(86_400)
    create(client, Body="second", To="+447700900199")
    create(client, Body="third")
    moment = sandbox.timestamp()[:19] + "Z"

    assert [m["body"] for m in listed(client)] == ["third", "second", "first"]
    assert [m["body"] for m in listed(client, To=CUSTOMER)] == ["third", "first"]
    assert [m["body"] for m in listed(client, From="+1")] == []
    assert [m["body"] for m in listed(client, **{"DateSent<": moment[:10]})] == ["first"]
    assert "first" not in [m["body"] for m in listed(client, **{"DateSent>": moment[:10]})]
    page = client.get(f"{MESSAGES}?PageSize=2", authorization=basic(ACCOUNT, "any")).json()
    rest = client.get(page["next_page_uri"], authorization=basic(ACCOUNT, "any")).json()
    assert [m["body"] for m in page["messages"] + rest["messages"]] == ["third", "second", "first"]
    assert rest["next_page_uri"] is None


def test_an_unknown_filter_is_refused_instead_of_ignored(client: Client) -> None:
    for query in ("DateSince=2026-01-01", "DateSent>=today"):
        reply = client.get(f"{MESSAGES}?{query}", authorization=basic(ACCOUNT, "any"))
        assert reply.status == 400


def test_files_of_an_unknown_message_are_not_found(client: Client) -> None:
    path = MESSAGES.replace(".json", "/MM1/Media.json")

    assert client.get(path, authorization=basic(ACCOUNT, "any")).json()["code"] == 20404


# Callbacks and webhooks of Twilio


@pytest.fixture
def calling(receiver: Receiver) -> Iterator[Sandbox]:
    """A sandbox whose calls to the public URL reach the receiver."""
    config = Config(twilio_auth_token=TOKEN, public_url=PUBLIC, reached_at=receiver.url)
    with running(config) as sandbox:
        yield sandbox


@pytest.fixture
def caller(calling: Sandbox) -> Iterator[Client]:
    client = Client(calling.url)
    yield client
    client.close()


def form_of(received: Received) -> dict[str, str]:
    return dict(parse_qsl(received.body.decode(), keep_blank_values=True))


def is_signed(received: Received, url: str) -> bool:
    form = form_of(received)
    text = url + "".join(name + form[name] for name in sorted(form))
    mac = hmac.new(TOKEN.encode(), text.encode(), hashlib.sha1).digest()
    return received.headers["X-Twilio-Signature"] == base64.b64encode(mac).decode()


CALLBACK = f"{PUBLIC}/webhooks/twilio/status?a=action-1"


def test_a_message_is_reported_until_it_is_delivered(
    caller: Client, calling: Sandbox, receiver: Receiver
) -> None:
    sid = create(
        caller, authorization=basic(ACCOUNT, TOKEN), StatusCallback=CALLBACK, Body="Grüße"
    ).json()["sid"]

    calls = [receiver.next() for _ in range(3)]
    assert [form_of(call)["MessageStatus"] for call in calls] == ["queued", "sent", "delivered"]
    assert {form_of(call)["MessageSid"] for call in calls} == {sid}
    assert {call.path for call in calls} == {"/webhooks/twilio/status?a=action-1"}
    assert all(is_signed(call, CALLBACK) for call in calls)
    assert calling.texts.messages[0].status == "delivered"


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        ("sent", None, ["queued", "sent"]),
        ("read", None, ["queued", "sent", "delivered", "read"]),
        ("undelivered", 30003, ["queued", "undelivered"]),
        ("failed", 63016, ["queued", "failed"]),
    ],
)
def test_a_message_ends_in_the_staged_status(
    caller: Client, receiver: Receiver, status: str, error: int | None, words: list[str]
) -> None:
    caller.post("/_endings", {"to": CUSTOMER, "status": status, "error_code": error})

    create(caller, authorization=basic(ACCOUNT, TOKEN), StatusCallback=CALLBACK)

    forms = [form_of(receiver.next()) for _ in words]
    assert [form["MessageStatus"] for form in forms] == words
    assert forms[-1].get("ErrorCode") == (None if error is None else str(error))
    assert "ErrorCode" not in forms[0]


def test_a_message_without_a_callback_or_a_token_is_not_reported(receiver: Receiver) -> None:
    for config, callback in (
        (Config(twilio_auth_token=TOKEN, public_url=PUBLIC, reached_at=receiver.url), None),
        (Config(public_url=PUBLIC, reached_at=receiver.url), CALLBACK),
    ):
        with running(config) as sandbox:
            client = Client(sandbox.url)
            create(client, authorization=basic(ACCOUNT, TOKEN), StatusCallback=callback)
            client.close()

    assert receiver.requests.empty()


def test_a_refused_callback_is_not_sent_again(
    caller: Client, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.statuses += [503]

    create(caller, authorization=basic(ACCOUNT, TOKEN), StatusCallback=CALLBACK)

    words = [form_of(receiver.next())["MessageStatus"] for _ in range(3)]
    assert words == ["queued", "sent", "delivered"]
    assert "the status callback for queued answered HTTP 503" in caplog.text


def test_a_message_whose_answer_is_lost_is_still_reported(
    caller: Client, calling: Sandbox, receiver: Receiver
) -> None:
    calling.faults.add(kind="lost_answer")
    with pytest.raises(Exception, match="closed connection without response"):
        create(caller, authorization=basic(ACCOUNT, TOKEN), StatusCallback=CALLBACK)

    answer: Any = calling.sent[0].answer
    assert form_of(receiver.next())["MessageSid"] == answer["sid"]


def test_a_customers_message_is_delivered_to_the_webhook_and_listed(
    caller: Client, calling: Sandbox, receiver: Receiver
) -> None:
    said = {"sender": CUSTOMER, "to": NUMBER, "body": "Grüße 😀", "fields": {"Extra": ""}}

    answer = caller.post("/_texts", said | {"media": ["https://example.com/a.jpg"]}).json()

    call = receiver.next()
    form = form_of(call)
    assert call.path == "/webhooks/twilio"
    assert is_signed(call, f"{PUBLIC}/webhooks/twilio")
    assert (form["Body"], form["From"], form["To"]) == ("Grüße 😀", CUSTOMER, NUMBER)
    assert (form["NumMedia"], form["Extra"], form["FromCity"]) == ("1", "", "")
    assert answer == {"message_sid": form["MessageSid"], "webhooks": [200]}
    assert calling.texts.messages[0].direction == "inbound"


def test_a_gap_is_a_message_without_a_webhook_call(
    caller: Client, calling: Sandbox, receiver: Receiver
) -> None:
    caller.post("/_texts", {"sender": CUSTOMER, "to": NUMBER, "webhooks": 0})

    assert len(calling.texts.messages) == 1
    assert receiver.requests.empty()


def test_a_customer_who_says_stop_gets_no_message_until_start(
    caller: Client, receiver: Receiver
) -> None:
    authorization = basic(ACCOUNT, TOKEN)

    caller.post("/_texts", {"sender": CUSTOMER, "to": NUMBER, "body": " stop "})
    stopped = create(caller, authorization=authorization)
    caller.post("/_texts", {"sender": CUSTOMER, "to": NUMBER, "body": "START"})
    started = create(caller, authorization=authorization)

    assert (stopped.json()["code"], started.status) == (21610, 201)
    assert [form_of(receiver.next())["OptOutType"] for _ in range(2)] == ["STOP", "START"]


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"sender": CUSTOMER},
        {"sender": "Ann", "to": NUMBER},
        {"sender": CUSTOMER, "to": NUMBER, "text": "Hi"},
        {"sender": CUSTOMER, "to": NUMBER, "webhooks": 6},
        {"sender": CUSTOMER, "to": NUMBER, "media": ["no address"]},
    ],
)
def test_a_wrong_customer_is_refused(client: Client, said: dict[str, Any]) -> None:
    assert client.post("/_texts", said).status == 400


def test_a_message_to_a_number_of_another_account_is_refused(client: Client) -> None:
    assert client.post("/_texts", {"sender": CUSTOMER, "to": "+12025550199"}).status == 404


def test_a_wrong_ending_is_refused(client: Client) -> None:
    assert client.post("/_endings", {"to": CUSTOMER, "status": "lost"}).status == 400
