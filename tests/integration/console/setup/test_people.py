"""GET /people: the people and teams of the caller's company, from the groups of the user pool."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError

from console.api import people as reading
from shared.access import companies
from shared.runtime import clock
from tests.integration.console.system import ACME, GLOBEX, InboxSystem
from tests.integration.whatsapp.conftest import NOW
from tests.template import put_parameter

if TYPE_CHECKING:
    from shared.access.user_pool import People
    from shared.api.auth import Caller

PATH = "/people"
ADA, BOB, EVE = "ada@acme.example", "bob@acme.example", "eve@globex.example"


@pytest.fixture(autouse=True)
def _pool(inbox: InboxSystem) -> People:
    """Made before each test, also if the test adds no one."""
    return inbox.people


def add(inbox: InboxSystem, address: str, *groups: str, name: str | None = None) -> str:
    """Create a person in these groups, and return the principal."""
    inbox.people.create(address, groups, invites=False, name=name)
    user = inbox.people.client.admin_get_user(UserPoolId=inbox.people.pool, Username=address)
    subject = {one["Name"]: one["Value"] for one in user["UserAttributes"]}["sub"]
    return f"user:{subject}"


def shown(inbox: InboxSystem, caller: Caller = ACME) -> dict[str, Any]:
    """The answer of another execution environment, which has kept nothing."""
    inbox.module.colleagues._kept.clear()
    return inbox.get(caller, PATH).result


def names(inbox: InboxSystem, caller: Caller = ACME) -> list[str | None]:
    return [person["name"] for person in shown(inbox, caller)["people"]]


def calls_of(inbox: InboxSystem) -> list[str]:
    """The names of the calls to Cognito from now on."""
    made: list[str] = []
    inbox.module.colleagues._client().meta.events.register(
        "before-call.cognito-identity-provider", lambda model, **_: made.append(model.name)
    )
    inbox.module.colleagues._kept.clear()
    return made


def test_people_have_principal_name_roles_and_teams(inbox: InboxSystem) -> None:
    bob = add(inbox, BOB, "acme:agent", "acme:team:sales", "acme:team:returns", name="Bob Kahn")
    ada = add(inbox, ADA, "acme:supervisor", "acme:agent", "acme:team:sales", name="Ada Byron")

    assert shown(inbox) == {
        "people": [
            {
                "principal": ada,
                "name": "Ada Byron",
                "roles": ["agent", "supervisor"],
                "teams": ["sales"],
            },
            {
                "principal": bob,
                "name": "Bob Kahn",
                "roles": ["agent"],
                "teams": ["returns", "sales"],
            },
        ],
        "teams": ["returns", "sales"],
        "complete": True,
        "language": "en",
    }


def test_a_company_without_people_gets_none(inbox: InboxSystem) -> None:
    assert shown(inbox) == {"people": [], "teams": [], "complete": True, "language": "en"}


@pytest.mark.parametrize("name", [None, "  "])
def test_without_a_name_the_part_before_the_at_is_shown_and_never_the_address(
    inbox: InboxSystem, name: str | None
) -> None:
    add(inbox, ADA, "acme:agent", name=name)

    assert names(inbox) == ["ada"]
    assert "acme.example" not in str(shown(inbox))


def test_people_and_teams_of_another_company_never_appear(inbox: InboxSystem) -> None:
    add(inbox, ADA, "acme:agent", "acme:team:sales", name="Ada")
    add(inbox, EVE, "globex:agent", "globex:team:night", name="Eve")
    both = add(inbox, BOB, "acme:agent", "globex:admin", "globex:team:night", name="Bob")

    assert names(inbox) == ["Ada", "Bob"]
    assert shown(inbox)["teams"] == ["sales"]
    (of_both,) = (one for one in shown(inbox)["people"] if one["principal"] == both)
    assert (of_both["roles"], of_both["teams"]) == (["agent"], [])
    assert names(inbox, GLOBEX) == ["Bob", "Eve"]


@pytest.mark.parametrize(
    "group",
    [
        *("acme2:agent", "acme-x:agent", "xacme:agent", "Acme:agent"),  # other companies
        *("acme:owner", "acme:", "acme", "acme:agent:more"),  # no roles
        "acme:team:sales",  # a team gives no role
    ],
)
def test_people_without_a_role_in_the_company_are_not_listed(
    inbox: InboxSystem, group: str
) -> None:
    add(inbox, ADA, group)

    assert shown(inbox) == {"people": [], "teams": [], "complete": True, "language": "en"}


def test_people_who_may_not_log_in_are_not_listed_nor_teams_without_others(
    inbox: InboxSystem,
) -> None:
    add(inbox, ADA, "acme:agent", "acme:team:sales", name="Ada")
    add(inbox, BOB, "acme:agent", "acme:team:sales", "acme:team:night", name="Bob")
    inbox.people.disable(BOB)

    assert names(inbox) == ["Ada"]
    assert shown(inbox)["teams"] == ["sales"]


@pytest.mark.long
def test_all_pages_of_groups_and_of_members_are_read(inbox: InboxSystem) -> None:
    for number in range(65):  # a page has at most 60
        add(inbox, f"p{number:02}@acme.example", "acme:agent", f"acme:team:t{number:02}")

    found = shown(inbox)

    assert [one["name"] for one in found["people"]] == [f"p{number:02}" for number in range(65)]
    assert found["teams"] == [f"t{number:02}" for number in range(65)]
    assert found["complete"]


def test_people_beyond_the_limit_of_calls_are_left_out_and_the_answer_says_so(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(inbox, ADA, "acme:agent", "acme:team:sales", name="Ada")
    add(inbox, BOB, "acme:supervisor", name="Bob")
    monkeypatch.setattr(reading, "MOST_CALLS", 3)  # groups, agents, supervisors

    found = shown(inbox)

    assert [one["name"] for one in found["people"]] == ["Ada", "Bob"]
    assert (found["teams"], found["complete"]) == ([], False)


def test_an_answer_is_kept_for_five_minutes_for_each_company(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(inbox, ADA, "acme:agent", name="Ada")
    made = calls_of(inbox)
    for _ in range(2):
        assert inbox.get(ACME, PATH).result["people"][0]["name"] == "Ada"
    assert made == ["ListGroups", "ListUsersInGroup"]

    assert inbox.get(GLOBEX, PATH).result["people"] == []
    add(inbox, BOB, "acme:agent", name="Bob")
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 299_999)
    assert len(inbox.get(ACME, PATH).result["people"]) == 1
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 300_000)
    assert len(inbox.get(ACME, PATH).result["people"]) == 2


def test_a_failure_of_the_user_pool_is_answered_with_503_and_is_not_kept(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add(inbox, ADA, "acme:agent", name="Ada Byron")

    def unreachable(*_: object, **__: object) -> None:
        raise EndpointConnectionError(endpoint_url="https://cognito-idp")

    with monkeypatch.context() as patch:
        patch.setattr(inbox.module.colleagues._client(), "list_users_in_group", unreachable)
        answer = inbox.get(ACME, PATH)
    assert (answer.status, answer.error) == (503, "busy")
    assert answer.body["error"]["retryable"]

    assert inbox.get(ACME, PATH).result["people"][0]["name"] == "Ada Byron"
    logged = capsys.readouterr().out
    assert "Byron" not in logged
    assert "ada" not in logged.lower().replace("metadata", "")


def test_a_slow_user_pool_is_answered_with_503_before_the_api_gives_up(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(inbox, ADA, "acme:agent", name="Ada")
    made = calls_of(inbox)
    times = iter(range(NOW, NOW + 300_000, 5_000))  # five seconds for each look at the clock
    monkeypatch.setattr(clock, "now_ms", lambda: next(times))

    with monkeypatch.context() as patch:
        patch.setattr(reading, "WITHIN_MS", 10_000)
        answer = inbox.get(ACME, PATH)

    assert (answer.status, answer.error) == (503, "busy")
    assert made == ["ListGroups"]


def test_a_group_that_is_deleted_during_the_reading_has_no_members(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(inbox, ADA, "acme:agent", name="Ada")
    client = inbox.module.colleagues._client()
    listed = client.list_groups(UserPoolId=inbox.people.pool)
    listed["Groups"].append({"GroupName": "acme:admin"})
    monkeypatch.setattr(client, "list_groups", lambda **_: listed)

    assert names(inbox) == ["Ada"]


def test_with_another_login_provider_the_answer_says_why_there_is_none(inbox: InboxSystem) -> None:
    put_parameter(
        boto3.client("ssm"), "LoginSettings", LoginIssuer="https://login.example",
        LoginClientId="console", LoginAudience="parley",
    )  # fmt: skip

    answer = inbox.get(ACME, PATH)

    assert (answer.status, answer.error) == (501, "unsupported")
    assert "another provider" in answer.body["error"]["message"]
    assert not answer.body["error"]["retryable"]


@pytest.mark.parametrize("scope", ["whatsapp:read", "conversations:read", "email_threads:read"])
def test_each_scope_of_reading_gives_access(inbox: InboxSystem, scope: str) -> None:
    assert inbox.get(replace(ACME, scopes=frozenset({scope})), PATH).status == 200


@pytest.mark.parametrize(
    "caller",
    [
        replace(ACME, scopes=frozenset({"whatsapp:write", "consent:read"})),
        replace(ACME, projects=frozenset({"hiring"})),
        replace(ACME, projects=frozenset({"hiring"}), scopes=frozenset({"conversations:read"})),
    ],
)
def test_other_scopes_and_keys_of_projects_are_refused(inbox: InboxSystem, caller: Caller) -> None:
    answer = inbox.get(caller, PATH)

    assert (answer.status, answer.error) == (403, "forbidden")


def test_people_see_the_name_and_the_language_of_their_company(inbox: InboxSystem) -> None:
    companies.replace(inbox.module.keys, "acme", "Acme Bicycles", "de", 0)

    assert (shown(inbox)["company_name"], shown(inbox)["language"]) == ("Acme Bicycles", "de")
    assert "company_name" not in shown(inbox, GLOBEX)
