"""Messages of customers cause a bounded number of answers of the model, fixed texts and downloads of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from events.conversations import sample_data
from shared.ai.spending import ceilings, usage
from shared.ai.spending.bounds import Kind
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.conversations.dialogue.limits.test_tokens import model_calls_made
from tests.integration.conversations.steps import model_answer, status_of, with_model

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

FIRST = model_answer("Hello Ann, can you start in May?")
ANSWER = model_answer("You start at nine.")
FILE = "https://api.twilio.com/file"


def bound(system: System, **percents: int) -> None:
    """Settings of the company."""
    table = Table(system.dynamodb, system.tables["spending"])
    kinds = {Kind[name.upper()]: percent for name, percent in percents.items()}
    usage.set_percents(table, sample_data.COMPANY, kinds, by="a person")


def day(system: System, kind: Kind) -> dict[str, Any]:
    """Today's count of the company."""
    rows = [row for key, row in system.rows().items() if key[0] == "spending" and key[2] == kind]
    return next((row for row in rows if row["pk"].startswith("DAY#")), {})


def write(system: System, name: str) -> None:
    """The customer writes, and all that follows is done."""
    system.text(name, f"When do I start? {name}")
    system.drain()


def test_an_answer_is_counted_with_its_real_price(system: System) -> None:
    with_model(system, FIRST, ANSWER)
    system.begin("sms")
    assert day(system, Kind.AI_ANSWER) == {}  # software of the company has asked for the first one

    write(system, "m1")

    counted = day(system, Kind.AI_ANSWER)
    assert counted["units"] == 1
    assert counted["micros"] > 20_000  # the SMS


def test_beyond_the_bound_of_a_customer_messages_are_stored_and_wait_for_an_agent(
    system: System,
) -> None:
    bound(system, ai_answer=1)  # known persons have three times 1 % of 40 answers
    with_model(system, FIRST, *[ANSWER] * 3)
    ref = system.begin("sms")
    calls = model_calls_made(system)
    for number in range(3):
        write(system, f"m{number}")

    assert status_of(system, ref) == ("handoff_pending", "spending_limit")
    assert model_calls_made(system) - calls < 3
    assert len([row for row in system.log(ref) if row["author"] == "customer"]) == 3


def test_a_bound_of_nothing_stops_the_model_and_no_message_is_lost(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    calls = model_calls_made(system)
    bound(system, ai_answer=0)

    write(system, "m1")

    assert model_calls_made(system) == calls
    assert status_of(system, ref) == ("handoff_pending", "spending_limit")


def test_fixed_texts_are_bounded(system: System) -> None:
    with_model(system, FIRST)
    system.begin("sms")
    bound(system, notice=0)
    sent = len(system.sent())

    system.text("m1", "STOP")
    system.drain()

    assert len(system.sent()) == sent
    assert day(system, Kind.NOTICE) == {}


def test_a_fixed_text_is_counted(system: System) -> None:
    with_model(system, FIRST)
    system.begin("sms")

    system.text("m1", "STOP")
    system.drain()

    assert day(system, Kind.NOTICE)["units"] == 1


def limit(system: System, micros: int) -> Table:
    """A ceiling of the company for a day."""
    table = Table(system.dynamodb, system.tables["spending"])
    usage.set_ceilings(table, sample_data.COMPANY, {"day_micros": micros}, by="a person")
    return table


def spent(system: System, table: Table) -> int:
    """The micro-dollars of the company that are counted today."""
    return ceilings.spent(table, sample_data.COMPANY, clock.to_text(system.clock.ms)[:10])[0]


def test_a_first_message_counts_for_the_limit_of_the_company(system: System) -> None:
    table = limit(system, 1_000_000_000)
    with_model(system, FIRST)

    system.begin("sms")

    assert 0 < spent(system, table) < 1_000_000


def test_a_first_message_beyond_the_limit_of_the_company_waits_for_an_agent(
    system: System,
) -> None:
    limit(system, 0)
    with_model(system, FIRST)

    ref = system.begin("sms")

    assert status_of(system, ref) == ("handoff_pending", "spending_limit")
    assert (model_calls_made(system), system.sent()) == (0, [])
