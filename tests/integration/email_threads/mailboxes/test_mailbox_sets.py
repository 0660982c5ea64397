"""Sets of scenarios of a mailbox: stored, run by the worker with a version's model, and a condition for going live."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from email_threads.api.mailboxes import evaluations
from email_threads.inbound.events import EmailEvaluate, evaluation_entry
from email_threads.store.configuration import mailbox_sets
from local.sandbox.accounts.openai import OpenAiAnswer
from shared.ai.evaluation.sets import stored as evaluation_store
from shared.ai.evaluation.sets.items import MOST_SETS, StoredResult, StoredSet
from shared.ai.spending import ceilings, usage
from shared.ai.spending.items import CompanySettings
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import result
from tests.integration.email_threads.mailboxes.test_mailbox_versions import FACTS, PATH, draft, live
from tests.simulation.email_threads.system import ASSISTED, COMPANY, SCOPES

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

SETS = f"{PATH}/sets"
PRICES = f"{SETS}/prices"
COSTS = "A chair costs $40."


def scenario(name: str = "chair", **more: Any) -> dict[str, Any]:
    return {
        "kind": "mail",
        "name": name,
        "mails": [{"subject": "Chairs", "text": "What does a chair cost?"}],
        "expect": {"contains": "$40", "hands_off": False},
        **more,
    }


def put(system: System, *scenarios: dict[str, Any], **more: Any) -> tuple[int, dict[str, Any]]:
    body = {"scenarios": list(scenarios)} if scenarios else {}
    return system.call("POST", PRICES, body | more)


def begin(system: System, **given: Any) -> str:
    run_id: str = result(system.call("POST", f"{PRICES}/runs", given))["run_id"]
    return run_id


def shown(system: System, run_id: str) -> dict[str, Any]:
    return result(system.call("GET", f"{PATH}/runs/{run_id}"))


def stored(system: System) -> dict[str, Any]:
    return result(system.call("GET", PRICES))


def error_of(answer: tuple[int, dict[str, Any]], status: int) -> dict[str, Any]:
    assert answer[0] == status, answer[1]
    error: dict[str, Any] = answer[1]["error"]
    return error


def test_a_run_shows_each_scenario_with_two_versions_side_by_side_and_sends_nothing(
    system: System,
) -> None:
    first = draft(system, {"facts": FACTS})
    second = draft(system, {"facts": ["A chair costs $45."]})
    put(system, scenario("one"), scenario("two"))
    desk.answers(system, *(desk.answer(text) for text in (COSTS, "$45.", COSTS, "It costs $45.")))

    run_id = begin(system, version=first, against=second)
    system.drain()

    run = shown(system, run_id)
    assert (run["done"], run["total"], run["passed"], run["passed_against"]) == (2, 2, 2, 0)
    one, two = run["results"]
    assert [(each["version"], each["passed"]) for each in one["results"]] == [
        (first, True),
        (second, False),
    ]
    assert one["results"][0]["said"] == COSTS
    assert 'the answer lacks "$40"' in two["results"][1]["failures"]
    assert (run["calls"], stored(system)["passed"]) == (4, [first])
    assert system.sent() == []
    assert system.threads() == []


def test_the_model_of_a_version_reads_the_facts_of_this_version(system: System) -> None:
    number = draft(system, {"facts": FACTS})
    put(system, scenario())
    desk.answers(system, desk.answer(COSTS))

    begin(system, version=number)
    system.drain()

    [asked] = [one for one in system.sandbox.sent if one.provider == "openai"]
    assert FACTS[0] in json.dumps(asked.body)
    assert "What does a chair cost?" in json.dumps(asked.body)


def test_a_judge_answers_a_question_with_its_reason_and_its_confidence(system: System) -> None:
    number = draft(system, {"facts": FACTS})
    polite, sure = scenario("polite"), scenario("sure")
    for one in (polite, sure):
        one["expect"] = one["expect"] | {"judge": "Is it polite?"}
    put(system, polite, sure)
    good = {"reason": "It is friendly.", "passes": True, "confidence": 0.75}
    unsure = good | {"confidence": 0.4}
    desk.answers(system, desk.answer(COSTS), good, desk.answer(COSTS), unsure)

    run_id = begin(system, version=number)
    system.drain()

    one, two = (row["results"][0] for row in shown(system, run_id)["results"])
    assert (one["passed"], two["passed"]) == (True, False)
    assert one["judged"] == [{"question": "Is it polite?", **good, "confidence": "0.75"}]
    assert two["failures"] == ["judged yes (0.40): Is it polite?: It is friendly."]


def test_recorded_answers_are_checked_without_a_model_and_pass_no_version(system: System) -> None:
    number = draft(system, {"facts": FACTS})
    good, bad = {"reply": COSTS, "intent": "price"}, {"reply": "A chair costs $45."}
    put(
        system,
        scenario("good", answer=good, bad_answers=[bad]),
        scenario("unfound", answer=good, bad_answers=[good]),
        scenario("unrecorded"),
    )

    run_id = begin(system, version=number, recorded=True)
    system.drain()

    found = {one["name"]: one["results"][0] for one in shown(system, run_id)["results"]}
    assert found["good"]["passed"]
    assert found["unfound"]["failures"] == ["bad answer 1 is not caught"]
    assert found["unrecorded"]["stopped"] == "no_recorded_answer"
    assert desk.asked(system) == 0
    assert stored(system)["passed"] == []


def test_a_gate_lets_only_versions_go_live_that_have_passed_the_set_as_it_is(
    system: System,
) -> None:
    result(system.call("PUT", PATH, {"undo_seconds": 5}))
    number = draft(system, {"facts": FACTS})
    put(system, scenario(), gate=True)

    assert error_of(live(system, number), 409)["code"] == "state_conflict"
    put_live = system.call("PUT", PATH, {"facts": FACTS})
    assert "prices" in error_of(put_live, 409)["message"]
    result(system.call("PUT", PATH, {"undo_seconds": 10}))  # no setting of the model

    desk.answers(system, desk.answer(COSTS))
    begin(system, version=number)
    system.drain()
    assert result(live(system, number))["live_version"] == number
    result(live(system, number))  # the live one may be confirmed

    put(system, scenario(mails=[{"text": "And a table?"}]))
    assert stored(system)["passed"] == []
    assert error_of(live(system, 1), 409)["code"] == "state_conflict"
    put(system, gate=False)
    assert result(live(system, 1))["live_version"] == 1


def test_a_run_ends_at_its_bounds_and_counts_for_the_limits_of_the_company(
    system: System,
) -> None:
    counts = system.worker.resources.spending.table
    usage.set_ceilings(counts, COMPANY, {"month_micros": 10**9}, by="a person")
    number = draft(system, {"facts": FACTS})
    put(system, scenario("one"), scenario("two"))
    desk.answers(system, desk.answer(COSTS), desk.answer(COSTS))

    run_id = begin(system, version=number, most_calls=1)
    system.drain()

    one, two = (row["results"][0] for row in shown(system, run_id)["results"])
    assert (one["passed"], two["stopped"]) == (True, "evaluation_bound")
    assert desk.asked(system) == 1
    assert ceilings.spent(counts, COMPANY, clock.to_text(system.clock.ms)[:10])[1] > 0


def test_a_run_leaves_the_rest_of_a_limit_beyond_its_alarm_to_customers(system: System) -> None:
    counts = system.worker.resources.spending.table
    usage.set_ceilings(counts, COMPANY, {"month_micros": 10**9}, by="a person")
    found = CompanySettings.read(counts.get(CompanySettings.key(COMPANY)) or {})
    own = ceilings.ceilings_of(found, clock.to_text(system.clock.ms)[:10])
    assert ceilings.reserve(counts, COMPANY, own, own[0].warn_at)
    number = draft(system, {"facts": FACTS})
    put(system, scenario())
    desk.answers(system, desk.answer(COSTS))

    run_id = begin(system, version=number)
    system.drain()

    [row] = shown(system, run_id)["results"]
    assert (row["results"][0]["stopped"], desk.asked(system)) == ("spending_limit", 0)


def test_a_mailbox_that_is_removed_and_registered_again_has_to_pass_the_gates_of_its_sets(
    system: System,
) -> None:
    before = result(system.call("GET", PATH))
    draft(system, {"facts": FACTS})
    put(system, scenario(), gate=True)
    assert system.call("DELETE", PATH)[0] < 300

    again = system.call("PUT", PATH, {"ai": before["ai"], "facts": FACTS})

    assert "prices" in error_of(again, 409)["message"]
    result(system.call("PUT", PATH, {}))  # no setting of a model
    desk.answers(system, desk.answer(COSTS))
    number = draft(system, {"ai": before["ai"], "facts": FACTS})
    assert error_of(live(system, number), 409)["code"] == "state_conflict"
    begin(system, version=number)
    system.drain()
    assert result(live(system, number))["live_version"] == number


def test_a_gate_that_is_set_while_the_scenarios_change_is_not_lost(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft(system, {"facts": FACTS})
    put(system, scenario("a"))
    kept = mailbox_sets.of_mailbox(Table(system.dynamodb, system.table), COMPANY, ASSISTED)

    def meanwhile(*_: Any) -> list[Any]:
        kept.set_gate("prices", is_gate=True)
        return []

    monkeypatch.setattr(evaluations, "problems_of", meanwhile)
    changed = put(system, scenario("b"))
    assert error_of(changed, 409)["code"] == "version_conflict"
    result(put(system, scenario("b")))
    assert stored(system)["gate"]


def test_each_of_more_sets_than_a_page_has_is_a_gate(system: System) -> None:
    number = draft(system, {"facts": FACTS})
    kept = mailbox_sets.of_mailbox(Table(system.dynamodb, system.table), COMPANY, ASSISTED)
    for at in range(MOST_SETS + 1):  # two calls at once may have added the last two
        one = StoredSet(name=f"set-{at:02}", revision=1, scenarios=1, by="a", at="b")
        assert kept.put(one, ["{}"])
    kept.set_gate(f"set-{MOST_SETS}", is_gate=True)

    assert f"set-{MOST_SETS}" in error_of(live(system, number), 409)["message"]


def test_the_calls_of_a_scenario_that_is_tried_again_count_for_the_bounds_of_its_run(
    system: System,
) -> None:
    number = draft(system, {"facts": FACTS})
    judged = scenario()
    judged["expect"] = judged["expect"] | {"judge": "Is it polite?"}
    put(system, judged)
    down = OpenAiAnswer(refused=(503, "server_error"))
    desk.answers(system, desk.answer(COSTS))
    waiting = system.sandbox.openai.answers
    waiting += [down] * 40

    run_id = begin(system, version=number, most_calls=3)
    system.drain()

    run = shown(system, run_id)
    assert run["results"][0]["results"][0]["stopped"] == "evaluation_bound"
    assert (run["calls"], len(waiting)) == (3, 40 - 2)


def test_a_scenario_counts_once_wherever_its_worker_has_died(system: System) -> None:
    number = draft(system, {"facts": FACTS})
    put(system, scenario())
    desk.answers(system, desk.answer(COSTS), desk.answer("Another text."))
    run_id = begin(system, version=number)
    system.drain()

    event = EmailEvaluate(company_id=COMPANY, address=ASSISTED, run_id=run_id, position=0, replay=1)
    system.fifo_queues.put(system.queue, evaluation_entry(event))
    system.drain()

    run = shown(system, run_id)
    assert (run["done"], run["passed"], desk.asked(system)) == (1, 1, 1)


def test_a_model_that_does_not_answer_for_now_is_asked_again_and_fails_at_the_last_attempt(
    system: System,
) -> None:
    number = draft(system, {"facts": FACTS})
    put(system, scenario("one"), scenario("two"))
    down = OpenAiAnswer(refused=(503, "server_error"))
    system.sandbox.openai.answers += [down] * 40

    run_id = begin(system, version=number)
    system.drain()

    run = shown(system, run_id)
    assert (run["done"], run["passed"]) == (2, 0)
    assert {row["results"][0]["stopped"] for row in run["results"]} == {"openai_503_server_error"}


def test_a_run_of_scenarios_that_were_replaced_passes_nothing(system: System) -> None:
    number = draft(system, {"facts": FACTS})
    put(system, scenario("a"))
    run_id = begin(system, version=number)
    put(system, scenario("b"))
    system.drain()

    [row] = shown(system, run_id)["results"]
    assert row["results"][0]["stopped"] == "set_changed"
    assert stored(system)["passed"] == []


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"expect": {"mentions": "x"}}, "scenarios.0.expect.mentions", "extra"),
        ({"expect": {"team": "Sales"}}, "scenarios.0.expect.team", "extra"),
        ({"expect": {"language": "xx"}}, "scenarios.0.expect.language", "does not recognise"),
        ({"mailbox": {"facts": ["x"]}}, "scenarios.0.mailbox", "must be absent"),
        ({"mails": [{"by": "company", "text": "Hello."}]}, "scenarios.0", "by the customer"),
        ({"kind": "ticket"}, "scenarios.0.kind", "'mail'"),
        ({"name": ""}, "scenarios.0.name", "at least 1"),
    ],
)
def test_a_set_with_a_broken_scenario_is_refused_with_scenario_field_and_rule(
    system: System, change: dict[str, Any], field: str, rule: str
) -> None:
    error = error_of(put(system, scenario() | change), 400)

    [detail] = error["details"]
    assert detail["field"] == field
    assert rule in detail["problem"]
    assert result(system.call("GET", SETS))["sets"] == []


def test_a_run_names_versions_of_the_mailbox_and_a_set_that_it_has(system: System) -> None:
    number = draft(system, {"facts": FACTS})
    put(system, scenario())
    runs = f"{PRICES}/runs"

    assert error_of(system.call("POST", runs, {"version": 99}), 404)["code"] == "not_found"
    twice = system.call("POST", runs, {"version": number, "against": number})
    assert error_of(twice, 400)["code"] == "invalid_input"
    same_as_live = system.call("POST", runs, {"against": 1})
    assert error_of(same_as_live, 400)["details"][0]["field"] == "against"
    assert error_of(system.call("POST", f"{SETS}/none/runs", {}), 404)["code"] == "not_found"


def test_sets_are_listed_by_name_in_pages_and_belong_to_their_company(system: System) -> None:
    draft(system, {"facts": FACTS})
    for name in ("b", "a", "c"):
        result(system.call("POST", f"{SETS}/{name}", {"scenarios": [scenario()]}))

    first = system.call("GET", SETS, query={"limit": "2"})
    assert [one["name"] for one in result(first)["sets"]] == ["a", "b"]
    cursor = first[1]["cursor"]
    second = result(system.call("GET", SETS, query={"limit": "2", "cursor": cursor}))
    assert [one["name"] for one in second["sets"]] == ["c"]
    assert error_of(system.call("GET", SETS, company="globex", scopes=SCOPES), 404)


def test_runs_expire_after_a_year_and_sets_stay(system: System) -> None:
    draft(system, {"facts": FACTS})
    put(system, scenario(answer={"reply": COSTS}))
    run_id = begin(system, recorded=True)
    system.drain()

    table = Table(system.dynamodb, system.table)
    kept = mailbox_sets.of_mailbox(table, COMPANY, ASSISTED)
    items = [
        one
        for one in system.rows().values()
        if one["conversation_id"].startswith(("run#", "result#"))
    ]
    year = system.clock.ms // 1_000 + 365 * clock.DAY_SECONDS
    assert [int(one["ttl"]) for one in items] == [pytest.approx(year, abs=5)] * 2
    assert kept.read("prices") is not None
    assert kept.page()[0][0].newest_run == run_id


def test_a_version_passes_no_set_by_recorded_answers_that_all_pass(system: System) -> None:
    number = draft(system, {"facts": FACTS})
    put(system, scenario(answer={"reply": COSTS, "intent": "price"}))

    run_id = begin(system, version=number, recorded=True)
    system.drain()

    run = shown(system, run_id)
    assert (run["done"], run["passed"], stored(system)["passed"]) == (1, 1, [])


def test_a_result_counts_once_if_two_workers_have_played_the_scenario(system: System) -> None:
    number = draft(system, {"facts": FACTS})
    put(system, scenario())
    run_id = begin(system, version=number)
    kept = mailbox_sets.of_mailbox(Table(system.dynamodb, system.table), COMPANY, ASSISTED)
    run = kept.run(run_id)
    assert run is not None

    for name in ("first", "second"):
        kept.add_result(run, StoredResult(position=0, name=name), {"done": 1, "passed": 1})

    counted = shown(system, run_id)
    assert (counted["done"], counted["passed"], counted["results"][0]["name"]) == (1, 1, "first")


def test_a_set_that_many_versions_have_passed_notes_the_newest_and_forgets_the_oldest(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation_store, "MOST_PASSED", 3)
    draft(system, {"facts": FACTS})
    put(system, scenario(answer={"reply": COSTS}))
    kept = mailbox_sets.of_mailbox(Table(system.dynamodb, system.table), COMPANY, ASSISTED)
    run = kept.run(begin(system, recorded=True))
    assert run is not None

    for version in (1, 2, 3, 4, 4, 5, 1):
        kept.note_passed(run, version)

    assert stored(system)["passed"] == [1, 4, 5]
