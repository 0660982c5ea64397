"""What a project's model costs in dollars: per answer, conversation and day; at its budget people answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.configuration import projects
from conversations.configuration.projects import ConfigurationInvalid
from conversations.store.items.base import key
from conversations.store.items.records import Spent
from events.conversations import sample_data
from tests.integration.conversations.steps import (
    DAY_MS,
    OPENAI_SECRET_ID,
    direct_resources,
    model_answer,
    status_of,
    texts_by,
    with_model,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

FIRST = model_answer("Hello Ann, can you start in May?")
LATER = model_answer("You start at nine.")
PRICE = {
    "input": 10,
    "output": 20,
}  # dollars a million tokens: a hundred-thousandth of a dollar each
OF_PROJECT = {"project_id": sample_data.PROJECT}


def priced(system: System, *texts: str) -> str:
    """A conversation whose model has a price of its own."""
    own = {"model": "gpt-made-up", "api_key_reference": OPENAI_SECRET_ID, "price": PRICE}
    with_model(system, *texts, openai_config={"sms": own})
    return system.begin("sms")


def write(system: System, name: str = "m") -> None:
    system.text(name, "When do I start?")
    system.drain()


def spent(system: System, day: str = "2026-01-01") -> int:
    row = system.row("log", f"TOKENS#{sample_data.COMPANY}#{sample_data.PROJECT}", day) or {}
    return int(row.get("micros", 0))


def spend(system: System, day: str, micros: int) -> None:
    """Another day of the project."""
    where = key(Spent.partition(sample_data.COMPANY, sample_data.PROJECT), Spent.sk(day))
    direct_resources(system).log.put(where | {"micros": micros, "ttl": 4_000_000_000})


def warnings(capfd: pytest.CaptureFixture[str]) -> int:
    return capfd.readouterr().out.count('"SpendingWarned":[')


def test_each_answer_and_its_conversation_have_what_they_cost(system: System) -> None:
    ref = priced(system, FIRST, LATER)
    write(system)

    answers = [row for row in system.log(ref) if row["author"] == "ai"]
    costs = [10 * row["ai_prompt_tokens"] + 20 * row["ai_completion_tokens"] for row in answers]
    assert [row["ai_cost_micros"] for row in answers] == costs
    assert system.conversation(ref)["ai_cost_micros"] == sum(costs) == spent(system)


@pytest.mark.parametrize("budget", ["dollars_per_day", "dollars_per_month"])
def test_at_the_budget_people_answer(system: System, budget: str) -> None:
    ref = priced(system, FIRST, LATER, LATER)
    spend(system, "2026-01-02", 500_000)
    spend(system, "2025-12-31", 5_000_000)  # of another month
    before = 0.5 if budget == "dollars_per_month" else 0.0
    system.change(policy={budget: before + spent(system) / 1_000_000 + 0.000_001})
    write(system, "below")
    assert texts_by(system, ref)[-1] == "You start at nine."

    write(system, "at")

    assert status_of(system, ref) == ("handoff_pending", "token_cap")


def test_a_budget_of_nothing_asks_no_model(system: System) -> None:
    with_model(system, FIRST)
    system.change(policy={"dollars_per_day": 0})
    ref = system.begin("sms")
    assert status_of(system, ref)[0] != "initial_message_sent"
    assert spent(system) == 0


def test_an_alarm_comes_once_a_day_before_the_budget_is_spent(
    system: System, capfd: pytest.CaptureFixture[str]
) -> None:
    ref = priced(system, FIRST, LATER, LATER, LATER)
    share = 1_000_000 * 2
    system.change(
        policy={
            "dollars_per_day": 10 * spent(system) / share,
            "warn_at_percent": 20,
            "quiet_hours": None,
        }
    )
    assert warnings(capfd) == 0
    for name in ("a", "b"):
        write(system, name)
    assert warnings(capfd) == 1
    system.clock.ms += DAY_MS
    spend(system, "2026-01-02", spent(system))
    write(system, "c")
    assert warnings(capfd) == 1
    assert texts_by(system, ref)[-1] == "You start at nine."


@pytest.mark.parametrize(
    ("changed", "attribute"),
    [
        ({"dollars_per_day": -1}, "policy.dollars_per_day"),
        ({"dollars_per_month": 1_000_001}, "policy.dollars_per_month"),
        ({"warn_at_percent": 0}, "policy.warn_at_percent"),
    ],
)
def test_a_budget_out_of_bounds_is_refused(changed: dict[str, Any], attribute: str) -> None:
    with pytest.raises(ConfigurationInvalid) as refused:
        projects.parse({**sample_data.project(), "policy": changed})
    assert refused.value.attribute == attribute
