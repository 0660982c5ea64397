"""Moves of mails by people in the measured e-mail threads: a merge, its undo, and a split."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from tests.simulation.email_threads.system import ANN

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

ZOE: Final = "zoe@grove.example"  # has a thread of one mail


def merges(system: System) -> None:
    """A person makes Zoe's thread part of Ann's, and the worker moves its mail and draft."""
    _move(system, ZOE, "merge", into=_thread_of(system, ANN))


def undoes(system: System) -> None:
    """A person undoes the merge."""
    merged = next(one["conversation_id"] for one in system.threads() if "merged_into" in one)
    _call(system, f"/email-threads/{merged}/unmerge")


def splits(system: System) -> None:
    """A person moves the two newest mails of Ann's thread to a new one."""
    thread = next(one for one in system.threads() if one.get("participant") == ANN)
    newest = int(thread["email_count"])
    _move(system, ANN, "split", mails=[newest - 1, newest])


def _move(system: System, participant: str, step: str, **body: Any) -> None:
    _call(system, f"/email-threads/{_thread_of(system, participant)}/{step}", **body)


def _call(system: System, path: str, **body: Any) -> None:
    status, answer = system.call("POST", path, body)
    assert status == HTTPStatus.ACCEPTED, answer


def _thread_of(system: System, participant: str) -> str:
    found = (one for one in system.threads() if one.get("participant") == participant)
    return str(next(found)["conversation_id"])
