"""Where a company wants a second person, no single one erases or exports a person, in any context."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from shared.api.auth import Caller, Scope
from shared.aws.dynamodb import Table
from shared.privacy.settings import PrivacySettings
from tests.aws import api_gateway
from tests.simulation.processes import imported
from tests.template import create_table, environment, properties
from whatsapp.actions.dispatch import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPANY = "acme"
# The scopes to erase and export, with the function that has their routes.
FUNCTIONS = {
    Scope.WHATSAPP_PRIVACY: "WhatsAppAdmin",
    Scope.EMAIL_PRIVACY: "EmailThreadsApi",
    Scope.NEWSLETTERS_PRIVACY: "NewslettersApi",
}
BODIES: dict[Scope, dict[str, Any]] = {
    Scope.WHATSAPP_PRIVACY: {"phoneNumber": "+447700900101"},
    Scope.EMAIL_PRIVACY: {"address": "ann@example.com"},
    Scope.NEWSLETTERS_PRIVACY: {"user_id": "user:ann"},
}


@pytest.fixture(scope="module")
def contacts() -> Iterator[Table]:
    """The settings, and what is read before them; no other table exists, and no queue."""
    with mock_aws():
        client = boto3.client("dynamodb")
        for name in ("WhatsAppTable", "AuditLogTable"):
            create_table(client, name)
        seal = str(properties("ApiSealSecret")["Name"])
        boto3.client("secretsmanager").create_secret(Name=seal, SecretString='{"seal_key": "s"}')
        table = Table(client, create_table(client, "ContactsTable"))
        key = PrivacySettings.key_of(COMPANY)
        settings = PrivacySettings(**key, company_id=COMPANY, four_eyes=True)
        table.put(settings.attributes())
        yield table


def called(module: Any, line: str, body: dict[str, Any], **path: str) -> tuple[int, dict[str, Any]]:
    """The answer to an administrator with all scopes."""
    admin = Caller(company=COMPANY, scopes=frozenset(map(str, Scope)), principal="user:kim")
    context: Any = SimpleNamespace(
        aws_request_id="request-1", get_remaining_time_in_millis=lambda: 29_000
    )
    answer = module.handler(api_gateway.request(line, body, admin, path=path), context)
    error: dict[str, Any] = json.loads(answer["body"])["error"]
    return answer["statusCode"], error


def is_refused(answer: tuple[int, dict[str, Any]]) -> bool:
    """Whether the answer says what to do instead."""
    status, error = answer
    named = (status, error["code"], error["retryable"])
    return named == (409, "second_person_required", False) and (
        "POST /privacy/requests" in error["message"]
    )


def test_each_scope_to_erase_is_tried() -> None:
    assert {one for one in Scope if one.endswith(":privacy")} == FUNCTIONS.keys()


@pytest.mark.usefixtures("contacts")
@pytest.mark.parametrize("scope", FUNCTIONS)
def test_routes_of_one_context_refuse_a_single_person_and_name_the_request(scope: Scope) -> None:
    name = FUNCTIONS[scope]
    module = imported(str(properties(name)["Handler"]).removesuffix(".handler"), environment(name))
    lines = [
        f"{one.method} {one.path}"
        for one in module.routes.operations
        if scope in one.scopes and one.method != "GET"
    ]

    assert len(lines) == 2
    assert [one for one in lines if not is_refused(called(module, one, BODIES[scope]))] == []


@pytest.mark.usefixtures("contacts")
def test_actions_refuse_a_single_person_and_name_the_request() -> None:
    module = imported("whatsapp.handlers.actions", environment("WhatsAppActions"))
    line, body = "POST /whatsapp/actions/{action}", {"to": "+447700900101"}
    actions = [one.name for one in catalogue.all_actions() if Scope.WHATSAPP_PRIVACY in one.scopes]

    assert sorted(actions) == ["erase_contact", "export_contact"]
    for action in actions:
        confirmed = {"confirm": True} if action == "erase_contact" else {}
        assert is_refused(called(module, line, body | confirmed, action=action)), action
