"""Access tokens after the sessions of their person ended, and while the person is blocked."""

import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from types import ModuleType
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from access import api_keys
from shared.access import revocations
from shared.api.auth import RateLimited, caller_of
from shared.aws.dynamodb import Table
from tests.integration.access.calls import ARN, NOW, a_key, behind, is_denied, log_in_at, request
from tests.integration.access.provider import Provider
from tests.template import properties

ADA = "user:1df408e3"
DAY = 86_400


def issued_at(provider: Provider, moment: float, **claims: Any) -> dict[str, Any]:
    return request(provider.token({"iat": moment, "exp": NOW + 2 * DAY, **claims}))


def accepts(module: ModuleType, event: dict[str, Any]) -> bool:
    return not is_denied(module, event)


def test_tokens_of_the_past_are_denied_at_once_and_newer_ones_are_not(
    authorizer: ModuleType, provider: Provider, table: Table, log: StringIO, now: list[int]
) -> None:
    before, same, after = (issued_at(provider, NOW + second) for second in (-1, 0, 1))
    assert accepts(authorizer, same)

    revocations.end_sessions(table, ADA, NOW)

    now[0] += 1_000
    assert is_denied(authorizer, before)
    assert is_denied(authorizer, same)
    assert json.loads(log.getvalue().splitlines()[-1])["reason"] == "revoked"
    assert accepts(authorizer, after)


def test_a_revocation_is_about_one_principal(
    authorizer: ModuleType, provider: Provider, table: Table
) -> None:
    revocations.end_sessions(table, ADA, NOW)
    revocations.block(table, "user:team:sales")
    revocations.block(table, "team:sales")

    assert accepts(authorizer, issued_at(provider, NOW, sub="1df408e4"))
    assert accepts(authorizer, issued_at(provider, NOW, sub="sales"))
    assert is_denied(authorizer, issued_at(provider, NOW, sub="team:sales"))


