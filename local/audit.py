"""
Looks up the packages that ship in the layer in public databases of vulnerabilities; part of `make lint`.

Exit code 1 with the findings. Where no database answers, a line that begins with "skipped:", and exit code 0: a machine
without access to them can still run all other checks.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from local.stack import environments
from local.stack.processes import ROOT, StackError, as_program

REQUIREMENTS = ROOT / "layers" / "shared" / "requirements.txt"
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
    """What a database knows: a line for each finding, and the packages that it does not have."""

    findings: list[str]
    audited: int
    unknown: list[str]


def ask(service: str) -> Report:
    """Ask one database about every pinned package. Raises NoAnswer, and StackError where pip-audit fails otherwise."""
    command = [
        *(str(environments.python_of("audit")), "-m", "pip_audit", "--vulnerability-service", service),
        # With hashes and without pip nothing is resolved, downloaded or built.
        *("--requirement", str(REQUIREMENTS), "--require-hashes", "--disable-pip"),
        *("--format", "json", "--progress-spinner", "off", "--timeout", str(_CONNECT_SECONDS)),
        *(word for advisory in IGNORED for word in ("--ignore-vuln", advisory)),
    ]  # fmt: skip
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_LONGEST_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise NoAnswer(f"no answer within {_LONGEST_SECONDS} s") from None
    try:
        answer = json.loads(ran.stdout)
    except ValueError:
        # pip-audit's exit code is 1 for findings and for failures alike; only findings come with a document.
        if any(word in ran.stderr for word in _NO_ANSWER):
            raise NoAnswer(_last_line(ran.stderr)) from None
        raise StackError(f"pip-audit failed: {_last_line(ran.stderr)}") from None
    report = _read(answer)
    if not report.audited + len(report.unknown):
        raise StackError(f"pip-audit found no package in {REQUIREMENTS.relative_to(ROOT)}")
    if report.audited == 0:  # A mirror that serves files only: pip-audit reports this as success.
        raise NoAnswer(f"it knows none of the {len(report.unknown)} packages")
    return report


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


def main() -> None:
    """`python -m local.audit`."""
    reasons = []
    for service in SERVICES:
        try:
            report = ask(service)
        except NoAnswer as refusal:
            reasons.append(f"{service}: {refusal}")
            continue
        for name in report.unknown:
            print(f"not audited, unknown to {service}: {name}")
        if report.findings:
            sys.exit(
                "\n".join(["packages of the layer with known vulnerabilities:", *report.findings])
            )
        print(f"pip-audit: no known vulnerability in {report.audited} packages ({service})")
        return
    print(f"skipped: pip-audit, as no database of vulnerabilities answers ({'; '.join(reasons)})")


if __name__ == "__main__":
    as_program(main)
