"""Failures of the help desk's client, and the protection of its secret."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from local.sandbox import Sandbox
from richpanel.clients.calls import BadAnswer
from richpanel.clients.helpdesk import HelpDesk
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime.failures import Permanent, Transient
from tests.integration.richpanel.clients.helpdesk import operations, seed
from tests.integration.richpanel.conftest import NOW, Time

# Failures


@pytest.mark.parametrize("kind", ["reset", "lost_answer"])
def test_a_read_that_fails_once_is_tried_again_after_a_pause(
    help_desk_client: HelpDesk, sandbox: Sandbox, time: Time, kind: str
) -> None:
    seed(sandbox)
    sandbox.faults.add(kind=kind)

    assert help_desk_client.ticket("t-1") is not None
    assert len(time.waits) == 1
    assert 500 <= time.waits[0] <= 2_000


@pytest.mark.parametrize("change", ["tags", "assign"])
def test_a_change_that_can_be_repeated_is_tried_again_once(
    help_desk_client: HelpDesk, sandbox: Sandbox, change: str
) -> None:
    seed(sandbox)
    sandbox.faults.add(kind="status", status=503)

    def act() -> None:
        if change == "tags":
            help_desk_client.add_tags("t-1", {"vip"})
        else:
            help_desk_client.assign("t-1", "agent-9")

    act()
    assert len(sandbox.sent) == 1

    sandbox.faults.add(kind="status", status=503, times=2)
    with pytest.raises(Transient, match="richpanel_503"):
        act()
    assert sandbox.faults.pending() == []


def test_no_second_attempt_where_no_time_is_left_for_it(
    help_desk_client: HelpDesk, sandbox: Sandbox, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(sandbox)
    monkeypatch.setattr(random, "randint", lambda low, high: high)
    sandbox.faults.add(kind="status", status=500, times=2)
    late = replace(help_desk_client, deadline_ms=NOW + 4_499)

    with pytest.raises(Transient, match="richpanel_500"):
        late.ticket("t-1")
    assert (time.waits, len(sandbox.faults.pending())) == ([], 1)


def test_a_call_that_could_not_finish_in_time_is_not_begun(
    help_desk_client: HelpDesk, sandbox: Sandbox
) -> None:
    seed(sandbox)
    late = replace(help_desk_client, deadline_ms=NOW + 2_400)

    with pytest.raises(Transient, match="no_time_left"):
        late.ticket("t-1")
    with pytest.raises(NotSent, match="no_time_left"):
        late.reply("t-1", "Hello", "bot-1", "send_message")
    assert sandbox.sent == []


def test_a_call_times_out_before_the_invocation(
    help_desk_client: HelpDesk, sandbox: Sandbox
) -> None:
    seed(sandbox)
    sandbox.faults.add(kind="delay", seconds=30)

    with pytest.raises(InDoubt, match="no_answer"):
        replace(help_desk_client, deadline_ms=NOW + 2_600).reply(
            "t-1", "Hello", "bot-1", "send_message"
        )

    assert operations(sandbox) == ["send_message"]


@pytest.mark.parametrize("status", [400, 422])
def test_a_refusal_is_permanent_and_not_retried(
    help_desk_client: HelpDesk, sandbox: Sandbox, time: Time, status: int
) -> None:
    seed(sandbox)
    acts: list[Callable[[], object]] = [
        lambda: help_desk_client.ticket("t-1"),
        lambda: help_desk_client.add_tags("t-1", {"vip"}),
        lambda: help_desk_client.close("t-1"),
    ]
    for act in acts:
        sandbox.faults.add(kind="status", status=status)
        with pytest.raises(Permanent, match=f"richpanel_{status}"):
            act()
    assert time.waits == []


@pytest.mark.parametrize("kind", ["html", "empty"])
def test_an_answer_that_is_no_json_is_a_transient_failure(
    help_desk_client: HelpDesk, sandbox: Sandbox, kind: str
) -> None:
    seed(sandbox)
    acts: list[Callable[[], object]] = [
        lambda: help_desk_client.ticket("t-1"),
        lambda: help_desk_client.tickets(1, "2026-03-02"),
        lambda: help_desk_client.linked_order("t-1"),
        help_desk_client.tags,
        lambda: help_desk_client.add_tags("t-1", {"vip"}),
        lambda: help_desk_client.close("t-1"),
    ]
    for act in acts:
        sandbox.faults.add(kind=kind)
        with pytest.raises(BadAnswer) as failure:
            act()
        assert failure.value.reason == "bad_provider_answer"


# Secrets


def test_no_error_shows_the_key_the_text_or_the_providers_message(
    help_desk_client: HelpDesk, sandbox: Sandbox
) -> None:
    seed(sandbox, id="jane@shop.example")
    shown = []
    faults: list[dict[str, Any]] = [
        {"kind": "status", "status": 500, "times": 2},
        {"kind": "status", "status": 422},
        {"kind": "html"},
        {"kind": "reset", "times": 2},
    ]
    acts: list[Callable[[], object]] = [
        lambda: help_desk_client.ticket("jane@shop.example"),
        lambda: help_desk_client.reply("jane@shop.example", "Dear Jane", "bot-1", "comment"),
    ]
    for fault, act in product(faults, acts):
        sandbox.faults.clear()
        sandbox.faults.add(**fault)
        with pytest.raises((Transient, Permanent, InDoubt, Refused)) as failure:
            act()
        assert failure.value.__suppress_context__ or failure.value.__context__ is None
        shown.append("".join(traceback.format_exception_only(failure.value)))
    shown.append(repr(help_desk_client))

    assert len(shown) == 9
    for text in shown:
        assert "a-key" not in text
        assert "Please wait" not in text
        assert "jane" not in text.lower()
