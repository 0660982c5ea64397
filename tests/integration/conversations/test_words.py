"""STOP, START and HELP: one word acts at once, and what follows from it happens once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.integration.conversations.acts import HOUR_MS, said, stands

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


def write(world: World, text: str, name: str = "m", **fields: str) -> None:
    world.text(name, text, **fields)
    world.work_off()


def told(world: World, ref: str) -> list[str]:
    """The fixed texts that left."""
    return said(world, ref, "system")


# Stop


def test_an_opt_out_is_confirmed_once(world: World) -> None:
    ref = world.begin("sms")

    write(world, "STOP", "one")
    write(world, "stop!!", "two")

    assert stands(world, ref) == ("opted_out", "said_stop")
    assert len(told(world, ref)) == 1


def test_who_came_back_and_leaves_again_is_told_again(world: World) -> None:
    ref = world.begin("sms")

    for name, word in enumerate(("STOP", "START", "STOP")):
        world.clock.ms += HOUR_MS
        write(world, word, f"m{name}")

    assert stands(world, ref)[0] == "opted_out"
    assert len(told(world, ref)) == 2


def test_a_confirmation_that_may_not_leave_brings_nothing_back(world: World) -> None:
    ref = world.begin("sms")
    world.switch(safe_mode="true")

    write(world, "STOP")

    assert stands(world, ref)[0] == "opted_out"
    assert told(world, ref) == []
    (notice,) = (m for m in world.log(ref) if m["author"] == "system")
    assert (notice["delivery_status"], notice["error_code"]) == ("blocked", "safe_mode")


# Help


def test_who_asks_for_help_is_told_how_to_leave(world: World) -> None:
    ref = world.begin("sms")

    write(world, "help?")

    (text,) = told(world, ref)
    assert text.startswith("Cucumber Recruitment: ")
    assert "STOP" in text
    assert len(said(world, ref)) == 1  # No model has answered it.


def test_who_has_left_gets_no_help(world: World) -> None:
    ref = world.begin("sms")
    write(world, "STOP", "one")

    write(world, "HELP", "two")

    assert len(told(world, ref)) == 1
    assert stands(world, ref)[0] == "opted_out"


def test_help_that_may_not_leave_hands_nobody_over(world: World) -> None:
    ref = world.begin("sms")
    world.switch(safe_mode="true")

    write(world, "HELP")

    assert stands(world, ref)[0] == "initial_message_sent"
