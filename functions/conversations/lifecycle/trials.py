"""
Asks the rules of a project's trial (`shared.ai.trials.rules`) where it is used.

Where a trial that is over is found, the project stops naming it: its conversations read none any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr
from botocore.exceptions import BotoCoreError, ClientError

from conversations.configuration import projects, versions
from shared.ai.trials import rules
from shared.aws.dynamodb import ConditionFailed
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from conversations.configuration.projects import Companies, Company
    from conversations.store.items.parts.trial import Trial
    from conversations.store.versions.trials import Trials


def running(stored: Trials, companies: Companies, trial_id: str, live: Company) -> Trial | None:
    """
    Return a trial that runs; one that is to end by its rules is ended first, and one that is over is put away.
    Repeatable.
    """

    def live_of(trial: Trial) -> int | None:
        # A project that was read before the trial began does not name it, and may have an older live version, too.
        return live.ai_version if live.ai_trial == trial_id else trial.live

    return rules.running(stored, trial_id, live_of, lambda: put_away(companies, live, trial_id))


def put_away(companies: Companies, live: Company, trial_id: str) -> None:
    """Let a project that names a trial which is over name none. Repeatable. Of a failure, the next call does it."""
    if live.ai_trial != trial_id:
        return
    try:
        companies.table.update(
            projects.key(live.company_id, live.project_id),
            drop=[versions.TRIAL],
            when=Attr(versions.TRIAL).eq(trial_id),
        )
    except ConditionFailed:
        return
    except (BotoCoreError, ClientError) as failure:
        logger.warning("trial not put away", extra=describe(failure))
