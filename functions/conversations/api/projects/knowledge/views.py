"""Response models of searches in a project's documents, and of its questions."""

from typing import Literal

from conversations.store.items.conversation import ChannelMethod
from shared.api.models.views import View


class FoundView(View):
    """
    A passage that a search found. `position` is its number for the model; without one the model does not get it, for
    the reason `left_out`: `min_score`, `limit` (of passages for one search) or `no_title` (nor address).

    `document` is the name of the document, or its address; `date` is empty if the document has none.
    """

    position: int | None
    left_out: str | None
    document: str
    title: str
    url: str
    date: str
    score: str
    text: str
    chunk_id: str


class SearchView(View):
    """
    What a search found, best first. `enabled`: whether the model has the search; `least_score`: passages below are left
    out; `topics`: only documents with one of these were searched, all if it is empty.
    """

    enabled: bool
    retriever: str
    least_score: str
    topics: list[str]
    passages: list[FoundView]


class QuestionView(View):
    """A kept question, and the document that should answer it."""

    question_id: str
    question: str
    document: str | None
    by: str
    at: str


class QuestionsView(View):
    """Page of a project's questions, in the order of their ids."""

    questions: list[QuestionView]


class QuestionResultView(QuestionView):
    """
    What a search finds for a question: `found` says whether the model gets a passage of the expected document, or of
    any if none is expected; `position` is the first one's. `left_out`: why the model does not get the document that
    was found. `best` is the document of the first passage.
    """

    found: bool
    position: int | None
    left_out: str | None
    score: str | None
    best: str | None


class QuestionResultsView(View):
    """Page of results, in the order of the questions."""

    results: list[QuestionResultView]


class RemovedView(View):
    """A question that is not kept any more."""

    question_id: str


class UnansweredView(View):
    """
    A question that the model did not answer, its words without addresses, numbers and the customer's names. `cause`:
    the code of the hand-off, `source_missing`, `no_passage` or `rated_down`; `reasons`: those of bad ratings.
    """

    question_id: str
    ref: str
    at: str
    cause: str
    reasons: list[str]
    channel: ChannelMethod
    language: str | None
    version: int | None
    text: str


class SuggestionView(View):
    """
    Questions that ask the same: the newest of them, and the ids of all that are new. `settled` were accepted or
    dismissed before; `answered_by` is the document that the last accepted answer was written into. `grouped_by`: how
    the questions were found to ask the same.

    `title` and `draft` are proposals: the words of a question, and what a person has answered, masked in the same way.
    """

    questions: list[UnansweredView]
    question_ids: list[str]
    new: int
    settled: int
    causes: dict[str, int]
    title: str
    draft: str
    grouped_by: Literal["embedding", "words"]
    answered_by: str | None


class SuggestionsView(View):
    """
    Suggestions, those with the most new questions first. `compared` questions were grouped; `has_older`: there are
    more, which were not; `has_more`: only the first suggestions are shown. `embedding_failure`: why questions without a
    vector of the project's `embedding_model` were grouped by their words.
    """

    suggestions: list[SuggestionView]
    compared: int
    has_older: bool
    has_more: bool
    embedding_model: str | None
    embedding_failure: str | None


class SettledView(View):
    """How many questions were settled; the document or the version of the settings that was written."""

    settled: int
    document: str | None = None
    version: int | None = None
