"""One sandbox for all clients of this folder, reset before each test."""

from collections.abc import Iterator

import pytest

from local.sandbox import Config, Sandbox, running
from tests.integration.shared.providers.twilio_account import TOKEN


@pytest.fixture(scope="session")
def _sandbox() -> Iterator[Sandbox]:
    with running(Config(twilio_auth_token=TOKEN)) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(_sandbox: Sandbox) -> Sandbox:
    _sandbox.reset()
    return _sandbox
