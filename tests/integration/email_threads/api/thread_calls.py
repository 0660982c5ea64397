"""Calls about threads, and what they answer."""

from __future__ import annotations

from typing import Any

from tests.simulation.email_threads.system import MAILBOX, System

THREADS = "/email-threads"


def result(answer: tuple[int, dict[str, Any]]) -> dict[str, Any]:
    status, body = answer
    assert status < 300, body
    found: dict[str, Any] = body["result"]
    return found


def refused(answer: tuple[int, dict[str, Any]]) -> tuple[int, str, list[str]]:
    status, body = answer
    error = body["error"]
    return status, error["code"], [one["field"] for one in error.get("details", [])]


def thread_of(system: System, *raws: bytes) -> str:
    """Deliver mails, and return the path of the newest thread."""
    for raw in raws:
        system.clock.ms += 1_000
        system.deliver(raw, name=f"{len(system.rows())}", address=MAILBOX)
        system.drain()
    newest = max(system.threads(), key=lambda thread: thread["updated_at"])
    return f"{THREADS}/{newest['conversation_id']}"


def subjects_of(system: System, **query: str) -> list[str]:
    shown = result(system.call("GET", THREADS, query=query))
    return [thread["subject"] for thread in shown["threads"]]
