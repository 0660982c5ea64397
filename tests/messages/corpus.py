"""The labelled messages: plausible customer messages with the intents that a person assigned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from richpanel.classification import Language, Message
from richpanel.classification.taxonomy import Intent, Modifier
from richpanel.inbound.channels import Channel

HERE = Path(__file__).parent
# Written before the classifier was trained, and never used for training.
HELD_OUT = ("held", "voices_held", "voices_held2")
TRAINING = ("tuned", "fresh1", "fresh2", "fresh3", "fresh4", "fresh5", "voices", "phrases")
# Text files: `= intent [language]`, then one message a line.
_IN_LINES = ("voices", "voices_held", "voices_held2", "phrases", "threats")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A message and its labels; None if its numbers are not labelled."""

    id: str
    message: Message
    intent: Intent
    modifiers: frozenset[Modifier]
    language: Language
    order_numbers: tuple[str, ...] | None
    tracking_numbers: tuple[str, ...] | None


def read(part: str) -> list[Labelled]:
    """
    The messages of a part of `HELD_OUT` or `TRAINING`; README.md describes them. JSON lines of id, text, channel,
    context, intent, modifiers, language, order and tracking numbers, or a text file of intents and messages.
    """
    if part in _IN_LINES:
        return list(_of_lines(part))
    lines = (HERE / f"{part}.jsonl").read_text("utf-8").splitlines()
    return [_labelled(json.loads(line)) for line in lines]


def _of_lines(part: str) -> Iterator[Labelled]:
    intent, language = Intent.UNKNOWN_OTHER, "en"
    lines = (HERE / f"{part}.txt").read_text("utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if line.startswith("= "):
            name, _, code = line.removeprefix("= ").partition(" ")
            intent, language = Intent(name), code or "en"
        elif line and not line.startswith("# "):
            yield Labelled(
                id=f"{part}-{number}",
                message=Message(text=line),
                intent=intent,
                modifiers=frozenset(),
                language=Language(language) if language in set(Language) else Language.UNKNOWN,
                order_numbers=None,
                tracking_numbers=None,
            )


def _labelled(line: dict[str, object]) -> Labelled:
    context = line.get("context", {})
    assert isinstance(context, dict)
    return Labelled(
        id=str(line["id"]),
        message=Message(text=str(line["text"]), channel=Channel(str(line["channel"])), **context),
        intent=Intent(str(line["intent"])),
        modifiers=frozenset(Modifier(name) for name in _names(line, "modifiers") or ()),
        language=Language(str(line["language"])),
        order_numbers=_names(line, "order_numbers"),
        tracking_numbers=_names(line, "tracking_numbers"),
    )


def _names(line: dict[str, object], field: str) -> tuple[str, ...] | None:
    found = line.get(field)
    if found is None:
        return None
    assert isinstance(found, list)
    return tuple(found)
