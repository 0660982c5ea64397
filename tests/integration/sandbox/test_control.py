"""The sandbox's own routes."""

import re

import pytest

from local.sandbox import Sandbox
from tests.integration.sandbox.client import MESSAGES, TEXT, Client

PROVIDERS = (
    "bedrock, knowledge_bases, meta, openai, richpanel, ses, shipstation, shopify, sms_voice, "
    "socialmessaging, twilio"
)


def test_the_health_route_lists_the_simulated_providers(client: Client) -> None:
    assert client.get("/_health", authorization=None).json() == {
        "status": "ok",
        "providers": PROVIDERS.split(", "),
    }


def test_sent_messages_can_be_read(client: Client) -> None:
    answer = client.post(MESSAGES + "?debug=all", TEXT).json()

    [sent] = client.get("/_sent").json()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", sent.pop("at"))
    assert sent.pop("headers")["content-length"]
    assert sent == {
        "provider": "meta",
        "operation": "send_message",
        "path": MESSAGES,
        "query": {"debug": "all"},
        "body": TEXT,
        "answer": answer,
    }


def test_sent_messages_can_be_read_by_provider(client: Client) -> None:
    client.post(MESSAGES, TEXT)

    assert len(client.get("/_sent?provider=meta").json()) == 1
    assert client.get("/_sent?provider=socialmessaging").json() == []


def test_sent_messages_can_be_deleted(client: Client) -> None:
    client.post(MESSAGES, TEXT)

    assert client.send("DELETE", "/_sent").status == 204
    assert client.get("/_sent").json() == []


@pytest.mark.parametrize(
    ("query", "error"),
    [
        (
            "provider=messagebird",
            {"field": "provider", "rule": f"must be one of {PROVIDERS}"},
        ),
        ("provider=", {"field": "provider", "rule": f"must be one of {PROVIDERS}"}),
        ("limit=3", {"field": "limit", "rule": "is unknown; the only parameter is provider"}),
    ],
)
def test_a_wrong_query_is_refused_and_field_and_rule_named(
    client: Client, query: str, error: dict[str, str]
) -> None:
    reply = client.get(f"/_sent?{query}")

    assert (reply.status, reply.json()) == (400, {"errors": [error]})


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/"), ("GET", "/a/b/c/d"), ("PATCH", "/_sent"), ("PUT", "/v23.0/1")],
)
def test_a_path_of_no_simulated_provider_gets_a_404_with_the_reason(
    client: Client, method: str, path: str
) -> None:
    reply = client.send(method, path)

    assert reply.status == 404
    assert reply.json()["errors"] == [
        {"field": "path", "rule": f"the sandbox has no route {method} {path}"}
    ]


def test_a_reset_makes_the_sandbox_as_new(client: Client, sandbox: Sandbox) -> None:
    client.post(MESSAGES, TEXT)
    sandbox.faults.add(kind="reset")

    sandbox.reset()

    assert (sandbox.sent, sandbox.faults.pending()) == ([], [])


def test_the_list_of_sent_messages_is_a_copy(client: Client, sandbox: Sandbox) -> None:
    before = sandbox.sent
    client.post(MESSAGES, TEXT)

    assert before == []
