"""`python -m operations users`: an operator creates people who log in, gives and takes roles, and ends logins."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from operations.__main__ import main
from operations.access import sessions, users
from operations.command_line import arguments
from shared.access.user_pool import People
from shared.runtime import clock
from tests.template import create_table, properties

STACK = ("--stack", "parley-dev")
ADA = "ada@example.com"


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The id of a user pool with the settings of the template."""
    settings = properties("UserPool")
    with mock_aws():
        cognito = boto3.client("cognito-idp")
        made = cognito.create_user_pool(
            PoolName="parley-dev",
            UsernameAttributes=settings["UsernameAttributes"],
            AdminCreateUserConfig=settings["AdminCreateUserConfig"],
            Policies=settings["Policies"],
        )["UserPool"]["Id"]
        dynamodb = boto3.client("dynamodb")
        outputs = {
            users.USER_POOL: made,
            arguments.TABLE_OF_KEYS: create_table(dynamodb, "ApiKeysTable"),
            sessions.LIVE_TABLE: create_table(dynamodb, "LiveTable"),
            sessions.LIVE_ENDPOINT: "https://live.example/dev",
        }
        monkeypatch.setattr(arguments, "outputs_of", lambda *_: outputs)
        monkeypatch.setattr(clock, "sleep_ms", lambda _: None)
        yield made


def run(*words: str) -> int:
    return main(["users", *words, *STACK])


def described(pool: str, name: str = ADA) -> dict[str, Any]:
    """The user as Cognito stores it."""
    found: dict[str, Any] = boto3.client("cognito-idp").admin_get_user(
        UserPoolId=pool, Username=name
    )
    return found


def roles_of(pool: str, name: str = ADA) -> list[str]:
    return People(boto3.client("cognito-idp"), pool).groups_of(name)


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> list[list[str]]:
    """The rows of `list`."""
    capsys.readouterr()
    assert run("list", *words) == 0
    return [line.split("\t") for line in capsys.readouterr().out.splitlines()]


