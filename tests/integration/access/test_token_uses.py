"""Whose access tokens count: people of the console, and of the apps and software that the parameters name."""

import json
from io import StringIO
from types import ModuleType
from typing import Any

import pytest

from shared.api.auth import Caller, caller_of
from tests.integration.access.calls import (
    ELSEWHERE,
    NOW,
    behind,
    elsewhere,
    is_denied,
    log_in_at,
    request,
)
from tests.integration.access.provider import OTHER, Provider

# What a token of each provider has for software (grant client_credentials), beside issuer, audience and groups.
MACHINES: dict[str, dict[str, Any]] = {
    "RFC 9068 and Okta": {"azp": None, "cid": "till", "sub": "till"},
    "Auth0": {"azp": "till", "sub": "till@clients", "gty": "client-credentials"},
    "Entra ID v2": {"azp": "till", "azpacr": "1", "oid": "5e1", "sub": "5e1", "tid": "t", "scp": None},
    "Entra ID v1": {"azp": None, "appid": "till", "oid": "5e1", "sub": "5e1", "idtyp": "app"},
    "Keycloak": {"azp": "till", "preferred_username": "service-account-till", "typ": "Bearer"},
    "Keycloak without a name": {"azp": "till", "client_id": "till", "clientHost": "10.0.0.1"},
    "Duende": {"azp": None, "client_id": "till", "sub": None},
    "Oracle": {"azp": None, "client_id": "till", "sub": "0c1", "sub_type": "client", "tok_type": "AT"},
}  # fmt: skip
OF_ITSELF = {"LoginMachineClients": "cron,till"}
OF_APPS = {"LoginOtherClients": "shop,till"}
SIGNS: list[dict[str, Any]] = [
    {"sub": "console"},
    {"sub": "console@clients"},
    {"sub": None},
    {"sub": ""},
    {"gty": "client-credentials"},
    {"gty": ["client_credentials"]},
    {"grant_type": "client_credentials"},
    {"idtyp": "app"},
    {"oid": "5e1"},
    {"oid": "5e1", "scp": ""},
    {"preferred_username": "service-account-console"},
    {"clientHost": "10.0.0.1"},
    {"clientAddress": "10.0.0.1"},
    {"clientId": "console"},
    {"sub_type": "client"},
]


def reason_of(log: StringIO) -> str:
    return str(json.loads(log.getvalue().splitlines()[-1])["reason"])


def at(module: ModuleType, patch: pytest.MonkeyPatch, **given: str) -> None:
    log_in_at(module, patch, **ELSEWHERE, **given)


def caller(module: ModuleType, token: str) -> Caller:
    return caller_of(behind(module, request(token)))


@pytest.mark.parametrize(
    "subject", ["team:sales", "api-key:0123456789abcdef", "user:ada", "client:till", "ai"]
)
def test_no_subject_takes_a_person_out_of_their_kind(
    authorizer: ModuleType, provider: Provider, subject: str
) -> None:
    answer = authorizer.handler(request(provider.token({"sub": subject})), None)

    assert answer["principalId"] == answer["context"]["principal"] == f"user:{subject}"


@pytest.mark.parametrize(
    "subject", ["", " ", "a b", "1#NOTE", "zoë", "ada\n", "a" * 121, "a/../b", '"']
)
def test_a_subject_that_cannot_be_stored_is_denied(
    authorizer: ModuleType, provider: Provider, subject: str
) -> None:
    assert is_denied(authorizer, request(provider.token({"sub": subject})))


