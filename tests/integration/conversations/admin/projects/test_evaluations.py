"""Admins store sets of scenarios, run them in the worker, and let only versions go live that have passed."""

from __future__ import annotations

from typing import Any, cast

import pytest
from pydantic import TypeAdapter

from conversations.configuration.resources import Run
from conversations.dialogues import runs
from conversations.dialogues.runs import RunDependencies
from conversations.lifecycle.records.evaluation_step import EvaluationStep
from conversations.outbound.compose.functions.document_search import DocumentSearch
from conversations.store.versions import evaluations
from shared.ai import port as ai
from shared.ai.providers import model_creation
from shared.api.auth import Scope
from shared.runtime.failures import Transient
from tests.integration.conversations.admin.projects.test_playground import Scripted, limit, spent
from tests.integration.conversations.admin.projects.test_projects import make, put_live, settings
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import COMPANY, PROJECT, SMS, THEIRS, Harness, caller
from tests.integration.conversations.steps import model_answer

ADMIN = caller(COMPANY, Scope.CONVERSATIONS_ADMIN)
SET = "POST /projects/{project_id}/sets/{set_name}"
TEA = {"project_id": PROJECT, "set_name": "tea"}
STEPS = TypeAdapter(EvaluationStep)


def scenario(name: str, answer: str = "Yes, we have tea.", **expect: Any) -> dict[str, Any]:
    expected = {"contains": "tea"} | expect
    turn = {"says": "Is there tea?", "answers": [answer], "expect": expected}
    return {"name": name, "turns": [turn]}


def put(harness: Harness, *scenarios: dict[str, Any], **more: Any) -> Answer:
    body = ({"scenarios": list(scenarios)} if scenarios else {}) | more
    return harness.call(SET, body, names=TEA, who=ADMIN)


def begin(harness: Harness, **given: Any) -> Answer:
    return harness.call(f"{SET}/runs", {"recorded": True} | given, names=TEA, who=ADMIN)


def shown(harness: Harness, run_id: str) -> dict[str, Any]:
    names = {"project_id": PROJECT, "run_id": run_id}
    line = "GET /projects/{project_id}/runs/{run_id}"
    found: dict[str, Any] = harness.call(line, names=names, who=ADMIN).result
    return found


def steps(harness: Harness) -> list[EvaluationStep]:
    """The events on the queue of agents."""
    return [STEPS.validate_python(body) for body in harness.queued(SMS)]


def play(
    harness: Harness, step: EvaluationStep, *, is_last: bool = False, left_ms: int = 100_000
) -> str:
    log, unused = harness.resources.log, cast("Any", None)
    deps = RunDependencies(
        log=log,
        spending=log.beside(harness.module.settings.spending_table_name),
        companies=harness.resources.companies.table,
        model_deps=unused,
        documents=DocumentSearch(bucket=None, make_bedrock=unused, owners=unused),
    )
    return runs.play(deps, step, Run("owner", 0, 1, is_last, lambda: left_ms))


def work(harness: Harness) -> None:
    for step in steps(harness):
        play(harness, step)
    harness.sqs.put.clear()


def passed(harness: Harness) -> set[int]:
    stored = evaluations.of_project(harness.resources.log, COMPANY, PROJECT).read("tea")
    return stored.passed if stored else set()


def test_a_run_shows_each_scenario_with_two_versions_side_by_side(harness: Harness) -> None:
    make(harness, settings(prompts={"reply": "Tea costs 3 EUR."}))
    price = scenario("price", "Tea costs 3 EUR.", contains="3 EUR")
    put(harness, scenario("tea"), price)

    begun = begin(harness, version=2, against=1)
    work(harness)

    run = shown(harness, begun.result["run_id"])
    assert begun.status == 202
    assert (run["done"], run["total"], run["passed"], run["passed_against"]) == (2, 2, 2, 1)
    [of_tea, of_price] = run["results"]
    assert [one["passed"] for one in of_tea["results"]] == [True, True]
    new, old = of_price["results"]
    assert (new["version"], new["said"], old["version"]) == (2, "Tea costs 3 EUR.", 1)
    assert "3 EUR" in old["failures"][0]
    assert passed(harness) == set()  # recorded answers are not the version's


