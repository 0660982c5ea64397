"""Questions that the model did not answer, and what people make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.lifecycle import unanswered
from conversations.lifecycle.conversation import load
from conversations.store.knowledge.unanswered import UnansweredQuestions
from tests.integration.conversations.admin.projects.test_knowledge import KNOWLEDGE
from tests.integration.conversations.admin.projects.test_projects import ADMIN, OF_PROJECT, version
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import PROJECT, Harness

if TYPE_CHECKING:
    from conversations.store.items.log import Message

BACK = "May I send my tent back?"
ANN_ASKS = "I am Ann Doe, ann.doe@example.com, +44 7700 900123. May I send my tent back?"


def asked(
    harness: Harness, *said: str, name: str = "req-1", cause: str = "ai", **facts: Any
) -> tuple[str, Message]:
    """A conversation whose newest question the model did not answer; returns its `ref` and the question."""
    ref = harness.begin(name, **facts)
    harness.says(ref, "Hello, how can we help?", "ai")
    question = [harness.says(ref, text) for text in said][-1]
    note(harness, ref, question, cause)
    return ref, question


def note(harness: Harness, ref: str, question: Message, cause: str = "ai") -> None:
    opened = load(harness.resources, ref)
    company, project = opened.state.company_id, opened.state.project_id
    stored = UnansweredQuestions(harness.resources.log, company, project)
    stored.note(unanswered._question(opened, question.own_sk, cause, 3))


def suggested(harness: Harness, who: Any = ADMIN, project: str = PROJECT) -> Answer:
    line = f"GET {KNOWLEDGE}/suggestions"
    return harness.call(line, names={"project_id": project}, who=who)


def suggestions(harness: Harness) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = suggested(harness).result["suggestions"]
    return found


def settle(harness: Harness, what: str, questions: list[str], **given: Any) -> Answer:
    body = {"questions": questions} | given
    return harness.call(f"POST {KNOWLEDGE}/{what}", body, names=OF_PROJECT, who=ADMIN)


def accept(harness: Harness, questions: list[str], **given: Any) -> Answer:
    whole = {"kind": "document", "title": "Returns", "text": "A tent may be sent back."} | given
    return settle(harness, "acceptances", questions, **whole)


def facts_in(harness: Harness, number: int) -> list[str]:
    """The paragraphs that people have added to the first version's words for replies."""
    first, reply = (
        version(harness, one)["settings"]["ai_config"]["prompts"].get("reply", "")
        for one in (1, number)
    )
    added: list[str] = reply.removeprefix(first).strip().split("\n\n")
    return added
