"""The switches of a project's search in documents, as fields of the console and as the setting that the API checks."""

from __future__ import annotations

from typing import Any

from conversations.ai.knowledge.settings import KnowledgeConfig
from tests.unit.console.typescript import run

MODULE = "operations/projects/knowledge/config.ts"
BASE = {"retriever": "bedrock", "knowledge_base_id": "AB12CD34EF"}


def written(before: dict[str, Any], **change: Any) -> dict[str, Any]:
    """The setting after a change of its fields."""
    call = "m.configOf({...m.enteredOf(value.before), ...value.change}, value.before)"
    found: dict[str, Any] = run(MODULE, call, {"before": before, "change": change})
    KnowledgeConfig.read(found)
    return found


def test_what_is_not_changed_stays() -> None:
    whole = {"enabled": True, "sources_required": False, "min_score": 0.4, "topics": ["A", "B c"]}

    assert written(whole | BASE) == whole | BASE


def test_an_emptied_field_removes_its_setting_and_keeps_the_knowledge_base() -> None:
    before = {"enabled": True, "min_score": 0.4, "topics": ["A"], **BASE}

    assert written(before, minScore=" ", topics=" , ") == {
        "enabled": True, "sources_required": True, **BASE,
    }  # fmt: skip


def test_a_project_without_the_setting_gets_it_with_its_topics() -> None:
    assert written({}, enabled=True, topics="Returns, Rental, ") == {
        "enabled": True, "sources_required": True, "topics": ["Returns", "Rental"],
    }  # fmt: skip


def test_without_topics_every_document_is_read() -> None:
    documents = [["Returns"], ["Rental", "Shop"], []]
    call = "value.documents.map((topics) => m.reads(value.own, {topics}))"

    def read(*own: str) -> list[bool]:
        found: list[bool] = run(MODULE, call, {"documents": documents, "own": list(own)})
        return found

    assert read() == [True, True, True]
    assert read("Shop", "Other") == [False, True, False]
