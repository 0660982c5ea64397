"""What administrators and operators set up over the API: company, people, credentials of WhatsApp, switches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient
from botocore.exceptions import EndpointConnectionError
from moto import mock_aws

from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED, Proof
from shared.api.auth import Caller
from tests.integration.answers import Answer
from tests.integration.console.operations.operations import Operations, operations_on_moto
from tests.template import name_of

APP, SECRET, TOKEN = "123456789012345", "the-app-secret", "the-access-token"
BEN = "ben@acme.example"
ADMIN = Caller(company="acme", scopes=frozenset({"access:admin"}), principal="user:ada")
OPERATOR = Caller(
    company="acme", scopes=frozenset({"access:admin", "operator"}), principal="user:otto"
)
SOFTWARE = Caller(company="acme", scopes=OPERATOR.scopes, principal="api-key:1")
AGENT = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="user:ben")


@pytest.fixture
def operations() -> Iterator[Operations]:
    with mock_aws(), operations_on_moto() as system:
        yield system


def code_of(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.body["error"]["code"]


def secret(name: str) -> dict[str, Any]:
    stored = boto3.client("secretsmanager").get_secret_value(
        SecretId=name_of(name), VersionStage="AWSCURRENT"
    )
    content: dict[str, Any] = json.loads(stored["SecretString"])
    return content


def connect(operations: Operations, caller: Caller = OPERATOR, **other: Any) -> Answer:
    given = {"app_id": APP, "app_secret": SECRET, "access_token": TOKEN} | other
    return operations.post("whatsapp/credentials", caller, **given)


def owner_of_app(operations: Operations) -> str | None:
    table = operations.module.audit_log.beside(name_of("ConversationLogTable"))
    return claims.holders(table, [ids.meta_id(ids.APP, APP)]).get(ids.meta_id(ids.APP, APP))


def claim_app(operations: Operations, company: str) -> None:
    table = operations.module.audit_log.beside(name_of("ConversationLogTable"))
    assert claims.claim(table, ids.meta_id(ids.APP, APP), claims.new(company, Proof.GRANTED))


def test_a_company_has_no_name_until_an_administrator_gives_it_one(operations: Operations) -> None:
    before = operations.get("company", ADMIN).result
    changed = operations.post("company", ADMIN, name="Acme Bicycles", language="de", version=0)

    assert before == {"company": "acme", "name": None, "language": "en", "version": 0}
    assert changed.result == operations.get("company", ADMIN).result
    assert changed.result["name"] == "Acme Bicycles"
    assert operations.get("company", AGENT).status == 403


def test_a_change_of_a_version_that_another_person_has_changed_is_refused(
    operations: Operations,
) -> None:
    operations.post("company", ADMIN, name="Acme", language="en", version=0)

    answer = operations.post("company", ADMIN, name="Acme Ltd", language="en", version=0)

    assert code_of(answer) == (409, "version_conflict")
    assert operations.get("company", ADMIN).result["name"] == "Acme"


def test_an_invited_person_has_the_roles_and_teams(operations: Operations) -> None:
    answer = operations.post(
        "people", ADMIN, email="Ben@acme.example", name="Ben", roles=["agent"], teams=["night"]
    )

    assert answer.result == {
        "principal": operations.people.find(BEN).principal,
        "invited": True,
    }
    assert operations.people.groups_of(BEN) == ["acme:agent", "acme:team:night"]


def test_a_person_of_the_company_gets_further_roles_without_another_invitation(
    operations: Operations,
) -> None:
    operations.post("people", ADMIN, email=BEN, roles=["agent"])

    answer = operations.post("people", ADMIN, email=BEN, roles=["supervisor"])

    assert answer.result["invited"] is False
    assert operations.people.groups_of(BEN) == ["acme:agent", "acme:supervisor"]


def test_a_login_of_another_company_gets_roles_from_operators_only(operations: Operations) -> None:
    operations.people.create(BEN, ["globex:agent"], invites=False)

    refused = operations.post("people", ADMIN, email=BEN, roles=["admin"])
    unchanged = operations.people.groups_of(BEN)
    allowed = operations.post("people", OPERATOR, email=BEN, roles=["agent"])

    assert code_of(refused) == (409, "person_exists")
    assert unchanged == ["globex:agent"]
    assert allowed.status == 200
    assert operations.people.groups_of(BEN) == ["acme:agent", "globex:agent"]


def test_only_operators_make_operators(operations: Operations) -> None:
    refused = operations.post("people", ADMIN, email=BEN, roles=["operator"])

    assert code_of(refused) == (403, "forbidden")
    assert not operations.people.has(BEN)
    assert operations.post("people", OPERATOR, email=BEN, roles=["operator"]).status == 200


@pytest.mark.parametrize("caller", [SOFTWARE, AGENT])
def test_software_and_agents_change_neither_people_nor_credentials_nor_switches(
    operations: Operations, caller: Caller
) -> None:
    answers = [
        operations.post("people", caller, email=BEN, roles=["agent"]),
        connect(operations, caller),
        operations.post("switches", caller, context="whatsapp", name="safe_mode", on=False),
    ]

    assert [one.status for one in answers] == [403] * 3
    assert not operations.people.has(BEN)
    assert owner_of_app(operations) is None


def test_credentials_are_stored_for_the_company_and_never_shown(operations: Operations) -> None:
    answer = connect(operations)

    assert answer.result == {
        "app_id": APP,
        "has_app_secret": True,
        "has_access_token": True,
        "token_name": "acme",
    }
    assert secret("WhatsAppAppSecrets")["apps"] == {APP: [SECRET]}
    assert secret("WhatsAppAccessTokens") == {"acme": TOKEN}
    assert owner_of_app(operations) == "acme"
    tables = boto3.client("dynamodb")
    for table in tables.list_tables()["TableNames"]:
        items = str(tables.scan(TableName=table)["Items"])
        assert SECRET not in items
        assert TOKEN not in items


def test_a_new_secret_of_an_app_comes_before_the_one_that_is_still_accepted(
    operations: Operations,
) -> None:
    connect(operations)
    connect(operations, app_secret="the-next-secret", access_token=None)

    assert secret("WhatsAppAppSecrets")["apps"] == {APP: ["the-next-secret", SECRET]}
    assert secret("WhatsAppAppSecrets")["verify_token"] == ["the-verify-token"]
    assert secret("WhatsAppAccessTokens") == {"acme": TOKEN}


@pytest.mark.parametrize("owner", ["globex", SHARED])
def test_an_app_of_another_company_and_a_shared_one_get_no_secret(
    operations: Operations, owner: str
) -> None:
    claim_app(operations, owner)

    answer = connect(operations)

    assert code_of(answer) == (400, "invalid_input")
    assert [one["field"] for one in answer.body["error"]["details"]] == ["app_id"]
    assert secret("WhatsAppAppSecrets")["apps"] == {}
    assert secret("WhatsAppAccessTokens") == {}


def test_a_value_with_blanks_is_refused_without_repeating_it(operations: Operations) -> None:
    answer = connect(operations, access_token="two words")

    assert [one["field"] for one in answer.body["error"]["details"]] == ["access_token"]
    assert "two words" not in json.dumps(answer.body)
    assert owner_of_app(operations) is None


def test_operators_see_the_verify_token_that_meta_asks_for(operations: Operations) -> None:
    assert operations.get("whatsapp/webhook", OPERATOR).result == {
        "address": "https://api.example/dev/webhooks/whatsapp",
        "verify_token": "the-verify-token",
    }
    assert operations.get("whatsapp/webhook", ADMIN).status == 403


def test_a_switch_shows_its_state_before_so_that_the_change_can_be_undone(
    operations: Operations,
) -> None:
    answer = operations.post("switches", OPERATOR, context="whatsapp", name="safe_mode", on=False)

    assert answer.result == {
        "context": "whatsapp",
        "name": "safe_mode",
        "on": False,
        "was_on": True,
    }
    switches = operations.get("switches", OPERATOR).result["switches"]
    (shown,) = (
        one for one in switches if (one["context"], one["name"]) == ("whatsapp", "safe_mode")
    )
    assert shown["text"] == "false"
    assert code_of(
        operations.post(
            "switches", OPERATOR, context="whatsapp", name="automation_enabled", on=True
        )
    ) == (400, "invalid_input")


def test_every_change_is_in_the_audit_log_without_its_values(operations: Operations) -> None:
    connect(operations)
    operations.post("people", OPERATOR, email=BEN, roles=["agent"])
    operations.post("company", OPERATOR, name="Acme", language="en", version=0)

    actions = operations.page()["result"]["actions"]

    assert sorted(one["change"] for one in actions) == [
        "invite_person",
        "set_company",
        "store_credentials",
    ]
    assert BEN not in str(actions)


def test_a_repeat_under_its_key_changes_nothing_again(operations: Operations) -> None:
    first = operations.post("people", ADMIN, "key-of-ben-1", email=BEN, roles=["agent"])
    operations.people.remove(BEN, "acme:agent")

    again = operations.post("people", ADMIN, "key-of-ben-1", email=BEN, roles=["agent"])

    assert again.result == first.result
    assert operations.people.groups_of(BEN) == []


def cut_off(patch: pytest.MonkeyPatch, operation: str, *, is_after: bool) -> None:
    """The connection is lost at the first call of this operation, before or after it was made."""
    call, calls = vars(BaseClient)["_make_api_call"], list[str]()

    def tried(client: Any, made: str, parameters: Any) -> Any:
        is_first = made == operation and operation not in calls
        calls.append(made)
        if is_first and not is_after:
            raise EndpointConnectionError(endpoint_url="https://aws.example")
        answer = call(client, made, parameters)
        if is_first:
            raise EndpointConnectionError(endpoint_url="https://aws.example")
        return answer

    patch.setattr(BaseClient, "_make_api_call", tried)


@pytest.mark.parametrize("operation", ["AdminCreateUser", "CreateGroup", "AdminAddUserToGroup"])
@pytest.mark.parametrize("is_after", [False, True])
def test_an_invitation_that_was_cut_off_is_completed_by_another_one(
    operations: Operations, operation: str, is_after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        cut_off(patch, operation, is_after=is_after)
        died = operations.post("people", ADMIN, email=BEN, roles=["agent"], teams=["night"])

    again = operations.post("people", ADMIN, email=BEN, roles=["agent"], teams=["night"])

    assert (died.status, again.status) == (500, 200)
    assert operations.people.groups_of(BEN) == ["acme:agent", "acme:team:night"]


@pytest.mark.parametrize("operation", ["PutSecretValue", "UpdateSecretVersionStage"])
@pytest.mark.parametrize("is_after", [False, True])
def test_credentials_whose_store_was_cut_off_are_stored_by_the_repeat(
    operations: Operations, operation: str, is_after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        cut_off(patch, operation, is_after=is_after)
        died = connect(operations)

    again = connect(operations)

    assert (died.status, again.status) == (500, 200)
    assert secret("WhatsAppAppSecrets")["apps"] == {APP: [SECRET]}
    assert secret("WhatsAppAccessTokens") == {"acme": TOKEN}
    assert owner_of_app(operations) == "acme"
