"""Sets of scenarios of the help desk: stored, run by the worker with a version, and a condition for going in force."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from richpanel.clients.language_model import Judge
from richpanel.worker.cases import evaluations
from shared.ai import port as ai
from shared.ai.spending import ceilings, usage
from shared.ai.spending.items import CompanySettings
from shared.aws.secrets import SecretUnreadable
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.richpanel.admin.conftest import READER, ROLLBACK, SETTINGS, WHERE
from tests.integration.richpanel.admin.test_playground import OPINION, RETURN, Scripted
from tests.integration.richpanel.admin.test_settings import put as put_settings
from tests.integration.richpanel.admin.test_settings_versions import draft, live

if TYPE_CHECKING:
    from tests.integration.answers import Answer
    from tests.integration.richpanel.admin.conftest import Admin

SETS = "/admin/richpanel/sets"
SET = f"{SETS}/{{set_name}}"
LATE = 100_000  # ms that the worker has left
WRONG = OPINION | {"intents": [{"intent": "pre_purchase_question", "confidence": 0.95}]}


def scenario(name: str = "return", **more: Any) -> dict[str, Any]:
    return {
        "kind": "ticket",
        "name": name,
        "text": RETURN,
        "expect": {"intent": "return_request", "decision": "auto_reply", "team": "Returns Admin"},
        **more,
    }


def put(admin: Admin, *scenarios: dict[str, Any], name: str = "returns", **more: Any) -> Answer:
    body = {"scenarios": list(scenarios)} if scenarios else {}
    return admin.call(f"POST {SET}", body=body | more, named=name)


def begin(admin: Admin, **given: Any) -> str:
    run_id: str = admin.call(f"POST {SET}/runs", body=given, named="returns").result["run_id"]
    return run_id


def work(admin: Admin, *, is_last: bool = False) -> list[dict[str, Any]]:
    """The worker handles all events on the queue; return them."""
    steps = admin.events()
    for step in steps:
        play(admin, step, is_last=is_last)
    return steps


def play(admin: Admin, step: dict[str, Any], *, is_last: bool = False) -> bool:
    until_ms = clock.now_ms() + LATE
    return evaluations.play(admin.harness.resources, json.dumps(step), until_ms, is_last=is_last)


def shown(admin: Admin, run_id: str) -> Any:
    return admin.call("GET /admin/richpanel/runs/{run_id}", READER, named=run_id).result


def stored(admin: Admin) -> Any:
    return admin.call(f"GET {SET}", READER, named="returns").result


def with_model(admin: Admin, *answers: Any) -> Scripted:
    model = Scripted(*answers)
    admin.harness.resources.judge = Judge(model)
    return model


def test_a_run_shows_each_scenario_with_two_versions_side_by_side_and_asks_no_help_desk(
    admin: Admin,
) -> None:
    draft(admin, {"languages": ["en"]})
    draft(admin, {"languages": ["es"]})
    put(admin, scenario("a"), scenario("b"))
    model = with_model(admin, OPINION, OPINION, WRONG, OPINION)

    run_id = begin(admin, version=1, against=2)
    work(admin)

    run = shown(admin, run_id)
    assert (run["done"], run["total"], run["passed"], run["passed_against"]) == (2, 2, 1, 0)
    first, second = run["results"]
    assert [one["passed"] for one in first["results"]] == [True, False]
    assert "return" in first["results"][0]["said"]
    spanish = "the decision is route_only instead of auto_reply"
    assert spanish in first["results"][1]["failures"]
    intent = "the intent is pre_purchase_question instead of return_request"
    assert intent in second["results"][0]["failures"]
    assert len(model.asked) == run["calls"] == 4
    assert admin.harness.sandbox.sent == []


def test_without_a_model_rules_decide_and_a_question_is_not_judged(admin: Admin) -> None:
    put(admin, scenario("a"), scenario("b", expect={"judge": "Is it polite?"}))

    run_id = begin(admin)
    work(admin)

    first, second = (row["results"][0] for row in shown(admin, run_id)["results"])
    assert (first["version"], first["passed"]) == (0, True)
    assert second["failures"] == [
        "not judged, without a model and a recorded judgement: Is it polite?"
    ]


def test_the_model_judges_a_reply_with_its_reason_and_its_confidence(admin: Admin) -> None:
    put(admin, scenario(expect={"judge": "Is it polite?"}))
    judgement = {"reason": "It thanks.", "passes": True, "confidence": 0.75}
    model = with_model(admin, OPINION, judgement)

    run_id = begin(admin)
    work(admin)

    [row] = shown(admin, run_id)["results"]
    asked = {"question": "Is it polite?", **judgement, "confidence": "0.75"}
    assert row["results"][0]["judged"] == [asked]
    assert row["results"][0]["passed"]
    read = model.asked[1].history[0]
    assert isinstance(read, ai.Message)
    assert row["results"][0]["said"] == json.loads(read.text)["texts"]["answer"]


def test_recorded_answers_are_checked_without_a_model_and_pass_no_version(admin: Admin) -> None:
    model = with_model(admin)
    put(
        admin,
        scenario("good", answer=OPINION, bad_answers=[WRONG]),
        scenario("unfound", answer=OPINION, bad_answers=[WRONG], expect={}),
    )

    run_id = begin(admin, recorded=True)
    work(admin)

    good, unfound = (row["results"][0] for row in shown(admin, run_id)["results"])
    assert (good["passed"], unfound["failures"]) == (True, ["bad answer 1 is not caught"])
    assert (model.asked, stored(admin)["passed"]) == ([], [])


def test_a_gate_lets_only_versions_in_force_that_have_passed_the_set_as_it_is(
    admin: Admin,
) -> None:
    put_settings(admin, {"languages": ["en"]})
    draft(admin, {"languages": ["en", "es"]})
    put(admin, scenario(), gate=True)

    assert (live(admin, 2).status, live(admin, 1).status) == (409, 200)
    assert put_settings(admin, {"languages": ["es"]}, based_on=1).status == 409
    rollback = admin.call(f"POST {ROLLBACK}", body={"number": 1, "based_on": 1})
    assert rollback.status == 409
    assert admin.call(f"GET {SETTINGS}", READER).result["number"] == 1

    with_model(admin, OPINION)
    begin(admin, version=2)
    work(admin)
    assert live(admin, 2).result["live_version"] == 2

    put(admin, scenario(text="Send it back, please."))
    assert stored(admin)["passed"] == []
    assert live(admin, 1).status == 409
    put(admin, gate=False)
    assert live(admin, 1).result["live_version"] == 1


def test_a_scenario_counts_once_wherever_its_worker_has_died(admin: Admin) -> None:
    put(admin, scenario())
    model = with_model(admin, OPINION)
    run_id = begin(admin)
    [step] = work(admin)

    assert play(admin, step)

    run = shown(admin, run_id)
    assert (run["done"], run["passed"], len(model.asked)) == (1, 1, 1)
    assert stored(admin)["passed"] == [0]
    assert not play(admin, step | {"run_id": "another"})


def test_a_run_ends_at_its_bounds_and_counts_for_the_limits_of_the_company(admin: Admin) -> None:
    resources = admin.harness.resources
    assert resources.spending is not None
    company = resources.account.company or "help-desk"
    usage.set_ceilings(resources.spending.table, company, {"month_micros": 10**9}, by="a person")
    put(admin, scenario("a"), scenario("b"))
    with_model(admin, OPINION, OPINION)

    run_id = begin(admin, most_calls=1)
    work(admin)

    first, second = (row["results"][0] for row in shown(admin, run_id)["results"])
    assert (first["passed"], second["stopped"]) == (True, "evaluation_bound")
    day = clock.to_text(clock.now_ms())[:10]
    assert ceilings.spent(resources.spending.table, company, day)[1] > 0


def test_a_version_that_decides_by_rules_is_played_without_the_model_of_the_deployment(
    admin: Admin,
) -> None:
    model = with_model(admin, OPINION)
    draft(admin, {"account": {"classifier": "rules"}})
    put(admin, scenario(expect={"intent": "return_request"}))

    run_id = begin(admin, version=1)
    work(admin)

    [row] = shown(admin, run_id)["results"]
    assert (row["results"][0]["passed"], model.asked) == (True, [])


def test_a_run_leaves_the_rest_of_a_limit_beyond_its_alarm_to_customers(admin: Admin) -> None:
    resources = admin.harness.resources
    assert resources.spending is not None
    table, company = resources.spending.table, resources.account.company or "help-desk"
    most = 10**9
    usage.set_ceilings(table, company, {"month_micros": most}, by="a person")
    date = clock.to_text(clock.now_ms())[:10]
    found = CompanySettings.read(table.get(CompanySettings.key(company)) or {})
    own = ceilings.ceilings_of(found, date)
    assert ceilings.reserve(table, company, own, own[0].warn_at)
    put(admin, scenario())
    model = with_model(admin, OPINION)

    run_id = begin(admin)
    work(admin)

    [row] = shown(admin, run_id)["results"]
    assert (row["results"][0]["stopped"], model.asked) == ("spending_limit", [])


def test_a_model_that_does_not_answer_for_now_is_asked_again_and_fails_at_the_last_attempt(
    admin: Admin,
) -> None:
    class Down:
        name = "down"

        def reply(self, _: ai.Request) -> ai.Reply:
            raise ai.Unavailable("overloaded")

    admin.harness.resources.judge = Judge(Down())
    put(admin, scenario())
    run_id = begin(admin)
    [step] = admin.events()

    with pytest.raises(Transient):
        play(admin, step)
    play(admin, step, is_last=True)

    [row] = shown(admin, run_id)["results"]
    assert row["results"][0]["stopped"] == "overloaded"


def test_rules_pass_no_scenario_in_place_of_a_model_whose_key_is_missing(admin: Admin) -> None:
    class Keyless:
        name = "keyless"

        def reply(self, _: ai.Request) -> ai.Reply:
            raise SecretUnreadable("the secret has no ai_api_key")

    admin.harness.resources.judge = Judge(Keyless())
    put(admin, scenario(), gate=True)
    run_id = begin(admin)
    work(admin)

    [row] = shown(admin, run_id)["results"]
    assert row["results"][0]["stopped"] == "secrets_missing"
    assert stored(admin)["passed"] == []


def test_a_scenario_that_its_worker_gives_up_fails_with_the_reason(admin: Admin) -> None:
    put(admin, scenario())
    run_id = begin(admin)
    [step] = admin.events()

    evaluations.give_up(admin.harness.resources, json.dumps(step), "internal_error")

    run = shown(admin, run_id)
    assert (run["done"], run["results"][0]["results"][0]["stopped"]) == (1, "internal_error")


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"expect": {"mentions": "x"}}, "scenarios.0.expect.mentions", "extra"),
        ({"expect": {"decision": "refund"}}, "scenarios.0.expect.decision", "'auto_reply'"),
        ({"context": {"timezone": "Mars/Base"}}, "scenarios.0.context.timezone", ""),
        ({"kind": "mail"}, "scenarios.0.kind", "'ticket'"),
    ],
)
def test_a_set_with_a_broken_scenario_is_refused_with_scenario_field_and_rule(
    admin: Admin, change: dict[str, Any], field: str, rule: str
) -> None:
    refused = put(admin, scenario() | change)

    assert refused.status == 400
    [detail] = refused.body["error"]["details"]
    assert detail["field"] == field
    assert detail["problem"]
    assert rule in detail["problem"]
    assert admin.call(f"GET {SETS}", READER).result["sets"] == []


def test_a_run_names_versions_that_exist_and_a_set_that_exists(admin: Admin) -> None:
    put(admin, scenario(text=WHERE, expect={}))

    assert admin.call(f"POST {SET}/runs", body={"version": 9}, named="returns").status == 404
    assert admin.call(f"POST {SET}/runs", body={}, named="none").status == 404
    assert admin.call(f"GET {SET}", READER, named="none").status == 404
    assert admin.call("GET /admin/richpanel/runs/{run_id}", READER, named="none").status == 404
    assert admin.events() == []
