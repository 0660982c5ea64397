"""The expected states after a crash or failure: of an undisturbed run, and of one whose reply stays unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import READS, When
from tests.simulation.richpanel.final_state import (
    FinalState,
    check_at_any_time,
    check_at_rest,
    differences,
    final_state_of,
)
from tests.simulation.richpanel.scenarios import TICKET, nothing

if TYPE_CHECKING:
    from tests.simulation.richpanel.scenarios import Scenario, Steps
    from tests.simulation.richpanel.system import Snapshot, System

LIMITER = "sys:limiter"
OUTCOME = "dynamodb.PutItem act:rp_reply:"
WRITES = frozenset({"dynamodb.PutItem", "dynamodb.UpdateItem"})


@dataclass(frozen=True)
class Run:
    """
    An undisturbed run: its start, final state and calls; *starts* are the first calls of workers.

    *in_doubt* is the final state if its reply stays unknown; None if it sends none.
    """

    scenario: Scenario
    start: Snapshot
    calls: list[str]
    starts: list[int]
    clean: FinalState
    in_doubt: FinalState | None

    def may_stay_unknown(self, number: int) -> bool:
        """
        Whether the reply may stay unknown after a crash at this call: from its reservation until it was sent or, if it
        was refused, until the refusal was stored, as the ticket does not show it.
        """
        return any(
            self._reserves(send)
            <= number
            <= (self._writes_outcome(send) if self.is_refused else send)
            for send, call in enumerate(self.calls, start=1)
            if self.scenario.is_send(call)
        )

    @property
    def is_refused(self) -> bool:
        """Whether the help desk refuses the reply."""
        return any(row["status"] == "failed" for row in self.clean.actions.values())

    def _reserves(self, send: int) -> int:
        """The number of the call that reserves the reply sent with this one: the last write of the state before it."""
        before = enumerate(self.calls[:send], start=1)
        return max(number for number, call in before if _writes_state(call))

    def _writes_outcome(self, send: int) -> int:
        after = enumerate(self.calls[send:], start=send + 1)
        return next(number for number, call in after if call.startswith(OUTCOME))

    def deaths(self) -> list[tuple[int, When]]:
        """
        Every distinct moment at which a worker can crash.

        A crash before call k has the same effect as one after call k - 1, unless a run ends between them. So have
        crashes before and after a call that only reads or takes a token; extended runs include them.
        """
        return [(number, When.BEFORE) for number in self.starts] + [
            (number, When.AFTER)
            for number, call in enumerate(self.calls, start=1)
            if EFFORT > 1 or not (call.split(" ")[0] in READS or LIMITER in call)
        ]


def _writes_state(call: str) -> bool:
    operation, _, key = call.partition(" ")
    return operation in WRITES and key == TICKET


def undisturbed(system: System, scenario: Scenario, afterwards: Steps = nothing) -> Run:
    """Run the scenario without crashes, then *afterwards*; and again with a reply that stays unknown."""
    start = scenario.begin(system)
    system.drain()
    calls, starts = list(system.interceptor.calls), list(system.interceptor.first_of_runs)
    assert len(final_state_of(system).sent) == scenario.replies
    clean = _afterwards(system, afterwards)
    assert clean.dead_letters == 0
    in_doubt = None
    if any(map(scenario.is_send, calls)):
        scenario.again(system, start)
        system.interceptor.fails_if = scenario.is_send
        system.drain()
        assert len([call for call in system.interceptor.calls if scenario.is_send(call)]) == 1
        check_handed_over(final_state_of(system))
        system.interceptor.rewind()
        in_doubt = _afterwards(system, afterwards)
    return Run(scenario, start, calls, starts, clean, in_doubt)


def check_handed_over(final: FinalState) -> None:
    """Check that an unknown reply is stored as such, and shown to agents."""
    assert "unknown" in {row["status"] for row in final.actions.values()}
    (ticket,) = final.tickets.values()
    assert "mw-escalated-human" in ticket["tags"]
    assert ticket["status"] == "OPEN"
    assert any('"escalate"' in row and '"fail: unknown"' in row for row in final.audit)


def go_on(system: System, run: Run, number: int, what: str) -> None:
    """Continue the system after a crash or failure at this call, and compare final states."""
    system.drain(between=lambda: check_at_any_time(system))
    call = run.calls[number - 1]
    final = final_state_of(system)
    check_at_rest(system, final)
    found = differences(run.clean, final)
    if found and run.in_doubt and run.may_stay_unknown(number):
        found = min(found, differences(run.in_doubt, final), key=len)
    assert not found, "\n".join([f"{what}, call {number}, {call}", *found])


def _afterwards(system: System, steps: Steps) -> FinalState:
    steps(system)
    system.drain()
    final = final_state_of(system)
    check_at_rest(system, final)
    return final
