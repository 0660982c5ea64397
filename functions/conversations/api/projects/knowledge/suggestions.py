"""
Suggestions for documents and facts: the questions that a project's model did not answer, in groups.

They are made when they are read, from the newest notes of questions, by `meanings` and words: a suggestion is stored
nowhere, and its words are those of the conversations, masked. What people make of a suggestion is written to its
questions: one that is accepted or dismissed comes back with the next question of its group.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from conversations.ai.knowledge.question_groups import Asked, groups_of
from conversations.api.access import NotFound, StateConflict
from conversations.api.projects import versions
from conversations.api.projects.knowledge import facts, views
from conversations.api.projects.knowledge.meanings import meanings_of
from conversations.store.items.parts.unanswered import Unanswered
from conversations.store.knowledge.unanswered import UnansweredQuestions
from conversations.store.knowledge.unanswered_words import questions_of, replies_of
from shared.ai.playground.mask import Mask
from shared.ai.retrieval import CorpusTooLarge
from shared.ai.retrieval.documents import DocumentAttributes, Documents
from shared.ai.texts.languages.certain_languages import certain_language
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.api.access import ApiDependencies
    from conversations.api.projects.knowledge.inputs import AcceptanceInput, DismissalInput
    from conversations.api.projects.tries.playground import PlaygroundDependencies
    from conversations.store.knowledge.unanswered_words import Question
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request
    from shared.aws.s3 import Bucket

MOST_SUGGESTIONS: Final = 50
MOST_SHOWN: Final = 20  # questions of a suggestion
LONGEST_SHOWN: Final = 500
LONGEST_TITLE: Final = 120
MOST_TRIED: Final = 2  # conversations of a suggestion in which the reply of a person is looked for
ORIGIN: Final = "answers of agents"
DISMISSED, ACCEPTED = "dismissed", "accepted"
NONE_LEFT: Final = "questions: none of them is noted any more"
_DAY: Final = 10  # characters of a date
_OF_SCRIPT: Final = {"Arab": "ar", "Ethi": "am"}  # as documents are indexed


@dataclass(frozen=True, slots=True)
class _Group:
    """Questions that ask the same."""

    questions: list[Question]
    by_meaning: bool


def stored_of(deps: ApiDependencies, caller: Caller, project_id: str) -> UnansweredQuestions:
    """Return the noted questions of a project of the caller. Raises NotFound."""
    versions.item_of(deps, caller, project_id)
    return UnansweredQuestions(deps.resources.log, caller.company, project_id)


def listed(
    deps: ApiDependencies, playground: PlaygroundDependencies, caller: Caller, project_id: str
) -> views.SuggestionsView:
    """Return the suggestions with a new question, those with the most new ones first. Raises NotFound."""
    item = versions.item_of(deps, caller, project_id)
    log = deps.resources.log
    noted, has_more = UnansweredQuestions(log, caller.company, project_id).newest()
    known = {one.noted.question_id: one for one in questions_of(deps.resources.table, log, noted)}
    asked = [Asked(name, one.text, _language(one)) for name, one in known.items()]
    texts = {name: _masked(one) for name, one in known.items()}
    meant = meanings_of(playground, item, known, texts)
    made = groups_of(asked, meant.vectors, meant.least_alike)
    groups = [_Group([known[name] for name in one.questions], one.by_meaning) for one in made]
    wanted = [one for one in groups if _new_of(one.questions)]
    wanted.sort(key=lambda one: (-len(_new_of(one.questions)), one.questions[-1].noted.question_id))
    shown = wanted[:MOST_SUGGESTIONS]
    tried = [one for group in shown for one in _tried(group.questions)]
    replies = dict(
        zip(
            (one.noted.question_id for one in tried),
            replies_of(log, [one.noted for one in tried]),
            strict=True,
        )
    )
    return views.SuggestionsView(
        suggestions=[_view(group, replies) for group in shown],
        compared=len(known),
        has_older=has_more,
        has_more=len(wanted) > MOST_SUGGESTIONS,
        embedding_model=meant.model,
        embedding_failure=meant.failure,
    )


def dismiss(stored: UnansweredQuestions, request: Request[DismissalInput]) -> views.SettledView:
    """Keep questions away until another one joins their group. Repeatable. Raises NotFound."""
    return views.SettledView(
        settled=_settle(stored, request, request.input.questions, settled=DISMISSED)
    )


def accept(
    deps: ApiDependencies,
    bucket: Bucket,
    stored: UnansweredQuestions,
    request: Request[AcceptanceInput],
) -> views.SettledView:
    """
    Write the answer of questions into a document of the company or a new version of the project's settings, then note
    it at the questions. Repeatable: the document keeps its name, the version its number.

    Raises NotFound if no question is noted any more, InvalidInput, and StateConflict if there is no room for it.
    """
    given = request.input
    if not any(stored.has(one) for one in given.questions):
        raise NotFound(NONE_LEFT)
    if given.kind == "fact":
        number = facts.in_version(deps, stored.project_id, request)
        noted: dict[str, Any] = {"made_version": number}
        made: dict[str, Any] = {"version": number}
    else:
        name = _as_document(bucket, stored.company_id, request)
        noted, made = {"document": name}, {"document": name}
    settled = _settle(stored, request, given.questions, settled=ACCEPTED, **noted)
    return views.SettledView(settled=settled, **made)


def _as_document(bucket: Bucket, company_id: str, request: Request[AcceptanceInput]) -> str:
    given = request.input
    attributes = DocumentAttributes(
        title=given.title.strip(),
        date=clock.to_text(clock.now_ms())[:_DAY],
        topics=given.topics,
        origin=ORIGIN,
    )
    name = f"answer-{hashlib.sha256(request.cause.encode()).hexdigest()[:20]}"
    try:
        return Documents(bucket).put(company_id, name, given.text, attributes)
    except CorpusTooLarge:
        raise StateConflict("text: the company has no room for another document") from None


def _settle(
    stored: UnansweredQuestions,
    request: Request[DismissalInput] | Request[AcceptanceInput],
    questions: Sequence[str],
    **facts: str | int,
) -> int:
    """Write what was made of the questions; return how many are still noted. Raises NotFound if none is."""
    made = Unanswered.named(
        settled_by=request.caller.principal, settled_at=clock.to_text(clock.now_ms()), **facts
    )
    settled = sum(stored.settle(one, made) for one in dict.fromkeys(questions))
    if not settled:
        raise NotFound(NONE_LEFT)
    return settled


def _new_of(group: Sequence[Question]) -> list[Question]:
    return [one for one in group if one.noted.settled is None]


def _tried(group: Sequence[Question]) -> list[Question]:
    """Return the newest new questions of a suggestion."""
    return _new_of(group)[: -MOST_TRIED - 1 : -1]


def _language(question: Question) -> str | None:
    """Return the primary subtag of a question's language; None if uncertain."""
    if question.noted.language:
        return question.noted.language.partition("-")[0].lower()
    found = certain_language(question.text)
    return _OF_SCRIPT.get(found, found) if found else None


