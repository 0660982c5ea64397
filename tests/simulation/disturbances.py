"""
The moments at which a process may be killed during a run, and the ways in which each of its calls may fail.

Only distinct ones: two moments between which nothing is stored end in the same state. `EFFORT` adds the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import READS, Fault, When

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.interceptor import Interceptor

_REFUSALS = (Fault.THROTTLED, Fault.UNAVAILABLE)
_READ_OF_A_PROVIDER = "HTTP.GET"


def is_read(call: str) -> bool:
    """Whether a call stores nothing."""
    return call.split(" ", maxsplit=1)[0] in READS


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
