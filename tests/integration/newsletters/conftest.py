"""Table, bucket and queues of newsletters, empty for each test; and all functions over them."""

from collections.abc import Iterator

import pytest

from tests.integration.newsletters.deployment import Deployment, deployed
from tests.integration.newsletters.functions import Functions, running_functions


@pytest.fixture
def newsletters() -> Iterator[Deployment]:
    with deployed() as deployment:
        yield deployment


@pytest.fixture(scope="module")  # not wider: other suites in this process have their own moto
def _functions() -> Iterator[Functions]:
    with running_functions() as functions:
        yield functions


@pytest.fixture
def functions(_functions: Functions) -> Functions:
    return _functions.reset()
