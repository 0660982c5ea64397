"""`make lint` fails for a known vulnerability, and reports a skipped check."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from local import audit
from local.stack.processes import StackError

FINDING = {"id": "PYSEC-2026-1", "aliases": ["CVE-2026-1"], "fix_versions": ["2.0"]}
CLEAN = {"name": "pydantic", "version": "2.14.0", "vulns": []}
BAD = {"name": "boto3", "version": "1.44.5", "vulns": [FINDING]}
UNKNOWN = {"name": "nh3", "skip_reason": "Dependency not found on PyPI"}
OFFLINE = (
    "Traceback (most recent call last):\n  ...\nrequests.exceptions.ConnectionError: no name\n"
)


class PipAudit:
    """Answers of the databases by name: dependencies, or error output."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: dict[str, list[dict[str, Any]] | str | Exception] = {}
        self.commands: list[list[str]] = []
        monkeypatch.setattr(subprocess, "run", self.run)

    def run(self, command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        self.commands.append(command)
        answer = self.answers[command[command.index("--vulnerability-service") + 1]]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return subprocess.CompletedProcess(command, 1, "", answer)
        found = any(package.get("vulns") for package in answer)
        return subprocess.CompletedProcess(
            command, int(found), json.dumps({"dependencies": answer})
        )


@pytest.fixture
def databases(monkeypatch: pytest.MonkeyPatch) -> PipAudit:
    return PipAudit(monkeypatch)


def test_packages_without_findings_pass(
    databases: PipAudit, capsys: pytest.CaptureFixture[str]
) -> None:
    databases.answers["pypi"] = [CLEAN, UNKNOWN]

    audit.main()

    assert capsys.readouterr().out.splitlines() == [
        "not audited, unknown to pypi: nh3",
        "pip-audit: no known vulnerability in 1 packages (pypi)",
    ]


def test_a_finding_fails_and_is_named(databases: PipAudit) -> None:
    databases.answers["pypi"] = [CLEAN, BAD]

    with pytest.raises(SystemExit, match=r"boto3 1\.44\.5: PYSEC-2026-1 CVE-2026-1, fixed in 2\.0"):
        audit.main()


@pytest.mark.parametrize(
    "silent", [OFFLINE, [UNKNOWN, UNKNOWN], subprocess.TimeoutExpired("pip_audit", 180)]
)
def test_the_next_database_is_queried_if_the_first_gives_no_answer(
    databases: PipAudit, silent: Any
) -> None:
    """A database without any known package gives no answer, regardless of its exit code."""
    databases.answers = {"pypi": silent, "osv": [BAD]}

    with pytest.raises(SystemExit, match="PYSEC-2026-1"):
        audit.main()


def test_without_any_answer_the_check_is_skipped_visibly(
    databases: PipAudit, capsys: pytest.CaptureFixture[str]
) -> None:
    databases.answers = {"pypi": [UNKNOWN], "osv": OFFLINE}

    audit.main()

    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("skipped: pip-audit")
    assert "pypi: it knows none of the 1 packages" in line
    assert "osv: requests.exceptions.ConnectionError: no name" in line


@pytest.mark.parametrize("broken", ["ERROR: requirement file is malformed", "", []])
def test_a_pip_audit_that_fails_for_another_reason_fails_the_check(
    databases: PipAudit, broken: Any
) -> None:
    databases.answers = {"pypi": broken, "osv": [CLEAN]}

    with pytest.raises(StackError, match="pip-audit f"):
        audit.main()


def test_every_ignored_vulnerability_is_passed_to_pip_audit_with_a_reason(
    databases: PipAudit, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(audit.IGNORED.values())
    monkeypatch.setitem(audit.IGNORED, "PYSEC-2026-1", "we do not call it")
    databases.answers["pypi"] = [CLEAN]

    audit.main()

    (command,) = databases.commands
    assert command[command.index("--ignore-vuln") + 1] == "PYSEC-2026-1"
