"""A test of two templates that is killed at any call sends each person one message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.whatsapp.actions.campaigns.people import people
from tests.integration.whatsapp.actions.campaigns.runs import Killed, Killer, numbers, total
from tests.integration.whatsapp.actions.campaigns.trials import PEOPLE, begin, read_all, tested

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.campaigns.runs import Runs

__all__ = ["people", "tested"]  # fixtures


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_cancellation_killed_at_any_call_is_repeated_and_sends_nothing(
    runs: Runs, tested: str, after: bool
) -> None:
    variants = begin(runs, tested)
    kills = 0
    for at in range(1, 200, 3):
        try:
            with Killer(at, after=after):
                runs.control("cancel_campaign", tested)
        except Killed:
            kills += 1
            is_over = [runs.show(one).get("outcome") == "cancelled" for one in variants]
            assert runs.show(tested).get("outcome") is None or all(is_over)
        else:
            break
    runs.wait(20)

    assert kills
    assert runs.sent_to() == []
    assert [runs.show(one)["outcome"] for one in (tested, *variants)] == ["cancelled"] * 3


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_test_killed_at_any_call_sends_each_person_one_message(
    runs: Runs, tested: str, after: bool
) -> None:
    """Begin, look and decision are killed at every third call, then repeated by the schedule."""
    kills = 0

    def killed(step: Any, first: int) -> None:
        nonlocal kills
        for at in range(first, 200, 3):
            try:
                with Killer(at, after=after):
                    step()
            except Killed:
                kills += 1
            else:
                return
            runs.now += 60_000

    killed(lambda: runs.control("start_campaign", tested), 1)
    a, b = (one["campaignId"] for one in runs.show(tested)["test"]["variants"])
    runs.wait(10)
    runs.finish(a)
    runs.finish(b)
    killed(lambda: runs.control("decide_campaign_test", tested, winner="b"), 2)
    runs.wait(10)
    rest = runs.finish(tested)
    everyone = runs.sent_to()

    assert kills
    assert sorted(everyone) == sorted(f"+{n}" for n in numbers(PEOPLE))
    assert (rest["test"]["winner"], total(rest)) == ("b", rest["totalRecipients"])


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("first", range(1, 4))
def test_a_beginning_killed_at_any_call_is_completed_by_the_schedule_alone(
    runs: Runs, tested: str, after: bool, first: int
) -> None:
    for at in range(first, 200, 3):
        try:
            with Killer(at, after=after):
                runs.control("start_campaign", tested)
        except Killed:
            if "begunAt" in runs.show(tested)["test"]:
                break
        else:
            break
    runs.wait(20)
    a, b = (one["campaignId"] for one in runs.show(tested)["test"]["variants"])

    assert [runs.show(one)["status"] for one in (a, b)] == ["completed", "completed"]


@pytest.mark.long
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_schedule_killed_while_the_rule_decides_sends_the_rest_one_message(
    runs: Runs, tested: str, after: bool
) -> None:
    a, b = begin(runs, tested)
    runs.finish(a)
    runs.finish(b)
    read_all(runs, b)
    runs.wait(2)
    runs.now += 15 * 60_000
    kills = 0
    for at in range(1, 300, 5):
        try:
            with Killer(at, after=after):
                runs.schedule()
        except Killed:
            kills += 1
        else:
            break
    runs.wait(20)
    rest = runs.finish(tested)

    assert kills
    assert rest["test"]["winner"] == "b"
    assert sorted(runs.sent_to()) == sorted(f"+{n}" for n in numbers(PEOPLE))
