"""`operations richpanel`: the shop's settings are shown, stored, listed, rolled back and previewed by command."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from operations.command_line import arguments
from operations.contexts.richpanel import cli, deployment
from tests.integration.richpanel.admin.conftest import SETTINGS
from tests.template import environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.richpanel.admin.conftest import Admin

RETURN = "t_return_request_intake"
OWN = {
    "templates": {RETURN: {"en": {"default": "Ja.\n\n{{support_signature}}", "livechat": "Ja."}}}
}


@pytest.fixture
def shop(admin: Admin, monkeypatch: pytest.MonkeyPatch) -> Admin:
    monkeypatch.setattr(deployment, "of_stack", lambda _: admin.module.deps)
    monkeypatch.setattr(deployment, "caller", lambda: "arn:aws:iam::1:user/ops")
    return admin


def run(command: str, *given: str) -> int:
    return cli.main([command, "--stack", "parley-dev", *given])


def written(folder: Path, settings: Any) -> str:
    file = folder / "settings.json"
    file.write_text(settings if isinstance(settings, str) else json.dumps(settings))
    return str(file)


def test_settings_of_a_file_are_stored_and_shown(
    shop: Admin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("put-settings", written(tmp_path, OWN)) == 0
    capsys.readouterr()

    assert run("settings") == 0

    shown = capsys.readouterr()
    assert json.loads(shown.out) == OWN
    assert shown.err.startswith("version 1, 2026-")
    assert shop.call(f"GET {SETTINGS}").result["changed_by"] == "arn:aws:iam::1:user/ops"


def test_templates_are_printed_with_the_texts_to_start_from(
    shop: Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("templates") == 0

    printed = json.loads(capsys.readouterr().out)
    assert printed == shop.call("GET /admin/richpanel/templates").result["templates"]
    assert "{{support_signature}}" in printed[RETURN]["texts"]["en"]["default"]


def test_a_rollback_restores_and_the_versions_are_listed(
    shop: Admin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("put-settings", written(tmp_path, OWN))
    run("put-settings", written(tmp_path, {"languages": ["en"]}))

    assert run("rollback", "1") == 0
    assert run("versions") == 0

    assert shop.call(f"GET {SETTINGS}").result["settings"] == OWN
    lines = capsys.readouterr().out.splitlines()[-3:]
    assert [line.split("\t")[0] for line in lines] == ["3", "2", "1"]


def test_a_preview_shows_the_settings_of_a_file(
    shop: Admin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("preview", RETURN, "--file", written(tmp_path, OWN), "--channel", "livechat") == 0

    assert capsys.readouterr().out == "Ja.\n"
    assert shop.call(f"GET {SETTINGS}").result["number"] == 0


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (("put-settings", "FILE"), "error: settings.colour: Extra inputs are not permitted"),
        (("put-settings", "BROKEN"), "must be a readable JSON file"),
        (("put-settings", "LIST"), "must hold a JSON object"),
        (
            ("put-settings", "EMPTY", "--based-on", "4"),
            "error: --based_on: the settings were changed",
        ),
        (("rollback", "7"), "error: number: version not found"),
        (("settings", "--number", "7"), "error: --number: version not found"),
        (("preview", "t_none"), "error: template: must be a template of the catalogue"),
        (("preview", RETURN, "--language", "de"), "error: language: the template has no wording"),
    ],
)
def test_a_refusal_names_the_field_and_stores_nothing(
    shop: Admin,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    given: tuple[str, ...],
    error: str,
) -> None:
    contents = {"FILE": {"colour": 1}, "BROKEN": "{", "LIST": [], "EMPTY": {}}
    arguments_ = [written(tmp_path, contents[word]) if word in contents else word for word in given]
    before = shop.harness.rows("state")

    assert run(arguments_[0], *arguments_[1:]) == 1

    assert error in capsys.readouterr().err
    assert shop.harness.rows("state") == before


def test_the_dependencies_come_from_the_environment_of_the_admin_function(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arguments, "stage_of", lambda _: "dev")
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as archive:
        archive.writestr("main.py", "")
    role = boto3.client("iam").create_role(RoleName="admin", AssumeRolePolicyDocument="{}")
    boto3.client("lambda").create_function(
        FunctionName="parley-dev-richpanel-admin",
        Role=role["Role"]["Arn"],
        Code={"ZipFile": code.getvalue()},
        Runtime="python3.13",
        Handler="main.main",
        Environment={"Variables": environment("RichpanelAdmin")},
    )

    deps = deployment.of_stack("parley-dev")

    assert deps.state.name == admin.module.deps.state.name
    assert deps.queues.mail.url == admin.module.deps.queues.mail.url
