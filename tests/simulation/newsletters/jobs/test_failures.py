"""Failures that no retry passes: of the model, the search, the table; and what people see and do then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from local.sandbox.accounts.openai import OpenAiAnswer
from newsletters.store.bucket import large_values
from shared.ai.spending import ceilings, usage
from shared.aws.dynamodb import Table
from shared.runtime import clock
from shared.runtime.observability import metrics
from tests.simulation.interceptor import When
from tests.simulation.newsletters.final_state import final_state_of
from tests.simulation.newsletters.scenarios import (
    DRAFTED,
    ONE,
    PLANNED,
    RETRIEVED,
    SELECTED,
    cancelled,
    configured,
    draft_edited,
    exported,
    settled,
    started,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

MODEL_CALL = "HTTP.POST"
DAY_MS = 24 * clock.HOUR_MS
FAILED = {"topics": "retrieval_status", "outline": "outline_status", "draft": "draft_status"}
KNOWLEDGE_BASE = {"retriever": "bedrock", "knowledge_base_id": "KB12345678"}


def check_failed(system: System, step: str, code: str) -> None:
    row, job = system.row(step.upper()), system.row(f"JOB#{step}", "NLWORK")
    assert (row[FAILED[step]], row["error_code"]) == ("failed", code)
    assert (job["state"], job["error_code"]) == ("failed", code)
    assert not system.open_work()
    assert not system.parked()
    assert not system.fifo_queues.dead_letters
    final_state_of(system)


def units_used(system: System) -> int:
    return sum(int(row["units"]) for key, row in system.rows().items() if " AIUSE#" in key)


def test_a_model_that_never_answers_is_asked_at_each_attempt_and_then_the_step_fails(
    system: System,
) -> None:
    RETRIEVED(system)
    system.interceptor.fails_if = lambda call: call.startswith(MODEL_CALL)
    started("outline")(system)
    system.settle()

    check_failed(system, "outline", "ai_unavailable")
    assert units_used(system) == 5


def test_a_throttling_model_delays_a_draft_and_costs_no_finished_section(system: System) -> None:
    PLANNED(system)
    begun_ms = system.clock.ms
    system.sandbox.faults.add(kind="status", status=429, provider="openai", times=2)
    started("draft")(system)
    system.settle()

    asked = system.questions()
    assert system.row("DRAFT")["draft_status"] == "completed"
    assert len(asked) == len(set(asked)) == int(system.row("JOB#draft", "NLWORK")["units"]) + 1
    assert system.clock.ms - begun_ms >= 20_000 + 60_000


def test_an_outline_that_is_invalid_twice_fails_and_the_earlier_one_stays(system: System) -> None:
    PLANNED(system)
    before = system.row("OUTLINE")
    system.sandbox.openai.answers.extend([OpenAiAnswer(text="{}"), OpenAiAnswer(text="[]")])
    started("outline", "again")(system)
    system.settle()

    check_failed(system, "outline", "outline_invalid")
    after = system.row("OUTLINE")
    assert (after["sections"], after["version"]) == (before["sections"], before["version"])
    started("draft")(system)
    system.settle()
    assert system.row("DRAFT")["draft_status"] == "completed"


def test_an_outline_that_is_invalid_once_is_asked_for_again(system: System) -> None:
    RETRIEVED(system)
    system.sandbox.openai.answers.append(OpenAiAnswer(text="{}"))
    started("outline")(system)
    system.settle()

    assert system.row("OUTLINE")["outline_status"] == "completed"
    assert units_used(system) == 2


def test_a_failed_draft_keeps_its_finished_sections_for_the_same_job_only(system: System) -> None:
    """The second section is invalid twice; a new start writes all sections again."""
    PLANNED(system)
    first = OpenAiAnswer(text='{"blocks": [{"kind": "paragraph", "text": "Hello."}]}')
    system.sandbox.openai.answers.extend([first, OpenAiAnswer(text="-"), OpenAiAnswer(text="-")])
    started("draft")(system)
    system.settle()
    check_failed(system, "draft", "draft_invalid")
    assert not system.row("DRAFT").get("generated_content")

    system.sandbox.forget_sent()
    started("draft", "again")(system)
    system.settle()

    assert system.row("DRAFT")["draft_status"] == "completed"
    assert len(system.questions()) == int(system.row("JOB#draft", "NLWORK")["units"])


def test_a_company_without_calls_left_gets_no_draft_until_the_next_day(system: System) -> None:
    PLANNED(system)
    configured(system, ai_daily_units=2)
    started("draft")(system)
    system.settle()
    check_failed(system, "draft", "quota_exceeded")
    assert units_used(system) == 2

    configured(system, ai_daily_units=200)
    system.clock.ms += DAY_MS
    started("draft", "again")(system)
    system.settle()
    assert system.row("DRAFT")["draft_status"] == "completed"


def test_a_company_that_has_spent_its_limit_gets_no_draft_until_the_limit_is_higher(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    monkeypatch.setattr(metrics, "add_metric", lambda name, *_: names.append(name))
    PLANNED(system)
    counts, date = Table(system.dynamodb, system.spending), clock.to_text(system.clock.ms)[:10]
    usage.set_ceilings(counts, COMPANY, {"day_micros": 1}, by="a person")
    started("draft")(system)
    system.settle()
    check_failed(system, "draft", "spending_limit")
    assert ceilings.spent(counts, COMPANY, date) == (0, 0)
    assert "SpendingLimitReached" in names
    assert "ModelFailure" not in names  # the model is well

    usage.set_ceilings(counts, COMPANY, {"day_micros": 10**9, "month_micros": 10**9}, by="a person")
    started("draft", "again")(system)
    system.settle()
    assert system.row("DRAFT")["draft_status"] == "completed"
    day, month = ceilings.spent(counts, COMPANY, date)
    assert day == month > 0


def test_a_search_that_never_answers_fails_and_earlier_passages_stay(system: System) -> None:
    RETRIEVED(system)
    before = system.row("TOPICS")
    system.grant(str(KNOWLEDGE_BASE["knowledge_base_id"]))
    configured(system, retrieval=KNOWLEDGE_BASE)
    system.sandbox.faults.add(kind="status", status=503, provider="knowledge_bases", times=100)
    started("topics", "again")(system)
    system.settle()

    check_failed(system, "topics", "retriever_unavailable")
    assert system.row("TOPICS")["retrieved_content"] == before["retrieved_content"]


@pytest.mark.parametrize("step", ["outline", "topics"])
def test_a_job_whose_table_fails_for_good_ends_at_its_deadline_and_a_new_start_works(
    system: System, step: str
) -> None:
    {"outline": RETRIEVED, "topics": SELECTED}[step](system)
    started(step)(system)
    code = system.code
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.") and code in call
    for _ in range(20):
        for queue, message in system.fifo_queues.receive():
            system.run_worker(queue, message)
        system.pass_time()
    assert len(system.fifo_queues.dead_letters) == 1
    assert system.open_work()

    system.interceptor.fails_if = lambda _: False
    system.settle()
    row = system.row(step.upper())
    assert (row[FAILED[step]], row["error_code"]) == ("failed", "timeout")
    letters = system.call("GET", "/newsletters/dead-letters", scopes="operator")[1]["result"]
    ids = [letter["id"] for letter in letters["letters"]]
    wanted = {"ids": ids}
    status, body = system.call(
        "POST", "/newsletters/dead-letters/redrive", wanted, scopes="operator"
    )
    assert status == 202, body
    started(step, "again")(system)
    system.settle()

    assert system.row(step.upper())[FAILED[step]] == "completed"
    assert not system.fifo_queues.dead_letters
    assert not system.open_work()
    final_state_of(system)


def test_a_message_that_arrives_after_a_cancellation_does_nothing(system: System) -> None:
    PLANNED(system)
    started("draft")(system)
    cancelled("draft")(system)
    before = system.rows()
    system.sandbox.forget_sent()
    system.settle()

    assert not system.questions()
    assert system.rows() == before


@pytest.mark.long
def test_large_values_leave_the_items_and_go_with_their_newsletter(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_values, "MOST_BYTES", 2_500)
    system.clock.ms += 1  # not in the initial state: what is made here is not kept
    settled(DRAFTED, draft_edited, exported("markdown"))(system)

    assert system.row("TOPICS")["spilled"]
    assert system.row("DRAFT")["spilled"]
    whole = system.read(ONE)["draft"]
    assert whole["content"].endswith("One more word.\n")
    final_state_of(system)
    system.act("DELETE", ONE)
    system.settle()
    assert not [key for key in system.objects() if system.code in key]


@pytest.mark.long
def test_pages_and_word_files_survive_a_crash_at_any_call(system: System) -> None:
    DRAFTED(system)
    exported("pdf", "docx")(system)
    start = system.snapshot()
    system.restore(start)
    system.settle()
    clean, calls = final_state_of(system), list(system.interceptor.calls)
    draft = system.row("DRAFT")
    assert {name: int(one["file_size"]) > 1_000 for name, one in draft["exports"].items()} == {
        "pdf": True,
        "docx": True,
    }
    body = system.objects()[draft["exports"]["pdf"]["s3_key"]]
    assert body.startswith(b"%PDF")

    for number in range(1, len(calls) + 1):
        system.restore(start)
        system.interceptor.die_at = (number, When.AFTER)
        system.settle()
        assert final_state_of(system) == clean, calls[number - 1]
