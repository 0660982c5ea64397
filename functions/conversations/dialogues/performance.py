"""Plays dialogues in a world and records what happened in each turn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conversations.dialogues.checks import failures
from conversations.dialogues.turn import Performance, Turn
from conversations.dialogues.world import CustomerMessage
from shared.ai.evaluation.format import refused_by, unjudged

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.dialogues.scenarios.files import Written
    from conversations.dialogues.scenarios.format import Step
    from conversations.dialogues.world import Observation, World
    from shared.ai.evaluation.format import Judged
    from shared.ai.evaluation.judge import Judgement

    # Judges a turn; None if that is not possible.
    type Judges = Callable[[Judged, Turn], Judgement | None]


def recorded_judgement(asked: Judged, turn: Turn) -> Judgement | None:  # noqa: ARG001 - see `Judges`
    """Return the recorded judgement of the recorded answers."""
    return asked.recorded


def play(world: World, written: Written, judges: Judges | None = recorded_judgement) -> Performance:
    """Play one dialogue to its end, also after broken expectations. Without *judges* nothing is judged."""
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
        turn = replace(turn, failures=failures(step.expect, turn))
        turns.append(_judged(step, turn, judges) if judges else turn)
        before = after
    return Performance(
        name=dialogue.name,
        channel=dialogue.channel,
        opening=opening,
        turns=turns,
        not_opened=not_opened,
    )


def _judged(step: Step, turn: Turn, judges: Judges) -> Turn:
    """Return the turn with its judgements, and a failure for each question that has no clear yes."""
    found, missed = [], []
    for asked in step.expect.judge:
        judgement = judges(asked, turn)
        if judgement is None:
            missed.append(unjudged(asked.question))
            continue
        found.append((asked.question, judgement))
        refusal = refused_by(asked.question, judgement)
        if refusal is not None:
            missed.append(refusal)
    return replace(turn, judgements=found, failures=[*turn.failures, *missed])


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
        faults=after.faults[len(before.faults) :],
        at=after.at,
    )
