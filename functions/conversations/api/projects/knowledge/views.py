"""Response models of searches in a project's documents, and of its questions."""

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
