"""The deployed local stack, brought up once for all e2e tests and stopped after them."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from local.processes import LOCAL
from local.seed import seed
from local.stack import Stack, running_stack


@dataclass(frozen=True)
class Deployed:
    """The stack, and a key of the demo company."""

    stack: Stack
    api_key: str


@pytest.fixture(scope="session")
def deployed() -> Iterator[Deployed]:
    with running_stack() as stack:
        yield Deployed(stack, seed(stack))


@pytest.fixture(scope="module", autouse=True)
def alone(deployed: Deployed) -> Iterator[None]:
    """One file of tests at a time: they share the stack, and count what is in its queues and logs."""
    with (LOCAL / "e2e").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
