"""One sandbox for all tests of this folder, reset before each of them."""

from collections.abc import Iterator

import pytest

from local.sandbox import Config, Sandbox, running
from tests.integration.sandbox.bucket import Bucket
from tests.integration.sandbox.client import Client
from tests.integration.sandbox.receiver import Receiver, receiving


@pytest.fixture(scope="session")
def _bucket() -> Bucket:
    return Bucket()


@pytest.fixture(scope="session")
def _sandbox(_bucket: Bucket) -> Iterator[Sandbox]:
    with running(Config(put_object=_bucket.put)) as sandbox:
        yield sandbox


@pytest.fixture
def bucket(_bucket: Bucket) -> Bucket:
    _bucket.clear()
    return _bucket


@pytest.fixture
def sandbox(_sandbox: Sandbox) -> Sandbox:
    _sandbox.reset()
    return _sandbox


@pytest.fixture
def client(sandbox: Sandbox) -> Iterator[Client]:
    client = Client(sandbox.url)
    yield client
    client.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver
