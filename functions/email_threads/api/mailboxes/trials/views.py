"""Response models of trials of a mailbox."""

from shared.ai.trials.views import TrialView
from shared.api.models.views import View


class DraftArmView(View):
    """
    What came of one of the two versions, in the threads or mails of the trial alone. Of a share: `conversations` are
    the threads. Of `answers` some were `handed_off`: without a draft, or the model wants a person. Of the drafts that
    were `sent`, people `corrected` some: `edits` of their `words`, the edit distance in words; `discarded` were
    rejected. Of a shadow the version on trial is compared with what a person sent, its answers took `ms` on average,
    and `faulty` have faults in the checks. `dollars` of all answers.
    """

    version: int
    conversations: int
    answers: int
    handed_off: int
    sent: int
    corrected: int
    edits: int
    words: int
    discarded: int | None
    faulty: int | None
    dollars: str
    ms: int | None


class DraftTrialOutcomesView(TrialView):
    """A trial with the outcomes of both versions. Of a shadow `begun` drafts were asked for, and some have failed."""

    begun: int
    failed: int
    live: DraftArmView
    trial: DraftArmView


class ShadowDraftView(View):
    """
    What both versions drafted for a mail. `live_text` is the live version's draft, as its model wrote it, null: a
    person had to write, or it is no longer stored; `live_status` is what became of it. `text` is what the version on
    trial would have drafted, null: a person must write; `waits` is why a person must approve it even where safe answers
    are sent without one. `status` is `made`, `failed` with a `reason`, or `begun`.
    """

    conversation_id: str
    n: int
    at: str
    customer_text: str
    live_text: str | None
    live_status: str | None
    live_handed_off: bool
    text: str | None
    needs_human: bool
    waits: str | None
    status: str
    reason: str | None
    dollars: str
    ms: int


class ShadowDraftsView(View):
    """Page of the drafts of a trial in shadow, newest first. They are listed for 30 days."""

    drafts: list[ShadowDraftView]
