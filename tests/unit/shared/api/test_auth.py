"""The caller in the authorizer's context of a request."""

from typing import Any

import pytest

from shared.api.auth import PROJECT_SCOPES, Caller, Forbidden, Scope, Unauthenticated, caller_of
from tests.cases import each

READER = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:1")


def event(authorizer: dict[str, Any] | None) -> dict[str, Any]:
    return {"requestContext": {"requestId": "r", "authorizer": authorizer}}


def test_the_authorizers_context_gives_the_same_caller() -> None:
    several = Caller(company="acme", scopes=frozenset({"a:b", "c:d"}), principal="api-key:1")

    for caller in (READER, several):
        context = caller.as_context()
        assert all(isinstance(value, str) for value in context.values())
        assert caller_of(event(context | {"principalId": "x", "integrationLatency": 3})) == caller


@pytest.mark.parametrize(
    "context",
    [
        None,
        {},
        {"principalId": "user"},
        {"company": "acme"},
        {"company": "", "principal": "p"},
        {"company": "acme", "principal": ""},
    ],
)
def test_a_request_without_an_authorizer_has_no_caller(
    context: dict[str, Any] | None,
) -> None:
    with pytest.raises(Unauthenticated):
        caller_of(event(context))
    with pytest.raises(Unauthenticated):
        caller_of({"requestContext": {}})


def test_a_caller_has_the_permissions_of_its_scopes() -> None:
    READER.require(Scope.WHATSAPP_READ)


def test_one_of_several_scopes_is_enough() -> None:
    READER.require(Scope.OPERATOR, Scope.WHATSAPP_READ)

    with pytest.raises(Forbidden, match="whatsapp:admin or operator"):
        READER.require(Scope.WHATSAPP_ADMIN, Scope.OPERATOR)


@pytest.mark.parametrize(
    "scopes", ["", "whatsapp", "whatsapp:rea", "whatsapp:read,x", "WHATSAPP:READ"]
)
def test_a_refusal_names_the_missing_scope(scopes: str) -> None:
    given = {"company": "acme", "principal": "p", "projects": "*", "scopes": scopes}
    caller = caller_of(event(given))

    with pytest.raises(Forbidden, match="whatsapp:read"):
        caller.require(Scope.WHATSAPP_READ)


@each("projects", [{"hiring"}, set()], ids=["one", "none"])
@each("scope", list(Scope))
def test_a_caller_bound_to_projects_may_use_only_project_scopes(
    scope: Scope, projects: set[str]
) -> None:
    caller = Caller(
        company="acme",
        scopes=frozenset(Scope),
        principal="api-key:1",
        projects=frozenset(projects),
    )

    if scope in PROJECT_SCOPES:
        caller.require(scope)
        return
    with pytest.raises(Forbidden, match="bound to projects"):
        caller.require(scope)


def test_a_bound_caller_needs_one_project_scope_of_several() -> None:
    scopes = frozenset({"conversations:read", "operator"})
    caller = Caller(
        company="acme", scopes=scopes, principal="api-key:1", projects=frozenset({"hiring"})
    )

    caller.require(Scope.OPERATOR, Scope.CONVERSATIONS_READ)
