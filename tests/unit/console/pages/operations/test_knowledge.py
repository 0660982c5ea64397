"""Administrators see which documents a project's answers read, and try what they find in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Call, Network, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened

PROJECT = "/projects/{project_id}"
PROJECTS = {
    "projects": [
        {"project_id": "shop", "name": "Shop", "status": "active", "channels": ["sms"],
         "automation_enabled": True, "live_version": 2, "unusable": None}
    ]
}  # fmt: skip


def document(name: str, *topics: str) -> dict[str, Any]:
    return {
        "name": name, "title": name.removesuffix(".md").capitalize(), "url": "", "date": "2026-03-01",
        "topics": list(topics), "size": 2_048, "changed_at": at(0), "origin": "",
    }  # fmt: skip


def passage(name: str, position: int | None, left_out: str | None = None) -> dict[str, Any]:
    return {
        "position": position, "left_out": left_out, "document": name, "title": name, "url": "",
        "date": "2026-03-01", "score": "0.5000", "text": f"Text of {name}", "chunk_id": f"c-{name}",
    }  # fmt: skip


@dataclass
class Shop:
    """A project whose second version is live, two documents, and what people have kept and stored."""

    config: dict[str, Any] = field(default_factory=lambda: {"enabled": True, "topics": ["Returns"]})
    kept: list[dict[str, Any]] = field(default_factory=list)
    stored: list[dict[str, Any]] = field(default_factory=list)
    tried: list[dict[str, Any]] = field(default_factory=list)
    unanswered: list[dict[str, Any]] = field(default_factory=list)
    settled: list[dict[str, Any]] = field(default_factory=list)
    embedding: dict[str, str | None] = field(default_factory=dict)

    def network(self, pages: Path) -> Network:
        documents = [document("prices.md", "Prices"), document("returns.md", "Returns")]
        return Company().network(
            pages,
            "acme:admin",
            **{
                "GET /projects": lambda _: Answer(PROJECTS),
                f"GET {PROJECT}/versions": lambda _: Answer({"versions": [self._row()]}),
                f"GET {PROJECT}/versions/{{number}}": self._version,
                f"POST {PROJECT}/versions": self._store,
                f"GET {PROJECT}/sets": lambda _: Answer({"sets": []}),
                f"GET {PROJECT}/trials": lambda _: Answer({"trials": []}),
                f"POST {PROJECT}/knowledge/search": self._search,
                f"GET {PROJECT}/knowledge/questions": lambda _: Answer({"questions": self.kept}),
                f"POST {PROJECT}/knowledge/questions": self._keep,
                f"DELETE {PROJECT}/knowledge/questions/{{question_id}}": self._remove,
                f"POST {PROJECT}/knowledge/results": self._results,
                f"GET {PROJECT}/knowledge/suggestions": self._suggestions,
                f"POST {PROJECT}/knowledge/dismissals": self._settle,
                f"POST {PROJECT}/knowledge/acceptances": self._settle,
                "GET /newsletters/sources": lambda _: Answer({"sources": documents}),
            },
        )

    def _row(self) -> dict[str, Any]:
        return {
            "number": 2,
            "at": at(2),
            "by": "user:kim",
            "note": "",
            "based_on": 1,
            "is_live": True,
        }

    def _version(self, _: Call) -> Answer:
        settings = {"ai_config": {}, "knowledge_config": self.config}
        shown = {"settings": settings, "compared_with": 1, "differences": []}
        return Answer(self._row() | shown)

    def _store(self, call: Call) -> Answer | Refusal:
        config = call.input["settings"]["knowledge_config"]
        if config.get("topics") == ["Refused"]:
            problem = "must have at most 60 characters"
            where = "settings.knowledge_config.topics.0"
            return Refusal(400, "invalid_input", {where: problem})
        self.stored.append(config)
        return Answer({"project_id": "shop", "number": 3})

    def _suggestions(self, _: Call) -> Answer:
        bounds = {"compared": len(self.unanswered), "has_older": False, "has_more": False}
        how = {"embedding_model": None, "embedding_failure": None} | self.embedding
        return Answer({"suggestions": self.unanswered, **bounds, **how})

    def _settle(self, call: Call) -> Answer | Refusal:
        if call.input.get("text") == "too long":
            return Refusal(400, "invalid_input", {"text": "must be at most 8192 bytes"})
        self.settled.append(dict(call.input))
        given = call.input["questions"]
        self.unanswered = [one for one in self.unanswered if one["question_ids"] != given]
        made = {"document": "answer-1.md"} if call.input.get("kind") == "document" else {}
        return Answer({"settled": len(given), "document": None, "version": None} | made)

    def _search(self, call: Call) -> Answer:
        self.tried.append(dict(call.input))
        found = [passage("returns.md", 1), passage("prices.md", None, "min_score")]
        config = call.input["settings"]["knowledge_config"]
        facts = {"retriever": "local", "least_score": "0.5500", "topics": config.get("topics", [])}
        return Answer({"enabled": config["enabled"], "passages": found, **facts})

    def _keep(self, call: Call) -> Answer:
        kept = {"document": None, **call.input, "question_id": f"q{len(self.kept)}"}
        self.kept.append(kept | {"by": "user:ada", "at": at(len(self.kept))})
        return Answer(self.kept[-1])

    def _remove(self, call: Call) -> Answer:
        self.kept = [one for one in self.kept if one["question_id"] != call.path["question_id"]]
        return Answer({"question_id": call.path["question_id"]})

    def _results(self, call: Call) -> Answer:
        """A page has one result."""
        number = int(call.input.get("cursor") or 0)
        one = self.kept[number]
        found = one["document"] != "prices.md"
        facts = (
            {"position": 1, "left_out": None}
            if found
            else {"position": None, "left_out": "min_score"}
        )
        result = one | facts | {"found": found, "score": "0.5000", "best": "returns.md"}
        more = number + 1 < len(self.kept)
        return Answer({"results": [result]}, cursor=str(number + 1) if more else None)


def ask(page: Page, question: str) -> None:
    form = page.get_by_role("form", name="Try a question")
    form.get_by_label("Question").fill(question)
    form.get_by_label("Question").press("Enter")


def test_a_question_shows_its_passages_and_is_kept_and_searched_again(
    opened: Opened, pages: Path
) -> None:
    shop = Shop()
    page = opened(shop.network(pages), "operations/projects")

    ask(page, "May I send it back?")
    passages = page.get_by_role("region", name="Try a question").get_by_role("listitem")
    expect(passages).to_have_count(2)
    expect(passages.nth(0)).to_contain_text("Text of returns.md")
    expect(passages.nth(0)).to_contain_text("Mar 2026")
    expect(passages.nth(1)).to_contain_text("Left out: score too low")
    expect(page.get_by_text("The model gets 1 passage.")).to_be_visible()
    for document in ("prices.md", "returns.md"):
        page.get_by_label("Document that should answer").select_option(document)
        page.get_by_role("button", name="Keep as a test question").click()
        expect(page.get_by_role("region", name="Test questions", exact=True)).to_contain_text(
            document
        )
    page.get_by_role("button", name="Search all questions").press("Enter")

    rows = page.get_by_role("region", name="Table: Test questions").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("Left out: score too low")
    expect(rows.nth(1)).to_contain_text("First is returns.md")
    expect(rows.nth(2)).to_contain_text("Found at position 1")
    assert barriers(page) == []
    rows.nth(1).get_by_role("button", name="Remove the question").click()
    expect(rows).to_have_count(2)
    assert [one["document"] for one in shop.kept] == ["returns.md"]
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_switches_are_tried_before_they_are_stored_as_a_version(
    opened: Opened, pages: Path
) -> None:
    shop = Shop()
    page = opened(shop.network(pages), "operations/projects")
    documents = page.get_by_role("region", name="Table: Documents").get_by_role("row")
    expect(documents.nth(1)).to_contain_text("Prices")
    expect(documents.nth(1)).to_contain_text("no")
    expect(documents.nth(2)).to_contain_text("yes")

    form = page.get_by_role("form", name="Switches of the search")
    form.get_by_label("Only documents with one of these topics").fill("Prices")
    form.get_by_label("Passages below this score").fill("0.55")
    expect(documents.nth(1)).to_contain_text("yes")
    ask(page, "What does it cost?")
    expect(page.get_by_text("Text of returns.md")).to_be_visible()
    wanted = {"enabled": True, "sources_required": True, "min_score": 0.55, "topics": ["Prices"]}
    assert shop.tried[0]["settings"] == {"knowledge_config": wanted}
    assert shop.tried[0]["version"] == 2
    assert shop.stored == []

    form.get_by_role("button", name="Store as a new version").press("Enter")
    page.wait_for_function("() => true")
    expect(form.get_by_role("button", name="Store as a new version")).to_be_enabled()
    assert shop.stored == [wanted]


def test_a_refused_switch_keeps_what_was_entered_and_says_the_rule_beside_it(
    opened: Opened, pages: Path
) -> None:
    page = opened(Shop().network(pages), "operations/projects")
    form = page.get_by_role("form", name="Switches of the search")
    topics = form.get_by_label("Only documents with one of these topics")
    topics.fill("Refused")

    form.get_by_role("button", name="Store as a new version").click()

    expect(form.get_by_text("60")).to_be_visible()
    expect(topics).to_have_value("Refused")


def test_without_the_search_the_page_says_that_the_model_does_not_have_it(
    opened: Opened, pages: Path
) -> None:
    page = opened(Shop(config={"enabled": False}).network(pages), "operations/projects")

    ask(page, "Anything?")

    expect(page.get_by_text("the model does not search")).to_be_visible()


def suggestion(number: int, draft: str = "") -> dict[str, Any]:
    question = {
        "question_id": f"q{number}", "ref": "a" * 26, "at": at(number), "cause": "no_passage",
        "reasons": ["wrong"], "channel": "sms", "language": "en", "version": 2, "text": f"Question {number}?",
    }  # fmt: skip
    return {
        "questions": [question], "question_ids": [f"q{number}", "older"], "new": 2, "settled": 0,
        "causes": {"no_passage": 1, "ai": 1}, "title": f"Question {number}?", "draft": draft,
        "grouped_by": "words", "answered_by": None,
    }  # fmt: skip


def test_an_answer_of_a_colleague_is_edited_and_becomes_a_document(
    opened: Opened, pages: Path
) -> None:
    shop = Shop(unanswered=[suggestion(1, "Yes, in May."), suggestion(2)])
    page = opened(shop.network(pages), "operations/projects")
    region = page.get_by_role("region", name="Questions without an answer")
    expect(region.get_by_text("2 new questions").first).to_be_visible()
    region.get_by_text("The questions").first.click()
    expect(region.get_by_role("link", name="Conversation").first).to_have_attribute(
        "href", f"#/all/conversations/{'a' * 26}"
    )

    region.get_by_role("button", name="Write the answer: Question 1?").press("Enter")
    form = region.get_by_role("form", name="Write the answer: Question 1?")
    text = form.get_by_label("Answer; it begins with what a colleague has written")
    expect(text).to_have_value("Yes, in May.")
    text.fill("too long")
    form.get_by_role("button", name="Add the document").click()
    expect(form.get_by_text("8192")).to_be_visible()
    expect(text).to_have_value("too long")
    text.fill("Yes, from May on.")
    assert barriers(page) == []
    form.get_by_role("button", name="Add the document").press("Enter")

    expect(region.get_by_text("Question 1?")).to_have_count(0)
    assert shop.settled == [
        {
            "questions": ["q1", "older"], "kind": "document", "title": "Question 1?",
            "text": "Yes, from May on.", "topics": ["Returns"],
        }
    ]  # fmt: skip
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_suggestion_becomes_a_fact_or_is_dismissed(opened: Opened, pages: Path) -> None:
    shop = Shop(unanswered=[suggestion(1), suggestion(2)])
    page = opened(shop.network(pages), "operations/projects")
    region = page.get_by_role("region", name="Questions without an answer")

    region.get_by_role("button", name="Dismiss: Question 1?").click()
    expect(region.get_by_role("button", name="Dismiss: Question 1?")).to_have_count(0)
    region.get_by_role("button", name="Write the answer: Question 2?").click()
    form = region.get_by_role("form", name="Write the answer: Question 2?")
    form.get_by_label("a sentence of the words for answers").check()
    form.get_by_label("Answer", exact=True).fill("We open at nine.")
    form.get_by_role("button", name="Store as a new version").click()

    expect(page.get_by_text("No question is without an answer.")).to_be_visible()
    first, second = shop.settled
    assert first == {"questions": ["q1", "older"]}
    assert (second["kind"], second["text"], second.get("topics", [])) == (
        "fact", "We open at nine.", [],
    )  # fmt: skip


@pytest.mark.parametrize("locale", ["ar-EG", "de-DE"])
def test_the_page_is_shown_in_other_languages(opened: Opened, pages: Path, locale: str) -> None:
    shop = Shop(unanswered=[suggestion(1, "Yes.")])
    page = opened(shop.network(pages), "operations/projects")
    title = "إجابات من المستندات" if locale.startswith("ar") else "Antworten aus Dokumenten"

    expect(page.get_by_role("heading", name=title)).to_be_visible()

    assert barriers(page) == []


@pytest.mark.parametrize(
    ("embedding", "shown"),
    [
        ({}, "the settings name no embedding model"),
        ({"embedding_model": "a-model"}, "Questions are compared by their meaning, by a-model."),
        (
            {"embedding_model": "a-model", "embedding_failure": "spending_limit"},
            "Some questions are grouped by their words, since the embedding model gave no vector",
        ),
    ],
)
def test_each_group_and_the_list_say_how_questions_were_compared(
    opened: Opened, pages: Path, embedding: dict[str, str | None], shown: str
) -> None:
    meant = suggestion(1) | {"grouped_by": "embedding"}
    shop = Shop(unanswered=[meant, suggestion(2)], embedding=embedding)
    page = opened(shop.network(pages), "operations/projects")
    region = page.get_by_role("region", name="Questions without an answer")

    expect(region.get_by_text(shown)).to_be_visible()
    items = region.get_by_role("listitem", name="Question")
    expect(items.nth(0)).to_contain_text("grouped by meaning")
    expect(items.nth(1)).to_contain_text("grouped by words")
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
