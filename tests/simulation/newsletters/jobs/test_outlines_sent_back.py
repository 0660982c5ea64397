"""A generated outline can be sent back as it is, also with unusual text of the model."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest

from local.sandbox.providers.openai import schema_answers
from local.scripted_model.answer import ScriptedAnswer
from newsletters.api.inputs import OutlineItemInput
from newsletters.drafting.prompts import OUTLINE
from newsletters.drafting.retrieval.catalogue import MOST_CHUNKS
from tests.simulation.newsletters.scenarios import ONE, RETRIEVED, settled, started

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.newsletters.system import System

HOSTILE = {
    "control characters": "Maize\x00 and\x1b beans\r\nare sown\u2028now",
    "a character in its decomposed form": "Cafe\u0301 prices",
    "blanks that do not break": "12\u00a0000\u202ft of maize",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_generated_outline_is_sent_back_without_being_edited(
    system: System, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    scripted = schema_answers.answer

    def answer(name: str, texts: Sequence[str]) -> ScriptedAnswer | None:
        answered = scripted(name, texts)
        if answered is None or name != OUTLINE:
            return answered
        sections = copy.deepcopy(answered.value)
        for section in sections.values():
            section["name"] = text
            for number, item in enumerate(section["items"]):
                item.update(title=f"{text} {number}", description=text)
        return ScriptedAnswer(sections)

    monkeypatch.setattr(schema_answers, "answer", answer)
    settled(RETRIEVED)(system)
    present = system.read(ONE)["metadata"]["version"]
    system.act("PATCH", ONE, {"version": present, "language": "fr"})
    settled(started("topics", "again"), started("outline"))(system)
    outline = system.read(ONE)["outline"]
    names = ("id", "title", "description", "included", "user_notes", "rag_reference_ids")
    sections = [
        {
            "id": section["id"],
            "name": section["name"],
            "items": [{name: item[name] for name in names} for item in section["items"]],
        }
        for section in outline["sections"]
    ]
    assert sections

    written = system.act(
        "PUT", f"{ONE}/outline", {"version": outline["version"], "sections": sections}
    )

    assert written["user_modifications"] == {
        "items_added": [],
        "items_removed": [],
        "items_edited": [],
    }


def test_an_item_may_report_all_retrieved_passages() -> None:
    references = [f"chunk-{number:012x}" for number in range(MOST_CHUNKS)]

    item = OutlineItemInput(title="All of it", rag_reference_ids=references)

    assert item.rag_reference_ids == references
