"""The operators' commands on the deployed stack, as `--local` finds it."""

import json
import subprocess
import sys

import pytest

from events.conversations import sample_data
from events.whatsapp.sample_data import APP_ID
from local.stack.processes import ROOT
from tests.e2e.conftest import Deployed


def operate(*words: str, value: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "operations", *words, "--local"],
        cwd=ROOT,
        input=value,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.usefixtures("deployed")
def test_the_doctor_reports_no_problem_in_a_seeded_stack() -> None:
    ran = operate("doctor")

    shown, _, _ = ran.stdout.partition("\nNext steps:")
    assert ran.stderr == ""
    for check in ("secrets", "connections", "numbers", "webhooks", "functions", "event sources"):
        rows = [line for line in shown.splitlines() if f"  {check}  " in line]
        assert rows
        assert [row for row in rows if not row.startswith("ok ")] == []


def test_writing_a_field_of_a_secret_keeps_the_others(deployed: Deployed) -> None:
    secrets, secret_id = deployed.stack.client("secretsmanager"), "whatsapp_apps"
    before = deployed.stack.secret(secret_id)

    ran = operate("secrets", "set", "whatsapp-apps", "apps.55555", value="made-up\n")

    try:
        assert ran.returncode == 0, ran.stderr
        after = deployed.stack.secret(secret_id)
        assert after == before | {"apps": before["apps"] | {"55555": ["made-up"]}}
        assert APP_ID in after["apps"]
    finally:
        secrets.put_secret_value(
            SecretId=deployed.stack.secrets[secret_id], SecretString=json.dumps(before)
        )


@pytest.mark.usefixtures("deployed")
def test_projects_are_listed_on_the_local_stack() -> None:
    assert f"{sample_data.COMPANY}\t{sample_data.PROJECT}" in operate("projects", "list").stdout
