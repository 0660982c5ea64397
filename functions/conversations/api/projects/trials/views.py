"""Response models of trials of a project."""

from shared.ai.trials.views import TrialView
from shared.api.models.views import View


class ArmView(View):
    """
    What came of one of the two versions, in the conversations or answers of the trial alone. Of a share:
    `conversations` and what became of them. Of a shadow: `answers`, of which `sent` had a text; `dollars` of all, and
    `ms` on average.
    """

    version: int
    conversations: int
    answers: int
    sent: int
    handed_off: int
    ended_alone: int
    ended_with_people: int
    opted_out: int
    failed: int
    reopened_soon: int
    rated_up: int
    rated_down: int
    asked: int
    scores: dict[str, int]
    faulty: int | None
    dollars: str
    ms: int | None


class TrialOutcomesView(TrialView):
    """A trial with the outcomes of both versions. Of a shadow `begun` answers were asked for, and some have failed."""

    begun: int
    failed: int
    live: ArmView
    trial: ArmView


class ShadowAnswerView(View):
    """
    What both versions answered to a customer's message. `live_text` is what the customer got; null: people got the
    conversation, or the message is no longer stored. `status` is `made`, `failed` with a `reason`, or `begun`.
    `not_called` are functions whose result the version on trial did not get: it calls none.
    """

    ref: str
    at: str
    customer_text: str | None
    live_text: str | None
    live_handed_off_for: str | None
    live_dollars: str | None
    text: str
    handed_off_for: str | None
    status: str
    reason: str | None
    functions: list[str]
    not_called: list[str]
    faults: list[str]
    dollars: str
    ms: int


class ShadowAnswersView(View):
    """Page of the answers of a trial, newest first. They are stored for 30 days."""

    answers: list[ShadowAnswerView]
