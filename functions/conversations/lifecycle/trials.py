"""
The rules by which a trial of a version ends. They are asked where a trial is used: no schedule looks at trials.

    live version changed      the trial compares with another one: it ends
    hands off too often       it ends, and its conversations go back to the live version
    a limit, or its time      it ends, and its conversations keep the version

Where a trial that is over is found, the project stops naming it: its conversations read none any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr
from botocore.exceptions import BotoCoreError, ClientError

from conversations.configuration import projects, versions
from conversations.store.items.parts.trial import Arm, EndCause, Mode, Trial, TrialCounts
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections import Counter

    from conversations.configuration.projects import Companies, Company
    from conversations.store.versions.trials import Trials

CONVERSATIONS, ANSWERS, HANDED_OFF, MICROS = "conversations", "answers", "handed_off", "micros"


def running(stored: Trials, companies: Companies, trial_id: str, live: Company) -> Trial | None:
    """
    Return a trial that runs; one that is to end by its rules is ended first, and one that is over is put away.
    Repeatable.
    """
    trial = stored.read(trial_id)
    if trial is None:
        return None
    if trial.is_over:
        put_away(companies, live, trial_id)
        return None
    # A project that was read before the trial began does not name it, and its live version may be an older one, too.
    number = live.ai_version if live.ai_trial == trial_id else trial.live
    cause = end_of(trial, stored.counts(trial), number)
    if cause is None:
        return trial
    stored.end(trial_id, cause, withdrawn=withdraws(cause))
    put_away(companies, live, trial_id)
    return None


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


def end_of(trial: Trial, counts: Counter[str], live: int | None) -> EndCause | None:
    """
    Return why a trial that runs is to end now, by its *counts*; None if it goes on. *live*: the project's live version.

    A hand-off rule comes before a limit: what it says about the version counts, also at the last conversation.
    """
    if live != trial.live:
        return EndCause.LIVE_CHANGED
    if hands_off_too_often(trial, counts):
        return EndCause.HANDED_OFF
    limits = (
        (EndCause.CONVERSATIONS, trial.most_conversations, _of(counts, Arm.TRIAL, CONVERSATIONS)),
        (EndCause.ANSWERS, trial.most_answers, counts[TrialCounts.BEGUN]),
        (EndCause.DOLLARS, trial.most_micros, _of(counts, Arm.TRIAL, MICROS)),
    )
    for cause, most, reached in limits:
        if most is not None and reached >= most:
            return cause
    return EndCause.UNTIL if clock.to_text(clock.now_ms()) >= trial.until else None


def hands_off_too_often(trial: Trial, counts: Counter[str]) -> bool:
    """Whether the hand-offs of the version on trial exceed the live one's by more points than the rule permits."""
    if trial.handed_off_points is None:
        return False
    base = CONVERSATIONS if trial.mode is Mode.SHARE else ANSWERS
    of_live, of_trial = (_of(counts, arm, base) for arm in (Arm.LIVE, Arm.TRIAL))
    if min(of_live, of_trial) < max(1, trial.at_least):
        return False
    # In whole numbers: (t / n - l / m) * 100 > points.
    live, tried = (_of(counts, arm, HANDED_OFF) for arm in (Arm.LIVE, Arm.TRIAL))
    difference = tried * of_live - live * of_trial
    return difference * 100 > trial.handed_off_points * of_live * of_trial


def withdraws(cause: EndCause) -> bool:
    """Whether conversations lose the version with this end: it has served customers worse than the live one."""
    return cause is EndCause.HANDED_OFF


def _of(counts: Counter[str], arm: Arm, kind: str) -> int:
    return counts[TrialCounts.name(arm, kind)]
