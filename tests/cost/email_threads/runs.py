"""Runs of a mailbox's set of two scenarios in the measured e-mail threads."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from tests.simulation.email_threads.system import ASSISTED

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

_PATH: Final = f"/email-mailboxes/{ASSISTED}"
_SET: Final = f"{_PATH}/sets/chairs"
_ASKS: Final = {
    "kind": "mail",
    "mails": [{"text": "What does a chair cost?"}],
    "answer": {"reply": "It costs $40."},
    "expect": {},
}


def begins_recorded(system: System) -> None:
    """A run with recorded answers has begun."""
    _begins(system, recorded=True)


def begins_with_model(system: System) -> None:
    """A run whose scenarios each ask the model once has begun."""
    _begins(system, recorded=False)


def plays(system: System) -> None:
    """The worker plays both scenarios."""
    system.drain()


def _begins(system: System, *, recorded: bool) -> None:
    scenarios = [_ASKS | {"name": name} for name in ("one", "two")]
    status, body = system.call("POST", _SET, {"scenarios": scenarios})
    assert status == HTTPStatus.OK, body
    status, body = system.call("POST", f"{_SET}/runs", {"recorded": recorded})
    assert status == HTTPStatus.ACCEPTED, body
