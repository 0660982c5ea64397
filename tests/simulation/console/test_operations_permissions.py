"""The role of the operations API permits exactly what the function does."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws
from moto.cognitoidp.models import cognitoidp_backends

from shared.access import first_links
from shared.access.groups import Role
from shared.api.auth import Caller
from shared.providers import http
from shared.providers.outcomes import NotSent
from tests.integration.console.operations.operations import (
    ADMIN,
    OPERATOR,
    STAGE,
    Operations,
    operations_on_moto,
)
from tests.simulation.permissions.permissions import CallObserver, Use
from tests.simulation.permissions.role_checks import check
from tests.template import ACCOUNT, REGION, put_parameter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.answers import Answer

FUNCTION = "OperationsApi"
AT_AWS = {"id": f"waba-{'0' * 32}", "wabaId": "102290129340398"}
ANSWERS: dict[str, dict[str, Any]] = {
    "lambda.GetAccountSettings": {"AccountLimit": {"UnreservedConcurrentExecutions": 1_000}},
    "lambda.ListEventSourceMappings": {"EventSourceMappings": []},
    "sesv2.PutEmailIdentityMailFromAttributes": {},
    "socialmessaging.ListLinkedWhatsAppBusinessAccounts": {"linkedAccounts": [AT_AWS]},
    "socialmessaging.GetLinkedWhatsAppBusinessAccount": {"account": AT_AWS},
}
ROUTES = ("queues", "alarms", "conservation", "cost", "spending", "switches")


@pytest.fixture(scope="module")
def uses() -> dict[str, set[Use]]:
    observer = CallObserver()

    def note(params: dict[str, Any], model: Any, **_: Any) -> None:
        if observer.running:
            service = model.service_model.service_id.hyphenize()
            observer.note(f"{service}.{model.name}", params)

    with mock_aws(), pytest.MonkeyPatch.context() as patch:
        session = boto3.Session()
        session.events.register("provide-client-params", note)
        # moto does not know these operations.
        events: Any = session.events  # its types know no answers of hooks
        for operation, content in ANSWERS.items():
            response = (SimpleNamespace(status_code=200), content)
            events.register(f"before-call.{operation}", lambda response=response, **_: response)
        patch.setattr(boto3, "DEFAULT_SESSION", session)
        with operations_on_moto() as system:
            watched = observer.watching(FUNCTION, system.module.handler)
            patch.setattr(system.module, "handler", watched)
            for name in ROUTES:
                assert system.get(name, OPERATOR).status == 200, name
            assert system.get("actions", ADMIN).status == 200
            patch.setattr(http, "call", unreachable)
            name_pool_as_in_template(system)
            for answer in set_up(system):
                assert answer.status == 200, answer.body
    return observer.uses


def name_pool_as_in_template(system: Operations) -> None:
    """Let the login settings name the user pool by its name in the template, which the role has."""
    pools = cognitoidp_backends[ACCOUNT][REGION].user_pools
    pools["UserPool"] = pools[system.people.pool]
    put_parameter(boto3.client("ssm"), "LoginSettings", Stage=STAGE)


def unreachable(*_: Any, **__: Any) -> None:
    """The webhook of the deployment is not reached from here."""
    raise NotSent("connection")


def of_meta(_: str, url: str, **__: Any) -> http.Answer:
    """What Meta answers to a sign-up."""
    granted = {"scope": "whatsapp_business_management", "target_ids": ["102290129340398"]}
    data = {"is_valid": True, "app_id": "1" * 15, "granular_scopes": [granted]}
    answers = {
        "access_token": {"access_token": "of-the-account"},
        "debug_token": {"data": data},
        "phone_numbers": {"data": []},
    }
    found = next(answer for name, answer in answers.items() if name in url)
    return http.Answer(200, json.dumps(found).encode())


def set_up(system: Operations) -> Iterator[Answer]:
    """The answers of a set-up, from the one-time link to a person who is blocked and admitted again."""
    token = first_links.create(system.module.api_keys, "acme", (Role.ADMIN, Role.OPERATOR))
    person = {"email": "ada@acme.example", "name": "Ada", "password": "Correct-horse-1"}
    yield system.post("administrator", None, token=token, **person)
    caller = Caller(
        company="acme",
        scopes=frozenset({"access:admin", "operator"}),
        principal=system.people.find(person["email"]).principal,
    )
    yield system.post("company", caller, name="Acme", language="de", version=0)
    refused = system.post("company", caller, name="Acme", language="en", version=0)
    assert refused.status == 409  # the key of the call may be used again
    invited = system.post("people", caller, email="ben@acme.example", roles=["agent"], teams=["a"])
    yield invited
    ben = invited.result["principal"].partition(":")[2]
    yield system.post(f"people/{ben}", caller, roles=["supervisor"], teams=["b"])
    yield system.post(f"people/{ben}/sign-out", caller)
    for is_blocked in (True, False):
        yield system.post(f"people/{ben}/block", caller, blocked=is_blocked)
    key: dict[str, Any] = {"name": "till", "scopes": ["operator"]}
    made = system.post("api-keys", caller, **key)
    yield made
    key_id = made.result["key_id"]
    yield system.post(f"api-keys/{key_id}/rotate", caller)
    yield system.post(f"api-keys/{key_id}/revoke", caller)
    credentials = {"app_id": "1" * 15, "app_secret": "the-secret", "access_token": "the-token"}
    yield system.post("whatsapp/credentials", caller, **credentials)
    yield system.post("spending", caller, version=0, dollars_per_day=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(http, "call", of_meta)
        back = {"code": "once", "redirect_uri": "https://api.example/prod/console"}
        yield system.post("whatsapp/sign-up", caller, app_id=credentials["app_id"], **back)
    yield system.get("whatsapp/aws-accounts", caller)
    yield system.post("whatsapp/aws-accounts", caller, account_id=AT_AWS["id"])
    yield system.post("email-domains", caller, domain="support.acme.example")
    for context in ("whatsapp", "conversations", "email_threads"):
        yield system.post("switches", caller, context=context, name="safe_mode", on=True)
    of_whatsapp = ("whatsapp/webhook", "whatsapp/sign-up")
    for name in ("company", "people", "api-keys", *of_whatsapp, "findings", "email-domains"):
        yield system.get(name, caller)


@pytest.mark.long
def test_the_role_permits_exactly_the_calls_of_the_function(uses: dict[str, set[Use]]) -> None:
    check(FUNCTION, uses, {"Stage": STAGE})
