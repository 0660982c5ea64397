"""Faults: simulated failures of the providers."""

import pytest
from urllib3.exceptions import ProtocolError, ReadTimeoutError

from local.sandbox import Sandbox
from tests.integration.sandbox.client import MESSAGES, RECEIPT, TEXT, Client


def test_a_status_fault_is_answered_in_the_providers_shape_and_the_request_has_no_effect(
    client: Client, sandbox: Sandbox
) -> None:
    client.post("/_faults", {"kind": "status", "status": 429})

    reply = client.post(MESSAGES, TEXT)

    assert (reply.status, reply.json()["error"]["code"]) == (429, 130429)
    assert sandbox.sent == []


def test_a_status_fault_can_carry_a_retry_time(client: Client, sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="status", status=429, retry_after="Mon, 02 Mar 2026 13:00:30 GMT")

    assert client.post(MESSAGES, TEXT).headers["Retry-After"] == "Mon, 02 Mar 2026 13:00:30 GMT"


@pytest.mark.parametrize(
    ("kind", "begin", "media_type"), [("html", b"<!doctype", "text/html"), ("empty", b"", None)]
)
def test_a_proxy_answers_200_and_the_request_has_no_effect(
    client: Client, sandbox: Sandbox, kind: str, begin: bytes, media_type: str | None
) -> None:
    sandbox.faults.add(kind=kind)

    reply = client.post(MESSAGES, TEXT)

    assert (reply.status, reply.content[: len(begin)], bool(reply.content)) == (200, begin, bool(begin))  # fmt: skip
    assert reply.headers.get("Content-Type", "").partition(";")[0] == (media_type or "")
    assert sandbox.sent == []


@pytest.mark.parametrize(("status", "code"), [(401, 190), (500, 131000), (503, 2)])
def test_a_status_fault_of_graph_has_the_code_of_that_status(
    client: Client, sandbox: Sandbox, status: int, code: int
) -> None:
    sandbox.faults.add(kind="status", status=status)

    reply = client.post(MESSAGES, TEXT)

    assert (reply.status, reply.json()["error"]["code"]) == (status, code)


def test_a_lost_answer_closes_the_connection_after_the_request_took_effect(
    client: Client, sandbox: Sandbox
) -> None:
    sandbox.faults.add(kind="lost_answer")

    with pytest.raises(ProtocolError, match="closed connection without response"):
        client.post(MESSAGES, TEXT)

    [sent] = sandbox.sent
    assert sent.body == TEXT


def test_a_lost_refusal_is_not_recorded(client: Client, sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="lost_answer")

    with pytest.raises(ProtocolError):
        client.post(MESSAGES, TEXT | {"to": "abc"})

    assert sandbox.sent == []


def test_a_reset_closes_the_connection_before_the_request_takes_effect(
    client: Client, sandbox: Sandbox
) -> None:
    sandbox.faults.add(kind="reset")

    with pytest.raises(ProtocolError, match="Connection reset by peer"):
        client.post(MESSAGES, TEXT)

    assert sandbox.sent == []


def test_after_a_reset_the_next_request_succeeds(client: Client, sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="reset")
    with pytest.raises(ProtocolError):
        client.post(MESSAGES, TEXT)

    assert client.post(MESSAGES, TEXT).status == 200


def test_a_delayed_request_takes_effect_even_if_the_client_timed_out(sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="delay", seconds=30)

    impatient = Client(sandbox.url, timeout_seconds=1)
    with pytest.raises(ReadTimeoutError):
        impatient.post(MESSAGES, TEXT)
    impatient.close()

    assert [sent.operation for sent in sandbox.sent] == ["send_message"]


def test_a_delayed_answer_is_successful(client: Client, sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="delay", seconds=0.01)

    assert client.post(MESSAGES, TEXT).status == 200


def test_faults_are_used_up_in_order(client: Client, sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="status", status=500, times=2)
    sandbox.faults.add(kind="status", status=429)

    statuses = [client.post(MESSAGES, TEXT).status for _ in range(4)]

    assert statuses == [500, 500, 429, 200]


def test_a_fault_applies_to_its_operation_only(client: Client, sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="status", status=500, operation="mark_as_read")

    statuses = [client.post(MESSAGES, body).status for body in (TEXT, RECEIPT, RECEIPT)]

    assert statuses == [200, 500, 200]


