"""Copies of conversations at OpenAI are deleted with the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.conversations.privacy.erasure import (
    ANN,
    PERSONAL_DATA,
)
from tests.integration.conversations.steps import (
    OPENAI_SECRET_ID,
    start_conversation,
)
from tests.simulation.conversations.erasure import erase, traces

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def copied(system: System, **of_model: str) -> None:
    """A conversation with a copy at the model's provider."""
    row = system.conversation(start_conversation(system))
    system.write("conversations", row | {"thread_id": "conv_1", "ai_config": of_model})


@pytest.mark.parametrize("is_there", [True, False], ids=["stored", "deleted before"])
def test_the_copy_at_openai_is_deleted_with_the_conversations_own_key(
    system: System, *, is_there: bool
) -> None:
    system.put_secret(OPENAI_SECRET_ID, {"ai_api_key": "sk-made-up"})
    if is_there:
        system.sandbox.openai.conversations["conv_1"] = []
    copied(system, provider="openai", api_key_reference=OPENAI_SECRET_ID)

    done = erase(system, ANN)

    assert system.sandbox.openai.conversations == {}
    assert (done.counts["threads"], done.threads_left) == (1, [])


@pytest.mark.parametrize("of_model", [{}, {"api_key_reference": f"{OPENAI_SECRET_ID}-gone"}])
def test_a_copy_that_cannot_be_deleted_is_reported_and_the_rest_is_erased(
    system: System, of_model: dict[str, str]
) -> None:
    copied(system, **of_model)  # of a key that does not exist

    done = erase(system, ANN)

    assert ("threads" in done.counts, done.threads_left) == (False, ["conv_1"])
    assert traces(system, *PERSONAL_DATA) == []
