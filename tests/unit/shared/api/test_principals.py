"""Principals: no id of a person makes it software or a team, and no assignee can be taken for another kind."""

import pytest
from pydantic import TypeAdapter, ValidationError

from shared.api import principals
from shared.api.models.agent_inputs import Assignee
from shared.api.principals import RESERVED, Kind
from tests.cases import each

ASSIGNEES: TypeAdapter[str] = TypeAdapter(Assignee)


@each(
    "subject",
    ["team:sales", "api-key:0123456789abcdef", "client:till", "user:ada", "invoke:cron", "human:x",
     "ai", "auth0|5f7c8ec7", "f:1df408e3:ada", "ada@example.com", "a" * 120],
)  # fmt: skip
def test_an_id_that_looks_like_another_kind_stays_behind_the_prefix(subject: str) -> None:
    principal = principals.of_person(subject)

    assert principal == f"user:{subject}"
    assert principals.is_person(principal)
    assert not principals.is_team(principal)


@each(
    "subject",
    ["", " ", "a b", "ada\n", "\x00", "a#b", "a/b", 'a"b', "zoë", "\uff41da", "a\u202eb", "a" * 121, None, 7, True,
     ["ada"], {"id": "ada"}],
)  # fmt: skip
def test_an_id_that_would_break_keys_or_logs_is_refused(subject: object) -> None:
    for build in (principals.of_person, principals.of_client):
        with pytest.raises(ValueError, match="not the id of a principal"):
            build(subject)


def test_the_kinds_share_no_prefix() -> None:
    built = [
        principals.of_person("1"),
        principals.of_client("1"),
        principals.of_key("1"),
        principals.of_invoker("1"),
    ]

    assert [one.partition(":")[0] for one in built] == ["user", "client", "api-key", "invoke"]
    assert [principals.is_person(one) for one in built] == [True, False, False, False]


@each(
    "assignee",
    ["user:1df408e3-66a6-4733-8ed3-9ce9405d18bc", "user:auth0|5f7c8ec7c33c6c004bbafe82", "user:team:sales",
     "team:sales", "team:7", "carol", "ada@example.com", "crm:carol", f"user:{'a' * 120}"],
)  # fmt: skip
def test_people_teams_and_other_names_may_be_assigned(assignee: str) -> None:
    assert ASSIGNEES.validate_python(assignee) == assignee


@each(
    "assignee",
    ["user", "user:", "User:ada", "USER:ada", "team", "team:", "team:Sales", "team:a b", "Team:sales", "TEAM:sales",
     "team:sales:night", "api-key:0123456789abcdef", "Api-Key:1", "client:till", "invoke", "invoke:cron",
     "human:user:ada", "person:ada", "ai", "System", "customer:1", "parley", ":ada", "", f"user:{'a' * 121}",
     f"team:{'a' * 33}", "user:a b", "user:zoë", "user:ada\n", "team:sales\n"],
)  # fmt: skip
def test_an_assignee_that_resembles_another_kind_is_refused(assignee: str) -> None:
    with pytest.raises(ValidationError):
        ASSIGNEES.validate_python(assignee)


@each("name", sorted(RESERVED))
def test_a_reserved_name_is_no_assignee_alone_or_before_a_colon_in_any_case(name: str) -> None:
    given = [name, name.upper(), f"{name.title()}:x", f"{name.upper()}:X"]

    assert not any(principals.is_assignable(one) for one in given)
    assert set(map(str, Kind)) <= RESERVED
