"""Drafts and threads show what the answers of the mailbox's model have cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.ai.spending import prices
from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import result
from tests.simulation.email_threads.system import ASSISTED, MODEL

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

PRICE = {"input": 2.0, "output": 10.0}  # micro-dollars a token, or dollars a million


def with_model(system: System, **settings: Any) -> None:
    given = {"ai": MODEL | settings}
    result(system.call("PUT", f"/email-mailboxes/{ASSISTED}", given))


def thread(system: System) -> dict[str, Any]:
    code = desk.thread(system)["conversation_id"]
    shown: dict[str, Any] = result(system.call("GET", f"/email-threads/{code}"))
    return shown


def waiting(system: System) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result(system.call("GET", "/email-threads/drafts"))["drafts"]
    return found


def cost_of(draft: dict[str, Any], price: prices.ModelPrice) -> int:
    tokens = draft["usage"]
    assert int(tokens["tokens_in"]) > 0
    return price.of(int(tokens["tokens_in"]), int(tokens["tokens_out"]))


def test_a_draft_shows_what_its_answer_has_cost_by_the_price_of_the_settings(
    system: System,
) -> None:
    with_model(system, price=PRICE)
    desk.receive(system, "a@x")

    [stored], [shown] = system.drafts(), waiting(system)
    micros = cost_of(stored, prices.ModelPrice(2.0, 10.0))
    assert shown["ai_dollars"] == prices.dollars(micros)
    assert thread(system)["ai_dollars"] == prices.dollars(micros)


def test_a_draft_shows_what_its_answer_has_cost_by_the_list_price(system: System) -> None:
    desk.receive(system, "a@x")

    [stored], [shown] = system.drafts(), waiting(system)
    listed = prices.model_price(MODEL["model"])
    assert shown["ai_dollars"] == prices.dollars(cost_of(stored, listed))


def test_a_thread_shows_the_sum_of_its_answers_and_a_repeated_event_adds_nothing(
    system: System,
) -> None:
    with_model(system, price=PRICE)
    desk.receive(system, "a@x")
    desk.receive(system, "b@x", in_reply_to="a@x")

    price = prices.ModelPrice(2.0, 10.0)
    total = sum(cost_of(one, price) for one in system.drafts())
    assert len(system.drafts()) == 2
    assert thread(system)["ai_dollars"] == prices.dollars(total)


def test_a_model_without_a_known_price_shows_no_dollars_and_not_zero(system: System) -> None:
    with_model(system, model="made-up")
    desk.receive(system, "a@x")

    [shown] = waiting(system)
    assert shown["model"] == "openai:made-up"
    assert shown.get("ai_dollars") is None
    assert thread(system).get("ai_dollars") is None


def test_a_price_that_becomes_known_counts_from_then_on(system: System) -> None:
    with_model(system, model="made-up")
    desk.receive(system, "a@x")
    with_model(system, model="made-up", price=PRICE)
    desk.receive(system, "b@x", in_reply_to="a@x")

    [shown] = waiting(system)
    assert thread(system)["ai_dollars"] == shown["ai_dollars"]
