"""Keeps the questions of a project, and searches them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.api.access import NotFound, StateConflict
from conversations.api.projects import versions
from conversations.api.projects.knowledge import views
from conversations.store.items.parts.knowledge_question import KnowledgeQuestion
from conversations.store.knowledge.questions import MOST_QUESTIONS, KnowledgeQuestions
from shared.api.cursors import Listing, Page
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from conversations.api.projects.knowledge.inputs import (
        QuestionInput,
        QuestionsQuery,
        ResultsInput,
    )
    from conversations.api.projects.knowledge.search import Searcher
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request

QUESTION_NOT_FOUND = "question_id: question not found"
_ID_DIGITS = 26


def stored_of(deps: ApiDependencies, caller: Caller, project_id: str) -> KnowledgeQuestions:
    """Return the questions of a project of the caller. Raises NotFound."""
    versions.item_of(deps, caller, project_id)
    return KnowledgeQuestions(deps.resources.log, caller.company, project_id)


def listed(
    deps: ApiDependencies, caller: Caller, project_id: str, query: QuestionsQuery | ResultsInput
) -> Page[views.QuestionsView]:
    """Return a page of the questions of a project. Raises NotFound."""
    stored = stored_of(deps, caller, project_id)
    listing = Listing(caller.company, "KNOWLEDGE_QUESTIONS", (project_id,))
    start = listing.position(deps.seal, query.cursor) if query.cursor else None
    found, last = stored.page(query.limit, start)
    page = views.QuestionsView(questions=[_view(one) for one in found])
    return Page(page, listing.cursor(deps.seal, last) if last else None)


def keep(stored: KnowledgeQuestions, request: Request[QuestionInput]) -> views.QuestionView:
    """Keep a question. Repeatable. Raises StateConflict: a project has at most 100."""
    question = KnowledgeQuestion(
        question_id=request.cause[:_ID_DIGITS],
        question=request.input.question.strip(),
        document=request.input.document,
        by=request.caller.principal,
        at=clock.to_text(clock.now_ms()),
    )
    kept = stored.get(question.question_id)
    if kept is not None:
        return _view(kept)
    if len(stored.page(MOST_QUESTIONS)[0]) == MOST_QUESTIONS:
        raise StateConflict(f"question: a project keeps at most {MOST_QUESTIONS}")
    stored.put(question)
    return _view(question)


def remove(stored: KnowledgeQuestions, question_id: str) -> views.RemovedView:
    """Remove a question. Raises NotFound."""
    if not stored.remove(question_id):
        raise NotFound(QUESTION_NOT_FOUND)
    return views.RemovedView(question_id=question_id)


def results(
    deps: ApiDependencies,
    caller: Caller,
    project_id: str,
    query: ResultsInput,
    searcher: Searcher,
) -> Page[views.QuestionResultsView]:
    """Return what searches find for a page of questions. Raises NotFound, ModelUnavailable and ModelUnusable."""
    page = listed(deps, caller, project_id, query)
    found = [_result(one, searcher.found(one.question)) for one in page.result.questions]
    return Page(views.QuestionResultsView(results=found), page.cursor)


def _result(
    question: views.QuestionView, passages: list[views.FoundView]
) -> views.QuestionResultView:
    expected = [one for one in passages if question.document in {None, one.document}]
    given = [one for one in expected if one.position is not None]
    shown = next(iter([*given, *expected]), None)
    return views.QuestionResultView(
        **question.model_dump(),
        found=bool(given),
        position=shown.position if shown else None,
        left_out=shown.left_out if shown else None,
        score=shown.score if shown else None,
        best=passages[0].document if passages else None,
    )


def _view(one: KnowledgeQuestion) -> views.QuestionView:
    return views.QuestionView(**one.model_dump(include=set(views.QuestionView.model_fields)))
