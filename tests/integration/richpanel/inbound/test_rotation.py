"""Rotation of tokens and keys, and calls while there are none."""

from __future__ import annotations

from typing import Any

import pytest

from events.richpanel.samples import START
from tests.integration.logs import counted
from tests.integration.richpanel.inbound.ingress import Ingress, call, open_ingress, signature


def with_token(value: str) -> dict[str, Any]:
    return call(headers={"X-Middleware-Token": value})


def signed(key: str) -> dict[str, Any]:
    return call(headers={"X-Timestamp": str(START), "X-Signature": signature(key=key)})


def test_a_new_token_is_accepted_beside_the_old_one_within_a_minute(ingress: Ingress) -> None:
    ingress.rotate(active_tokens=["old"], active_hmac_keys=[])
    assert ingress.take(with_token("old"))[0] == 200
    ingress.rotate(active_tokens=["new", "old"], active_hmac_keys=[])

    assert ingress.take(with_token("new"))[0] == 401
    ingress.now[0] += 60_000
    assert ingress.take(with_token("new"))[0] == 200
    assert ingress.take(with_token("old"))[0] == 200


def test_a_removed_token_is_refused_once_the_cache_expires(ingress: Ingress) -> None:
    ingress.rotate(active_tokens=["old", "new"], active_hmac_keys=[])
    assert ingress.take(with_token("old"))[0] == 200
    ingress.rotate(active_tokens=["new"], active_hmac_keys=[])

    ingress.now[0] += 300_000
    assert ingress.take(with_token("old"))[0] == 401
    assert ingress.take(with_token("new"))[0] == 200


def test_a_single_string_as_the_deployment_writes_it_is_a_list_of_one(ingress: Ingress) -> None:
    ingress.rotate(active_tokens="generated", active_hmac_keys=[])

    assert ingress.take(with_token("generated"))[0] == 200
    assert ingress.take(with_token("g"))[0] == 401


def test_wrong_tokens_do_not_cause_reads_of_the_secret(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = 0
    real = ingress.secrets.get_secret_value

    def read(**arguments: Any) -> Any:
        nonlocal reads
        reads += 1
        return real(**arguments)

    monkeypatch.setattr(ingress.secrets, "get_secret_value", read)
    for _ in range(50):
        assert ingress.take(with_token("wrong"))[0] == 401
    assert reads == 1
    ingress.now[0] += 60_000
    for _ in range(50):
        ingress.take(with_token("wrong"))
    assert reads == 2


@pytest.mark.parametrize(
    ("mode", "secret"),
    [
        ("token", {}),
        ("token", {"active_tokens": [], "active_hmac_keys": ["k"]}),
        ("token", {"active_tokens": [""], "active_hmac_keys": []}),
        ("token", {"active_tokens": [None, 5], "active_hmac_keys": []}),
        ("hmac", {"active_tokens": ["t"], "active_hmac_keys": []}),
        ("either", {"active_tokens": [], "active_hmac_keys": []}),
    ],
)
def test_without_a_usable_credential_every_call_is_refused_and_counted_for_the_alarm(
    monkeypatch: pytest.MonkeyPatch, mode: str, secret: dict[str, Any]
) -> None:
    with open_ingress(mode) as ingress:
        ingress.rotate(**secret)
        monkeypatch.setattr(ingress.webhook, "handler", ingress.webhook.handler.__wrapped__)
        counted("SecretEmpty")

        assert ingress.take(call(headers={}))[0] == 401
        assert ingress.take(with_token("t"))[0] == 401
        assert ingress.take(signed(key="k"))[0] == 401
        assert ingress.take(signed(key=""))[0] == 401
        assert counted("SecretEmpty") == 4


def test_an_unreadable_secret_refuses_every_call_and_is_counted_for_the_alarm(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingress.secrets.put_secret_value(SecretId="webhook", SecretString="not JSON")
    monkeypatch.setattr(ingress.webhook, "handler", ingress.webhook.handler.__wrapped__)
    counted("SecretEmpty")

    assert ingress.take(with_token("current-token"))[0] == 401
    assert counted("SecretEmpty") == 1
