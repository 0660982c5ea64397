"""The role of each function of conversations permits exactly what the function does in the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events.conversations import sample_data
from tests import template
from tests.simulation.conversations.document_scenarios import DOCUMENT_SCENARIOS
from tests.simulation.conversations.memory_scenarios import MEMORY_SCENARIOS
from tests.simulation.conversations.permissions.scenarios import SCENARIOS
from tests.simulation.conversations.permissions.steps import OPENAI_SECRET_ID, STAGE
from tests.simulation.conversations.starts.test_caller_retries import CALLS
from tests.simulation.conversations.system import System
from tests.simulation.permissions.permissions import Use
from tests.simulation.permissions.role_checks import check, observed

if TYPE_CHECKING:
    from collections.abc import Iterator

# Every path of every function runs once.
pytestmark = pytest.mark.long

FUNCTIONS = sorted(System.parts.functions)
# Agents' messages that an earlier release has put on the queue of a channel.
_EARLIER = frozenset({"dynamodb:PutItem table/spending-local"})
# Replies with results of functions that were released while a send was unresolved: with the customer's files.
_FILES = frozenset({"s3:GetObject parley-local-media-123456789012-us-east-1/media/*"})
UNUSED = {
    # Replays of parked first messages.
    "ConversationsAdmin": frozenset(
        f"sqs:SendMessage parley-local-conversations-{channel}.fifo"
        for channel in ("whatsapp", "sms", "email")
    ),
    # Erasures: of items without a stored `ref`, of files of mails, and of copies at OpenAI.
    "ConversationsSweeper": _FILES
    | {
        "dynamodb:GetItem table/conversations-local",
        "dynamodb:UpdateItem table/conversations-local",
        "s3:DeleteObject parley-local-media-123456789012-us-east-1/media/*",
        "secretsmanager:GetSecretValue parley/local/companies/*",
    },
    "ConversationsWhatsApp": _EARLIER | _FILES,
    "ConversationsSms": _EARLIER,
    "ConversationsEmail": _EARLIER | _FILES,
}


@pytest.fixture(scope="module")
def uses(_system: System) -> Iterator[dict[str, set[Use]]]:
    tokens = template.name_of("WhatsAppAccessTokens", **STAGE)
    _system.put_secret(OPENAI_SECRET_ID, {"ai_api_key": "made up"})
    _system.put_secret(tokens, {sample_data.COMPANY: "a token of the sandbox"})
    with observed(_system) as observer:
        for scenario in (*SCENARIOS, *DOCUMENT_SCENARIOS, *MEMORY_SCENARIOS):
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
def test_a_role_permits_exactly_the_calls_of_its_function(
    uses: dict[str, set[Use]], function: str
) -> None:
    check(function, uses, STAGE, UNUSED.get(function, frozenset()))
