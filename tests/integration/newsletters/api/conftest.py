"""The system of the simulation with the scripted model, which can be told to break rules, and its author."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

import pytest

from local.sandbox.providers.openai import schema_answers
from tests.integration.newsletters.api.author import Author
from tests.simulation.newsletters.setup import running_system

if TYPE_CHECKING:
    from collections.abc import Iterator

scripted = schema_answers.answer  # before a system replaces it


@pytest.fixture(scope="module")  # not wider: other suites in this process have their own moto
def _author() -> Iterator[Author]:
    with running_system() as system, mock.patch.object(schema_answers, "answer", scripted):
        yield Author(system)


@pytest.fixture
def author(_author: Author) -> Author:
    _author.system.reset()
    return _author
