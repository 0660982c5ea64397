"""A secret is read where its id says it is, and its last value is used while the parameter store throttles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from shared.aws.secrets import ASKED_AGAIN_MS, CACHE_MS, THROTTLED_MS, JsonSecret, SecretUnreadable
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "/parley/dev/secrets/api-seal"
ARN = f"arn:aws:ssm:us-east-1:123456789012:parameter{NAME}"


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    moment = [1_767_268_800_000]
    monkeypatch.setattr(clock, "now_ms", lambda: moment[0])
    return moment


@pytest.fixture
def ssm() -> Iterator[Any]:
    with mock_aws():
        client = boto3.client("ssm")
        client.put_parameter(Name=NAME, Type="SecureString", Value='{"seal_key": "first"}')
        yield client


@pytest.fixture
def secret(ssm: Any) -> JsonSecret:
    del ssm
    return JsonSecret(lambda: pytest.fail("Secrets Manager is not read"), ARN)


def throttle(secret: JsonSecret, monkeypatch: pytest.MonkeyPatch, code: str) -> list[str]:
    """Refuse all reads; returns the list of them."""
    calls: list[str] = []

    def fails(**_: object) -> None:
        calls.append(code)
        raise ClientError({"Error": {"Code": code}}, "GetParameter")

    monkeypatch.setattr(secret._parameters, "get_parameter", fails)
    return calls


def test_a_parameter_is_read_decrypted_and_again_after_five_minutes(
    ssm: Any, secret: JsonSecret, now: list[int]
) -> None:
    assert secret.value() == {"seal_key": "first"}
    ssm.put_parameter(
        Name=NAME, Type="SecureString", Value='{"seal_key": "second"}', Overwrite=True
    )
    assert secret.value() == {"seal_key": "first"}

    now[0] += CACHE_MS

    assert secret.value() == {"seal_key": "second"}
    assert secret.name == "parley/dev/secrets/api-seal"


def test_a_missing_parameter_is_an_unreadable_secret(ssm: Any, secret: JsonSecret) -> None:
    ssm.delete_parameter(Name=NAME)

    with pytest.raises(SecretUnreadable, match="parley/dev/secrets/api-seal has no value"):
        secret.value()


def test_the_last_value_is_used_for_half_an_hour_while_the_store_throttles(
    secret: JsonSecret, now: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = secret.value()
    throttle(secret, monkeypatch, "ThrottlingException")
    now[0] += THROTTLED_MS - 1

    assert secret.value() == first

    now[0] += 1
    with pytest.raises(ClientError):
        secret.value()


def test_a_store_that_throttles_is_asked_every_half_minute(
    secret: JsonSecret, now: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = secret.value()
    calls = throttle(secret, monkeypatch, "ThrottlingException")
    now[0] += CACHE_MS

    assert [secret.value() for _ in range(9)] == [first] * 9
    assert len(calls) == 1
    now[0] += ASKED_AGAIN_MS
    assert secret.value() == first
    assert len(calls) == 2


def test_a_refused_read_is_no_throttled_one(
    secret: JsonSecret, now: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    secret.value()
    throttle(secret, monkeypatch, "AccessDeniedException")
    now[0] += CACHE_MS

    with pytest.raises(ClientError):
        secret.value()
