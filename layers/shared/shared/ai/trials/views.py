"""Response models of trials, for the API of each context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.ai.spending import prices
from shared.api.models.views import View

if TYPE_CHECKING:
    from shared.ai.trials.items import StoredTrial


class TrialView(View):
    """
    A trial of a version beside the version that was live when it began (`live_version`). `ended_for` is the rule that
    has ended it, or `stopped` by a person. `withdrawn`: its conversations went back to the live version.
    """

    trial_id: str
    mode: str
    version: int
    live_version: int
    share: int | None
    most_conversations: int | None
    most_answers: int | None
    most_dollars: str | None
    until: str
    handed_off_points: int | None
    at_least: int
    by: str
    at: str
    running: bool
    ended_at: str | None
    ended_for: str | None
    ended_by: str | None
    withdrawn: bool


class TrialsView(View):
    """Page of the trials of a project or a mailbox, newest first."""

    trials: list[TrialView]


def shown(trial: StoredTrial) -> TrialView:
    """Return the settings and the end of a trial."""
    micros = trial.most_micros
    return TrialView(
        trial_id=trial.trial_id,
        mode=trial.mode,
        version=trial.version,
        live_version=trial.live,
        share=trial.share,
        most_conversations=trial.most_conversations,
        most_answers=trial.most_answers,
        most_dollars=None if micros is None else prices.dollars(micros),
        until=trial.until,
        handed_off_points=trial.handed_off_points,
        at_least=trial.at_least,
        by=trial.by,
        at=trial.at,
        running=not trial.is_over,
        ended_at=trial.ended_at,
        ended_for=trial.ended_for,
        ended_by=trial.ended_by,
        withdrawn=trial.withdrawn,
    )
