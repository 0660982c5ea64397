"""Response models of sets of scenarios and their runs that all contexts share."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from shared.api.models.views import View
from shared.aws.tables.dynamodb_json import plain

type Json = Annotated[dict[str, Any], BeforeValidator(plain)]


class SetView(View):
    """
    A set of scenarios. `revision` changes with its scenarios; `passed`: the versions that have passed all of them.
    With `gate` only these can go live.
    """

    name: str
    at: str
    by: str
    revision: int
    scenarios: int
    gate: bool
    passed: list[int]
    newest_run: str | None


class SetsView(View):
    """Page of sets, in the order of their names."""

    sets: list[SetView]


class SetContentView(SetView):
    """A set with the content of its scenarios."""

    content: list[Json]


class RunView(View):
    """
    A run of a set: `done` of `total` scenarios were played, and how many have `passed` with each version. `dollars` is
    an estimate by list prices.
    """

    run_id: str
    set_name: str
    at: str
    by: str
    version: int
    against: int | None
    recorded: bool
    total: int
    done: int
    passed: int
    passed_against: int | None
    calls: int
    dollars: str


class JudgedView(View):
    """The judgement of a model: whether the answer is yes, why, and how sure it is, from 0 to 1."""

    question: str
    passes: bool
    reason: str
    confidence: str


class ResultView(View):
    """
    A scenario with one version: `failures` are what went wrong, `said` is what the customer would have received.
    `stopped` is the code of a failure that has ended it.
    """

    version: int
    passed: bool
    failures: list[str]
    stopped: str | None
    said: str
    judged: list[JudgedView]
    calls: int


class ScenarioResultView(View):
    """The results of one scenario, side by side by version."""

    position: int
    name: str
    results: list[ResultView]


class RunResultsView(RunView):
    """A run with a page of its results, in the order of the scenarios."""

    results: list[ScenarioResultView]
