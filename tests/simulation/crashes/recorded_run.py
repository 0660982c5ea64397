"""
Repeats a run of a simulated system with one disturbance at each moment, as far as its end is not known.

A run consists of acts of people, then rounds of work until none is left. `RecordedRun` makes the undisturbed run once,
with a new process before each act and round. It keeps a checkpoint there, from which a repetition with a failing call
starts, and one of each moment of a round at which a process may be killed, where new processes continue.

A repetition ends early if the stored state before an act or a round equals the undisturbed run's at the same
position, or an earlier repetition's: the rest is the same. `EFFORT` runs all to their end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tests.simulation.crashes.disturbances import is_read
from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import When

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence

    from local.sandbox import Sandbox, Sent
    from tests.simulation.interceptor import Fault, Interceptor


def structure_of(value: Any) -> Any:
    """The names of a value's attributes, without what they are: of a time, whether it is set."""
    if isinstance(value, dict):
        return {name: structure_of(part) for name, part in value.items()}
    return [structure_of(part) for part in value] if isinstance(value, list) else None


class Settle(Protocol):
    """Runs rounds of work until none is left, or *is_over*, which is asked before each round."""

    def __call__(self, *, is_over: Callable[[], bool]) -> None: ...


class Restorable(Protocol):
    """A simulated system that can be restored to a snapshot."""

    interceptor: Interceptor
    sandbox: Sandbox

    def new_process(self) -> None:
        """A cold start."""

    def snapshot(self) -> Any:
        """All that is stored, and the time."""

    def restore(self, snapshot: Any) -> None:
        """Restore a snapshot, with new processes and no injected failures."""


@dataclass(frozen=True)
class Checkpoint:
    """The system after *number* calls, before the act at *position* or, behind all acts, within the rounds."""

    number: int
    position: int
    snapshot: Any
    sent: Sequence[Sent]


@dataclass(frozen=True)
class Death:
    """A moment at which a process may be killed; within an act it has no checkpoint."""

    number: int
    when: When
    after: Checkpoint | None

    @property
    def at(self) -> tuple[int, When]:
        """The number of the call, and whether the process is killed before or after it."""
        return self.number, self.when


@dataclass
class RecordedRun[S: Restorable]:
    """
    The undisturbed run, made by `record` from the present state of *system*. *state_of* returns what decides how a
    run continues, without times.
    """

    system: S
    state_of: Callable[[S], Hashable]
    settle: Settle
    acts: Sequence[Callable[[S], object]] = ()
    calls: list[str] = field(default_factory=list)
    deaths: list[Death] = field(default_factory=list)
    _starts: list[Checkpoint] = field(default_factory=list)
    _known: set[Hashable] = field(default_factory=set)
    _learned: dict[Hashable, set[Hashable]] = field(default_factory=dict)

    def record(self) -> None:
        """Make the undisturbed run."""
        interceptor = self.system.interceptor
        interceptor.rewind()
        interceptor.on_moment = self._note
        try:
            for position, act in enumerate(self.acts):
                self._begin(position)
                act(self.system)
            self.settle(is_over=self._begin_round)
        finally:
            del interceptor.on_moment  # the default of the class
        self.calls = list(interceptor.calls)

    def restart(self) -> None:
        """Restore the state before the run."""
        self._restore(self._starts[0])

    def kills(
        self,
        at: Collection[tuple[int, When]] | None = None,
        *,
        kind_of: Callable[[Death], Hashable] = lambda _: None,
    ) -> Iterator[Death]:
        """
        Kill a process at each moment, or at these; return those after which the end was not known.

        Moments after which a test expects other ends than after others are of different kinds.
        """
        for death in self.deaths:
            if at is not None and death.at not in at:
                continue
            known = self._learned.setdefault(kind_of(death), set(self._known))
            if death.after:
                self._restore(death.after)
                is_at_end = self._continue(death.after.position, 0, known)
            else:
                start = self._start_of(death.number)
                number = death.number - start.number
                self.system.interceptor.die_at = (number, death.when)
                is_at_end = self._continue(start.position, number, known)
            if is_at_end:
                yield death

    def faults(self, faults: Iterable[tuple[int, Fault]]) -> Iterator[tuple[int, Fault]]:
        """Let calls fail, one in each repetition; return those after which the end was not known."""
        known = self._known.union(*self._learned.values())
        for number, fault in faults:
            start = self._start_of(number)
            first = start.number
            self.system.interceptor.fault_at = (number - first, fault)
            is_at_end = self._continue(start.position, number - first, known)
            made = self.system.interceptor.calls[: number - first]
            assert _operations(made) == _operations(self.calls[first:number]), (number, fault)
            if is_at_end:
                yield number, fault

    def _continue(self, position: int, disturbed: int, known: set[Hashable]) -> bool:
        """
        Run from the act at *position*, disturbed at a call, and add the states to the *known* ones; return whether the
        run came to its end.
        """
        interceptor = self.system.interceptor
        passed: set[Hashable] = set()

        def is_known(at: int) -> bool:
            if EFFORT > 1 or len(interceptor.calls) < disturbed:
                return False
            state = (at, self.state_of(self.system))
            passed.add(state)
            return state in known

        for at in range(position, len(self.acts)):
            if is_known(at):
                return False
            self.acts[at](self.system)
        ends: list[bool] = []

        def is_over() -> bool:
            if is_known(len(self.acts)):
                ends.append(True)
            return bool(ends)

        self.settle(is_over=is_over)
        known |= passed  # not before: while time passes, a run has the same state in several rounds
        return not ends

    def _begin_round(self) -> bool:
        self._begin(len(self.acts))
        return False

    def _begin(self, position: int) -> None:
        self.system.new_process()
        self._starts.append(self._checkpoint(position))
        self._known.add((position, self.state_of(self.system)))

    def _note(self, number: int, when: When) -> None:
        """A moment of the undisturbed run; one after a read is equal to an earlier one."""
        call = self.system.interceptor.calls[number - 1] if when is When.AFTER else ""
        if EFFORT == 1 and is_read(call):
            return
        position = self._starts[-1].position
        is_act = position < len(self.acts)
        after = None if is_act else self._checkpoint(position)
        self.deaths.append(Death(number, when, after))

    def _checkpoint(self, position: int) -> Checkpoint:
        number = len(self.system.interceptor.calls)
        return Checkpoint(number, position, self.system.snapshot(), self.system.sandbox.sent)

    def _start_of(self, number: int) -> Checkpoint:
        """Restore the last checkpoint before a call."""
        start = next(one for one in reversed(self._starts) if one.number < number)
        self._restore(start)
        return start

    def _restore(self, checkpoint: Checkpoint) -> None:
        self.system.restore(checkpoint.snapshot)
        for request in checkpoint.sent:
            self.system.sandbox.record(request)


def _operations(calls: Sequence[str]) -> list[str]:
    """Operations without keys, which may contain random ids of providers."""
    return [call.partition(" ")[0] for call in calls]
