"""
The deployed local stack, started once for all e2e tests and stopped after them. The report of a failed test says what
the stack was doing.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import pytest

from local.stack.cli import Stack, running_stack
from local.stack.processes import LOGS
from local.stack.seed import seed

TROUBLE = ("WARNING [", "ERROR [", '"level":"WARNING"', '"level":"ERROR"')
NEWEST_LINES, LONGEST_LINE = 40, 400


@dataclass(frozen=True)
class Deployed:
    """The stack, and a key of the demo company."""

    stack: Stack
    api_key: str


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with running_stack() as stack:
        yield Deployed(stack, _seeded_once(stack, tmp_path_factory))


def _seeded_once(stack: Stack, folders: pytest.TempPathFactory) -> str:
    """
    Return an API key of the demo company. The first worker of a run registers the samples, and the others wait for it:
    a second one would create people at the same time, and undo settings that a test has just changed.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        return seed(stack)
    shared = folders.getbasetemp().parent
    key = shared / f"key-{run}-{stack.user_pool_id}"
    with (shared / "seed-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not key.exists():
            key.write_text(seed(stack))
        return key.read_text()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failed test which queues have messages, and the newest warnings and errors of the log."""
    report = yield
    deployed = getattr(item, "funcargs", {}).get("deployed")
    if report.failed and deployed is not None:
        report.sections.append(("local stack", "\n".join(_state(deployed.stack))))
    return report


def _state(stack: Stack) -> Iterator[str]:
    counts = {name: stack.messages_on([name]) for name in stack.queues}
    yield "queues: " + (
        ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "empty"
    )
    log = (LOGS / "ministack.log").read_text(errors="replace").splitlines()
    troubles = [line[:LONGEST_LINE] for line in log if any(mark in line for mark in TROUBLE)]
    yield from troubles[-NEWEST_LINES:]
