"""What the API of a context does with the sets of an owner: stores them, starts their runs, and shows the results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from shared.ai.evaluation.sets import views
from shared.ai.evaluation.sets.inputs import LARGEST_SET_BYTES
from shared.ai.evaluation.sets.items import MOST_SETS, StoredRun, StoredSet
from shared.api.cursors import Listing, Page
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.ai.evaluation.sets.inputs import RunInput, RunQuery, SetInput, SetsQuery
    from shared.ai.evaluation.sets.items import StoredResult
    from shared.ai.evaluation.sets.stored import Evaluations
    from shared.api.opaque_ids import Seal
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Attributes

SET_NOT_FOUND: Final = "set_name: set not found"
RUN_NOT_FOUND: Final = "run_id: run not found"
_A_MILLION: Final = 1_000_000
_ID_DIGITS: Final = 26
_FIRST: Final = "first"  # position of the next page of results

type Problem = dict[str, str]
# The problems of a scenario, whose place in the call is given; names that were used are added to the set.
type Problems = Callable[[str, dict[str, Any], set[str]], list[Problem]]


class NoSet(Exception):
    """There is no such set, or no such run. The text has the field and the rule."""


class SetRefused(Exception):
    """There are too many sets, or a version has not passed one."""


class SetChanged(Exception):
    """The caller has seen another revision of the set."""

    def __init__(self) -> None:
        super().__init__("seen: the set was changed meanwhile")


ERRORS: Final = {
    NoSet: (HTTPStatus.NOT_FOUND, "not_found"),
    SetRefused: (HTTPStatus.CONFLICT, "state_conflict"),
    SetChanged: (HTTPStatus.CONFLICT, "version_conflict"),
}


@dataclass(frozen=True, slots=True)
class SetCalls:
    """
    The calls of a company about the sets of an *owner*, whose ids bind the cursors. *plain_of* returns what is shown of
    a stored scenario.
    """

    stored: Evaluations
    company: str
    owner: tuple[str, ...]
    seal: Seal
    plain_of: Callable[[str], dict[str, Any]] = json.loads

    def listed(self, query: SetsQuery) -> Page[views.SetsView]:
        """Return a page of the sets."""
        listing = Listing(self.company, "EVALUATION_SETS", self.owner)
        start = listing.position(self.seal, query.cursor) if query.cursor else None
        found, last = self.stored.page(query.limit, start)
        sets = [views.SetView(**_facts(one)) for one in found]
        return Page(views.SetsView(sets=sets), listing.cursor(self.seal, last) if last else None)

    def found(self, name: str) -> StoredSet:
        """Return a set. Raises NoSet."""
        found = self.stored.read(name)
        if found is None:
            raise NoSet(SET_NOT_FOUND)
        return found

    def shown(self, name: str) -> views.SetContentView:
        """Return a set with its scenarios. Raises NoSet."""
        found = self.found(name)
        content = self.stored.scenarios(name, found.revision) or []
        return views.SetContentView(**_facts(found), content=[*map(self.plain_of, content)])

    def put(self, name: str, request: Request[SetInput], problems: Problems) -> views.SetView:
        """Store a set, or change it. Repeatable. Raises NoSet, InvalidInput, SetChanged and SetRefused."""
        before, given = self.stored.read(name), request.input
        content = None if given.scenarios is None else _content(given.scenarios, problems)
        if before is None:
            if content is None:
                raise NoSet(SET_NOT_FOUND)
            if len(self.stored.page(MOST_SETS)[0]) == MOST_SETS:
                raise SetRefused(f"set_name: there are at most {MOST_SETS} sets")
        is_kept = before is not None and content in {None, self._content_of(before)}
        if before is not None and is_kept:
            if given.gate is not None:
                self.stored.set_gate(name, is_gate=given.gate)
            return views.SetView(**_facts(self.found(name)))
        revision = before.revision if before else 0
        if given.seen not in {None, revision}:
            raise SetChanged
        made = StoredSet(
            name=name,
            revision=revision + 1,
            scenarios=len(content or ()),
            gate=given.gate if given.gate is not None else bool(before and before.gate),
            by=request.caller.principal,
            at=clock.to_text(clock.now_ms()),
        )
        keeps_gate = before is not None and given.gate is None
        if not self.stored.put(made, content or (), keeps_gate=keeps_gate):
            raise SetChanged
        return views.SetView(**_facts(made))

    def _content_of(self, one: StoredSet) -> tuple[str, ...]:
        return tuple(self.stored.scenarios(one.name, one.revision) or ())

    def begin(
        self, found: StoredSet, request: Request[RunInput], version: int
    ) -> tuple[views.RunView, range]:
        """
        Store a run of *version*; return it with the positions of the scenarios to queue, also in a repetition after a
        crash: a scenario with a result is not played again. Raises InvalidInput for the same version twice.
        """
        given = request.input
        if given.against == version:
            raise InvalidInput([{"field": "against", "problem": "must be another version"}])
        run = self.stored.begin(
            StoredRun(
                run_id=request.cause[:_ID_DIGITS],
                set_name=found.name,
                revision=found.revision,
                version=version,
                against=given.against,
                recorded=given.recorded,
                total=found.scenarios,
                most_calls=given.most_calls,
                most_micros=round(given.most_dollars * _A_MILLION),
                by=request.caller.principal,
                at=clock.to_text(clock.now_ms()),
            )
        )
        return views.RunView(**_run_facts(run)), range(run.total)

    def results(self, run_id: str, query: RunQuery) -> Page[views.RunResultsView]:
        """Return a run with a page of its results. Raises NoSet."""
        run = self.stored.run(run_id)
        if run is None:
            raise NoSet(RUN_NOT_FOUND)
        listing = Listing(self.company, "EVALUATION_RESULTS", (*self.owner, run_id))
        start = listing.position(self.seal, query.cursor) if query.cursor else {}
        first = _first(start)
        found = self.stored.results(run, first, query.limit)
        view = views.RunResultsView(**_run_facts(run), results=[_result(one) for one in found])
        after = first + query.limit
        cursor = listing.cursor(self.seal, {_FIRST: str(after)}) if after < run.total else None
        return Page(view, cursor)


def refuse_unpassed(stored: Evaluations, version: int | None) -> None:
    """Raise SetRefused for a version that has not passed a gate; None: a new one, which has passed none."""
    sets = ", ".join(stored.gates_before(version))
    if sets and version is None:
        raise SetRefused(f"settings: store a version, which must pass the sets {sets} to go live")
    if sets:
        raise SetRefused(f"number: the version has not passed the sets {sets}")


def _first(position: Attributes) -> int:
    """Return the scenario at which a page begins; a cursor of an earlier release has the key of the one before."""
    key = str(position.get("sk", ""))
    return int(key.rpartition("#")[2]) + 1 if key else int(position.get(_FIRST, "0"))


def _content(scenarios: Sequence[dict[str, Any]], problems: Problems) -> tuple[str, ...]:
    """Return the scenarios as they are stored. Raises InvalidInput with scenario, field and rule of each error."""
    names: set[str] = set()
    found = [
        one
        for number, given in enumerate(scenarios)
        for one in problems(f"scenarios.{number}", given, names)
    ]
    content = tuple(to_json(one) for one in scenarios)
    if not found and sum(map(len, content)) > LARGEST_SET_BYTES:
        found.append(
            {"field": "scenarios", "problem": f"must be at most {LARGEST_SET_BYTES} bytes"}
        )
    if found:
        raise InvalidInput(found)
    return content


def _facts(one: StoredSet) -> dict[str, Any]:
    facts = one.model_dump(include=set(views.SetView.model_fields))
    return {**facts, "passed": sorted(one.passed)}


def _run_facts(run: StoredRun) -> dict[str, Any]:
    facts = run.model_dump(include=set(views.RunView.model_fields))
    return {
        **facts,
        "passed_against": run.passed_against if run.against is not None else None,
        "calls": run.used_calls,
        "dollars": f"{run.used_micros / _A_MILLION:.6f}",
    }


def _result(one: StoredResult) -> views.ScenarioResultView:
    empty: dict[str, Any] = {"failures": [], "stopped": None, "said": "", "judged": [], "calls": 0}
    shown = [
        views.ResultView(**{**empty, **{k: v for k, v in row.items() if k != "micros"}})
        for row in one.results
    ]
    return views.ScenarioResultView(position=one.position, name=one.name, results=shown)
