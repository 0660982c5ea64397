"""Key pairs of forms: made once, published at both providers, rotated without a gap."""

from dataclasses import replace
from typing import Any

import boto3
import pytest

from local.demo.flows import client
from local.sandbox.config import Number
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    AWS_PHONE,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX,
    WABA,
    Actions,
)
from tests.integration.whatsapp.actions.flows.forms import DataEndpoint, published_key
from tests.integration.whatsapp.conftest import PHONE, a_phone
from whatsapp import store

OURS = {"phoneNumberId": PHONE}
PATH = "/parley/local/whatsapp-flow-keys"


def pairs(actions: Actions, waba: str = WABA) -> dict[str, object]:
    return actions.item(f"FLOWCFG#KEYS#{waba}")


def test_the_first_call_makes_a_pair_and_later_ones_publish_it_again(actions: Actions) -> None:
    first = actions.run("set_flow_public_key", OURS)
    again = actions.run("set_flow_public_key", OURS)

    assert first.result == again.result
    assert (first.result["version"], first.result["phones"]) == (1, [PHONE])
    assert published_key(actions, PHONE) == first.result["publicKey"]
    assert first.result["publicKey"].startswith("-----BEGIN PUBLIC KEY-----")
    sent = actions.wire[0]
    assert sent.body == {"business_public_key": first.result["publicKey"]}
    assert (
        wire.problems(sent, "POST", "/{Version}/{Phone-Number-ID}/whatsapp_business_encryption")
        == []
    )


def test_the_private_key_is_a_secure_parameter_and_nowhere_else(actions: Actions) -> None:
    answer = actions.run("set_flow_public_key", OURS)

    parameter = boto3.client("ssm").get_parameter(Name=f"{PATH}/{WABA}", WithDecryption=True)
    assert parameter["Parameter"]["Type"] == "SecureString"
    assert parameter["Parameter"]["Value"].startswith("-----BEGIN PRIVATE KEY-----")
    assert "PRIVATE" not in str(pairs(actions))
    assert "PRIVATE" not in str(answer.body)
    assert "PRIVATE" not in str([sent.body for sent in actions.wire])


def test_the_key_of_a_number_on_aws_is_published_there(actions: Actions) -> None:
    actions.register_eum()
    answer = actions.run("set_flow_public_key", {"phoneNumberId": EUM_PHONE})

    (sent,) = actions.wire
    assert (sent.operation, sent.body) == (
        "PutWhatsAppBusinessPublicKey",
        {
            "originationPhoneNumberId": AWS_PHONE,
            "businessPublicKey": answer.result["publicKey"],
        },
    )
    shown = actions.run("get_flow_public_key", {"phoneNumberId": EUM_PHONE}).result
    assert (shown["signatureStatus"], shown["isOurs"], shown["isNewest"]) == ("VALID", True, True)
    assert pairs(actions, EUM_WABA)["company"] == "acme"


