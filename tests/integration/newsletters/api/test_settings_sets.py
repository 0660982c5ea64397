"""Sets of scenarios of a company: stored, run by the worker with a version's model, and a condition for going live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from local.sandbox.accounts.openai import OpenAiAnswer
from newsletters.inbound.events import EvaluationRequested, entry
from newsletters.store import sets
from shared.ai.spending import ceilings, usage
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.newsletters.api.test_settings_versions import (
    OTHER,
    SETTINGS,
    VERSIONS,
    draft,
    live,
    put,
    table_of,
)
from tests.integration.newsletters.api.tried_newsletters import (
    GOOD,
    WRITTEN,
    WRONG,
    answers,
    blocks,
    verdicts,
)
from tests.simulation.newsletters.system import COMPANY, MODEL

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author

SETS = f"{SETTINGS}/sets"
GRANTS = f"{SETS}/grants"


def scenario(name: str = "grant", **more: Any) -> dict[str, Any]:
    return {
        "kind": "newsletter",
        "name": name,
        "step": "section",
        "newsletter": WRITTEN,
        "expect": {"contains": "40000 USD", "hands_off": False, "cites": "Green Fund"},
        **more,
    }


def store(author: Author, *scenarios: dict[str, Any], **more: Any) -> Any:
    body = {"scenarios": list(scenarios)} if scenarios else {}
    return author.do("POST", GRANTS, body | more)


def begin(author: Author, **given: Any) -> str:
    run_id: str = author.do("POST", f"{GRANTS}/runs", given)["run_id"]
    return run_id


def shown(author: Author, run_id: str) -> dict[str, Any]:
    found: dict[str, Any] = author.do("GET", f"{SETTINGS}/runs/{run_id}")
    return found


def ran(author: Author, **given: Any) -> dict[str, Any]:
    """The run that *given* begins, at its end."""
    run_id = begin(author, **given)
    author.system.settle()
    return shown(author, run_id)


def asked(author: Author) -> int:
    return len(author.system.questions())


@pytest.fixture
def version(author: Author) -> int:
    put(author, ai=MODEL)
    return draft(author, {"ai": OTHER})


def test_a_run_shows_each_scenario_with_two_versions_side_by_side_and_changes_no_newsletter(
    author: Author, version: int
) -> None:
    store(author, scenario("one"), scenario("two"))
    answers(author, blocks(GOOD), blocks(WRONG), blocks(GOOD), blocks(WRONG))
    newsletters = [one for one in author.system.rows() if one.startswith("NEWSLETTER#")]

    run = ran(author, version=version, against=1)

    assert (run["done"], run["total"], run["passed"], run["passed_against"]) == (2, 2, 2, 0)
    one, two = run["results"]
    assert [(each["version"], each["passed"]) for each in one["results"]] == [
        (version, True),
        (1, False),
    ]
    assert two["results"][1]["failures"] == [
        'the answer lacks "40000 USD"',
        "a person has to act: unsupported_number",
    ]
    assert GOOD[:40] in one["results"][0]["said"]
    assert [one for one in author.system.rows() if one.startswith("NEWSLETTER#")] == newsletters
    assert author.do("GET", GRANTS)["passed"] == [version]


def test_an_outline_is_planned_and_checked_like_a_section(author: Author, version: int) -> None:
    item = {"title": "A call", "description": "The fund gives 40000 USD.", "refs": ["c01"]}
    frame = {"name": "Frame", "items": [{"title": "Words", "description": ""}]}
    planned = {"introduction": frame, "conclusion": frame}
    whole = planned | {"opportunities": {"name": "Opportunities", "items": [item]}}
    store(author, scenario("plan", step="outline"))
    answers(author, whole)

    run = ran(author, version=version)

    [row] = run["results"]
    assert (row["results"][0]["failures"], run["passed"]) == ([], 1)
    assert "**A call** The fund gives 40000 USD." in row["results"][0]["said"]


def test_a_judge_answers_a_question_with_its_reason_and_its_confidence(
    author: Author, version: int
) -> None:
    judged = scenario()
    judged["expect"] = judged["expect"] | {"judge": "Is it plain?"}
    store(author, judged)
    answers(author, blocks(GOOD), {"reason": "Short words.", "passes": True, "confidence": 0.4})

    [row] = ran(author, version=version)["results"]

    assert row["results"][0]["failures"] == ["judged yes (0.40): Is it plain?: Short words."]


def test_recorded_answers_are_checked_without_a_model_and_pass_no_version(
    author: Author, version: int
) -> None:
    put(author, check_claims=True)
    good, bad = blocks(GOOD) | verdicts(), blocks(WRONG) | verdicts()
    unsupported = blocks(GOOD) | verdicts("contradicted")
    store(
        author,
        scenario("good", answer=good, bad_answers=[bad, unsupported]),
        scenario("unfound", answer=good, bad_answers=[good]),
        scenario("unrecorded"),
    )

    run = ran(author, recorded=True)

    found = {one["name"]: one["results"][0] for one in run["results"]}
    assert (found["good"]["failures"], found["good"]["passed"]) == ([], True)
    assert found["unfound"]["failures"] == ["bad answer 1 is not caught"]
    assert found["unrecorded"]["stopped"] == "no_recorded_answer"
    assert (asked(author), author.do("GET", GRANTS)["passed"]) == (0, [])


def test_a_gate_lets_only_versions_go_live_that_have_passed_the_set_as_it_is(
    author: Author, version: int
) -> None:
    store(author, scenario(), gate=True)
    going = f"{VERSIONS}/{version}/live"

    assert author.refused("POST", going, {}) == (409, "state_conflict")
    stored = author.do("GET", SETTINGS)["version"]
    changed = {"version": stored, "ai": OTHER}
    assert author.refused("PUT", SETTINGS, changed) == (409, "state_conflict")
    put(author, four_eyes=True)  # no setting of the model
    put(author, ai=MODEL)

    answers(author, blocks(GOOD))
    ran(author, version=version)
    assert live(author, version)["live_version"] == version
    live(author, version)  # the live one may be confirmed

    store(author, scenario("another"))
    assert author.do("GET", GRANTS)["passed"] == []
    assert author.refused("POST", f"{VERSIONS}/1/live", {}) == (409, "state_conflict")
    store(author, gate=False)
    assert live(author, 1)["live_version"] == 1


def test_a_run_ends_at_its_bounds_and_counts_for_the_limits_of_the_company(
    author: Author, version: int
) -> None:
    counts = Table(author.system.dynamodb, author.system.spending)
    usage.set_ceilings(counts, COMPANY, {"month_micros": 10**9}, by="a person")
    store(author, scenario("one"), scenario("two"))
    answers(author, blocks(GOOD), blocks(GOOD))

    one, two = (row["results"][0] for row in ran(author, version=version, most_calls=1)["results"])

    assert (one["passed"], two["stopped"]) == (True, "evaluation_bound")
    assert asked(author) == 1
    assert ceilings.spent(counts, COMPANY, clock.to_text(author.system.clock.ms)[:10])[1] > 0


def test_a_model_that_does_not_answer_for_now_is_asked_again_and_fails_at_the_last_attempt(
    author: Author, version: int
) -> None:
    store(author, scenario("one"), scenario("two"))
    author.system.sandbox.openai.answers += [OpenAiAnswer(refused=(503, "server_error"))] * 40

    run = ran(author, version=version)

    assert (run["done"], run["passed"]) == (2, 0)
    assert {row["results"][0]["stopped"] for row in run["results"]} == {"openai_503_server_error"}


def test_a_scenario_counts_once_wherever_its_worker_has_died(author: Author, version: int) -> None:
    store(author, scenario())
    answers(author, blocks(GOOD))
    run_id = begin(author, version=version)
    author.system.settle()

    again = EvaluationRequested(company_id=COMPANY, run_id=run_id, position=0, replay=1)
    author.system.fifo_queues.put(author.system.steps_queue, entry(again))
    author.system.settle()

    run = shown(author, run_id)
    assert (run["done"], run["passed"], asked(author)) == (1, 1, 1)


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"expect": {"mentions": "x"}}, "scenarios.0.expect.mentions", "extra"),
        ({"expect": {"language": "xx"}}, "scenarios.0.expect.language", "does not recognise"),
        ({"settings": {"check_claims": True}}, "scenarios.0.settings", "must be absent"),
        ({"step": "topics"}, "scenarios.0.step", "outline"),
        ({"newsletter": {"title": "x"}}, "scenarios.0", "newsletter.passages is needed"),
        ({"kind": "mail"}, "scenarios.0.kind", "newsletter"),
    ],
)
def test_a_set_with_a_broken_scenario_is_refused_with_scenario_field_and_rule(
    author: Author, change: dict[str, Any], field: str, rule: str
) -> None:
    found = author.problems("POST", GRANTS, {"scenarios": [scenario() | change]})

    assert [*found] == [field]
    assert rule in found[field]
    assert author.do("GET", SETS)["sets"] == []


def test_a_run_needs_a_version_of_the_company_and_a_set_that_it_has(author: Author) -> None:
    store(author, scenario())

    without = author.problems("POST", f"{GRANTS}/runs", {})
    assert without == {"version": "is needed: there is none"}
    put(author, ai=MODEL)
    assert author.refused("POST", f"{GRANTS}/runs", {"version": 9}) == (404, "not_found")
    assert author.problems("POST", f"{GRANTS}/runs", {"against": 1}) == {
        "against": "must be another version"
    }
    assert author.refused("POST", f"{SETS}/none/runs", {}) == (404, "not_found")
    other = {"company": "globex"}
    assert author.refused("GET", GRANTS, **other) == (404, "not_found")
    assert author.refused("GET", SETS, scopes="newsletters:read") == (403, "forbidden")


def test_runs_expire_after_a_year_and_sets_stay(author: Author, version: int) -> None:
    store(author, scenario(answer=blocks(GOOD)))
    run = ran(author, version=version, recorded=True)

    own = [row for key, row in author.system.rows().items() if " RUN#" in key or " RESULT#" in key]
    year = author.system.clock.ms // 1_000 + 365 * clock.DAY_SECONDS
    assert [int(row["ttl"]) for row in own] == [pytest.approx(year, abs=3_600)] * 2
    [kept] = sets.of_company(table_of(author), COMPANY).page()[0]
    assert kept.newest_run == run["run_id"]
