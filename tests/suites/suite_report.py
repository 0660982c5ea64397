"""
Prints what a run of the suites cost: its ten slowest files, and the calls of AWS clients of each suite.

A complete run of the long tests fails if a suite makes more calls than its budget: unlike seconds, calls do not depend
on the machine. The end-to-end tests are not counted: how often they poll depends on it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import pytest
from botocore.client import BaseClient

if TYPE_CHECKING:
    from collections.abc import Generator

SLOWEST: Final = 10
NOT_COUNTED: Final = "tests/e2e"
# A suite that tests rules and files: a helper of a test may ask a table or two.
FEW: Final = 100
# Calls of the long tests of the other suites: what a complete run made, and a quarter more.
BUDGETS: Final[dict[str, int]] = {
    "tests/cost": 70_000,
    "tests/integration/console": 155_000,
    "tests/integration/conversations": 145_000,
    "tests/integration/email_threads": 66_000,
    "tests/integration/isolation": 45_000,
    "tests/integration/newsletters": 12_000,
    "tests/integration/operations": 20_000,
    "tests/integration/richpanel": 23_000,
    "tests/integration/sandbox": 1_000,
    "tests/integration/shared": 36_000,
    "tests/integration/whatsapp": 175_000,
    "tests/simulation": 23_000,
    "tests/simulation/console": 12_600,
    "tests/simulation/conversations": 160_000,
    "tests/simulation/email_threads": 73_000,
    "tests/simulation/newsletters": 310_000,  # an issue to 10,000 recipients among them
    "tests/simulation/richpanel": 13_000,
    "tests/simulation/shared": 63_000,
    "tests/simulation/whatsapp": 302_000,
    "tests/upgrade": 30_000,
}

_calls = 0


def install() -> None:
    """Count the calls of all clients from now on."""
    client: Any = BaseClient  # its types have no internals
    call = client._make_api_call

    def counted(self: Any, operation: str, parameters: Any) -> Any:
        global _calls  # noqa: PLW0603 - one count per process, of all threads
        _calls += 1
        return call(self, operation, parameters)

    client._make_api_call = counted


def suite_of(nodeid: str) -> str:
    """Return the folder of a test, such as `tests/simulation/whatsapp`; at most three levels. Costs are one suite."""
    levels = 2 if nodeid.startswith("tests/cost/") else 3
    return "/".join(nodeid.partition("::")[0].split("/")[:-1][:levels])


class SuiteReport:
    """A plugin of pytest: it counts in the workers, and prints in the process that controls them."""

    def __init__(self, *, has_budgets: bool) -> None:
        self.has_budgets = has_budgets
        self.seconds: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self._counted = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Add the calls since the last report to a report; xdist sends it to the controlling process."""
        report = yield
        report.aws_calls, self._counted = _calls - self._counted, _calls
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid.partition("::")[0]] += report.duration
        # The report of a worker that died has none.
        self.calls[suite_of(report.nodeid)] += getattr(report, "aws_calls", 0)

    def exceeded(self) -> list[str]:
        """Return one line for each suite that made more calls than its budget."""
        if not self.has_budgets:
            return []
        return [
            f"{suite} made {count:,} calls of AWS clients; its budget is {BUDGETS.get(suite, FEW):,}"
            for suite, count in sorted(self.calls.items())
            if not suite.startswith(NOT_COUNTED) and count > BUDGETS.get(suite, FEW)
        ]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.exceeded() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if len(self.seconds) <= SLOWEST:
            return
        terminalreporter.section("slowest files")
        for file, seconds in self.seconds.most_common(SLOWEST):
            terminalreporter.write_line(f"{seconds:7.1f} s  {file}")
        terminalreporter.section("calls of AWS clients")
        for suite, count in self.calls.most_common():
            terminalreporter.write_line(f"{count:9,}  {suite}")
        for line in self.exceeded():
            terminalreporter.write_line(line, red=True)