def test_a_rotation_reaches_all_numbers_and_the_old_key_still_works(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = "406540352242955"
    _add_number(actions, second, monkeypatch)
    old = actions.run("set_flow_public_key", OURS).result["publicKey"]
    actions.run("set_flow_public_key", {"phoneNumberId": second})
    rotated = actions.run("set_flow_public_key", OURS | {"rotate": True}, key="key-rotate").result

    assert (rotated["version"], rotated["phones"]) == (2, [PHONE, second])
    assert {published_key(actions, PHONE), published_key(actions, second)} == {rotated["publicKey"]}
    endpoint = DataEndpoint(actions)
    for key in (old, rotated["publicKey"]):
        assert endpoint.call(client.request("ping"), key)[0] == 200
    third = actions.run("set_flow_public_key", OURS | {"rotate": True}).result
    assert third["version"] == 3
    assert DataEndpoint(actions).call(client.request("ping"), old)[0] == 421


def test_a_key_works_before_it_is_published_and_an_interrupted_call_is_completed(
    actions: Actions,
) -> None:
    old = actions.run("set_flow_public_key", OURS).result["publicKey"]
    actions.sandbox.faults.add(
        provider="meta", operation="set_public_key", kind="status", status=500, times=3
    )
    failed = actions.run("set_flow_public_key", OURS | {"rotate": True}, key="key-rotate")

    assert (failed.status, failed.error) == (503, "provider_unavailable")
    stored = pairs(actions)["keys"]
    assert isinstance(stored, list)
    unpublished = str(stored[0]["publicKey"])
    endpoint = DataEndpoint(actions)
    assert endpoint.call(client.request("ping"), old)[0] == 200
    assert endpoint.call(client.request("ping"), unpublished)[0] == 200
    shown = actions.run("get_flow_public_key", OURS).result
    assert (shown["isOurs"], shown["isNewest"]) == (True, False)

    # Another rotation completes the first one instead of dropping the key that clients still use.
    repaired = actions.run("set_flow_public_key", OURS | {"rotate": True}).result
    assert (repaired["version"], repaired["publicKey"]) == (2, unpublished)
    assert published_key(actions, PHONE) == unpublished


def test_a_repeat_after_a_lost_answer_does_not_rotate_twice(actions: Actions) -> None:
    actions.run("set_flow_public_key", OURS)
    actions.sandbox.faults.add(provider="meta", operation="set_public_key", kind="lost_answer")
    before = _request_keys(actions)
    first = actions.run("set_flow_public_key", OURS | {"rotate": True}, key="key-rotate").result
    (kept,) = _request_keys(actions) - before
    actions.harness.resources.table.delete({"pk": kept})

    again = actions.run("set_flow_public_key", OURS | {"rotate": True}, key="key-rotate").result

    assert (first["version"], again) == (2, first)


@pytest.mark.parametrize(("write", "version"), [(1, 2), (2, 1)])
def test_a_call_that_ends_at_any_write_is_completed_by_its_repeat(
    actions: Actions, monkeypatch: pytest.MonkeyPatch, write: int, version: int
) -> None:
    real, calls = store.forms.replace_keys, 0

    def dies(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == write:
            raise RuntimeError("killed")
        return real(*arguments)

    monkeypatch.setattr(store.forms, "replace_keys", dies)
    assert actions.run("set_flow_public_key", OURS, key="key-set-1").status == 500

    answer = actions.run("set_flow_public_key", OURS, key="key-set-1").result

    assert (answer["version"], answer["phones"]) == (version, [PHONE])
    assert published_key(actions, PHONE) == answer["publicKey"]
    assert DataEndpoint(actions).call(client.request("ping"), answer["publicKey"])[0] == 200


def test_concurrent_first_calls_leave_one_pair(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, is_first = store.forms.replace_keys, True

    def late(table: Any, new: Any) -> Any:
        nonlocal is_first
        if is_first:
            is_first = False
            actions.run("set_flow_public_key", OURS)
        return real(table, new)

    monkeypatch.setattr(store.forms, "replace_keys", late)
    loser = actions.run("set_flow_public_key", OURS)
    again = actions.run("set_flow_public_key", OURS)

    assert (loser.status, again.result["version"]) == (503, 2)
    assert published_key(actions, PHONE) == again.result["publicKey"]


def test_a_key_of_another_program_is_not_ours(actions: Actions) -> None:
    assert actions.run("get_flow_public_key", OURS).result == {"isOurs": False, "isNewest": False}
    actions.run("set_flow_public_key", OURS)
    actions.sandbox.objects["flow keys"][PHONE] = "-----BEGIN PUBLIC KEY-----\nother"

    assert actions.run("get_flow_public_key", OURS).result["isOurs"] is False
    sent = next(one for one in actions.wire if one.operation == "get_public_key")
    assert (
        wire.problems(sent, "GET", "/{Version}/{Phone-Number-ID}/whatsapp_business_encryption")
        == []
    )


@pytest.mark.parametrize("action", ["set_flow_public_key", "get_flow_public_key"])
def test_numbers_of_other_companies_are_not_found(actions: Actions, action: str) -> None:
    assert actions.run(action, OURS, caller=GLOBEX).error == "not_found"
    assert actions.run(action, {}).error == "invalid_input"
    assert actions.run(action, OURS | {"rotate": "yes"}).error == "invalid_input"
    assert actions.wire == []


def test_a_number_without_token_is_not_configured(actions: Actions) -> None:
    actions.register(token_ref="none")

    assert actions.run("get_flow_public_key", OURS).error == "not_configured"


def _add_number(actions: Actions, phone: str, patch: pytest.MonkeyPatch) -> None:
    """Add a number of acme to the first account, also at the provider."""
    record = a_phone(
        pk=f"PHONE#{phone}",
        phone=phone,
        display_phone="15550783555",
        phone_arn=f"arn:parley:whatsapp:::phone-number-id/{phone}",
    )
    store.phones.register(actions.harness.resources.table, record)
    config = actions.sandbox.config
    numbers = (*config.numbers, Number(phone, "15550783555", WABA))
    patch.setattr(actions.sandbox, "config", replace(config, numbers=numbers))


def _request_keys(actions: Actions) -> set[str]:
    """The keys of the records of idempotent calls."""
    return {key for key in actions.harness.keys() if key.startswith("IDEMPOTENCY#")}
