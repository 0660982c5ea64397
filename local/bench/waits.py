"""Waits of customers for an answer of a model that needs no time, and how many answers a burst gets: simulated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from conversations.dialogues.scenarios.files import Written
from conversations.dialogues.scenarios.format import FRAGMENT_SECONDS, Dialogue
from conversations.dialogues.world import CustomerMessage
from local.dialogues import emulated
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from local.dialogues.world import EmulatedWorld

MEDIAN_LIMIT_SECONDS: Final = 2.5
# Messages of customers: one, or the fragments of one, two seconds apart.
WRITTEN: Final[Mapping[str, Sequence[Sequence[str]]]] = {
    "one complete message": [
        ["Which shift is it?"],
        ["Ich kann ab Mai anfangen."],
        ["¿Cuánto se paga por hora?"],
        ["Yes, I have a driving licence and my own car, and I can start on Monday"],
        ["何時からですか。"],
        ["Merci beaucoup !"],
    ],
    "one unfinished message": [["ok"], ["ja gerne"]],
    "a burst of fragments": [
        ["Hello", "one thing", "which shift is it?"],
        ["Bonjour", "je voulais savoir", "c'est où exactement ?"],
    ],
}


@dataclass(frozen=True, slots=True)
class Waits:
    """The *seconds* from the webhook of the newest message to the request to the provider, and the *answers*."""

    seconds: Sequence[float]
    answers: Sequence[int]


def measure() -> dict[str, Waits]:
    """Return the waits by kind of message."""
    found = {}
    with emulated() as world:
        for kind, written in WRITTEN.items():
            measured = [_measured(world, f"{kind} {n}", texts) for n, texts in enumerate(written)]
            waits, answers = zip(*measured, strict=True)
            found[kind] = Waits(waits, answers)
    return found


def overall(waits: Mapping[str, Waits]) -> float:
    """Return the median wait of all messages."""
    return median(second for one in waits.values() for second in one.seconds)


def _measured(world: EmulatedWorld, name: str, texts: Sequence[str]) -> tuple[float, int]:
    step = {"says": list(texts), "answers": ["I will look that up for you."]}
    dialogue = Dialogue.model_validate({"name": name, "turns": [step]})
    ref = world.begin(Written(dialogue, Path()))
    world.sandbox.forget_sent()
    world.prepare(dialogue.turns[0].answers)
    for number, text in enumerate(texts):
        if number:
            world.advance(FRAGMENT_SECONDS)
        world.send(ref, CustomerMessage(text=text))
    asked_ms = world.clock.ms
    world.settle()
    sent = [one.at for one in world.sandbox.sent if one.provider == "twilio"]
    world.unused()
    return (clock.from_text(sent[-1]) - asked_ms) / clock.SECOND_MS, len(sent)
