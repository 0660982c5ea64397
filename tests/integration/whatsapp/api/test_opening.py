"""A conversation with its calls and the customer's consent, by one call."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from shared.api.auth import Caller
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import Consents
from shared.runtime.failures import Transient
from tests.integration.whatsapp.api.conftest import CONVERSATION, MESSAGES, READER, Api
from tests.integration.whatsapp.conftest import NOW, Harness, text
from tests.integration.whatsapp.updates.test_calls import COMPLETED, CONNECT
from tests.template import create_table

SCOPES = frozenset({"whatsapp:read", "whatsapp:calls", "consent:read"})
AGENT = Caller(company="acme", scopes=SCOPES, principal="user:kim")
ADA = "+447700900101"


@pytest.fixture
def consents(api: Api) -> Consents:
    consents: Consents = api.module.opening.consents
    create_table(boto3.client("dynamodb"), "ConversationLogTable")
    return consents


def opened(api: Api, caller: Caller = AGENT) -> dict[str, Any]:
    [conversation] = api.conversations()
    answer = api.get(
        CONVERSATION, key=conversation["key"], caller=caller, messages=9, consent="true"
    )
    assert answer.status == 200
    shown: dict[str, Any] = answer.body["result"]
    return shown


def test_the_calls_between_messages_come_with_them_for_callers_who_may_read_calls(
    harness: Harness, api: Api, consents: Consents
) -> None:
    harness.take({"messages": [text("wamid.1", at=NOW // 1000 - 900)]})
    assert harness.outcomes(CONNECT, COMPLETED)

    shown = opened(api)

    [call] = shown["messages"]["calls"]
    assert (call["callId"], call["status"], call["duration"]) == ("wacid.1", "ended", 60)
    page = api.get(MESSAGES, key=shown["key"], caller=AGENT).body["result"]
    assert page["calls"] == shown["messages"]["calls"]
    assert "calls" not in opened(api, READER)["messages"]
    assert [one["id"] for one in page["messages"]] == ["wamid.1"]


def test_the_consent_comes_with_the_conversation_for_callers_who_may_read_it(
    harness: Harness, api: Api, consents: Consents
) -> None:
    harness.take({"messages": [text("wamid.1")]})
    assert opened(api)["consent"] == {"state": "unknown"}

    said = Statement(source=Source.WORD, at_ms=NOW, evidence="wamid.stop", channel="sms")
    consents.record_opt_out("acme", [ADA], said)

    shown = opened(api)["consent"]
    assert (shown["state"], shown["saidBy"]) == ("opted_out", "sms")
    assert "consent" not in opened(api, READER)


def test_consent_that_cannot_be_read_hides_no_message(
    harness: Harness, api: Api, consents: Consents, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.take({"messages": [text("wamid.1")]})

    def fail(*_: object) -> None:
        raise Transient("keys_unreadable")

    monkeypatch.setattr(Consents, "standing", fail)

    shown = opened(api)
    assert shown["consent"] == {"state": "unavailable"}
    assert len(shown["messages"]["messages"]) == 1
