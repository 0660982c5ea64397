"""The keys and settings of the login provider: rotation, outages, and another OpenID provider than the user pool."""

import json
from types import ModuleType
from typing import Any

import boto3
import pytest

from access.roles import SCOPES
from shared.access.groups import Role
from shared.api.auth import caller_of
from shared.aws.dynamodb import Table
from shared.runtime.failures import Transient
from tests.integration.access.calls import OTHER_KEYS, a_key, behind, elsewhere, is_denied, request
from tests.integration.access.provider import KEYS, OTHER, Provider, new_key


def test_a_new_key_is_read_when_a_token_names_it_but_at_most_once_a_minute(
    authorizer: ModuleType, provider: Provider, now: list[int]
) -> None:
    behind(authorizer, request(provider.token()))
    provider.keys["second"] = new_key()
    rotated = request(provider.token(key_id="second"))

    now[0] += 59_999
    assert is_denied(authorizer, rotated)
    assert provider.requested == [KEYS]
    now[0] += 1
    assert caller_of(behind(authorizer, rotated)).principal == "user:1df408e3"
    assert provider.requested == [KEYS, KEYS]


def test_made_up_key_ids_cause_no_more_requests(
    authorizer: ModuleType, provider: Provider, now: list[int]
) -> None:
    forged = new_key()
    behind(authorizer, request(provider.token()))
    now[0] += 60_000
    for number in range(20):
        assert is_denied(
            authorizer, request(provider.token(key_id=f"made up {number}", key=forged))
        )

    assert provider.requested == [KEYS, KEYS]


def test_a_withdrawn_key_is_refused_after_an_hour(
    authorizer: ModuleType, provider: Provider, now: list[int]
) -> None:
    old = provider.keys["first"]
    behind(authorizer, request(provider.token()))
    provider.keys = {"second": new_key()}
    now[0] += 3_600_000

    assert is_denied(authorizer, request(provider.token(key=old)))


def test_an_outage_of_the_provider_is_an_error_and_not_a_denial(
    authorizer: ModuleType, provider: Provider, now: list[int]
) -> None:
    provider.is_down = True
    with pytest.raises(Transient):
        authorizer.handler(request(provider.token()), None)

    provider.is_down = False
    behind(authorizer, request(provider.token()))
    provider.is_down = True
    now[0] += 3_600_000
    assert caller_of(behind(authorizer, request(provider.token()))).company == "acme"


@pytest.mark.parametrize(
    "published",
    [
        {},
        {"keys": []},
        {"keys": [{"kid": "first"}]},
        [],
        {"keys": [{"kid": "a", "kty": "RSA", "n": "AQAB", "e": 7}]},
    ],
)
def test_a_key_set_without_usable_keys_is_an_error(
    authorizer: ModuleType, provider: Provider, published: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "published", lambda: published)

    with pytest.raises(Transient):
        authorizer.handler(request(provider.token()), None)


def test_another_openid_provider_takes_the_place_of_the_user_pool(
    authorizer: ModuleType, other_provider: Provider
) -> None:
    caller = caller_of(behind(authorizer, request(elsewhere(other_provider))))

    assert (caller.company, caller.scopes) == ("acme", SCOPES[Role.ADMIN])
    assert is_denied(authorizer, request(other_provider.token()))
    assert other_provider.requested == [f"{OTHER}/.well-known/openid-configuration", OTHER_KEYS]


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "console"},
        {"aud": None},
        {"azp": "other"},
        {"client_id": "other"},
        {"cid": "other"},
        {"appid": "other"},
        {"iss": "https://login.example"},
    ],
)
def test_tokens_of_another_audience_or_client_of_that_provider_are_denied(
    authorizer: ModuleType, other_provider: Provider, changes: dict[str, Any]
) -> None:
    assert is_denied(authorizer, request(elsewhere(other_provider, changes)))


def test_one_group_may_be_a_text(authorizer: ModuleType, other_provider: Provider) -> None:
    token = elsewhere(other_provider, {"roles": "globex:agent"})

    assert caller_of(behind(authorizer, request(token))).company == "globex"


def test_a_configuration_that_names_another_issuer_is_not_used(
    authorizer: ModuleType, other_provider: Provider
) -> None:
    url = f"{OTHER}/.well-known/openid-configuration"
    other_provider.documents[url]["issuer"] = "https://evil.example"

    with pytest.raises(Transient):
        authorizer.handler(request(elsewhere(other_provider)), None)


def test_settings_are_read_every_five_minutes_and_survive_an_outage(
    authorizer: ModuleType, provider: Provider, now: list[int]
) -> None:
    token = provider.token()
    behind(authorizer, request(token))
    boto3.client("ssm").delete_parameter(Name="/parley/dev/logins")

    now[0] += 300_000
    assert caller_of(behind(authorizer, request(token))).company == "acme"


def test_settings_of_an_earlier_release_accept_the_console_only(
    authorizer: ModuleType, provider: Provider
) -> None:
    ssm, name = boto3.client("ssm"), "/parley/dev/logins"
    stored = json.loads(ssm.get_parameter(Name=name)["Parameter"]["Value"])
    for added in ("revoke_url", "other_clients", "machine_clients", "console_url"):
        del stored[added]
    ssm.put_parameter(Name=name, Value=json.dumps(stored), Overwrite=True)

    assert caller_of(behind(authorizer, request(provider.token()))).company == "acme"
    assert is_denied(authorizer, request(provider.token({"client_id": "other"})))
    assert is_denied(authorizer, request(provider.token({"client_id": ""})))


def test_the_address_that_revokes_refresh_tokens_comes_from_the_openid_configuration(
    authorizer: ModuleType, other_provider: Provider
) -> None:
    url = f"{OTHER}/.well-known/openid-configuration"
    other_provider.documents[url]["revocation_endpoint"] = f"{OTHER}/revoke"

    assert authorizer.logins.value().revoke_url == f"{OTHER}/revoke"


def test_without_settings_a_token_is_an_error_and_a_key_is_not(
    authorizer: ModuleType, table: Table
) -> None:
    with pytest.raises(Transient):
        authorizer.handler(request("a.b.c"), None)

    event = request("a.b.c", **{"x-api-key": a_key(table)})
    assert caller_of(behind(authorizer, event)).company == "acme"
