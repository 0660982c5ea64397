"""Response models of tries of a mailbox's settings."""

from shared.ai.playground.views import SpokenView, TraceView
from shared.ai.versions.views import Json


class DraftTrialView(TraceView):
    """
    What the model of a version drafts. Nothing was sent or stored.

    `text` is null if a person must write the answer; `waits` is the reason why a person must approve it even where safe
    answers are sent without one. `mails` are those that the model read, of a thread without the person.
    """

    version: int | None
    text: str | None
    waits: str | None
    intent: str
    language: str
    urgency: str
    summary: str
    needs_human: bool
    needs_human_reason: str | None
    confidence: float
    requirements: Json
    unconfirmed: Json
    questions: list[str]
    is_complete: bool
    mails: list[SpokenView]
