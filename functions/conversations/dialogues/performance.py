"""Plays dialogues in a world and records what happened in each turn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conversations.dialogues.checks import failures
from conversations.dialogues.turn import Performance, Turn
from conversations.dialogues.world import CustomerMessage

if TYPE_CHECKING:
    from conversations.dialogues.files import Written
    from conversations.dialogues.format import Step
    from conversations.dialogues.world import Observation, World


def play(world: World, written: Written) -> Performance:
    """Play one dialogue to its end, also after broken expectations."""
    dialogue = written.dialogue
    world.prepare([dialogue.opening] if dialogue.opening else [])
    ref = world.begin(written)
    world.unused()
    before = world.observe(ref)
    opening, turns = before.lines, []
    not_opened = None
    if not any(line.was_sent for line in opening):
        not_opened = f"the first message was not sent: {before.status} ({before.reason})"
    for step in dialogue.turns:
        world.prepare(step.answers)
        _act(world, ref, step)
        after = world.observe(ref)
        turn = _turn_between(before, after, world.unused(), is_scripted=bool(step.answers))
        turns.append(replace(turn, failures=failures(step.expect, turn)))
        before = after
    return Performance(
        name=dialogue.name,
        channel=dialogue.channel,
        opening=opening,
        turns=turns,
        not_opened=not_opened,
    )


def _act(world: World, ref: str, step: Step) -> None:
    if step.waits is not None:
        world.advance(step.waits)
        world.settle()
        return
    world.advance(step.after)
    *fragments, last = step.says or [""]
    for text in fragments:
        world.send(ref, CustomerMessage(text=text))
        world.advance(step.apart)
    world.send(
        ref,
        CustomerMessage(
            text=last,
            files=step.files,
            location=step.location,
            button=step.button,
            contacts=step.contacts,
            order=step.order,
            product=step.product,
            reacts=step.reacts,
            quotes=-1 if step.reacts and step.quotes is None else step.quotes,
        ),
    )
    world.settle()


def _turn_between(
    before: Observation, after: Observation, unused: int, *, is_scripted: bool
) -> Turn:
    inputs = after.model_inputs
    return Turn(
        status=after.status,
        reason=after.reason,
        lines=after.lines[len(before.lines) :],
        calls=after.calls[len(before.calls) :],
        model_inputs=None if inputs is None else inputs[len(before.model_inputs or ()) :],
        unused_answers=unused if is_scripted else 0,
        at=after.at,
    )
