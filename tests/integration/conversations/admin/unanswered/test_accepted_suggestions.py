"""Accepted suggestions: documents, and facts of the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.store.knowledge.unanswered import UnansweredQuestions
from shared.ai.retrieval.documents import Documents
from shared.ai.versions.stored import Versions
from shared.runtime import clock
from tests.integration.conversations.admin.projects.test_knowledge import (
    KNOWLEDGE,
    documents,
    search,
)
from tests.integration.conversations.admin.projects.test_projects import (
    ADMIN,
    OF_PROJECT,
    PROMPTS,
    make,
    numbers,
    put_live,
    settings,
    version,
)
from tests.integration.conversations.admin.unanswered.suggestions import (
    BACK,
    accept,
    asked,
    facts_in,
    suggestions,
)
from tests.integration.conversations.harness import COMPANY, Harness

if TYPE_CHECKING:
    from shared.ai.versions.stored import Version

__all__ = ["documents"]  # fixtures


def test_an_accepted_answer_is_a_document_that_the_model_finds_with_source_and_date(
    harness: Harness, documents: Documents
) -> None:
    asked(harness, BACK, name="req-1")
    [shown] = suggestions(harness)

    made = accept(harness, shown["question_ids"], topics=["Returns"]).result

    [listed] = documents.page(COMPANY, 9).documents
    today = clock.to_text(harness.now[0])[:10]
    assert (listed.name, listed.title, listed.date) == (made["document"], "Returns", today)
    assert (listed.origin, listed.topics) == ("answers of agents", ("Returns",))
    found = search(harness, BACK).result["passages"]
    assert [one["document"] for one in found] == [made["document"]]
    assert suggestions(harness) == []
    asked(harness, "Can I send back the tent?", name="req-2")
    assert suggestions(harness)[0]["answered_by"] == made["document"]


def test_an_accepted_fact_is_a_new_version_of_the_settings_that_is_not_live(
    harness: Harness,
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)

    made = accept(harness, shown["question_ids"], kind="fact", text="Tents may be sent back.")

    assert (made.status, made.result["version"]) == (200, 2)
    assert numbers(harness) == [(2, False), (1, True)]
    before, after = (
        version(harness, number)["settings"]["ai_config"]["prompts"].get("reply", "")
        for number in (1, 2)
    )
    assert after == f"{before}\n\nTents may be sent back.".strip()
    assert version(harness, 2)["note"] == "Returns"


def test_facts_that_are_accepted_one_after_another_are_in_one_version(harness: Harness) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)

    def add(fact: str) -> int:
        made = accept(harness, shown["question_ids"], kind="fact", text=fact)
        return int(made.result["version"])

    assert facts_in(harness, add("First.")) == ["First."]
    make(harness, settings(**PROMPTS))  # a draft of another person
    number = add("Second.")

    assert (number, facts_in(harness, number)) == (4, ["First.", "Second."])
    assert version(harness, number)["based_on"] == 2
    assert put_live(harness, number).status == 200
    assert facts_in(harness, add("Third.")) == ["First.", "Second.", "Third."]
    assert put_live(harness, 3).status == 200
    assert facts_in(harness, add("Fourth."))[-1] == "Fourth."
    assert "Third." not in facts_in(harness, 6)


def test_facts_that_two_people_accept_at_once_are_in_one_version(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)
    put = Versions.put

    def put_second(self: Versions, wanted: Version) -> Version:
        monkeypatch.setattr(Versions, "put", put)
        text = "Of the first person."
        made = accept(harness, shown["question_ids"], kind="fact", text=text)
        assert made.status == 200
        return put(self, wanted)

    accept(harness, shown["question_ids"], kind="fact", text="Known.")
    monkeypatch.setattr(Versions, "put", put_second)
    made = accept(harness, shown["question_ids"], kind="fact", text="Of the second person.")

    added = ["Known.", "Of the first person.", "Of the second person."]
    assert facts_in(harness, made.result["version"]) == added


def test_a_fact_for_which_the_prompt_has_no_room_is_refused_at_its_field(
    harness: Harness,
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)

    refused = accept(harness, shown["question_ids"], kind="fact", text="x" * 9_000)

    assert (refused.status, refused.body["error"]["details"][0]["field"]) == (400, "text")
    assert len(suggestions(harness)) == 1


def test_a_fact_for_which_the_settings_have_no_room_is_refused_at_its_field(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)
    monkeypatch.setattr("conversations.api.projects.inputs.LARGEST_SETTINGS_BYTES", 2_000)

    refused = accept(harness, shown["question_ids"], kind="fact", text="x" * 2_000)

    assert (refused.status, refused.body["error"]["details"][0]["field"]) == (400, "text")
    assert len(suggestions(harness)) == 1


def test_a_repeated_acceptance_writes_one_document_and_one_version(
    harness: Harness, documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)
    whole: dict[str, Any] = {"questions": shown["question_ids"], "title": "Returns", "text": "Yes."}
    line = f"POST {KNOWLEDGE}/acceptances"

    def dies(*_: object, **__: object) -> None:
        raise RuntimeError("the function was stopped")

    for kind in ("document", "fact"):
        key, body = f"key-of-the-{kind}", whole | {"kind": kind}
        with monkeypatch.context() as patch:
            patch.setattr(UnansweredQuestions, "settle", dies)
            assert harness.call(line, body, names=OF_PROJECT, who=ADMIN, key=key).status == 500
        harness.later(clock.HOUR_MS)
        for _ in range(2):
            assert harness.call(line, body, names=OF_PROJECT, who=ADMIN, key=key).status == 200

    assert len(documents.page(COMPANY, 9).documents) == 1
    assert numbers(harness) == [(2, False), (1, True)]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"questions": []}, "questions"),
        ({"questions": ["x"] * 201}, "questions"),
        ({"kind": "mail"}, "kind"),
        ({"title": " "}, "title"),
        ({"text": ""}, "text"),
        ({"text": "x" * 20_001}, "text"),
        ({"topics": ["x" * 61]}, "topics.0"),
        ({"kind": "fact", "topics": ["x"]}, "body"),
    ],
)
def test_an_acceptance_that_breaks_a_rule_is_refused_with_its_field_and_stores_nothing(
    harness: Harness, given: dict[str, Any], field: str
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)
    whole = {"questions": shown["question_ids"]} | given
    refused = accept(harness, **whole)

    assert refused.status == 400
    assert refused.body["error"]["details"][0]["field"] == field
    assert len(suggestions(harness)) == 1
