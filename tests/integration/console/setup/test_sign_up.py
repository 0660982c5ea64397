"""Embedded sign-up at Meta: what the dialog gives back becomes a token for the accounts that Meta names."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from botocore.client import BaseClient
from botocore.exceptions import EndpointConnectionError
from moto import mock_aws

from console.operations.setup.whatsapp import dialog
from local.sandbox import Config, Sandbox, running
from local.sandbox.providers.whatsapp.operations import sign_up
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED, Proof
from shared.access.secret_versions import versions
from shared.api.auth import Caller
from shared.identity.secret_owners import owns_token
from shared.providers import http
from tests.integration.answers import Answer
from tests.integration.console.operations.operations import Operations, operations_on_moto
from tests.template import name_of

APP, SECRET, CONFIG = "123456789012345", "the-app-secret", "998877665544332"
BACK = "https://api.example/prod/console"
FIRST, SECOND = "102290129340398", "602290129340401"
OPERATOR = Caller(company="acme", scopes=frozenset({"operator"}), principal="user:otto")
SOFTWARE = Caller(company="acme", scopes=OPERATOR.scopes, principal="api-key:1")
ADMIN = Caller(company="acme", scopes=frozenset({"access:admin"}), principal="user:ada")


@pytest.fixture(scope="module")
def _meta() -> Iterator[Sandbox]:
    with running(Config()) as sandbox:
        yield sandbox


@pytest.fixture
def meta(_meta: Sandbox) -> Sandbox:
    _meta.reset()
    return _meta


@pytest.fixture
def operations(meta: Sandbox) -> Iterator[Operations]:
    with mock_aws(), operations_on_moto() as system:
        system.module.graph.base_url = meta.url
        system.post(
            "whatsapp/credentials", OPERATOR, app_id=APP, app_secret=SECRET, config_id=CONFIG
        )
        yield system


def tokens() -> dict[str, str]:
    stored = boto3.client("secretsmanager").get_secret_value(
        SecretId=name_of("WhatsAppAccessTokens"), VersionStage="AWSCURRENT"
    )
    content: dict[str, str] = json.loads(stored["SecretString"])
    return content


def own(operations: Operations, kind: str, resource: str, company: str) -> None:
    table = operations.module.audit_log.beside(name_of("ConversationLogTable"))
    assert claims.claim(table, ids.meta_id(kind, resource), claims.new(company, Proof.GRANTED))


def allowed(operations: Operations) -> str:
    """The person allows everything in the dialog; return the code that the browser comes back with."""
    [dialog] = operations.get("whatsapp/sign-up").result["dialogs"]
    address = f"{dialog['address']}&redirect_uri={BACK}&state=once"
    answer = http.call("GET", address, headers={})
    assert answer.status == 302
    returned = urlsplit(answer.headers["location"])
    assert answer.headers["location"].startswith(f"{BACK}?")
    query = parse_qs(returned.query)
    assert query["state"] == ["once"]
    return query["code"][0]


def exchange(operations: Operations, code: str, caller: Caller = OPERATOR, **other: Any) -> Answer:
    given = {"app_id": APP, "code": code, "redirect_uri": BACK} | other
    return operations.post("whatsapp/sign-up", caller, **given)


def test_without_a_configuration_no_dialog_is_offered(meta: Sandbox) -> None:
    with mock_aws(), operations_on_moto() as operations:
        assert operations.get("whatsapp/sign-up").result == {"dialogs": []}


def test_the_dialog_of_meta_names_the_app_and_its_configuration_and_no_secret(
    operations: Operations,
) -> None:
    operations.module.graph.base_url = "https://graph.facebook.com"
    [dialog] = operations.get("whatsapp/sign-up").result["dialogs"]

    found = urlsplit(dialog["address"])
    assert (found.netloc, found.path.rpartition("/dialog/")[2]) == ("www.facebook.com", "oauth")
    assert parse_qs(found.query) == {
        "client_id": [APP],
        "config_id": [CONFIG],
        "response_type": ["code"],
        "override_default_response_type": ["true"],
    }


def test_a_code_becomes_one_token_for_the_accounts_that_meta_names_and_no_answer_has_it(
    operations: Operations, meta: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    code = allowed(operations)
    with caplog.at_level(logging.INFO):
        answer = exchange(operations, code)

    assert answer.status == 200
    accounts = {one["account_id"]: one for one in answer.result["accounts"]}
    assert accounts.keys() == {FIRST, SECOND}
    [name] = {one["token_name"] for one in accounts.values()}
    assert owns_token("acme", name)
    assert {one["problem"] for one in accounts.values()} == {None}
    assert [one["phone"] for one in accounts[SECOND]["numbers"]] == ["606540352242977"]
    assert answer.result["token_ends_at"] is None
    [(stored, token)] = tokens().items()
    assert stored == name
    assert token in meta.objects[sign_up.TOKENS]
    ours = [one.getMessage() for one in caplog.records if not one.name.startswith("uvicorn")]
    shown = str(answer.body) + str(ours)  # uvicorn is the provider here
    assert not [one for one in (token, code, SECRET) if one in shown]


def test_tokens_that_were_stored_before_stay(operations: Operations) -> None:
    operations.post("whatsapp/credentials", OPERATOR, app_id=APP, access_token="by-hand")
    exchange(operations, allowed(operations))

    assert tokens()["acme"] == "by-hand"
    assert len(tokens()) == 2


def test_a_later_sign_up_for_the_same_accounts_replaces_the_token_and_others_keep_theirs(
    operations: Operations,
) -> None:
    first = exchange(operations, allowed(operations)).result["accounts"][0]["token_name"]
    before = tokens()
    again = exchange(operations, allowed(operations)).result["accounts"][0]["token_name"]
    assert (again, tokens().keys()) == (first, before.keys())
    assert tokens() != before
    after = tokens()

    own(operations, ids.ACCOUNT, FIRST, "globex")
    exchange(operations, allowed(operations))

    assert tokens().keys() == {first, f"acme/{SECOND}"}
    assert tokens()[first] == after[first]


def test_numbers_that_meta_does_not_list_leave_the_token_and_the_other_account_with_its_numbers(
    operations: Operations, meta: Sandbox
) -> None:
    code = allowed(operations)
    meta.faults.add(kind="status", operation="list_numbers", status=400)

    answer = exchange(operations, code)

    assert answer.status == 200
    failed, listed = answer.result["accounts"]
    assert (failed["problem"], failed["numbers"]) == ("refused", [])
    assert (listed["problem"], len(listed["numbers"])) == (None, 1)
    assert tokens().keys() == {failed["token_name"]}


def test_numbers_for_which_no_time_is_left_are_not_asked_for(
    operations: Operations, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = allowed(operations)
    monkeypatch.setattr(dialog, "ALL_WITHIN_MS", 0)

    answer = exchange(operations, code)

    assert [one["problem"] for one in answer.result["accounts"]] == ["unavailable"] * 2
    assert len(tokens()) == 1


def test_a_permission_for_all_accounts_that_names_none_is_answered_by_the_rule_of_accounts(
    operations: Operations, meta: Sandbox
) -> None:
    code = allowed(operations)
    meta.objects[sign_up.CODES]["all"] = True

    answer = exchange(operations, code)

    assert answer.status == 400
    [detail] = answer.body["error"]["details"]
    assert "must reach an account" in detail["problem"]
    assert tokens() == {}


def test_a_failure_after_the_exchange_is_no_fault_of_the_code(
    operations: Operations, meta: Sandbox
) -> None:
    code = allowed(operations)
    meta.faults.add(kind="status", operation="debug_token", status=400)

    answer = exchange(operations, code)

    assert (answer.status, answer.body["error"]["code"]) == (503, "unavailable")


def test_without_room_for_a_token_the_code_is_not_used(
    operations: Operations, meta: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = allowed(operations)
    with monkeypatch.context() as patch:
        patch.setattr(versions, "LARGEST_BYTES", 500)
        refused = exchange(operations, code)

    assert (refused.status, tokens()) == (400, {})
    assert code in meta.objects[sign_up.CODES]
    assert exchange(operations, code).status == 200


def test_an_account_of_another_company_gets_no_token(operations: Operations) -> None:
    own(operations, ids.ACCOUNT, FIRST, "globex")
    answer = exchange(operations, allowed(operations))

    assert [one["account_id"] for one in answer.result["accounts"]] == [SECOND]
    assert tokens().keys() == {f"acme/{SECOND}"}


@pytest.mark.parametrize(
    ("other", "field"),
    [
        ({"code": "guessed"}, "code"),
        ({"redirect_uri": "https://elsewhere.example/console"}, "code"),
        ({"app_id": "555555555555555"}, "app_id"),
        ({"redirect_uri": "console"}, "redirect_uri"),
        ({"code": ""}, "code"),
    ],
)
def test_a_code_that_meta_does_not_know_is_refused_beside_its_field_and_stores_nothing(
    operations: Operations, other: dict[str, Any], field: str
) -> None:
    code = other.pop("code", None)
    answer = exchange(operations, allowed(operations) if code is None else code, **other)

    assert (answer.status, answer.body["error"]["code"]) == (400, "invalid_input")
    assert [one["field"] for one in answer.body["error"]["details"]] == [field]
    assert tokens() == {}


def test_a_code_works_once(operations: Operations) -> None:
    code = allowed(operations)
    assert exchange(operations, code).status == 200
    before = tokens()

    again = exchange(operations, code)

    assert (again.status, tokens()) == (400, before)


@pytest.mark.parametrize("caller", [SOFTWARE, ADMIN])
def test_only_an_operator_who_is_a_person_signs_up(operations: Operations, caller: Caller) -> None:
    assert exchange(operations, allowed(operations), caller).status == 403
    assert tokens() == {}


@pytest.mark.parametrize(("owner", "status"), [("globex", 400), (SHARED, 200)])
def test_an_app_of_another_company_is_not_used_and_a_shared_one_is(
    meta: Sandbox, owner: str, status: int
) -> None:
    with mock_aws(), operations_on_moto() as operations:
        operations.module.graph.base_url = meta.url
        first = Caller(company="globex", scopes=OPERATOR.scopes, principal="user:eve")
        operations.post(
            "whatsapp/credentials", first, app_id=APP, app_secret=SECRET, config_id=CONFIG
        )
        table = operations.module.audit_log.beside(name_of("ConversationLogTable"))
        claims.hand_over(table, ids.meta_id(ids.APP, APP), claims.new(owner, Proof.GRANTED))
        offered = operations.get("whatsapp/sign-up").result["dialogs"]
        meta.objects[sign_up.CODES]["known"] = (APP, BACK)

        assert len(offered) == (1 if owner == SHARED else 0)
        assert exchange(operations, "known").status == status
        assert claims.holders(table, [ids.meta_id(ids.APP, APP)]) == {
            ids.meta_id(ids.APP, APP): owner
        }


def test_without_an_answer_of_meta_the_page_says_so_and_nothing_is_stored(
    operations: Operations, meta: Sandbox
) -> None:
    code = allowed(operations)
    operations.module.graph.base_url = "http://127.0.0.1:1"

    answer = exchange(operations, code)

    assert (answer.status, answer.body["error"]["code"]) == (503, "unavailable")
    assert tokens() == {}


@pytest.mark.parametrize("is_after", [False, True])
def test_a_sign_up_whose_store_was_cut_off_succeeds_when_the_person_begins_again(
    operations: Operations, is_after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = vars(BaseClient)["_make_api_call"]
    code = allowed(operations)

    def cut_off(client: Any, made: str, parameters: Any) -> Any:
        if made == "PutSecretValue" and not is_after:
            raise EndpointConnectionError(endpoint_url="https://aws.example")
        answer = call(client, made, parameters)
        if made == "PutSecretValue":
            raise EndpointConnectionError(endpoint_url="https://aws.example")
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(BaseClient, "_make_api_call", cut_off)
        died = exchange(operations, code)
    again = exchange(operations, allowed(operations))

    assert (died.status, again.status) == (500, 200)
    assert tokens().keys() == {one["token_name"] for one in again.result["accounts"]}


def test_a_person_who_allows_nothing_comes_back_without_a_code(
    operations: Operations, meta: Sandbox
) -> None:
    meta.objects[sign_up.CODES]["refuse"] = True
    [dialog] = operations.get("whatsapp/sign-up").result["dialogs"]
    answer = http.call("GET", f"{dialog['address']}&redirect_uri={BACK}&state=once", headers={})

    query = parse_qs(urlsplit(answer.headers["location"]).query)
    assert (query["error"], "code" in query) == (["access_denied"], False)