def _view(made: _Group, replies: dict[str, str]) -> views.SuggestionView:
    group = made.questions
    new = _new_of(group)
    newest = new[-1]
    replied = (
        (one, replies[one.noted.question_id])
        for one in _tried(group)
        if replies[one.noted.question_id]
    )
    source, reply = next(replied, (None, ""))
    before = [one.noted for one in group if one.noted.settled == ACCEPTED]
    return views.SuggestionView(
        questions=[_question(one) for one in reversed(new[-MOST_SHOWN:])],
        question_ids=[one.noted.question_id for one in new],
        new=len(new),
        settled=len(group) - len(new),
        causes=dict(Counter(one.noted.cause for one in new)),
        title=_masked(newest)[:LONGEST_TITLE],
        draft=Mask(source.known).text(reply) if source else "",
        grouped_by="embedding" if made.by_meaning else "words",
        answered_by=next((one.document for one in reversed(before) if one.document), None),
    )


def _question(one: Question) -> views.UnansweredView:
    noted = one.noted
    return views.UnansweredView(
        question_id=noted.question_id,
        ref=noted.ref,
        at=noted.at,
        cause=noted.cause,
        reasons=list(one.reasons),
        channel=noted.channel,
        language=noted.language,
        version=noted.version,
        text=_masked(one),
    )


def _masked(one: Question) -> str:
    """Return the words of a question without its customer."""
    return Mask(one.known).text(one.text)[:LONGEST_SHOWN]
