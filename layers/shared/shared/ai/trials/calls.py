"""What the API of a context does with the trials of an owner: begins and stops them."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from shared.ai.spending.bounds import MICROS
from shared.ai.trials import inputs
from shared.ai.trials.items import EndCause, Mode, StoredTrial
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.ai.trials.inputs import StopInput, TrialInput
    from shared.ai.trials.stored import TrialStore
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Attributes

TRIAL_NOT_FOUND: Final = "trial_id: trial not found"
_RUNS: Final = "version: another trial is running; stop it first"
_MARK: Final = 8  # characters of the hash of the call in the id of a trial


class NoTrial(Exception):
    """The owner has no such trial. The text has the field and the rule."""


class TrialRefused(Exception):
    """Another trial is running, or the version may not be tried. The text has the field and the rule."""


ERRORS: Final = {
    NoTrial: (HTTPStatus.NOT_FOUND, "not_found"),
    TrialRefused: (HTTPStatus.CONFLICT, "state_conflict"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCalls[T: StoredTrial]:
    """
    The calls about the trials of an owner. *named* returns the trial that the owner names now, *live_beside* checks a
    version and returns the live one, *is_running* asks the rules of a trial, *naming* returns the write with which the
    owner names a trial instead of the one before, *make* returns the item of one.
    """

    stored: TrialStore[T]
    named: Callable[[], str | None]
    live_beside: Callable[[TrialInput], int]
    is_running: Callable[[str], bool]
    naming: Callable[[str | None, str], Attributes]
    make: Callable[[StoredTrial], T]

    def begin(self, request: Request[TrialInput]) -> T:
        """Begin a trial. Repeatable. Raises InvalidInput for broken rules, TrialRefused, and as *live_beside* does."""
        given = request.input
        until = inputs.end_of(given)
        before = self.named()
        newest = self.stored.read(before) if before else None
        if newest is not None and newest.made_for == request.cause:
            return newest
        live = self.live_beside(given)
        if newest is not None and self.is_running(newest.trial_id):
            raise TrialRefused(_RUNS)
        wanted = self.make(_wanted(request, live, until))
        if self.stored.begin(wanted, self.naming(before, wanted.trial_id)):
            return wanted
        first = self.named()
        begun = self.stored.read(first) if first else None
        if begun is None or begun.made_for != request.cause:
            raise TrialRefused(_RUNS)
        return begun


def found[T: StoredTrial](stored: TrialStore[T], trial_id: str) -> T:
    """Return a trial. Raises NoTrial."""
    trial = stored.read(trial_id)
    if trial is None:
        raise NoTrial(TRIAL_NOT_FOUND)
    return trial


def stop[T: StoredTrial](stored: TrialStore[T], trial_id: str, request: Request[StopInput]) -> T:
    """Stop a trial, or withdraw the version of one that has ended. Repeatable. Raises NoTrial."""
    trial, withdraws = found(stored, trial_id), request.input.withdraw
    ended: T | None = trial
    if not trial.is_over:
        by = request.caller.principal
        ended = stored.end(trial_id, EndCause.STOPPED, by, withdrawn=withdraws)
    if ended is not None and withdraws and not ended.withdrawn:
        ended = stored.withdraw(trial_id)
    if ended is None:
        raise NoTrial(TRIAL_NOT_FOUND)
    return ended


def _wanted(request: Request[TrialInput], live: int, until: int) -> StoredTrial:
    given, now = request.input, clock.now_ms()
    return StoredTrial(
        trial_id=f"{now:013d}-{request.cause[:_MARK]}",
        mode=Mode(given.mode),
        version=given.version,
        live=live,
        share=given.share,
        most_conversations=given.most_conversations,
        most_answers=given.most_answers,
        most_micros=round(given.most_dollars * MICROS) if given.most_dollars else None,
        until=clock.to_text(until),
        handed_off_points=given.handed_off_points,
        at_least=given.at_least,
        by=request.caller.principal,
        at=clock.to_text(now),
        made_for=request.cause,
    )
