"""
The moments at which a process may be killed during a run, and the ways in which each of its calls may fail.

Only distinct ones: two moments between which nothing is stored end in the same state. `unlike` drops those that
happened in the same place before. `EFFORT` adds all others.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import READS, Fault, When

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from tests.simulation.interceptor import Interceptor

_REFUSALS = (Fault.THROTTLED, Fault.UNAVAILABLE)
_READ_OF_A_PROVIDER = "HTTP.GET"
_OF_PROVIDERS = ("HTTP.", "socialmessaging.")
# A part of a key or path that is no id: item types, names of operations and folders.
_NAME = re.compile(r"[A-Z_]{1,20}|[a-z_.-]{1,20}")


def is_read(call: str) -> bool:
    """Whether a call stores nothing."""
    return call.split(" ", maxsplit=1)[0] in READS


def is_effect(call: str) -> bool:
    """Whether a call changes something at a provider."""
    return call.startswith(_OF_PROVIDERS) and not is_read(call)


@cache
def kind_of(call: str) -> str:
    """A call without ids: `HTTP.POST messages`, `dynamodb.PutItem ORDER TX`."""
    operation, _, key = call.partition(" ")
    return " ".join([operation, *filter(_NAME.fullmatch, re.split("[#/ ]", key))])


type Found[How] = Sequence[tuple[int, How]]
type Earlier[How] = Iterable[tuple[Found[How], Sequence[str]]]


def unlike[How](
    found: Found[How], calls: Sequence[str], earlier: Earlier[How] = ()
) -> list[tuple[int, How]]:
    """
    Return the disturbances of a scenario that are unlike those before them, in the scenario and in *earlier* ones.

    Two are alike if their kinds of call are the same, and the kinds of the disturbed calls before and after them. At an
    effect of a provider none is alike: its action or event decides about a repetition. The result depends on the calls
    of undisturbed runs only; with `EFFORT > 1` it has all disturbances.
    """
    return _new(found, calls, earlier, _neighbours)


def after_new_beginnings[How](
    found: Found[How], calls: Sequence[str], earlier: Earlier[How]
) -> list[tuple[int, How]]:
    """
    Return the disturbances of a scenario that no *earlier* one has after the same beginning.

    A beginning is the kinds of all calls up to the one after the disturbed call. A redelivery repeats them, and makes
    the remaining calls of its scenario as an undisturbed run does. Effects of a provider and `EFFORT` as in `unlike`.
    """
    return _new(found, calls, earlier, _beginnings)


def _new[How](
    found: Found[How],
    calls: Sequence[str],
    earlier: Earlier[How],
    places: Callable[[Found[How], Sequence[str]], list[Hashable]],
) -> list[tuple[int, How]]:
    if EFFORT > 1:
        return list(found)
    known = {place for scenario in earlier for place in places(*scenario)}
    chosen = []
    for disturbance, place in zip(found, places(found, calls), strict=True):
        if place not in known or any(map(is_effect, calls[disturbance[0] - 1 : disturbance[0]])):
            chosen.append(disturbance)
        known.add(place)
    return chosen


def _neighbours[How](found: Found[How], calls: Sequence[str]) -> list[Hashable]:
    """How and where each disturbance happens: the kinds of the disturbed calls before it, at it and after it."""
    kinds = ["", *(kind_of(calls[number - 1]) for number, _ in found), ""]
    hows = [how for _, how in found]
    return list(zip(hows, kinds, kinds[1:], kinds[2:], strict=False))


def _beginnings[How](found: Found[How], calls: Sequence[str]) -> list[Hashable]:
    """How and where each disturbance happens: the kinds of all calls before it, at it, and of the one after it."""
    kinds = tuple(map(kind_of, calls))
    return [(how, number, kinds[: number + 1]) for number, how in found]


def deaths(calls: Sequence[str], first_of_runs: Sequence[int] = (1,)) -> list[tuple[int, When]]:
    """
    Return the moments at which a process may be killed: numbers of calls, and whether before or after them.

    A crash before call k has the same effect as one after call k - 1, unless a run ends between them; so have crashes
    before and after a call that only reads.
    """
    return [(number, When.BEFORE) for number in first_of_runs] + [
        (number, When.AFTER)
        for number, call in enumerate(calls, start=1)
        if EFFORT > 1 or not is_read(call)
    ]


def deaths_in(interceptor: Interceptor) -> list[tuple[int, When]]:
    """Return the moments of the run that this interceptor has just seen."""
    return deaths(interceptor.calls, interceptor.first_of_runs)


def failures(calls: Sequence[str], *, refused: bool = True) -> list[tuple[int, Fault]]:
    """
    Return how calls may fail, one at a time: numbers of calls, and their faults.

    A lost answer of a read is no failure: the SDK repeats it. With *refused*, each call is also refused, in turn by
    throttling and by an error of the service: the SDK repeats both, and raises the same kind of error in the end.
    """
    numbered = list(enumerate(calls, start=1))
    lost = [
        (number, Fault.LOST_ANSWER)
        for number, call in numbered
        if EFFORT > 1 or not is_read(call) or call.startswith(_READ_OF_A_PROVIDER)
    ]
    if not refused:
        return lost
    if EFFORT > 1:
        return lost + [(number, fault) for number, _ in numbered for fault in _REFUSALS]
    return lost + [(number, _REFUSALS[number % 2]) for number, _ in numbered]