def test_a_new_user_has_a_verified_address_and_the_named_roles(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("create", ADA, "--role", "acme:agent", "--role", "globex:admin") == 0

    user = described(pool)
    attributes = {entry["Name"]: entry["Value"] for entry in user["UserAttributes"]}
    assert (attributes["email"], attributes["email_verified"]) == (ADA, "true")
    assert user["Username"] != ADA, "access tokens contain the user name"
    assert roles_of(pool) == ["acme:agent", "globex:admin"]
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "e-mail" in shown.err


def test_without_mail_a_temporary_password_is_printed_that_the_pool_accepts(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    passwords = set()
    for number in range(20):
        assert run("create", f"ada-{number}@example.com", "--role", "acme:agent", "--no-mail") == 0
        passwords.add(capsys.readouterr().out.strip())

    assert len(passwords) == 20
    for password in passwords:
        assert len(password) >= 12
        assert any(character.islower() for character in password)
        assert any(character.isupper() for character in password)
        assert any(character.isdigit() for character in password)
    assert described(pool, "ada-7@example.com")["UserStatus"] == "FORCE_CHANGE_PASSWORD"


def test_the_list_shows_address_name_principal_state_and_roles_of_one_company_or_all(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run("create", "bob@example.com", "--role", "globex:agent")
    run("create", ADA, "--role", "acme:agent", "--role", "acme:supervisor")
    run("disable", "bob@example.com")

    ada, bob = listed(capsys)

    user = described(pool)
    subject = {entry["Name"]: entry["Value"] for entry in user["UserAttributes"]}["sub"]
    assert ada == [
        ADA,
        user["Username"],
        f"user:{subject}",
        "force_change_password",
        "acme:agent,acme:supervisor",
        "-",
    ]
    assert (bob[0], bob[3], bob[4]) == ("bob@example.com", "disabled", "globex:agent")
    assert [row[0] for row in listed(capsys, "--company", "globex")] == ["bob@example.com"]
    assert listed(capsys, "--company", "initech") == []


def test_all_pages_of_users_are_listed(pool: str, capsys: pytest.CaptureFixture[str]) -> None:
    people = People(boto3.client("cognito-idp"), pool)
    for number in range(65):  # a page has at most 60
        people.create(f"p{number:02}@example.com", ["acme:agent"], invites=True)

    assert [row[0] for row in listed(capsys)] == [f"p{n:02}@example.com" for n in range(65)]


def test_roles_are_given_and_taken_and_both_can_be_repeated(pool: str) -> None:
    run("create", ADA, "--role", "acme:agent")

    for _ in range(2):
        assert run("add-role", ADA, "acme:supervisor", "globex:agent") == 0
        assert roles_of(pool) == ["acme:agent", "acme:supervisor", "globex:agent"]
    for _ in range(2):
        assert run("remove-role", ADA, "acme:agent", "acme:supervisor") == 0
        assert roles_of(pool) == ["globex:agent"]


def test_the_name_that_colleagues_see_is_set_when_it_is_given(pool: str) -> None:
    run("create", ADA, "--role", "acme:agent", "--name", "Ada Byron")
    run("create", "bob@example.com", "--role", "acme:agent")

    named = {entry["Name"]: entry["Value"] for entry in described(pool)["UserAttributes"]}
    unnamed = {entry["Name"] for entry in described(pool, "bob@example.com")["UserAttributes"]}
    assert named["name"] == "Ada Byron"
    assert "name" not in unnamed


def test_teams_are_joined_and_left_and_both_can_be_repeated(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run("create", ADA, "--role", "acme:agent")

    for _ in range(2):
        assert run("add-team", ADA, "acme:night-shift") == 0
        assert roles_of(pool) == ["acme:agent", "acme:team:night-shift"]
    ((*_, roles, teams),) = listed(capsys, "--company", "acme")
    assert (roles, teams) == ("acme:agent", "acme:night-shift")
    for _ in range(2):
        assert run("remove-team", ADA, "acme:night-shift") == 0
        assert roles_of(pool) == ["acme:agent"]


def test_leaving_a_team_that_does_not_exist_is_refused_by_field(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run("create", ADA, "--role", "acme:agent")

    assert run("remove-team", ADA, "acme:sales") == 1
    assert "error: team: there is no such team" in capsys.readouterr().err


def test_a_disabled_user_is_enabled_again_with_the_same_roles(pool: str) -> None:
    run("create", ADA, "--role", "acme:agent")

    for command, is_enabled in (("disable", False), ("disable", False), ("enable", True)):
        assert run(command, ADA) == 0
        assert described(pool)["Enabled"] is is_enabled
    assert roles_of(pool) == ["acme:agent"]


@pytest.mark.parametrize("command", ["disable", "reset-password"])
def test_a_command_that_ends_logins_also_ends_the_sessions(
    pool: str, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    run("create", ADA, "--role", "acme:agent")
    People(boto3.client("cognito-idp"), pool).set_password(ADA, "Long-Word-12", is_final=True)
    called: list[str] = []
    cognito = boto3.client("cognito-idp")
    cognito.meta.events.register(
        "before-call.cognito-idp", lambda model, **_: called.append(model.name)
    )
    monkeypatch.setattr(
        boto3,
        "client",
        lambda name, make=boto3.client: cognito if name == "cognito-idp" else make(name),
    )

    assert run(command, ADA) == 0

    assert (
        called[-2:]
        == {
            "disable": ["AdminDisableUser", "AdminUserGlobalSignOut"],
            "reset-password": ["AdminUserGlobalSignOut", "AdminGetUser"],
        }[command]
    )


def test_a_reset_by_mail_keeps_no_password_valid(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run("create", ADA, "--role", "acme:agent", "--no-mail")
    People(boto3.client("cognito-idp"), pool).set_password(ADA, "Long-Word-12", is_final=True)
    assert described(pool)["UserStatus"] == "CONFIRMED"
    capsys.readouterr()

    assert run("reset-password", ADA) == 0

    assert described(pool)["UserStatus"] == "RESET_REQUIRED"
    assert capsys.readouterr().out == ""


def test_a_reset_without_mail_prints_a_password_that_must_be_changed(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run("create", ADA, "--role", "acme:agent", "--no-mail")
    first = capsys.readouterr().out

    assert run("reset-password", ADA, "--no-mail") == 0

    second = capsys.readouterr().out
    assert len(second.strip()) >= 12
    assert second != first
    assert described(pool)["UserStatus"] == "FORCE_CHANGE_PASSWORD"


def test_an_address_gets_one_user_also_in_other_letters(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run("create", ADA, "--role", "acme:agent")

    assert run("create", ADA, "--role", "acme:admin") == 1

    assert "error: email: there is a user with this address" in capsys.readouterr().err
    assert roles_of(pool) == ["acme:agent"]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["create", "ada", "--role", "acme:agent"], "email"),
        (["create", "ada@", "--role", "acme:agent"], "email"),
        (["create", "a b@example.com", "--role", "acme:agent"], "email"),
        (["create", "ada@ex ample.com", "--role", "acme:agent"], "email"),
        (["create", "ada@example.com\nx", "--role", "acme:agent"], "email"),
        (["create", f"{'a' * 65}@example.com", "--role", "acme:agent"], "email"),
        (["create", ADA], "--role"),
        (["create", ADA, "--role", "agent"], "--role"),
        (["create", ADA, "--role", "acme:owner"], "--role"),
        (["create", ADA, "--role", "acme:"], "--role"),
        (["create", ADA, "--role", ":agent"], "--role"),
        (["create", ADA, "--role", "ac me:agent"], "--role"),
        (["create", ADA, "--role", "acme:agent\n"], "--role"),
        (["add-role", ADA, "acme:Agent"], "role"),
        (["add-role", ADA], "role"),
        (["remove-role", ADA, "owner"], "role"),
        (["create", ADA, "--role", "acme:agent", "--name", ""], "--name"),
        (["create", ADA, "--role", "acme:agent", "--name", "a\nb"], "--name"),
        (["add-team", ADA, "sales"], "team"),
        (["add-team", ADA, "acme:Sales"], "team"),
        (["add-team", ADA, "acme:team:sales"], "team"),
        (["add-team", ADA, f"acme:{'a' * 33}"], "team"),
        (["remove-team", ADA], "team"),
        (["disable", ""], "user"),
        (["disable", "a b"], "user"),
        (["list", "--company", "a/b"], "--company"),
    ],
)
def test_bad_input_names_the_argument_and_changes_nothing(
    pool: str, capsys: pytest.CaptureFixture[str], words: list[str], field: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(*words)

    assert ended.value.code == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert field in line
    cognito = boto3.client("cognito-idp")
    assert cognito.list_users(UserPoolId=pool)["Users"] == []
    assert cognito.list_groups(UserPoolId=pool)["Groups"] == []


@pytest.mark.parametrize(
    "words",
    [
        ["disable", ADA],
        ["enable", ADA],
        ["add-role", ADA, "acme:agent"],
        ["add-team", ADA, "acme:sales"],
        ["reset-password", ADA],
        ["reset-password", ADA, "--no-mail"],
    ],
)
def test_an_unknown_user_is_refused_by_field(
    pool: str, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert run(*words) == 1

    shown = capsys.readouterr()
    assert shown.err.splitlines()[-1] == "error: user: user not found"
    assert shown.out == "", "no password of a user who does not exist"


def test_taking_a_role_of_an_unknown_user_or_one_without_holders_is_refused_by_field(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("remove-role", ADA, "acme:agent") == 1
    assert "error: role: no user has this role" in capsys.readouterr().err

    run("create", "bob@example.com", "--role", "acme:agent")
    capsys.readouterr()
    assert run("remove-role", ADA, "acme:agent") == 1
    assert "error: user: user not found" in capsys.readouterr().err


def test_a_stack_without_a_user_pool_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_stack(*_: str) -> dict[str, str]:
        raise arguments.Refused("--stack: parley-dev has no output UserPoolId")

    monkeypatch.setattr(arguments, "outputs_of", no_stack)

    assert run("list") == 1
    assert capsys.readouterr().err == "error: --stack: parley-dev has no output UserPoolId\n"


def test_a_refusal_of_cognito_is_one_line(
    pool: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def limited(*_: object, **__: object) -> None:
        raise ClientError({"Error": {"Code": "LimitExceededException", "Message": "m"}}, "Op")

    monkeypatch.setattr(People, "create", limited)

    assert run("create", ADA, "--role", "acme:agent") == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
