"""The deployed local stack, started once for all e2e tests and stopped after them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from local.stack.cli import Stack, running_stack
from local.stack.seed import seed


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
