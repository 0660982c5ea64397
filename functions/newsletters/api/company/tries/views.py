"""Response models of tries of a company's settings."""

from newsletters.store.items import QueryRecord
from shared.ai.playground.views import TraceView
from shared.api.models.views import View


class TriedPassageView(View):
    """
    A passage that the step has found, or that the model has read; `cited` by what it wrote. One of an earlier search
    has no `topic` and no `score`.
    """

    chunk_id: str
    title: str
    topic: str | None
    date: str
    url: str
    score: str | None
    text: str
    cited: bool


class FindingView(View):
    """A finding of a check: a `warning` may mislead readers, a `note` does not. `item` is of the outline."""

    code: str
    severity: str
    text: str
    item: str
    passage: str


class StepTrialView(TraceView):
    """
    What a step makes with a version. Nothing was stored.

    `text` is Markdown, and null if there is none: of `topics`, or for the reason `failure`. `repairs` counts the
    answers that were asked for again. Of `topics` the `model` is the retriever, and `dollars` are without its search.
    """

    version: int | None
    step: str
    text: str | None
    failure: str | None
    findings: list[FindingView]
    passages: list[TriedPassageView]
    queries: list[QueryRecord]
    repairs: int
