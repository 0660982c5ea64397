"""Answers that are sent without a person."""

from __future__ import annotations

import pytest

from email_threads.store.items import ReplyMode
from tests.integration.email_threads import desk
from tests.simulation.email_threads.system import System

HOUR_MS = 3_600_000


@pytest.fixture(autouse=True)
def sends_safe_answers(system: System) -> None:
    desk.set_up(system, reply_mode=ReplyMode.AUTO, link_hosts=["shop.example"])
