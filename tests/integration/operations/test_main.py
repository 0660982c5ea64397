"""`python -m operations`: one command for operators, with sub-commands."""

import argparse
from collections.abc import Iterator

import pytest

from operations.__main__ import COMMANDS, main, module_of, parser


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_command_explains_its_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])

    assert ended.value.code == 0
    assert f"python -m operations {name}" in capsys.readouterr().out


@pytest.mark.parametrize("given", [[], ["phone"]])
def test_an_unknown_command_is_answered_by_the_usage_and_the_known_names(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(given) == 2

    usage, line = capsys.readouterr().err.splitlines()
    assert usage.startswith("usage: python -m operations")
    assert line == f"error: command: must be one of {', '.join(sorted(COMMANDS))}"


def helps() -> Iterator[tuple[str, str | None]]:
    """Each command and sub-command, with its help."""
    own_parsers = {name: module_of(name).parser() for name in COMMANDS}
    for name, own in [("", parser()), *own_parsers.items()]:
        for action in own._actions:
            if isinstance(action, argparse._SubParsersAction):
                for choice in action._choices_actions:
                    yield f"{name} {choice.dest}".strip(), choice.help


@pytest.mark.parametrize(("name", "text"), list(helps()))
def test_each_command_has_a_help_of_one_sentence(name: str, text: str | None) -> None:
    assert text
    assert text[0].islower()
    assert len(text) <= 120
    assert ". " not in text
    assert not text.endswith(".")


WITHOUT_A_DEPLOYMENT = {"secrets prepare", "ai import"}


@pytest.mark.parametrize(
    "name", [name for name, _ in helps() if name and name not in WITHOUT_A_DEPLOYMENT]
)
def test_each_command_of_a_deployment_accepts_the_local_stack(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*name.split(), "--help"])

    shown = capsys.readouterr().out
    assert ("--local" in shown) == ("command ..." not in shown)