def test_software_with_tokens_can_be_blocked_too(
    authorizer: ModuleType, provider: Provider, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in_at(authorizer, monkeypatch, LoginMachineClients="till")
    event = issued_at(provider, NOW, client_id="till", sub="till", username=None)
    assert accepts(authorizer, event)

    revocations.block(table, "client:till")

    assert is_denied(authorizer, event)


def test_a_person_who_is_blocked_is_denied_with_any_token_until_the_block_is_lifted(
    authorizer: ModuleType, provider: Provider, table: Table, now: list[int]
) -> None:
    old = issued_at(provider, NOW - 60)
    revocations.end_sessions(table, ADA, NOW)
    revocations.block(table, ADA)

    now[0] += 40 * DAY * 1_000  # no time lifts a block
    new = request(provider.token())
    assert is_denied(authorizer, new)

    revocations.unblock(table, ADA)
    assert accepts(authorizer, new)
    now[0] -= 40 * DAY * 1_000
    assert is_denied(authorizer, old)


@pytest.mark.parametrize("repeated", [1, 2])
def test_ends_of_sessions_may_repeat_and_come_in_any_order(
    authorizer: ModuleType, provider: Provider, table: Table, repeated: int
) -> None:
    for moment in (NOW, NOW - 600) * repeated:
        revocations.end_sessions(table, ADA, moment)

    assert is_denied(authorizer, issued_at(provider, NOW))
    assert revocations.find(table, ADA).not_before == NOW


def test_the_end_of_a_session_does_not_let_a_block_expire(table: Table, now: list[int]) -> None:
    revocations.block(table, ADA)
    revocations.end_sessions(table, ADA, NOW)
    revocations.block(table, ADA)

    now[0] += 40 * DAY * 1_000
    assert revocations.find(table, ADA).is_blocked


def test_a_revocation_is_kept_as_long_as_any_token_may_be_used(
    authorizer: ModuleType, provider: Provider, table: Table, now: list[int]
) -> None:
    token = request(provider.token({"iat": NOW, "exp": NOW + 90 * DAY}))
    revocations.end_sessions(table, ADA, NOW)

    for seconds in (1, DAY - 2, 1, 1, DAY):
        now[0] += seconds * 1_000
        assert is_denied(authorizer, token)


def test_a_token_of_a_day_ago_is_denied_whatever_its_provider_says(
    authorizer: ModuleType, provider: Provider, now: list[int]
) -> None:
    token = request(provider.token({"iat": NOW, "exp": NOW + 90 * DAY}))

    now[0] += DAY * 1_000 - 1
    assert accepts(authorizer, token)
    now[0] += 1
    assert is_denied(authorizer, token)


def refused(**_: object) -> None:
    raise ClientError({"Error": {"Code": "InternalServerError", "Message": "m"}}, "GetItem")


def silent(**_: object) -> None:
    raise ReadTimeoutError(endpoint_url="https://dynamodb")


@pytest.mark.parametrize("failure", [refused, silent])
def test_no_token_counts_while_the_revocations_cannot_be_read(
    authorizer: ModuleType,
    provider: Provider,
    table: Table,
    monkeypatch: pytest.MonkeyPatch,
    failure: Callable[..., None],
) -> None:
    """API Gateway answers 500 to an error of the authorizer, and calls no function."""
    event = request(provider.token())
    monkeypatch.setattr(table._client, "get_item", failure)

    with pytest.raises((ClientError, ReadTimeoutError)):
        authorizer.handler(event, None)


def test_a_call_of_a_person_reads_one_item_and_writes_one(
    authorizer: ModuleType, provider: Provider, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    authorizer.handler(request(provider.token()), None)
    made: list[str] = []
    table._client.meta.events.register(
        "before-call.dynamodb", lambda model, **_: made.append(model.name)
    )

    authorizer.handler(request(provider.token()), None)

    assert made == ["GetItem", "UpdateItem"]  # the revocation, and the count of calls


def test_a_company_above_its_rate_keeps_no_one_signed_in(
    authorizer: ModuleType, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(authorizer.settings, api_rate_limit=1, api_company_percent=1)
    monkeypatch.setattr(authorizer, "settings", settings)
    stage = ARN.partition("/GET/")[0]
    call, other, sign_out = (
        request(provider.token()) | {"methodArn": f"{stage}/{path}"}
        for path in ("GET/inbox", "POST/sign-out/x", "POST/sign-out")
    )
    caller_of(behind(authorizer, call))

    for refused_call in (call, other):
        with pytest.raises(RateLimited):
            caller_of(behind(authorizer, refused_call))
    assert caller_of(behind(authorizer, sign_out)).principal == ADA
    key = sign_out | {"headers": {"x-api-key": a_key(authorizer.table)}}
    with pytest.raises(RateLimited):
        caller_of(behind(authorizer, key))


def test_the_route_of_sign_out_is_the_one_that_the_authorizer_knows(authorizer: ModuleType) -> None:
    events = [one for one in properties("InboxApi")["Events"].values() if one["Type"] == "Api"]
    routes = {f"{one['Properties']['Method']}{one['Properties']['Path']}" for one in events}

    assert authorizer.SIGN_OUT in routes


def test_a_key_is_no_revocation_and_a_revocation_is_no_key(
    authorizer: ModuleType, provider: Provider, table: Table
) -> None:
    key = a_key(table)
    revocations.block(table, f"api-key:{key.split('_')[1]}")

    assert caller_of(behind(authorizer, {**request(""), "headers": {"x-api-key": key}})).company
    with pytest.raises(api_keys.KeyRefused):
        api_keys.verify(table, f"pk_REVOKED#{ADA}_{'a' * 43}")
    stored = boto3.client("dynamodb").scan(TableName=table.name)["Items"]
    assert all("#" in one["key_id"]["S"] or "secret_hash" in one for one in stored)
