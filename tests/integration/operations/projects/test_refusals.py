"""Project files and arguments that `python -m operations projects` refuses."""

from pathlib import Path
from typing import Any

import pytest

from conversations.configuration import projects as set_ups
from events.conversations import sample_data
from operations.projects import cli as projects
from shared.aws.dynamodb import Table
from shared.runtime.validation import web_addresses
from tests.integration.operations.projects.conftest import BEDROCK, put, run, stored
from tests.values.web_addresses import LOOPBACK, MALFORMED


def broken(attribute: str, value: object) -> dict[str, Any]:
    """The project with one attribute changed; `a.b` is `b` in `a`, and None removes it."""
    item = sample_data.project()
    *path, last = attribute.split(".")
    place = item
    for step in path:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return item


@pytest.mark.parametrize(
    "wrong",
    [
        ("company_id", "two words", "company_id"),
        ("project_id", None, "project_id"),
        ("allowed_channels", ["pigeon"], "allowed_channels.0"),
        ("channel_config.email", None, "channel_config.email"),
        (
            "channel_config.sms.company_sms_number",
            "0170 555",
            "channel_config.sms.company_sms_number",
        ),
        ("channel_config.whatsapp.provider", "carrier", "channel_config.whatsapp.provider"),
        ("timezone", "Mars/Olympus", "timezone"),
        ("policy.quiet_hours", ["9 pm", "08:00"], "policy.quiet_hours"),
        ("rate_limits", {"max_concurrent_turns": 0}, "rate_limits.max_concurrent_turns"),
        ("rate_limits", {"max_concurrent_turns": 1_001}, "rate_limits.max_concurrent_turns"),
        ("policy.link_hosts", ["depot.example", "https://depot.example"], "policy.link_hosts.1"),
        ("policy.link_hosts", ["depot.example/jobs"], "policy.link_hosts.0"),
        ("policy.link_hosts", ["depot"], "policy.link_hosts.0"),
        ("ai_config.provider", "oracle", "ai_config.provider"),
        ("ai_config", {"provider": "bedrock"}, "ai_config.bedrock_config.whatsapp"),
        ("ai_config.prompts", {"reply": "x" * 8_193}, "ai_config.prompts.reply"),
        (
            "channel_config.whatsapp.templates",
            {"invitation": {"body": "Hello {{name}}"}},
            "channel_config.whatsapp.templates.invitation",
        ),
        (
            "channel_config.whatsapp.default_template",
            "no_such",
            "channel_config.whatsapp.default_template",
        ),
        ("retention_days", 0, "retention_days"),
    ],
)
def test_a_bad_attribute_is_named_without_its_value_and_nothing_is_stored(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    wrong: tuple[str, object, str],
) -> None:
    attribute, value, named = wrong

    assert put(file, broken(attribute, value)) == 1

    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"error: {named}")
    assert all(line.startswith("error: ") and str(value) not in line for line in lines)
    assert tables[projects.TABLE].get(set_ups.key(sample_data.COMPANY, sample_data.PROJECT)) is None


@pytest.mark.parametrize(
    "target", [*MALFORMED[::5], *LOOPBACK], ids=lambda target: ascii(target)[1:50]
)
def test_a_function_with_a_target_that_may_not_be_called_is_not_stored(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    target: str,
) -> None:
    monkeypatch.delenv("STAGE")  # an operator's shell has none
    function = {"name": "book_slot", "description": "Books a slot.", "target": target}

    assert put(file, sample_data.project(ai_config=BEDROCK | {"functions": [function]})) == 1

    line = capsys.readouterr().err
    assert line == f"error: ai_config.functions.0.target: {web_addresses.RULE}\n"
    assert stored(tables) is None


def test_the_scripted_model_is_refused_outside_the_local_stack(
    tables: dict[str, Table],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("STAGE")

    assert put(file, sample_data.project(ai_config={"provider": "scripted"})) == 1

    rule = "must be `bedrock` or `openai`: `scripted` is a model of the local stack only"
    assert capsys.readouterr().err == f"error: ai_config.provider: {rule}\n"
    assert stored(tables) is None


@pytest.mark.parametrize("text", ["", "[]", '{"company_id": NaN}', "{", "[" * 100_000])
def test_a_file_without_a_json_object_is_refused(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    assert put(file, text) == 1

    assert "file: must contain one JSON object" in capsys.readouterr().err


def test_a_missing_file_is_an_error_in_one_line(
    tables: dict[str, Table], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("put", str(file)) == 1

    assert capsys.readouterr().err == "error: file: cannot be read (FileNotFoundError)\n"


@pytest.mark.parametrize(
    "arguments_given",
    [
        ["put"],
        ["show", "acme"],
        ["show", "a/b", "p"],
        ["list", "--company", ""],
        [],
    ],
)
def test_a_wrong_argument_ends_the_command(
    tables: dict[str, Table], arguments_given: list[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        run(*arguments_given)

    assert stop.value.code == 2
