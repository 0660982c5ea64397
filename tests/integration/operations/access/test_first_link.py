"""`python -m operations first-link`: an operator makes the one-time link of the first administrator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from operations.__main__ import main
from operations.access import first_link
from operations.command_line import arguments
from shared.access import first_links
from shared.access.first_links import FirstLink

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table

CONSOLE = "https://api.example/prod/console"
ADDRESS = "ada@example.com"


@pytest.fixture
def deployed(keys: Table, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The parameters of a stack."""
    outputs = {arguments.TABLE_OF_KEYS: keys.name, first_link.CONSOLE: CONSOLE}
    given: dict[str, str] = {}
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: outputs)
    monkeypatch.setattr(arguments, "parameters_of", lambda _: given)
    return given


def run(*words: str) -> int:
    return main(["first-link", *words, "--stack", "parley-prod"])


def link(keys: Table, capsys: pytest.CaptureFixture[str]) -> FirstLink:
    """The link that was printed."""
    address, _, token = capsys.readouterr().out.strip().partition("#/begin/")
    assert address == CONSOLE
    return first_links.find(keys, token, ADDRESS)[0]


@pytest.mark.usefixtures("deployed")
def test_the_printed_link_makes_an_administrator_and_operator(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--company", "acme") == 0

    assert link(keys, capsys) == FirstLink("acme", ("admin", "operator"))


@pytest.mark.usefixtures("deployed")
def test_a_company_that_shares_the_deployment_gets_an_administrator_only(
    keys: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    run("--company", "globex", "--admin-only")

    assert link(keys, capsys) == FirstLink("globex", ("admin",))


def test_the_one_company_of_a_deployment_needs_no_name(
    keys: Table, deployed: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    deployed["SingleCompany"] = "acme"

    run()

    assert link(keys, capsys).company == "acme"


@pytest.mark.usefixtures("deployed")
def test_without_one_company_the_command_asks_for_its_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run() == 2
    assert "--company: is required" in capsys.readouterr().err


def test_with_another_login_provider_the_command_says_where_people_get_their_groups(
    deployed: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    deployed["LoginIssuer"] = "https://login.example"

    assert run("--company", "acme") == 1
    assert "give the group <company>:admin there" in capsys.readouterr().err
