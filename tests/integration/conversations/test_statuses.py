"""What providers say became of our messages, in any order, twice, early and late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations import arriving, moving
from conversations.lifecycle import Status
from conversations.moving import Cause
from tests.integration.conversations.acts import aside, stands, take_over

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

UNREACHABLE = {"ErrorCode": "30003"}


def ours(world: World, ref: str, number: int = -1) -> dict[str, Any]:
    """A message of ours, the newest unless another one is meant."""
    return [m for m in world.log(ref) if m["author"] != "customer"][number]


def told(world: World, ref: str, word: str, number: int = -1, **fields: str) -> None:
    """Twilio tells what became of a message of ours."""
    world.status(ours(world, ref, number)["provider_message_id"], word, **fields)
    world.work_off()


def write(world: World, text: str = "Which shift is it?", name: str = "m") -> None:
    world.text(name, text)
    world.work_off()


def end(world: World, ref: str, status: Status = Status.CLOSED) -> None:
    """Somebody ends the conversation."""
    here = aside(world)
    cause = Cause(who="human:eve", what="end", reason="ended")
    moving.move(here, arriving.opened(here, ref), status, cause)


# Failures


def test_an_answer_that_nobody_got_is_a_persons(world: World) -> None:
    ref = world.begin("sms")
    write(world)

    told(world, ref, "undelivered", **UNREACHABLE)

    assert stands(world, ref) == ("handoff_pending", "delivery_failed:30003")


@pytest.mark.parametrize("status", [Status.CLOSED, Status.OPTED_OUT])
def test_a_failure_that_comes_late_brings_nothing_back_that_is_over(
    world: World, status: Status
) -> None:
    ref = world.begin("sms")
    write(world)
    end(world, ref, status)

    told(world, ref, "undelivered", **UNREACHABLE)

    assert stands(world, ref) == (status, "ended")
    assert world.state(ref)["mode"] == "closed"
    assert ours(world, ref)["delivery_status"] == "failed"


@pytest.mark.parametrize("status", [Status.CLOSED, Status.OPTED_OUT])
def test_a_first_message_that_failed_late_begins_nothing_elsewhere_once_it_is_over(
    world: World, status: Status
) -> None:
    world.change(fallback_channels=["email"])
    ref = world.begin("sms")
    end(world, ref, status)

    told(world, ref, "undelivered", **UNREACHABLE)

    assert stands(world, ref)[0] == status
    assert len(world.sent()) == 1


def test_a_failure_takes_nothing_from_whoever_has_the_conversation(world: World) -> None:
    world.change(fallback_channels=["email"])
    ref = world.begin("sms")
    take_over(world, ref)

    told(world, ref, "undelivered", **UNREACHABLE)

    assert stands(world, ref) == ("handoff_active", "taken_over")
    assert len(world.sent()) == 1


def test_what_waits_for_a_person_keeps_its_reason(world: World) -> None:
    ref = world.begin("sms")
    write(world, "Can I talk to a human please")

    told(world, ref, "undelivered", **UNREACHABLE)

    assert stands(world, ref) == ("handoff_pending", "ai")


def test_who_looked_before_somebody_ended_it_does_not_bring_it_back(world: World) -> None:
    ref = world.begin("sms")
    here = aside(world)
    seen = arriving.opened(here, ref)
    write(world, "STOP")

    cause = Cause(who="provider", what="late", reason="delivery_failed:30003")
    moving.move(here, seen, Status.HANDOFF_PENDING, cause)

    assert stands(world, ref) == ("opted_out", "said_stop")
    assert world.state(ref)["mode"] == "closed"
    write(world, "Hello?", "n")
    assert stands(world, ref)[0] == "opted_out"