def with_model(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    model = Scripted([model_answer(one) for one in answers])
    monkeypatch.setattr(model_creation, "model_for", lambda *_: model)


def test_a_scenario_counts_once_wherever_its_worker_has_died(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(monkeypatch, "Yes, tea.", "We have tea.")
    put(harness, scenario("a"), scenario("b"))
    run_id = begin(harness, recorded=False).result["run_id"]
    first, second = steps(harness)

    play(harness, first)
    play(harness, first)
    assert shown(harness, run_id)["done"] == 1
    play(harness, second)
    harness.resources.log.update(
        {"pk": f"PROJECT#{COMPANY}#{PROJECT}", "sk": "SET#tea"}, drop=["passed"]
    )
    play(harness, second)  # it died before it noted that the version has passed

    run = shown(harness, run_id)
    assert (run["done"], run["passed"], len(run["results"])) == (2, 2, 2)
    assert passed(harness) == {1}


def test_a_repeated_call_begins_no_second_run(harness: Harness) -> None:
    put(harness, scenario("a"))
    ids = {
        harness.call(
            f"{SET}/runs", {"recorded": True}, names=TEA, who=ADMIN, key="the-same-key"
        ).result["run_id"]
        for _ in range(2)
    }

    assert len(ids) == len(steps(harness)) == 1


def test_a_gate_lets_only_versions_go_live_that_have_passed_the_set_as_it_is(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(monkeypatch, "We have tea.")
    make(harness, settings(prompts={"reply": "Offer tea."}))
    put(harness, scenario("a"), gate=True)

    assert put_live(harness, 2).status == 409
    begin(harness, version=2, recorded=False)
    work(harness)
    assert put_live(harness, 2).result["live_version"] == 2

    put(harness, scenario("a", contains="coffee"))
    assert passed(harness) == set()
    assert put_live(harness, 1).status == 409
    put(harness, gate=False)
    assert put_live(harness, 1).result["live_version"] == 1


def test_a_project_has_a_bounded_number_of_sets(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.ai.evaluation.sets.calls.MOST_SETS", 1)
    put(harness, scenario("a"))

    second = harness.call(
        SET, {"scenarios": [scenario("a")]}, names=TEA | {"set_name": "two"}, who=ADMIN
    )

    assert second.status == 409
    assert put(harness, scenario("b")).status == 200


def test_a_set_replaces_only_the_revision_that_its_writer_has_seen(harness: Harness) -> None:
    first = put(harness, scenario("a"), seen=0)
    colleague = put(harness, scenario("b"), seen=1)
    late = put(harness, scenario("c"), seen=1)

    assert (first.status, colleague.status, late.status) == (200, 200, 409)
    assert late.body["error"]["code"] == "version_conflict"
    assert put(harness, scenario("b"), seen=1).status == 200  # a repetition after a lost answer
    assert put(harness, gate=True, seen=1).status == 200  # the scenarios stay
    assert put(harness, scenario("c"), seen=2).result["revision"] == 3
    assert put(harness, scenario("d")).result["revision"] == 4  # a program that owns the set
    assert put(harness, scenario("e"), seen=-1).status == 400


def test_a_run_of_scenarios_that_were_replaced_passes_nothing(harness: Harness) -> None:
    put(harness, scenario("a"))
    run_id = begin(harness).result["run_id"]
    put(harness, scenario("b"))
    work(harness)

    [result] = shown(harness, run_id)["results"]
    assert result["results"][0]["stopped"] == "set_changed"
    assert passed(harness) == set()


def test_a_run_asks_the_versions_model_and_its_judge_within_its_bounds(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    judgement = '{"reason": "It is polite.", "passes": true, "confidence": 0.75}'
    model = Scripted([model_answer("Yes, tea."), judgement, model_answer("Yes, tea.")])
    monkeypatch.setattr(model_creation, "model_for", lambda *_: model)
    put(harness, scenario("a", judge="Is it polite?"), scenario("b"), scenario("c"))

    run_id = begin(harness, recorded=False, most_calls=3).result["run_id"]
    work(harness)

    run = shown(harness, run_id)
    first, _, third = (one["results"][0] for one in run["results"])
    assert first["judged"] == [
        {
            "question": "Is it polite?",
            "passes": True,
            "reason": "It is polite.",
            "confidence": "0.75",
        }
    ]
    assert (run["passed"], run["calls"], third["stopped"]) == (2, 3, "evaluation_bound")
    assert float(run["dollars"]) > 0


def test_a_model_that_is_down_is_asked_again_and_fails_at_the_last_attempt(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Down(Scripted):
        def reply(self, request: ai.Request) -> ai.Reply:
            raise ai.Unavailable("overloaded")

    monkeypatch.setattr(model_creation, "model_for", lambda *_: Down([]))
    monkeypatch.setattr("shared.runtime.clock.sleep_ms", lambda _: None)
    put(harness, scenario("a"))
    run_id = begin(harness, recorded=False).result["run_id"]
    [step] = steps(harness)

    with pytest.raises(Transient):
        play(harness, step)
    play(harness, step, is_last=True)

    [result] = shown(harness, run_id)["results"]
    assert result["results"][0]["stopped"] == "overloaded"


def test_a_scenario_that_its_function_has_no_time_for_fails_and_is_not_repeated(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(monkeypatch, "We have tea.")
    monkeypatch.setattr("shared.runtime.clock.sleep_ms", lambda _: None)
    put(harness, scenario("a"))
    run_id = begin(harness, recorded=False).result["run_id"]

    play(harness, steps(harness)[0], left_ms=25_000)

    [result] = shown(harness, run_id)["results"]
    assert result["results"][0]["stopped"] == "no_time_left"


@pytest.mark.parametrize(
    ("given", "field", "problem"),
    [
        ({"turns": [{"says": "Hi", "expect": {"mentions": "x"}}]}, "scenarios.0.turns.0.expect.mentions", "extra"),
        ({"turns": [{"says": "Hi", "expect": {"language": "xx"}}]}, "scenarios.0.turns.0.expect.language", "does not"),
        ({"project": {"timezone": "UTC"}}, "scenarios.0.project", "must be absent"),
        ({"turns": [{"waits": "1h"}]}, "scenarios.0.turns.0.waits", "cannot be played"),
        ({"channel": "whatsapp", "turns": [{"files": [{"path": "x", "type": "image/png"}]}]},
         "scenarios.0.turns.0.files", "only the command"),
    ],
)  # fmt: skip
def test_a_set_with_a_broken_scenario_is_refused_with_field_and_rule(
    harness: Harness, given: dict[str, Any], field: str, problem: str
) -> None:
    refused = put(harness, scenario("a") | given)

    assert refused.status == 400
    [detail] = refused.body["error"]["details"]
    assert detail["field"] == field
    assert problem in detail["problem"]
    assert harness.call("GET /projects/{project_id}/sets", names=TEA, who=ADMIN).result == {
        "sets": []
    }


def test_sets_are_listed_and_shown_to_their_company_only(harness: Harness) -> None:
    put(harness, scenario("a"), gate=True)
    run_id = begin(harness).result["run_id"]

    [listed] = harness.call("GET /projects/{project_id}/sets", names=TEA, who=ADMIN).result["sets"]
    content = harness.call("GET /projects/{project_id}/sets/{set_name}", names=TEA, who=ADMIN)

    assert (listed["name"], listed["gate"], listed["newest_run"]) == ("tea", True, run_id)
    assert content.result["content"][0]["name"] == "a"
    for line, names, body in (
        ("GET /projects/{project_id}/sets/{set_name}", TEA, None),
        (f"{SET}/runs", TEA, {}),
        (
            "GET /projects/{project_id}/runs/{run_id}",
            {"project_id": PROJECT, "run_id": run_id},
            None,
        ),
    ):
        assert harness.call(line, body, names=names, who=THEIRS).status == 404, line


def test_a_run_counts_for_the_limit_of_the_company_and_its_scenarios_end_at_it(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(monkeypatch, "Yes, tea.")
    put(harness, scenario("a"), scenario("b"))
    run_id = begin(harness, recorded=False).result["run_id"]
    first, second = steps(harness)
    limit(harness, 1_000_000_000)
    play(harness, first)
    counted = spent(harness)
    limit(harness, 0)

    play(harness, second)

    run = shown(harness, run_id)
    assert counted > 0
    assert (run["done"], run["passed"]) == (2, 1)
    assert run["results"][1]["results"][0]["stopped"] == "spending_limit"
