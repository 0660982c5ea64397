"""A project whose model may book slots in the company's own system."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conversations.steps import model_answer, model_says, with_model
from tests.integration.sandbox.receiver import Receiver, receiving

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

FIRST = model_answer("Hello Ann, can you start in May?")
THANKS = model_answer("It is booked, thank you.")


@pytest.fixture(scope="module")
def _booking_service() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def booking_service(_booking_service: Receiver) -> Receiver:
    """The project's own booking system."""
    _booking_service.answer, _booking_service.statuses = b'{"slot": "Monday"}', []
    while not _booking_service.requests.empty():
        _booking_service.requests.get()
    return _booking_service


def start_booking(
    system: System,
    booking_service: Receiver,
    *answers: str,
    data: dict[str, Any] | None = None,
    **function: Any,
) -> str:
    """A conversation whose model may book a slot, and the model's next outputs. *data* are the project data."""
    booking = {
        "name": "book_slot",
        "description": "Books a slot.",
        "parameters": {
            "type": "object",
            "properties": {"day": {"type": "string"}},
            "required": ["day"],
            "additionalProperties": False,
        },
        "target": f"{booking_service.url}/book",
    }
    with_model(system, FIRST, functions=[booking | function])
    ref = system.begin("sms", **({"project_data": data} if data else {}))
    model_says(system, *answers)
    return ref


def write(system: System, text: str = "Monday is fine", name: str = "m") -> None:
    system.text(name, text)
    system.drain()
