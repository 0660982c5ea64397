"""Groups of people give scopes in a company by role."""

import pytest

from access.access_tokens import Holder
from access.roles import SCOPES, caller_of, scopes_by_company
from shared.access.groups import Role, role_of, team_of
from shared.api.auth import EVERY_PROJECT, Caller, Scope, Unresolved
from shared.api.principals import is_team
from tests.cases import each
from whatsapp.actions.dispatch import catalogue

ISSUED_AT = 1_767_268_800


def holder(groups: list[str]) -> Holder:
    return Holder("user:1", tuple(groups), ISSUED_AT)


def test_a_group_names_a_company_and_a_role() -> None:
    assert scopes_by_company(["acme:agent"]) == {"acme": SCOPES[Role.AGENT]}


@each(
    "group",
    [
        *("agent", "acme", "acme:", ":agent", "acme:agent:more", "acme:owner", "acme:AGENT"),
        *(" acme:agent", "acme:agent\n", "acme agent", "a" * 65 + ":agent", "acme#1:agent"),
        *("*:agent", "us-east-1_AbCdEfGhI_Okta", "äcme:agent", "acme:agént"),
    ],
)  # fmt: skip
def test_other_groups_give_nothing(group: str) -> None:
    assert scopes_by_company([group]) == {}


def test_a_team_is_a_group_without_scopes() -> None:
    assert team_of("acme:team:night-shift") == ("acme", "night-shift")
    assert scopes_by_company(["acme:team:night-shift"]) == {}
    assert caller_of(holder(["acme:team:sales"]), None) is Unresolved.NO_COMPANY


@each(
    "group",
    [
        *("acme:team", "acme:team:", ":team:sales", "acme:team:Sales", "acme:team:sales:more"),
        *("acme:teams:sales", "acme:agent", "acme:team:a b", "acme:team:sales\n"),
        *("acme:team:" + "a" * 33, "acme:team:süd", "a b:team:sales"),
    ],
)
def test_other_groups_are_no_teams(group: str) -> None:
    assert team_of(group) is None


def test_a_team_named_as_a_role_is_a_team() -> None:
    assert role_of("acme:team:admin") is None
    assert team_of("acme:team:admin") == ("acme", "admin")


def test_assignees_are_teams_by_their_prefix() -> None:
    assert is_team("team:sales")
    assert not is_team("user:team")


def test_roles_in_one_company_add_up_and_do_not_reach_another() -> None:
    found = scopes_by_company(["acme:agent", "acme:operator", "globex:supervisor"])

    assert found == {
        "acme": SCOPES[Role.AGENT] | SCOPES[Role.OPERATOR],
        "globex": SCOPES[Role.SUPERVISOR],
    }


def test_only_the_operator_sees_other_companies() -> None:
    assert {role for role in Role if Scope.OPERATOR in SCOPES[role]} == {Role.OPERATOR}
    assert SCOPES[Role.OPERATOR] == {Scope.OPERATOR}


def test_each_role_of_a_company_has_the_scopes_of_the_one_before_and_an_admin_has_all() -> None:
    assert SCOPES[Role.AGENT] < SCOPES[Role.SUPERVISOR] < SCOPES[Role.ADMIN]
    assert SCOPES[Role.ADMIN] == set(Scope) - {Scope.OPERATOR}


def test_agents_and_supervisors_neither_erase_nor_administrate_nor_refund() -> None:
    held = SCOPES[Role.SUPERVISOR]

    assert [scope for scope in held if scope.endswith((":privacy", ":admin", ":refunds"))] == []


def test_a_person_with_a_role_in_one_company_acts_there_in_all_projects() -> None:
    assert caller_of(holder(["acme:agent", "other"]), None) == Caller(
        company="acme",
        scopes=SCOPES[Role.AGENT],
        principal="user:1",
        projects=frozenset({EVERY_PROJECT}),
        issued_at=ISSUED_AT,
    )


@pytest.mark.parametrize(
    ("groups", "chosen", "outcome"),
    [
        ([], None, Unresolved.NO_COMPANY),
        (["other"], "acme", Unresolved.NO_COMPANY),
        (["acme:agent"], "globex", Unresolved.OTHER_COMPANY),
        (["acme:agent"], "", Unresolved.OTHER_COMPANY),
        (["acme:agent", "globex:agent"], None, Unresolved.SEVERAL_COMPANIES),
        (["acme:agent", "globex:agent"], "initech", Unresolved.OTHER_COMPANY),
    ],
)
def test_a_person_has_no_company_without_a_role_in_the_chosen_one(
    groups: list[str], chosen: str | None, outcome: Unresolved
) -> None:
    assert caller_of(holder(groups), chosen) is outcome


def test_a_person_with_roles_in_several_companies_chooses_one() -> None:
    caller = caller_of(holder(["acme:agent", "globex:supervisor"]), "globex")

    assert isinstance(caller, Caller)
    assert (caller.company, caller.scopes) == ("globex", SCOPES[Role.SUPERVISOR])


def test_agents_may_list_the_templates_that_they_send() -> None:
    listing = catalogue.find("get_local_templates")

    assert not SCOPES[Role.AGENT].isdisjoint(listing.scopes)
