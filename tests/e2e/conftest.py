"""The deployed local stack, started once for all e2e tests and stopped after them."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from local.stack.cli import Stack, running_stack
from local.stack.processes import LOCAL
from local.stack.seed import seed


@dataclass(frozen=True)
class Deployed:
    """The stack, and a key of the demo company."""

    stack: Stack
    api_key: str


@pytest.fixture(scope="module", autouse=True)
def _alone() -> Iterator[None]:
    """One module at a time: each counts messages in the stack's queues and log lines of its functions."""
    LOCAL.mkdir(exist_ok=True)
    with (LOCAL / "e2e").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def deployed() -> Iterator[Deployed]:
    with running_stack() as stack:
        yield Deployed(stack, seed(stack))
