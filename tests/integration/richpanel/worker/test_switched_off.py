"""A switch is closed while a reply is in progress: the reply is stopped, or counted as sent while off."""

from __future__ import annotations

from typing import Any

import pytest

from richpanel.clients.helpdesk import HelpDesk
from richpanel.worker.cases import decisions
from richpanel.worker.cases.case import Overtaken
from tests.integration.logs import counted
from tests.integration.richpanel.harness import WHERE, Harness


@pytest.mark.parametrize(
    "closed",
    [
        {"safe_mode": "true"},
        {"automation_enabled": "false"},
        {"automation_enabled_channels": "livechat"},
        {"template_enabled": "{}"},
        {"outbound_scope": "none"},
        {"dry_run": "true"},
    ],
)
def test_a_decided_reply_is_not_sent_if_a_switch_was_closed_since(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, closed: dict[str, str]
) -> None:
    real = decisions.decision_on

    def decide_and_close(*args: Any) -> Any:
        decision = real(*args)
        harness.switch(**closed)
        return decision

    harness.ticket(WHERE)
    with monkeypatch.context() as patch:
        patch.setattr(decisions, "decision_on", decide_and_close)
        with pytest.raises(Overtaken):
            harness.handle()

    assert harness.replies() == []
    assert harness.handle(receives=2).outcome == "processed"
    assert harness.replies() == []


def test_a_reply_that_went_out_while_its_switch_was_closed_is_counted(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = HelpDesk.reply

    def reply_and_close(*args: Any) -> None:
        real(*args)
        harness.switch(safe_mode="true")

    counted("SentWhileOff")
    harness.ticket(WHERE)
    with monkeypatch.context() as patch:
        patch.setattr(HelpDesk, "reply", reply_and_close)
        harness.handle()

    assert len(harness.replies()) == 1
    assert counted("SentWhileOff") == 1


def test_a_reply_that_is_sent_with_its_switch_open_is_not_counted(harness: Harness) -> None:
    counted("SentWhileOff")
    harness.ticket(WHERE)
    harness.handle()

    assert len(harness.replies()) == 1
    assert counted("SentWhileOff") == 0
