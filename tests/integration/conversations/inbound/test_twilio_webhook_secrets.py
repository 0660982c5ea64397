"""The secret of Twilio's webhook: rotation, wrong signatures, and a secret that is invalid or absent."""

from __future__ import annotations

from typing import Any

import pytest

from events.conversations.twilio import (
    ACCOUNT,
    AUTH_TOKEN,
    SECRET,
    post,
    text,
)
from tests.integration.conversations.inbound.ingress import MINUTE_MS, SECRET_ID, Ingress
from tests.integration.conversations.inbound.test_twilio_webhook import (
    GOOD,
    OTHER_ACCOUNT,
    REFUSED,
    TAKEN,
    UNAVAILABLE,
)

# Secrets


def test_a_new_token_is_valid_within_a_minute_and_the_old_one_as_long_as_both_are_stored(
    ingress: Ingress,
) -> None:
    ingress.call(post(text("first")))
    ingress.rotate({"accounts": {ACCOUNT: {"auth_tokens": ["next", AUTH_TOKEN]}}})
    ingress.now[0] += MINUTE_MS

    assert ingress.call(post(text("a"), key="next")) == TAKEN
    assert ingress.call(post(text("b"))) == TAKEN


def test_a_new_account_is_valid_within_a_minute(ingress: Ingress) -> None:
    ingress.call(post(text("first")))
    tokens = {"auth_tokens": ["theirs"]}
    ingress.rotate({"accounts": SECRET["accounts"] | {OTHER_ACCOUNT: tokens}})
    ingress.now[0] += MINUTE_MS

    assert ingress.call(post(text("t", AccountSid=OTHER_ACCOUNT), key="theirs")) == TAKEN


def test_wrong_signatures_cause_one_read_of_the_secret_a_minute(
    ingress: Ingress, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingress.call(GOOD)
    reads: list[int] = []
    read = ingress.twilio.secret._read

    def counting() -> None:
        reads.append(ingress.now[0])
        read()

    monkeypatch.setattr(ingress.twilio.secret, "_read", counting)
    ingress.now[0] += MINUTE_MS

    for _ in range(5):
        assert ingress.call(post(text("t"), key="guessed")) == REFUSED

    assert len(reads) == 1


@pytest.mark.parametrize("secret", [{}, {"accounts": []}, {"accounts": {ACCOUNT: "token"}}])
def test_with_an_invalid_secret_every_call_is_refused(
    ingress: Ingress, secret: dict[str, Any]
) -> None:
    ingress.rotate(secret)

    assert ingress.call(post(text("t"))) == REFUSED


def test_without_a_secret_the_caller_is_asked_to_retry(ingress: Ingress) -> None:
    """It is an error of ours, which may be fixed by the time of a retry or a call of the fallback address."""
    ingress.secrets.put_secret_value(SecretId=SECRET_ID, SecretString="no JSON")

    assert ingress.call(post(text("t"))) == UNAVAILABLE
    assert ingress.counted == ["Received", "SecretEmpty"]


def test_a_call_is_not_refused_for_good_if_the_secret_cannot_be_read(ingress: Ingress) -> None:
    ingress.secrets.delete_secret(SecretId=SECRET_ID)

    assert ingress.call(post(text("t"))) == UNAVAILABLE
