"""`python -m operations`: one command for operators, with sub-commands."""

import pytest

from operations.__main__ import COMMANDS, main


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_command_explains_its_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])

    assert ended.value.code == 0
    assert f"python -m operations {name}" in capsys.readouterr().out


@pytest.mark.parametrize("given", [[], ["phone"]])
def test_an_unknown_command_is_refused_with_the_known_names(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(given) == 2
    assert (
        capsys.readouterr().err == f"error: command: must be one of {', '.join(sorted(COMMANDS))}\n"
    )
