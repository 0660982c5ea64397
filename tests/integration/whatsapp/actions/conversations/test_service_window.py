"""Inbox, actions and send policy agree whether free-form messages may be sent, in the last minute too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shared.policy.facts import Reason
from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import ADA
from tests.integration.whatsapp.actions.messages.test_templates import FALLBACK, add_template
from tests.integration.whatsapp.conftest import NOW, PHONE
from whatsapp import store
from whatsapp.api.views import whole_conversation_view
from whatsapp.sending.failures import PolicyRefused
from whatsapp.sending.gate import Subject

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.conftest import Actions

ADAS = f"CONV#{PHONE}#{ADA}"
DAYS_AGO = "2025-12-20T12:00:00.000Z"
BEFORE_THE_END = clock.to_text(NOW + 24 * clock.HOUR_MS)
CUSTOMER_WROTE = {"lastInboundAt": clock.to_text(NOW)}
ANSWERED_AD = {"lastInboundAt": DAYS_AGO, "freeEntryUntil": BEFORE_THE_END}
MOMENTS = [((23, 58, 59), True), ((23, 59, 30), False), ((24, 0, 1), False)]


@pytest.fixture(params=[CUSTOMER_WROTE, ANSWERED_AD], ids=["customer wrote", "answered ad"])
def opened(actions: Actions, request: pytest.FixtureRequest) -> Actions:
    """ADA's conversation, whose window the provider closes 24 hours after NOW."""
    actions.harness.resources.table.update({"pk": ADAS}, put=request.param)
    add_template(actions)
    return actions


def policy_permits(actions: Actions) -> bool:
    table = actions.harness.resources.table
    phone, head = store.phones.get(table, PHONE), store.heads.get(table, ADAS)
    assert phone is not None
    assert head is not None
    try:
        actions.module.resources.gate.rehearse(Subject(phone=phone, conversation=head))
    except PolicyRefused as refusal:
        if refusal.reason == Reason.WINDOW_CLOSED:
            return False
        raise
    return True


def inbox_shows_open(actions: Actions) -> bool:
    head = store.heads.get(actions.harness.resources.table, ADAS)
    assert head is not None
    now = clock.to_text(clock.now_ms())
    return (whole_conversation_view(head, key="key", now=now).window_until or "") > now


@pytest.mark.parametrize(("time", "is_open"), MOMENTS)
def test_inbox_actions_and_policy_agree_about_the_window(
    opened: Actions, monkeypatch: pytest.MonkeyPatch, time: tuple[int, int, int], is_open: bool
) -> None:
    hours, minutes, seconds = time
    after_ms = ((hours * 60 + minutes) * 60 + seconds) * clock.SECOND_MS
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + after_ms)
    contact = opened.run("get_contact", {"contact": f"+{ADA}"}).result["conversations"][0]

    shown = {
        "policy": policy_permits(opened),
        "inbox": inbox_shows_open(opened),
        "get_service_window": opened.run("get_service_window", {"conversationPk": ADAS}).result["open"],
        "get_contact": contact["windowIsOpen"],
        "get_contact until": contact["windowOpenUntil"] > clock.to_text(clock.now_ms()),
    }  # fmt: skip
    assert shown == dict.fromkeys(shown, is_open)
    answer = opened.send("send_with_fallback", FALLBACK)
    [sent] = [sent for sent in opened.wire if sent.operation == "send_message"]
    assert answer.status == 200
    assert sent.body["type"] == ("text" if is_open else "template")  # type: ignore[index] # JSON
