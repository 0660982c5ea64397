"""A switch is closed while a reply is in progress: the reply is stopped, or counted as sent while off."""

from __future__ import annotations

from typing import Any

import pytest

from richpanel.clients.helpdesk import HelpDesk
from richpanel.worker import cases
from richpanel.worker.cases import Overtaken
from tests.integration.logs import counted
from tests.integration.richpanel.office import Office

WHERE = "Hi, where is my order? It has not arrived yet."


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
    office: Office, monkeypatch: pytest.MonkeyPatch, closed: dict[str, str]
) -> None:
    real = cases.decision_on

    def decide_and_close(*args: Any) -> Any:
        decision = real(*args)
        office.switch(**closed)
        return decision

    office.ticket(WHERE)
    with monkeypatch.context() as patch:
        patch.setattr(cases, "decision_on", decide_and_close)
        with pytest.raises(Overtaken):
            office.handle()

    assert office.replies() == []
    assert office.handle(receives=2).outcome == "processed"
    assert office.replies() == []


def test_a_reply_that_went_out_while_its_switch_was_closed_is_counted(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = HelpDesk.reply

    def reply_and_close(*args: Any) -> None:
        real(*args)
        office.switch(safe_mode="true")

    counted("SentWhileOff")
    office.ticket(WHERE)
    with monkeypatch.context() as patch:
        patch.setattr(HelpDesk, "reply", reply_and_close)
        office.handle()

    assert len(office.replies()) == 1
    assert counted("SentWhileOff") == 1


def test_a_reply_that_is_sent_with_its_switch_open_is_not_counted(office: Office) -> None:
    counted("SentWhileOff")
    office.ticket(WHERE)
    office.handle()

    assert len(office.replies()) == 1
    assert counted("SentWhileOff") == 0
