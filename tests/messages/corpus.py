"""The labelled messages: plausible customer messages with the intents that a person assigned."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from richpanel.classification import Language, Message
from richpanel.classification.taxonomy import Intent, Modifier
from richpanel.inbound.channels import Channel

HERE = Path(__file__).parent
PARTS = ("tuned", "held", "fresh1", "fresh2", "fresh3", "fresh4", "fresh5")
LEARNED = tuple(part for part in PARTS if part != "held")


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
    The messages of a part: `tuned` (used to write the lexicons), `held` (written before and not used), or a part
    written later, in other styles, to score the rules on unseen messages; README.md lists its first scores. Training
    uses the parts of `LEARNED`, never `held`. JSON lines of id, text, channel, context, intent, also, modifiers,
    language, order and tracking numbers.
    """
    lines = (HERE / f"{part}.jsonl").read_text("utf-8").splitlines()
    return [_labelled(json.loads(line)) for line in lines]


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
