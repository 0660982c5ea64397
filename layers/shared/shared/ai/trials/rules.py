"""
The rules by which a trial of a version ends. They are asked where a trial is used: no schedule looks at trials.

    live version changed      the trial compares with another one: it ends
    hands off too often       it ends, and its conversations go back to the live version
    a limit, or its time      it ends, and its conversations keep the version
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.ai.trials.items import (
    ANSWERS,
    BEGUN,
    CONVERSATIONS,
    HANDED_OFF,
    MICROS,
    Arm,
    EndCause,
    Mode,
    count_name,
)
from shared.runtime import clock

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from shared.ai.trials.items import StoredTrial
    from shared.ai.trials.stored import TrialStore


def running[T: StoredTrial](
    stored: TrialStore[T],
    trial_id: str,
    live_of: Callable[[T], int | None],
    put_away: Callable[[], None],
) -> T | None:
    """
    Return a trial that runs; one that is to end by its rules is ended first, and one that is over is *put_away*: its
    owner names it no longer. *live_of* returns the live version. Repeatable.
    """
    trial = stored.read(trial_id)
    if trial is None:
        return None
    if trial.is_over:
        put_away()
        return None
    cause = end_of(trial, stored.counts(trial), live_of(trial))
    if cause is None:
        return trial
    stored.end(trial_id, cause, withdrawn=withdraws(cause))
    put_away()
    return None


def end_of(trial: StoredTrial, counts: Counter[str], live: int | None) -> EndCause | None:
    """
    Return why a trial that runs is to end now, by its *counts*; None if it goes on. *live*: the owner's live version.

    A hand-off rule comes before a limit: what it says about the version counts, also at the last conversation.
    """
    if live != trial.live:
        return EndCause.LIVE_CHANGED
    if hands_off_too_often(trial, counts):
        return EndCause.HANDED_OFF
    limits = (
        (EndCause.CONVERSATIONS, trial.most_conversations, _of(counts, Arm.TRIAL, CONVERSATIONS)),
        (EndCause.ANSWERS, trial.most_answers, counts[BEGUN]),
        (EndCause.DOLLARS, trial.most_micros, _of(counts, Arm.TRIAL, MICROS)),
    )
    for cause, most, reached in limits:
        if most is not None and reached >= most:
            return cause
    return EndCause.UNTIL if clock.to_text(clock.now_ms()) >= trial.until else None


def hands_off_too_often(trial: StoredTrial, counts: Counter[str]) -> bool:
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
    return counts[count_name(arm, kind)]
