"""`make lint` fails for a known vulnerability, and reports a skipped check."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from local import audit
from local.stack.processes import ROOT, StackError

FILE = "layers/exports/requirements.txt"

FINDING = {"id": "PYSEC-2026-1", "aliases": ["CVE-2026-1"], "fix_versions": ["2.0"]}
CLEAN = {"name": "pydantic", "version": "2.14.0", "vulns": []}
BAD = {"name": "boto3", "version": "1.44.5", "vulns": [FINDING]}
UNKNOWN = {"name": "nh3", "skip_reason": "Dependency not found on PyPI"}
OFFLINE = (
    "Traceback (most recent call last):\n  ...\nrequests.exceptions.ConnectionError: no name\n"
)


NPM_CLEAN: dict[str, Any] = {"vulnerabilities": {}, "metadata": {"dependencies": {"total": 30}}}
NPM_BAD = NPM_CLEAN | {"vulnerabilities": {"vite": {"severity": "high", "range": "<8.3.9"}}}
NPM_REFUSES = {"message": "405 Method Not Allowed", "error": {"summary": ""}}


class Audits:
    """
    Answers of the databases by name: dependencies, or error output. One file of requirements and one lock file.

    `npm` is the document of npm's command.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: dict[str, list[dict[str, Any]] | str | Exception] = {}
        self.npm: Any = NPM_CLEAN
        self.commands: list[list[str]] = []
        monkeypatch.setattr(subprocess, "run", self.run)
        monkeypatch.setattr(audit, "REQUIREMENTS", audit.REQUIREMENTS[:1])
        monkeypatch.setattr(audit, "LOCKS", audit.LOCKS[:1])

    def run(self, command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        if "--vulnerability-service" not in command:
            text = self.npm if isinstance(self.npm, str) else json.dumps(self.npm)
            return subprocess.CompletedProcess(command, 1, text, "npm error no name")
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
def databases(monkeypatch: pytest.MonkeyPatch) -> Audits:
    return Audits(monkeypatch)


def test_every_file_of_pinned_packages_is_checked() -> None:
    folders = ("functions", "layers", "console", "local", "operations", "requirements", "tests")
    pinned = [
        one
        for folder in folders
        for name in ("*requirements*.txt", "package-lock.json")
        for one in (ROOT / folder).rglob(name)
        if "node_modules" not in one.parts
    ]
    pinned += (ROOT / "requirements").glob("*.txt")

    assert sorted({*audit.REQUIREMENTS, *audit.LOCKS}) == sorted(set(pinned))


def test_packages_without_findings_pass(
    databases: Audits, capsys: pytest.CaptureFixture[str]
) -> None:
    databases.answers["pypi"] = [CLEAN, UNKNOWN]

    audit.main()

    assert capsys.readouterr().out.splitlines() == [
        f"not checked: nh3 of {FILE}, unknown to pypi",
        f"{FILE}: no known vulnerability in 1 packages (pypi)",
        "console/package-lock.json: no known vulnerability in 30 packages (npm)",
    ]


def test_a_finding_fails_and_is_named(databases: Audits) -> None:
    databases.answers["pypi"] = [CLEAN, BAD]

    with pytest.raises(SystemExit, match=r"boto3 1\.44\.5: PYSEC-2026-1 CVE-2026-1, fixed in 2\.0"):
        audit.main()


@pytest.mark.parametrize(
    "silent", [OFFLINE, [UNKNOWN, UNKNOWN], subprocess.TimeoutExpired("pip_audit", 180)]
)
def test_the_next_database_is_queried_if_the_first_gives_no_answer(
    databases: Audits, silent: Any
) -> None:
    """A database without any known package gives no answer, regardless of its exit code."""
    databases.answers = {"pypi": silent, "osv": [BAD]}

    with pytest.raises(SystemExit, match="PYSEC-2026-1"):
        audit.main()


def test_a_file_about_which_no_database_answers_is_named_and_does_not_fail(
    databases: Audits, capsys: pytest.CaptureFixture[str]
) -> None:
    databases.answers = {"pypi": [UNKNOWN], "osv": OFFLINE}
    databases.npm = NPM_REFUSES

    audit.main()

    python, npm = capsys.readouterr().out.splitlines()
    assert python.startswith(f"not checked: {FILE}, as no database")
    assert "pypi: it knows none of the 1 packages" in python
    assert "osv: requests.exceptions.ConnectionError: no name" in python
    assert npm.startswith("not checked: console/package-lock.json, as no database")
    assert "npm: 405 Method Not Allowed" in npm


def test_an_npm_that_prints_no_document_is_no_answer(
    databases: Audits, capsys: pytest.CaptureFixture[str]
) -> None:
    databases.answers["pypi"] = [CLEAN]
    databases.npm = ""

    audit.main()

    assert "not checked: console/package-lock.json" in capsys.readouterr().out


def test_findings_of_all_files_are_named_together(databases: Audits) -> None:
    databases.answers["pypi"] = [BAD]
    databases.npm = NPM_BAD

    with pytest.raises(SystemExit) as ended:
        audit.main()

    assert str(ended.value).splitlines()[1:] == [
        f"{FILE}: boto3 1.44.5: PYSEC-2026-1 CVE-2026-1, fixed in 2.0",
        "console/package-lock.json: vite <8.3.9: high",
    ]


def test_the_last_lines_of_ci_name_what_was_not_checked(tmp_path: Path) -> None:
    make = tmp_path / "make"
    make.write_text(
        "#!/bin/sh\necho 'not checked: some/requirements.txt, as no database answers'\n"
        "echo '===== 3 passed in 1.00s ====='\necho done\n"
    )
    make.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    ran = subprocess.run(  # noqa: S603 - our own script
        [ROOT / ".ci" / "run"], capture_output=True, text=True, env=path, check=True
    )

    assert ran.stdout.splitlines()[-3:] == [
        "not checked: some/requirements.txt, as no database answers",
        *["===== 3 passed in 1.00s ====="] * 2,
    ]


@pytest.mark.parametrize("broken", ["ERROR: requirement file is malformed", "", []])
def test_a_pip_audit_that_fails_for_another_reason_fails_the_check(
    databases: Audits, broken: Any
) -> None:
    databases.answers = {"pypi": broken, "osv": [CLEAN]}

    with pytest.raises(StackError, match="pip-audit f"):
        audit.main()


def test_every_ignored_vulnerability_is_passed_to_pip_audit_with_a_reason(
    databases: Audits, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(audit.IGNORED.values())
    monkeypatch.setitem(audit.IGNORED, "PYSEC-2026-1", "we do not call it")
    databases.answers["pypi"] = [CLEAN]

    audit.main()

    (command,) = databases.commands
    assert command[command.index("--ignore-vuln") + 1] == "PYSEC-2026-1"
