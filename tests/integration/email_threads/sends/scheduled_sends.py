"""Steps of drafts that are sent later."""

from __future__ import annotations

from typing import Any

from shared.runtime import clock
from tests.integration.email_threads.api.thread_calls import result
from tests.simulation.email_threads.system import System

HOUR_MS = 3_600_000


def step(system: System, draft: str, name: str, version: int = 1, **more: Any) -> dict[str, Any]:
    return result(system.call("POST", f"{draft}/{name}", {"version": version}, **more))


def at(system: System, ms: int) -> str:
    return clock.to_text(system.clock.ms + ms)
