"""The deployed local stack, started once for all e2e tests and stopped after them."""

from __future__ import annotations

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
def deployed() -> Iterator[Deployed]:
    with running_stack() as stack:
        yield Deployed(stack, seed(stack))
