"""A version of a mailbox's settings drafts an answer to given mails, or to a thread without the person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from email_threads.api.mailboxes import playground
from local.sandbox.accounts.openai import OpenAiAnswer
from shared.ai import port as ai
from shared.ai.spending import ceilings, usage
from shared.runtime import clock
from shared.runtime.observability import metrics
from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.mailboxes.test_mailbox_versions import FACTS, PATH, draft
from tests.simulation.email_threads.system import COMPANY, MAILBOX, mail

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

TRY = f"{PATH}/playground"


def tried(system: System, **given: Any) -> tuple[int, dict[str, Any]]:
    return system.call("POST", TRY, given)


def written(text: str, **more: Any) -> dict[str, Any]:
    return {"text": text, **more}


def stored(system: System, **more: Any) -> tuple[str, int]:
    """A customer has written twice; return the thread and the number of the first mail."""
    text = "I am Bob Miller, call +44 7700 900123. We need ten chairs, order 12345678."
    more = {"sender": '"Bob Miller" <bob.miller@customer.example>'} | more
    desk.answers(system, desk.answer(), desk.answer())
    desk.receive(system, "first@x", text, **more)
    desk.receive(system, "second@x", "And tables?", in_reply_to="first@x", **more)
    [thread] = result(system.call("GET", "/email-threads"))["threads"]
    return thread["conversation_id"], 1


def test_a_version_drafts_an_answer_to_a_pasted_mail_with_all_that_led_to_it(
    system: System,
) -> None:
    number = draft(system, {"facts": FACTS})
    desk.answers(system, desk.answer("A chair costs $40."))

    shown = result(
        tried(system, version=number, mails=[written("What does it cost?", subject="Chairs")])
    )

    assert (shown["text"], shown["version"], shown.get("waits")) == (
        "A chair costs $40.",
        number,
        None,
    )
    [call] = shown["model_calls"]
    assert FACTS[0] in call["history"][0]
    assert "What does it cost?" in call["history"][0]
    assert (shown["intent"], shown["language"], shown["confidence"]) == ("order", "en", 0.9)
    assert float(shown["dollars"]) >= 0
    assert shown["tokens_in"] > 0


def test_a_try_counts_for_the_limits_of_the_company_and_is_refused_beyond_them(
    system: System,
) -> None:
    counts, date = system.worker.resources.spending.table, clock.to_text(system.clock.ms)[:10]
    usage.set_ceilings(counts, COMPANY, {"month_micros": 10**9}, by="a person")
    desk.answers(system, desk.answer())
    result(tried(system, mails=[written("Hello")]))
    assert ceilings.spent(counts, COMPANY, date)[1] > 0

    usage.set_ceilings(counts, COMPANY, {"month_micros": 1}, by="a person")
    status, body = tried(system, mails=[written("Hello")])

    assert (status, body["error"]["code"]) == (422, "model_unusable")
    assert "spending_limit" in str(body)


def test_no_call_of_a_try_lasts_beyond_the_time_that_the_call_of_the_api_has(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    class Slow:
        name = "slow"

        def reply(self, request: ai.Request) -> ai.Reply:
            asked.append(request.limits.within_ms)
            system.clock.ms += 5 * clock.SECOND_MS
            return ai.Reply("no JSON", ai.Stop.END, ai.Usage(10, 10))

    monkeypatch.setattr(playground, "model_for", lambda *_: Slow())
    status, _ = tried(system, mails=[written("Hello")])

    first, second = asked
    assert status == 422
    assert first <= 26 * clock.SECOND_MS
    assert second <= first - 5 * clock.SECOND_MS


def test_failures_of_tries_raise_no_alarm_and_those_of_received_mails_do(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    monkeypatch.setattr(metrics, "add_metric", lambda name, *_: names.append(name))
    refused = OpenAiAnswer(refused=(401, "invalid_api_key"))
    for answers in ([OpenAiAnswer(text="no JSON")] * 2, [refused]):
        system.sandbox.openai.answers.extend(answers)
        assert tried(system, mails=[written("Hello")])[0] == 422
    assert names.count("ModelAsked") == 2
    assert "ModelFailure" not in names

    desk.answers(system, "no JSON", "no JSON")
    desk.receive(system, "first@x")
    assert "ModelFailure" in names


@pytest.mark.parametrize(
    ("answer", "waits"),
    [
        (desk.answer(needs_human=True, reason="unsure"), "needs_human"),
        (desk.answer(confidence=0.2), "low_confidence"),
        (desk.answer("It costs 99 EUR."), "unknown_amount"),
        (desk.answer("See https://evil.example/pay."), "foreign_link"),
    ],
)
def test_the_reason_why_a_person_would_approve_it_is_that_of_the_worker(
    system: System, answer: dict[str, Any], waits: str
) -> None:
    desk.answers(system, answer)

    assert result(tried(system, mails=[written("Hello")]))["waits"] == waits


def test_settings_are_tried_before_they_are_stored_and_open_questions_follow_the_text(
    system: System,
) -> None:
    missing = [{"field": "budget", "question": "What may it cost?", "blocking": True}]
    evidence = [{"field": "title", "n": 2, "quote": "ten chairs"}]
    requirements = {"title": "ten chairs", "budget": None, "deadline": None}
    desk.answers(
        system,
        desk.answer("Thanks.", missing=missing, evidence=evidence, requirements=requirements),
    )
    said = [written("Hello", by="company"), written("We want ten chairs")]

    shown = result(tried(system, mails=said, settings={"requirements_schema": desk.BUDGETED}))

    assert shown["text"] == "Thanks.\n\n- What may it cost?"
    assert (shown["requirements"], shown["is_complete"]) == ({"title": "ten chairs"}, False)
    assert "version" not in shown


def test_a_mail_of_a_thread_is_answered_again_without_the_person(system: System) -> None:
    thread, n = stored(system)
    desk.answers(system, desk.answer("Ten chairs."))

    shown = result(tried(system, mail={"conversation_id": thread, "n": n}))

    [read] = shown["mails"]
    assert "ten chairs" in read["text"]
    assert "And tables" not in str(shown)
    for private in ("Bob", "Miller", "900123", "12345678", "customer.example"):
        assert private not in str(shown)


def test_a_try_stores_and_sends_nothing(system: System) -> None:
    thread, n = stored(system)
    before = system.rows(), system.objects(), system.sent(), system.spent()
    desk.answers(system, desk.answer(), desk.answer())

    result(tried(system, mail={"conversation_id": thread, "n": n}))
    result(tried(system, mails=[written("Hello")]))
    system.drain()

    assert (system.rows(), system.objects(), system.sent(), system.spent()) == before


def test_a_person_who_wants_no_model_is_read_by_none(system: System) -> None:
    thread, n = stored(system)
    result(system.call("PATCH", f"/email-threads/{thread}", {"gdpr_consent": False}))
    asked = desk.asked(system)

    answer = tried(system, mail={"conversation_id": thread, "n": n})

    assert refused(answer)[0] == 400
    assert refused(answer)[2] == ["mail.conversation_id"]
    assert desk.asked(system) == asked


def test_a_thread_of_another_mailbox_is_not_found(system: System) -> None:
    system.deliver(mail("other@x", "Is it red?"), name="other@x", address=MAILBOX)
    system.drain()
    [thread] = result(system.call("GET", "/email-threads"))["threads"]

    answer = tried(system, mail={"conversation_id": thread["conversation_id"], "n": 1})

    assert refused(answer)[0] == 404


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"mails": [written("Hello", by="company")]},
        {"mails": [written("")]},
        {"mails": [written("Hello")], "mail": {"conversation_id": "0" * 16, "n": 1}},
        {"mail": {"conversation_id": "x", "n": 1}},
        {"mails": [written("Hello")], "settings": {"facts": "none"}},
        {"mails": [written("Hello")], "settings": {"ai": {"provider": "none"}}},
    ],
)
def test_a_wrong_try_is_refused(system: System, given: dict[str, Any]) -> None:
    assert refused(tried(system, **given))[0] == 400
    assert desk.asked(system) == 0


def test_a_mail_that_the_thread_does_not_have_is_refused(system: System) -> None:
    thread, _ = stored(system)

    assert refused(tried(system, mail={"conversation_id": thread, "n": 9}))[0] == 400


def test_a_model_that_gives_no_valid_answer_is_reported(system: System) -> None:
    desk.answers(system, "no JSON", "no JSON")

    assert refused(tried(system, mails=[written("Hello")]))[:2] == (422, "model_unusable")
