"""What the model was given: the requests that reached the provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.integration.conversations.steps import model_answer, with_model

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

ANSWER = model_answer("Thank you, I have a look.")


def begin(system: System, **settings: Any) -> str:
    """A conversation over WhatsApp with a model of OpenAI; returns its `ref`."""
    ref = system.begin("whatsapp")
    with_model(system, **settings)
    return ref


def requests(system: System) -> list[Any]:
    """The model's requests, oldest first."""
    return [sent.body for sent in system.sandbox.sent if sent.operation == "create_response"]


def newest_input(system: System) -> Any:
    """The content of the newest customer message in the newest request."""
    return requests(system)[-1]["input"][-1]["content"]
