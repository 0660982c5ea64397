"""What is stored of the answers that a repeat with the same idempotency key gets."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import boto3
import pytest

from tests.integration.whatsapp.actions.conftest import ADA, WABA, Actions
from tests.integration.whatsapp.actions.contacts.test_addresses import CUSTOMER, HOME

HELLO = {"text": "Your bike is ready."}


def stored(actions: Actions) -> list[dict[str, Any]]:
    """The items of calls."""
    keys = [key for key in actions.harness.keys() if key.startswith("IDEMPOTENCY#")]
    return [actions.item(key) for key in keys]


def test_the_item_of_a_send_has_no_number_key_or_text_and_the_repeat_has_the_same_answer(
    actions: Actions,
) -> None:
    first = actions.send("send_text", HELLO, key="key-kept-1")
    again = actions.send("send_text", HELLO, key="key-kept-1")

    (item,) = stored(actions)
    assert again.body["result"] == first.result
    assert ADA in first.result["conversationPk"]
    assert ADA not in json.dumps(item, default=str)
    assert item["result"]["result"] == {"actionId": first.result["actionId"], "state": "sent"}
    assert len(json.dumps(item["result"], default=str)) < 4_096


def test_an_address_is_in_no_item_of_a_call(actions: Actions) -> None:
    body = {**CUSTOMER, "address": HOME}
    first = actions.run("save_address", body, key="key-kept-2")
    again = actions.run("save_address", body, key="key-kept-2")

    (item,) = stored(actions)
    assert again.body["result"] == first.result
    text = json.dumps(item, default=str)
    assert not [word for word in (*HOME.values(), ADA) if len(word) > 2 and word in text]


def test_of_a_long_answer_the_largest_parts_are_not_kept(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whatsapp.actions.dispatch.kept_answers.LARGEST_BYTES", 250)
    body = {"metaWabaId": WABA, "name": "Service", "categories": ["APPOINTMENT_BOOKING"]}
    first = actions.run("create_flow", body, key="key-kept-3")
    again = actions.run("create_flow", body, key="key-kept-3")

    assert (again.status, again.body["replayed"]) == (200, True)
    assert again.result.pop("isShortened") is True
    assert again.result.items() < first.result.items()
    assert again.result["flowId"] == first.result["flowId"]
    assert "preview" not in again.result


def test_without_the_secret_of_the_seal_nothing_is_sent(actions: Actions) -> None:
    secret = actions.module.settings.api_seal_secret_id
    boto3.client("secretsmanager").put_secret_value(SecretId=secret, SecretString="{}")

    answer = actions.send("send_text", HELLO)

    assert (answer.status, answer.error) == (503, "secret_unreadable")
    assert (actions.wire, stored(actions)) == ([], [])


def test_an_answer_that_an_unknown_secret_has_sealed_is_answered_in_part(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = actions.send("send_text", HELLO, key="key-kept-4")
    other = SimpleNamespace(value=lambda: {"seal_key": "another"})
    resources = replace(actions.module.resources, seal_secret=other)
    monkeypatch.setattr(actions.module, "resources", resources)
    again = actions.send("send_text", HELLO, key="key-kept-4")

    assert again.result["actionId"] == first.result["actionId"]
    assert (again.result["isShortened"], len(actions.wire)) == (True, 1)