@pytest.mark.parametrize("name", MACHINES)
def test_tokens_of_software_are_denied_unless_the_parameter_names_the_client(
    authorizer: ModuleType,
    other_provider: Provider,
    log: StringIO,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    token = elsewhere(other_provider, MACHINES[name])

    assert is_denied(authorizer, request(token))
    assert reason_of(log) == "other_client"
    # An app of people does not become software by that.
    at(authorizer, monkeypatch, **OF_APPS)
    assert is_denied(authorizer, request(token))
    assert reason_of(log) == "machine"

    at(authorizer, monkeypatch, **OF_ITSELF)
    found = caller(authorizer, token)
    assert (found.company, found.principal) == ("acme", "client:till")


@pytest.mark.parametrize("sign", SIGNS)
def test_each_sign_of_software_is_enough_even_in_a_token_of_the_console(
    authorizer: ModuleType, other_provider: Provider, log: StringIO, sign: dict[str, Any]
) -> None:
    assert is_denied(authorizer, request(elsewhere(other_provider, sign)))
    assert reason_of(log) == "machine"


def test_the_console_itself_is_no_software_even_if_the_parameter_says_so(
    authorizer: ModuleType, other_provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(authorizer, monkeypatch, LoginMachineClients="console")

    assert caller(authorizer, elsewhere(other_provider)).principal == "user:1df408e3"


@pytest.mark.parametrize(
    "claims",
    [{"username": None}, {"username": ""}, {"sub": "ConsoleClient"}, {"sub": "ConsoleClient", "username": None}],
)  # fmt: skip
def test_a_token_of_cognito_without_a_user_is_denied(
    authorizer: ModuleType, provider: Provider, log: StringIO, claims: dict[str, Any]
) -> None:
    assert is_denied(authorizer, request(provider.token(claims)))
    assert reason_of(log) == "machine"


def test_software_of_the_user_pool_acts_as_its_client(
    authorizer: ModuleType, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = {"client_id": "till", "sub": "till", "username": None}
    assert is_denied(authorizer, request(provider.token(claims)))

    log_in_at(authorizer, monkeypatch, LoginMachineClients="till")

    assert caller(authorizer, provider.token(claims)).principal == "client:till"
    assert caller(authorizer, provider.token()).principal == "user:1df408e3"


def test_people_of_another_app_are_denied_unless_the_parameter_names_it(
    authorizer: ModuleType,
    other_provider: Provider,
    log: StringIO,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    token = elsewhere(other_provider, {"azp": "shop"})
    assert is_denied(authorizer, request(token))
    assert reason_of(log) == "other_client"

    at(authorizer, monkeypatch, **OF_APPS)

    assert caller(authorizer, token).principal == "user:1df408e3"
    assert caller(authorizer, elsewhere(other_provider)).principal == "user:1df408e3"
    assert is_denied(authorizer, request(elsewhere(other_provider, {"azp": "shops"})))


def test_a_token_that_names_no_client_is_denied_unless_the_parameter_accepts_it(
    authorizer: ModuleType,
    other_provider: Provider,
    log: StringIO,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    token = elsewhere(other_provider, {"azp": None})
    assert is_denied(authorizer, request(token))
    assert reason_of(log) == "other_client"

    at(authorizer, monkeypatch, LoginOtherClients="shop,(none)")

    assert caller(authorizer, token).principal == "user:1df408e3"
    assert is_denied(authorizer, request(elsewhere(other_provider, {"azp": "(none)"})))
    assert is_denied(
        authorizer, request(elsewhere(other_provider, {"azp": None, "gty": "client-credentials"}))
    )


@pytest.mark.parametrize("given", ["", "shop", "shop,(none)"])
@pytest.mark.parametrize(
    "claims",
    [{"azp": ""}, {"azp": ["console"]}, {"azp": 7}, {"azp": {}}, {"client_id": "shop"}, {"cid": "", "azp": None}],
)  # fmt: skip
def test_a_client_that_is_no_name_or_not_one_is_denied(
    authorizer: ModuleType,
    other_provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    given: str,
    claims: dict[str, Any],
) -> None:
    at(authorizer, monkeypatch, LoginOtherClients=given)

    assert is_denied(authorizer, request(elsewhere(other_provider, claims)))


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": ["console", "parley-api"]},
        {"aud": ["parley-api", "console"], "nonce": "n"},
        {"aud": ["parley-api", "console"], "azp": None},
        {"at_hash": "x"},
        {"c_hash": "x"},
        {"typ": "ID"},
        {"typ": "Refresh"},
        {"typ": "Offline"},
        {"typ": "Logout"},
        {"typ": None, "token_use": "id"},
        {"tok_type": "IT"},
    ],
)
def test_a_token_for_another_use_is_denied(
    authorizer: ModuleType, other_provider: Provider, log: StringIO, claims: dict[str, Any]
) -> None:
    assert is_denied(authorizer, request(elsewhere(other_provider, claims)))
    assert reason_of(log) == "not_an_access_token"


@pytest.mark.parametrize(
    ("kind", "counts"),
    [("JWT", True), ("at+jwt", True), ("application/at+JWT", True), ("logout+jwt", False),
     ("secevent+jwt", False), ("dpop+jwt", False), ("id+jwt", False)],
)  # fmt: skip
def test_the_type_in_the_header_must_be_that_of_an_access_token(
    authorizer: ModuleType, other_provider: Provider, kind: str, counts: bool
) -> None:
    claims = {"iss": OTHER, "aud": "parley-api", "azp": "console", "roles": ["acme:agent"]}
    token = other_provider.token(
        claims | dict.fromkeys(("token_use", "client_id", "username")), kind=kind
    )

    assert is_denied(authorizer, request(token)) is not counts


def test_a_token_that_says_that_it_is_an_access_token_may_have_its_client_as_audience(
    authorizer: ModuleType, other_provider: Provider
) -> None:
    claims = {
        "iss": OTHER,
        "aud": ["parley-api", "console"],
        "azp": "console",
        "roles": ["acme:agent"],
    }
    unused = dict.fromkeys(("token_use", "client_id", "username"))

    assert (
        caller(authorizer, other_provider.token(claims | unused, kind="at+jwt")).company == "acme"
    )
    assert is_denied(authorizer, request(other_provider.token(claims | unused)))


def test_a_person_of_each_provider_is_accepted(
    authorizer: ModuleType, other_provider: Provider
) -> None:
    people: list[dict[str, Any]] = [
        {"azp": None, "cid": "console", "uid": "00u1", "sub": "ada@example.com", "scp": ["openid"]},
        {"sub": "auth0|5f7c8ec7", "gty": "refresh_token", "scope": "openid"},
        {"oid": "5e1", "sub": "pairwise", "scp": "access", "tid": "t", "ver": "2.0"},
        {"oid": "5e1", "sub": "5e1", "scp": "access"},
        {"typ": "Bearer", "sub": "f:1df408e3:ada", "preferred_username": "ada", "sid": "s", "iat": NOW},
    ]  # fmt: skip
    for claims in people:
        found = caller(authorizer, elsewhere(other_provider, claims))
        assert found.principal == f"user:{claims['sub']}"
