"""What administrators change of the people of their company: roles, teams, sessions, blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from shared.access import revocations
from shared.api.auth import Caller
from tests.integration.answers import Answer
from tests.integration.console.operations.operations import Operations, operations_on_moto

ADA, BEN, EVE = "ada@acme.example", "ben@acme.example", "eve@globex.example"
SCOPES = frozenset({"access:admin"})


@pytest.fixture
def operations() -> Iterator[Operations]:
    with mock_aws(), operations_on_moto() as system:
        for address, groups in (
            (ADA, ["acme:admin"]),
            (BEN, ["acme:agent", "acme:team:night"]),
            (EVE, ["globex:agent"]),
        ):
            system.people.create(address, groups, invites=False, name=address.partition("@")[0])
        yield system


def caller(operations: Operations, *more: str) -> Caller:
    principal = operations.people.find(ADA).principal
    return Caller(company="acme", scopes=SCOPES | set(more), principal=principal)


def id_of(operations: Operations, address: str) -> str:
    return operations.people.find(address).principal.partition(":")[2]


def post(
    operations: Operations, address: str, action: str = "", *scopes: str, **body: Any
) -> Answer:
    path = f"people/{id_of(operations, address)}{action}"
    return operations.post(path, caller(operations, *scopes), **body)


def is_refused(operations: Operations, address: str, issued_at: int) -> bool:
    principal = operations.people.find(address).principal
    return revocations.find(operations.module.api_keys, principal).covers(issued_at)


def test_the_people_of_the_company_are_listed_with_roles_teams_and_states(
    operations: Operations,
) -> None:
    operations.people.disable(BEN)

    shown = operations.get("people", caller(operations)).result["people"]

    assert [(one["email"], one["roles"], one["teams"], one["is_enabled"]) for one in shown] == [
        (ADA, ["admin"], [], True),
        (BEN, ["agent"], ["night"], False),
    ]


def test_administrators_see_who_has_set_up_a_second_factor(operations: Operations) -> None:
    path = f"people/{id_of(operations, BEN)}/second-factors"

    assert operations.get(path, caller(operations)).result == {"second_factors": []}
    boto3.client("cognito-idp").admin_set_user_mfa_preference(
        UserPoolId=operations.people.pool,
        Username=BEN,
        SMSMfaSettings={"Enabled": True, "PreferredMfa": True},
    )
    shown = operations.get(path, caller(operations)).result["second_factors"]
    assert shown == ["SMS_MFA"]
    other = operations.get(f"people/{id_of(operations, EVE)}/second-factors", caller(operations))
    assert other.status == 404


def test_a_person_gets_exactly_the_named_roles_and_teams_and_sessions_end(
    operations: Operations,
) -> None:
    before = operations.people.find(BEN).moment

    answer = post(operations, BEN, roles=["supervisor"], teams=["day"])

    assert answer.status == 200
    assert operations.people.groups_of(BEN) == ["acme:supervisor", "acme:team:day"]
    assert is_refused(operations, BEN, before)


def test_an_administrator_does_not_give_back_a_role_that_another_has_taken_meanwhile(
    operations: Operations,
) -> None:
    held = operations.people.groups_of(BEN)
    seen = {
        "roles": [one.split(":")[1] for one in held if ":team:" not in one],
        "teams": [one.split(":")[2] for one in held if ":team:" in one],
    }
    assert post(operations, BEN, roles=["supervisor"], teams=[], seen=seen).status == 200

    late = post(operations, BEN, roles=[*seen["roles"], "admin"], teams=["day"], seen=seen)
    repeated = post(operations, BEN, roles=["supervisor"], teams=[], seen=seen)

    assert (late.status, late.body["error"]["code"]) == (409, "version_conflict")
    assert repeated.status == 200
    assert operations.people.groups_of(BEN) == ["acme:supervisor"]


def test_roles_in_other_companies_stay(operations: Operations) -> None:
    operations.people.add(BEN, "globex:agent")

    post(operations, BEN, roles=[], teams=[])

    assert operations.people.groups_of(BEN) == ["globex:agent"]


@pytest.mark.parametrize(
    ("action", "body"),
    [("", {"roles": [], "teams": []}), ("/sign-out", {}), ("/block", {"blocked": True})],
)
def test_a_person_of_another_company_is_not_found(
    operations: Operations, action: str, body: dict[str, Any]
) -> None:
    before = operations.people.find(EVE).moment - 1

    answer = post(operations, EVE, action, **body)

    assert (answer.status, answer.body["error"]["code"]) == (404, "not_found")
    assert operations.people.groups_of(EVE) == ["globex:agent"]
    assert not is_refused(operations, EVE, before)
    unknown = operations.post(f"people/no-such-person{action}", caller(operations), **body)
    assert unknown.body["error"] == answer.body["error"]


def test_administrators_do_not_lock_themselves_out(operations: Operations) -> None:
    taken = post(operations, ADA, roles=["agent"], teams=[])
    blocked = post(operations, ADA, "/block", blocked=True)

    assert (taken.status, blocked.status) == (400, 400)
    assert operations.people.groups_of(ADA) == ["acme:admin"]


def test_only_operators_give_and_take_the_role_operator(operations: Operations) -> None:
    refused = post(operations, BEN, roles=["operator"], teams=[])
    given = post(operations, BEN, "", "operator", roles=["operator"], teams=[])
    taken = post(operations, BEN, roles=["agent"], teams=[])

    assert (refused.status, given.status, taken.status) == (403, 200, 403)
    assert operations.people.groups_of(BEN) == ["acme:operator"]


def test_a_sign_out_ends_sessions_and_leaves_the_login(operations: Operations) -> None:
    before = operations.people.find(BEN).moment

    assert post(operations, BEN, "/sign-out").status == 200

    assert is_refused(operations, BEN, before)
    assert not is_refused(operations, BEN, before + 3_600)


def test_a_blocked_person_is_refused_until_the_block_is_lifted(operations: Operations) -> None:
    later = operations.people.find(BEN).moment + 3_600

    blocked = post(operations, BEN, "/block", blocked=True)
    was_refused = is_refused(operations, BEN, later)
    lifted = post(operations, BEN, "/block", blocked=False)

    assert (blocked.result["is_enabled"], lifted.result["is_enabled"]) == (False, True)
    assert was_refused
    assert not is_refused(operations, BEN, later)


def test_a_person_of_other_companies_is_blocked_by_operators_only(operations: Operations) -> None:
    operations.people.add(BEN, "globex:agent")

    refused = post(operations, BEN, "/block", blocked=True)

    assert refused.status == 400
    assert post(operations, BEN, "/block", "operator", blocked=True).status == 200


def test_software_with_the_scope_neither_sees_nor_changes_people(operations: Operations) -> None:
    software = replace(caller(operations), principal="api-key:1")

    assert operations.get("people", software).status == 403
    path = f"people/{id_of(operations, BEN)}"
    assert operations.post(path, software, roles=[], teams=[]).status == 403


def test_the_audit_log_names_the_person_who_was_changed(operations: Operations) -> None:
    post(operations, BEN, roles=["agent"], teams=[])

    (action,) = operations.page()["result"]["actions"]
    assert (action["change"], action["object"]) == ("change_member", id_of(operations, BEN))
