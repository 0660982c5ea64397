"""Input models of trials, for the API of each context."""

import re
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field, Strict

from shared.ai.spending.bounds import LEAST_DOLLARS
from shared.ai.trials.items import Mode
from shared.ai.versions.inputs import Number
from shared.api.errors import InvalidInput
from shared.api.models.inputs import Input
from shared.runtime import clock

MOST_CONVERSATIONS = 1_000_000
MOST_ANSWERS = 10_000
MOST_DOLLARS = 1_000
MOST_DAYS, DEFAULT_DAYS = 90, 30
DEFAULT_AT_LEAST = 50

_DAY_MS: Final = clock.DAY_SECONDS * clock.SECOND_MS
_ID: Final = re.compile(r"[0-9]{13}-[0-9a-f]{8}")
_OF_MODE: Final = {
    Mode.SHADOW: ("most_answers", "most_dollars"),
    Mode.SHARE: ("share", "most_conversations"),
}

type _Whole = Annotated[int, Strict()]


class TrialInput(Input):
    """
    A trial of *version* beside the live one. In `shadow` it answers without sending, at most *most_answers* times for
    at most *most_dollars*; in `share` it gets *share* percent of the people who begin a conversation, at most
    *most_conversations* times. It ends *until* a time, by default after 30 days; and if its hand-offs in percent exceed
    the live version's by more than *handed_off_points*, once both have *at_least* conversations or answers.
    """

    mode: Literal["shadow", "share"]
    version: Number
    share: Annotated[_Whole, Field(ge=1, le=100)] | None = None
    most_conversations: Annotated[_Whole, Field(ge=1, le=MOST_CONVERSATIONS)] | None = None
    most_answers: Annotated[_Whole, Field(ge=1, le=MOST_ANSWERS)] | None = None
    most_dollars: Annotated[float, Field(ge=LEAST_DOLLARS, le=MOST_DOLLARS)] | None = None
    until: AwareDatetime | None = None
    handed_off_points: Annotated[_Whole, Field(ge=1, le=100)] | None = None
    at_least: Annotated[_Whole, Field(ge=1, le=MOST_CONVERSATIONS)] = DEFAULT_AT_LEAST


class StopInput(Input):
    """With *withdraw* the conversations of the version on trial go back to the live one; else they keep it."""

    withdraw: Annotated[bool, Strict()] = False


class TrialsQuery(Input):
    """Position in the list of trials, or of their answers."""

    limit: int = Field(default=20, ge=1, le=50)
    cursor: str | None = None


def id_of(text: str) -> str:
    """Return the id of a trial in a path. Raises InvalidInput."""
    if _ID.fullmatch(text) is None:
        raise InvalidInput([{"field": "trial_id", "problem": "must be the id of a trial"}])
    return text


def end_of(given: TrialInput) -> int:
    """Return when a trial ends, in ms since 1970. Raises InvalidInput with all fields that break a rule."""
    problems = _problems(given)
    now = clock.now_ms()
    until = now + DEFAULT_DAYS * _DAY_MS
    if given.until is not None:
        until = round(given.until.timestamp() * clock.SECOND_MS)
        if not now < until <= now + MOST_DAYS * _DAY_MS:
            rule = f"must be in the future, at most {MOST_DAYS} days from now"
            problems.append({"field": "until", "problem": rule})
    if problems:
        raise InvalidInput(problems)
    return until


def _problems(given: TrialInput) -> list[dict[str, str]]:
    mode = Mode(given.mode)
    others = [name for one, names in _OF_MODE.items() if one is not mode for name in names]
    found = [
        {"field": name, "problem": f"must be absent in mode {mode}"}
        for name in others
        if getattr(given, name) is not None
    ]
    if mode is Mode.SHARE and given.share is None:
        found.append({"field": "share", "problem": "must be given in mode share: 1 to 100"})
    if mode is Mode.SHARE and given.share == 100 and given.handed_off_points is not None:  # noqa: PLR2004 - percent
        rule = "must be absent with a share of 100: no conversation has the live version"
        found.append({"field": "handed_off_points", "problem": rule})
    if mode is Mode.SHADOW and given.most_answers is None and given.most_dollars is None:
        rule = "must be given in mode shadow, or most_dollars"
        found.append({"field": "most_answers", "problem": rule})
    return found