def test_a_fault_of_another_provider_is_not_applied(client: Client, sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="status", status=500, provider="socialmessaging")

    assert client.post(MESSAGES, TEXT).status == 200
    assert len(sandbox.faults.pending()) == 1


def test_the_sandboxs_own_routes_never_fail(client: Client, sandbox: Sandbox) -> None:
    sandbox.faults.add(kind="status", status=500)

    assert client.get("/_health").status == 200


def test_pending_faults_are_listed_with_their_remaining_count(client: Client) -> None:
    client.post("/_faults", {"kind": "status", "status": 500, "times": 3, "provider": "meta"})
    client.post(MESSAGES, TEXT)

    assert client.get("/_faults").json() == [
        {
            "kind": "status",
            "status": 500,
            "times": 2,
            "provider": "meta",
            "operation": None,
            "seconds": None,
            "retry_after": None,
            "error": None,
        }
    ]


@pytest.mark.parametrize("provider", ["meta", "aws"])
def test_the_error_of_a_fault_has_its_fields(client: Client, provider: str) -> None:
    error = {"message": "Not today"}
    client.post("/_faults", {"kind": "status", "status": 400, "error": error})
    if provider == "meta":
        reply = client.post(MESSAGES, TEXT).json()["error"]
        assert reply["code"] == 100
    else:
        reply = client.post("/v1/whatsapp/send", {}).json()
    assert reply["message"] == "Not today"


def test_faults_can_be_removed(client: Client) -> None:
    client.post("/_faults", {"kind": "reset", "times": 5})

    assert client.send("DELETE", "/_faults").status == 204
    assert client.get("/_faults").json() == []
    assert client.post(MESSAGES, TEXT).status == 200


@pytest.mark.parametrize(
    ("fault", "field"),
    [
        ({}, "kind"),
        ({"kind": "explode"}, "kind"),
        ({"kind": None}, "kind"),
        ({"kind": "status"}, "status"),
        ({"kind": "status", "status": 200}, "status"),
        ({"kind": "status", "status": 600}, "status"),
        ({"kind": "status", "status": "429"}, "status"),
        ({"kind": "status", "status": True}, "status"),
        ({"kind": "reset", "status": 500}, "status"),
        ({"kind": "status", "status": 500, "seconds": 1}, "seconds"),
        ({"kind": "delay"}, "seconds"),
        ({"kind": "delay", "seconds": 0}, "seconds"),
        ({"kind": "delay", "seconds": 61}, "seconds"),
        ({"kind": "delay", "seconds": "1"}, "seconds"),
        ({"kind": "delay", "seconds": float("nan")}, "seconds"),
        ({"kind": "reset", "retry_after": "1"}, "retry_after"),
        ({"kind": "reset", "error": {}}, "error"),
        ({"kind": "status", "status": 400, "error": "text"}, "error"),
        ({"kind": "html", "status": 200}, "status"),
        ({"kind": "reset", "times": 0}, "times"),
        ({"kind": "reset", "times": 1001}, "times"),
        ({"kind": "reset", "times": 1.5}, "times"),
        ({"kind": "reset", "provider": "nobody"}, "provider"),
        ({"kind": "reset", "provider": 1}, "provider"),
        ({"kind": "reset", "operation": "nothing"}, "operation"),
        (
            {"kind": "reset", "provider": "meta", "operation": "SendWhatsAppMessage"},
            "operation",
        ),
        ({"kind": "reset", "provider": "nobody", "operation": "nothing"}, "provider"),
        ({"kind": "reset", "colour": "red"}, "colour"),
        ([], "body"),
        (b"{", "body"),
        (b"", "body"),
        (b"\xff", "body"),
    ],
)
def test_an_invalid_fault_is_refused_and_field_and_rule_named(
    client: Client, fault: object, field: str
) -> None:
    reply = client.post("/_faults", fault)

    first = reply.json()["errors"][0]
    assert (reply.status, first["field"]) == (400, field)
    assert first["rule"]
    assert client.get("/_faults").json() == []


def test_the_refusal_of_a_fault_lists_the_valid_values(client: Client) -> None:
    reply = client.post("/_faults", {"kind": "reset", "provider": "nobody"})

    [error] = reply.json()["errors"]
    assert error["rule"] == (
        "Value error, must be one of "
        "bedrock, knowledge_bases, meta, openai, richpanel, ses, shipstation, shopify, sms_voice, "
        "socialmessaging, twilio"
    )
