"""`python -m operations api-keys`: an operator creates, lists and revokes API keys."""

import os
import subprocess
import sys

import pytest

from access import api_keys as keys_of_callers
from access.api_keys import KeyRefused
from operations.access import api_keys
from shared.access import company_keys
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.operations.conftest import NOW
from tests.template import ROOT


def run(table: Table, *arguments: str) -> int:
    return api_keys.main([*arguments, "--table", table.name])


def created(table: Table, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(table, "create", *arguments) == 0
    return capsys.readouterr().out.removesuffix("\n")


def test_a_new_key_allows_reading_its_companys_data(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    key = created(keys, capsys, "--company", "acme")

    caller = keys_of_callers.verify(keys, key).caller()
    assert (caller.company, caller.scopes) == ("acme", frozenset({"whatsapp:read"}))


def test_a_key_gives_access_to_the_named_projects_or_to_all_of_its_company(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    everywhere = created(keys, capsys, "--company", "CI-1.a")
    named = created(
        keys, capsys, "--company", "CI-1.a", "--project", "one", "--project", "Two_2",
        "--scopes", "conversations:read", "conversations:reply",
    )  # fmt: skip

    of_all, of_two = (keys_of_callers.verify(keys, key).caller() for key in (everywhere, named))
    assert [of_all.may_use("CI-1.a", project) for project in ("one", "other")] == [True, True]
    assert [of_two.may_use("CI-1.a", project) for project in ("one", "Two_2", "other")] == [
        True, True, False,
    ]  # fmt: skip
    run(keys, "list")
    assert "\tone,Two_2\t" in capsys.readouterr().out


@pytest.mark.parametrize(
    "scope",
    ["whatsapp:read", "whatsapp:admin", "operator", "richpanel:read", "richpanel:operate",
     "consent:read", "consent:write"],
)  # fmt: skip
def test_a_key_of_a_project_gets_no_scope_whose_data_has_no_project(
    keys: Table, capsys: pytest.CaptureFixture[str], scope: str
) -> None:
    given = ["create", "--company", "acme", "--project", "one"]

    assert run(keys, *given, "--scopes", "conversations:read", scope) == 2

    error = capsys.readouterr().err
    assert f"--scopes: {scope} apply to data without a project" in error
    run(keys, "list")
    assert capsys.readouterr().out == ""
    assert run(keys, *given) == 2  # The default scope has no project either.


def test_standard_output_is_the_key_alone_so_that_scripts_can_take_it(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(keys, "create", "--company", "acme") == 0

    out, err = capsys.readouterr()
    assert keys_of_callers.verify(keys, out.removesuffix("\n"))
    assert "shown only once" in err
    assert out.strip() not in err


def test_a_key_may_have_an_expiry(
    keys: Table, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = created(keys, capsys, "--company", "acme", "--expires-days", "30")

    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 30 * 86_400_000 - 1_000)
    assert keys_of_callers.verify(keys, key)
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 30 * 86_400_000)
    with pytest.raises(KeyRefused, match=r"^expired$"):
        keys_of_callers.verify(keys, key)
    run(keys, "list")
    assert "\texpired\t" in capsys.readouterr().out


def test_the_list_shows_the_companies_of_the_keys_and_no_secret(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    first = created(keys, capsys, "--company", "acme", "--name", "till", "--expires-days", "1")
    second = created(keys, capsys, "--company", "globex", "--scopes", "whatsapp:read")

    assert run(keys, "list") == 0
    everything = capsys.readouterr().out
    assert run(keys, "list", "--company", "globex") == 0
    of_globex = capsys.readouterr().out

    ids = [key.split("_")[1] for key in (first, second)]
    assert everything.splitlines() == [
        f"{ids[0]}\tacme\tactive\tcreated 2026-01-01T12:00:00.000Z"
        "\texpires 2026-01-02T12:00:00.000Z\twhatsapp:read\t*\ttill",
        f"{ids[1]}\tglobex\tactive\tcreated 2026-01-01T12:00:00.000Z\t\twhatsapp:read\t*\t",
    ]
    assert of_globex == everything.splitlines(keepends=True)[1]
    stored = [str(item) for key_id in ids if (item := keys.get({"key_id": key_id}))]
    for key in (first, second):
        secret = key.split("_", 2)[2]
        assert not any(secret in text for text in (everything, *stored))
        assert keys_of_callers.verify(keys, key).secret_hash not in everything


def test_the_list_adds_older_keys_to_that_of_their_company(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = {created(keys, capsys, "--company", "acme").split("_")[1] for _ in range(2)}
    created(keys, capsys, "--company", "globex")
    keys.delete({"key_id": "KEYS#acme"})
    assert company_keys.of_company(keys, "acme") == []

    assert run(keys, "list") == 0

    assert {key.key_id for key in company_keys.of_company(keys, "acme")} == ids


def test_a_company_has_a_bounded_number_of_keys(
    keys: Table, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(company_keys, "MOST_KEYS", 1)
    created(keys, capsys, "--company", "acme")

    assert run(keys, "create", "--company", "acme") == 1

    assert "--company: a company may have 1 API keys" in capsys.readouterr().err
    assert len(company_keys.of_company(keys, "acme")) == 1


def test_a_revoked_key_is_refused_and_stays_in_the_list(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    key = created(keys, capsys, "--company", "acme")
    key_id = key.split("_")[1]

    assert run(keys, "revoke", key_id) == 0
    assert run(keys, "revoke", key_id) == 0

    with pytest.raises(KeyRefused, match=r"^revoked$"):
        keys_of_callers.verify(keys, key)
    capsys.readouterr()
    run(keys, "list")
    assert "\trevoked\t" in capsys.readouterr().out


def test_revoking_an_unknown_key_fails_and_creates_none(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(keys, "revoke", "0" * 16) == 1

    assert "key_id: key not found" in capsys.readouterr().err
    assert keys.get({"key_id": "0" * 16}) is None


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        (["create"], "--company"),
        (["create", "--company", ""], "--company"),
        (["create", "--company", "Acme Ltd"], "--company"),
        (["create", "--company", "a/b"], "--company"),
        (["create", "--company", "a" * 65], "--company"),
        (["create", "--company", "acmé"], "--company"),
        (["create", "--company", "acme\n"], "--company"),
        (["create", "--company", "acme", "--scopes", "whatsapp:everything"], "--scopes"),
        (["create", "--company", "acme", "--scopes"], "--scopes"),
        (["create", "--company", "acme", "--project", "two words"], "--project"),
        (["create", "--company", "acme", "--expires-days", "0"], "--expires-days"),
        (["create", "--company", "acme", "--expires-days", "-1"], "--expires-days"),
        (["create", "--company", "acme", "--expires-days", "3651"], "--expires-days"),
        (["create", "--company", "acme", "--expires-days", "soon"], "--expires-days"),
        (["create", "--company", "acme", "--expires-days", "1.5"], "--expires-days"),
        (["create", "--company", "acme", "--name", "two\nlines"], "--name"),
        (["create", "--company", "acme", "--name", ""], "--name"),
        (["revoke"], "key_id"),
        (["revoke", "pk_0000000000000000_" + "A" * 43], "key_id"),
        (["revoke", "0" * 15], "key_id"),
        (["list", "--company", "Acme Ltd"], "--company"),
        ([], "command"),
    ],
)
def test_a_wrong_argument_is_named_with_its_rule_and_changes_nothing(
    keys: Table, capsys: pytest.CaptureFixture[str], arguments: list[str], argument: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        run(keys, *arguments)

    assert stop.value.code == 2
    assert argument in capsys.readouterr().err.splitlines()[-1]
    assert run(keys, "list") == 0
    assert capsys.readouterr().out == ""


def test_a_deployment_must_be_named_and_only_once(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    for where in ([], ["--table", "t-t", "--stack", "s"], ["--table", "a b"], ["--stack", "1"]):
        with pytest.raises(SystemExit):
            api_keys.main(["list", *where])
        assert "--stack" in capsys.readouterr().err


def test_a_missing_table_is_an_error_in_one_line(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert api_keys.main(["list", "--table", "nowhere"]) == 1

    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert "ResourceNotFoundException" in line


@pytest.mark.long
@pytest.mark.parametrize("command", ["api-keys", "projects", "recovery", "phones"])
def test_a_command_starts_from_a_fresh_checkout_without_configuration(command: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    done = subprocess.run(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", "operations", command, "--help"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "list" in done.stdout
    assert done.stderr == ""
