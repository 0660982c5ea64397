"""The role of each function of conversations permits exactly what the function does in the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events.conversations import sample_data
from tests import template
from tests.simulation.conversations.document_scenarios import DOCUMENT_SCENARIOS
from tests.simulation.conversations.permission_scenarios import OPENAI_SECRET_ID, SCENARIOS, STAGE
from tests.simulation.conversations.setup import CALLED, READERS
from tests.simulation.conversations.test_caller_retries import CALLS
from tests.simulation.permissions import (
    CallObserver,
    Use,
    granted_for_lambda,
    grants_of,
    missing,
    needless,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.conversations.system import System

# Every path of every function runs once.
pytestmark = pytest.mark.long

FUNCTIONS = sorted([name for name, _ in READERS.values()] + list(CALLED))


@pytest.fixture(scope="module")
def uses(_system: System) -> Iterator[dict[str, set[Use]]]:
    observer = CallObserver()
    with pytest.MonkeyPatch.context() as patch:
        tokens = template.properties("WhatsAppAccessTokens", **STAGE)["Name"]
        _system.put_secret(OPENAI_SECRET_ID, {"ai_api_key": "made up"})
        _system.put_secret(tokens, {sample_data.COMPANY: "a token of the sandbox"})
        patch.setattr(_system.interceptor, "observer", observer.note)
        for queue, (function, _) in READERS.items():
            module = _system.workers[template.properties(queue, **STAGE)["QueueName"]]
            patch.setattr(module, "handler", observer.watching(function, module.handler))
        for function, name in CALLED.items():
            module = _system.functions[name]
            patch.setattr(module, "handler", observer.watching(function, module.handler))
        for scenario in (*SCENARIOS, *DOCUMENT_SCENARIOS):
            scenario(_system)
        for call in CALLS:
            _system.reset()
            call.before(_system)
            call.call(_system)
            _system.settle()
        yield observer.uses


def test_every_function_of_conversations_is_exercised() -> None:
    names = template.resources("AWS::Serverless::Function")

    ours = [name for name in sorted(names) if name.startswith("Conversations")]
    assert [name for name in ours if not name.endswith("InboxFeed")] == FUNCTIONS


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_uses_every_permission_of_its_role(
    uses: dict[str, set[Use]], function: str
) -> None:
    grants = grants_of(function, **STAGE) - granted_for_lambda(function, **STAGE)

    assert needless(grants, uses[function]) == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_permits_every_call_of_its_function(
    uses: dict[str, set[Use]], function: str
) -> None:
    assert missing(grants_of(function, **STAGE), uses[function]) == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_permits_the_calls_of_lambda_itself(function: str) -> None:
    assert granted_for_lambda(function, **STAGE) <= grants_of(function, **STAGE)
