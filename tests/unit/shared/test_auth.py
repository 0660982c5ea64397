"""The caller, as the authorizer hands them to the functions behind it."""

from typing import Any

import pytest

from shared.api.auth import PROJECT_SCOPES, Caller, Forbidden, Scope, Unauthenticated, caller_of

READER = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:1")


def event(authorizer: dict[str, Any] | None) -> dict[str, Any]:
    return {"requestContext": {"requestId": "r", "authorizer": authorizer}}


def test_what_the_authorizer_hands_on_comes_out_as_the_same_caller() -> None:
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
def test_a_call_that_went_through_no_authorizer_has_no_caller(
    context: dict[str, Any] | None,
) -> None:
    with pytest.raises(Unauthenticated):
        caller_of(event(context))
    with pytest.raises(Unauthenticated):
        caller_of({"requestContext": {}})


def test_a_caller_may_do_what_their_scopes_say() -> None:
    READER.require(Scope.WHATSAPP_READ)


def test_one_of_several_scopes_is_enough() -> None:
    READER.require(Scope.OPERATOR, Scope.WHATSAPP_READ)

    with pytest.raises(Forbidden, match="whatsapp:admin or operator"):
        READER.require(Scope.WHATSAPP_ADMIN, Scope.OPERATOR)


@pytest.mark.parametrize(
    "scopes", ["", "whatsapp", "whatsapp:rea", "whatsapp:read,x", "WHATSAPP:READ"]
)
def test_a_caller_without_the_scope_is_refused_and_told_which(scopes: str) -> None:
    given = {"company": "acme", "principal": "p", "projects": "*", "scopes": scopes}
    caller = caller_of(event(given))

    with pytest.raises(Forbidden, match="whatsapp:read"):
        caller.require(Scope.WHATSAPP_READ)


@pytest.mark.parametrize("projects", [{"hiring"}, set()], ids=["one", "none"])
@pytest.mark.parametrize("scope", list(Scope))
def test_a_caller_that_is_bound_to_projects_may_use_only_scopes_of_projects(
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


def test_of_several_scopes_one_of_projects_is_enough_for_a_bound_caller() -> None:
    scopes = frozenset({"conversations:read", "operator"})
    caller = Caller(
        company="acme", scopes=scopes, principal="api-key:1", projects=frozenset({"hiring"})
    )

    caller.require(Scope.OPERATOR, Scope.CONVERSATIONS_READ)
