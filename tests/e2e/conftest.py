"""The deployed local stack, brought up once for all e2e tests and stopped after them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

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
