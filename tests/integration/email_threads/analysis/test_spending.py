"""Mails of strangers cause a bounded number of model calls; beyond it they are stored and wait for a person."""

from __future__ import annotations

from typing import Any

import pytest

from email_threads.store.items import ReplyMode
from shared.ai.spending import ceilings, usage
from shared.ai.spending.bounds import DEFAULTS, MICROS, STRANGERS_PERCENT, Kind
from shared.ai.spending.senders import sender_hash
from shared.runtime import clock
from shared.runtime.observability import metrics
from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import result
from tests.simulation.email_threads.system import ANN, ASSISTED, COMPANY, MODEL, System, mail

DEFAULT = DEFAULTS[Kind.MAIL_ANALYSIS]
BOUNDS = DEFAULT.part(20)  # of the company of these tests
STRANGERS = BOUNDS.address.part(STRANGERS_PERCENT).units
OTHER = "other@shop.example"
LONG = "We want to order ten chairs. " * 345  # 10,000 characters


@pytest.fixture
def _small(system: System) -> None:
    table = system.worker.resources.spending.table
    usage.set_percents(table, COMPANY, {Kind.MAIL_ANALYSIS: 20}, by="a person")


def from_stranger(system: System, number: int, to: str = ASSISTED, **more: Any) -> None:
    """A mail of 10,000 characters of a person who has never written before."""
    name = f"m{number}-{to.partition('@')[0]}"
    text = mail(f"{name}@x", LONG, sender=f"s{number}@host{number}.example", to=to, **more)
    system.deliver(text, name=name, address=to)
    system.drain()


def ask_for_analysis(system: System, thread: dict[str, Any]) -> None:
    """A person asks for the analysis of a thread."""
    assert system.call("POST", f"/email-threads/{thread['conversation_id']}/analysis", {})[0] == 202
    system.drain()


def listed(system: System, **query: str) -> list[dict[str, Any]]:
    """All threads that people see."""
    found: list[dict[str, Any]] = []
    more: dict[str, str] = {}
    while True:
        page = result(system.call("GET", "/email-threads", query={"limit": "100", **query, **more}))
        found += page["threads"]
        if not page.get("next_cursor"):
            return found
        more = {"cursor": page["next_cursor"]}


@pytest.mark.long
@pytest.mark.usefixtures("_small")
def test_strangers_cause_at_most_the_bound_and_all_their_mails_wait_for_people(
    system: System,
) -> None:
    for number in range(STRANGERS + 4):
        from_stranger(system, number)

    assert desk.asked(system) == STRANGERS
    assert len(listed(system)) == STRANGERS + 4
    left = listed(system, analysis_reason="spending_limit")
    assert len(left) == 4
    assert all(one["waiting_since"] for one in left)
    assert {one["status"] for one in left} == {"active"}


@pytest.mark.usefixtures("_small")
def test_one_sender_causes_no_more_than_the_bound_of_a_sender(system: System) -> None:
    for number in range(BOUNDS.sender.units + 3):
        desk.receive(system, f"a{number}@x")

    assert desk.asked(system) == BOUNDS.sender.units


@pytest.mark.usefixtures("_small")
def test_labels_of_an_address_are_one_sender(system: System) -> None:
    for number in range(BOUNDS.sender.units + 3):
        desk.receive(system, f"a{number}@x", sender=ANN.replace("@", f"+{number}@"))

    assert desk.asked(system) == BOUNDS.sender.units


@pytest.mark.usefixtures("_small")
def test_a_sender_without_proof_is_bounded_too(system: System) -> None:
    for number in range(BOUNDS.sender.units + 3):
        desk.receive(system, f"a{number}@x", is_checked=False)

    assert desk.asked(system) == BOUNDS.sender.units


@pytest.mark.long
@pytest.mark.usefixtures("_small")
def test_all_mailboxes_of_a_company_share_its_bound(system: System) -> None:
    mailboxes = [ASSISTED, OTHER, "third@shop.example"]
    for address in mailboxes[1:]:
        system.register(address, automation="email_threads", ai=MODEL)
    for address in mailboxes:
        for number in range(STRANGERS):
            from_stranger(system, number + 1_000 * mailboxes.index(address), to=address)

    assert desk.asked(system) == BOUNDS.company.part(STRANGERS_PERCENT).units
    assert len(listed(system)) == 3 * STRANGERS


@pytest.mark.usefixtures("_small")
def test_a_known_customer_is_answered_while_strangers_have_used_their_share(system: System) -> None:
    desk.receive(system, "known@x")
    (draft,) = system.drafts()
    desk.approve(system, draft)
    for number in range(STRANGERS + 5):
        from_stranger(system, number)
    before = desk.asked(system)

    system.deliver(mail("new@x", "Another matter.", to=ASSISTED), name="new", address=ASSISTED)
    system.drain()

    assert desk.asked(system) == before + 1


@pytest.mark.long
@pytest.mark.usefixtures("_small")
def test_a_forged_sender_gets_no_share_of_a_known_customer(system: System) -> None:
    desk.receive(system, "known@x")
    (draft,) = system.drafts()
    desk.approve(system, draft)
    for number in range(STRANGERS + 5):
        from_stranger(system, number)
    before = desk.asked(system)

    forged = mail("new@x", "Another matter.", to=ASSISTED, is_checked=False)
    system.deliver(forged, name="new", address=ASSISTED)
    system.drain()

    assert desk.asked(system) == before


@pytest.mark.long
@pytest.mark.usefixtures("_small")
def test_an_automatic_answer_makes_no_stranger_known(system: System) -> None:
    desk.set_up(system, reply_mode=ReplyMode.AUTO)
    desk.receive(system, "a@x")
    assert len(system.sent()) == 1
    for number in range(STRANGERS):
        from_stranger(system, number)
    before = desk.asked(system)

    desk.receive(system, "b@x", "And tables.")

    assert desk.asked(system) == before


@pytest.mark.long
@pytest.mark.usefixtures("_small")
def test_a_person_may_ask_for_an_analysis_beyond_the_bound(system: System) -> None:
    for number in range(STRANGERS + 1):
        from_stranger(system, number)
    (left,) = listed(system, analysis_reason="spending_limit")

    ask_for_analysis(system, left)

    assert desk.asked(system) == STRANGERS + 1
    assert listed(system, analysis_reason="spending_limit") == []


@pytest.mark.long
@pytest.mark.usefixtures("_small")
def test_the_next_day_has_its_own_bound(system: System) -> None:
    for number in range(STRANGERS + 1):
        from_stranger(system, number)
    system.clock.ms += 24 * 3_600_000

    from_stranger(system, 999)

    assert desk.asked(system) == STRANGERS + 1


@pytest.mark.long
def test_dollars_bound_a_dear_model_before_units_do(system: System) -> None:
    desk.set_up(system, ai=MODEL | {"model": "model-of-unknown-price"})
    most = DEFAULT.address.part(STRANGERS_PERCENT).units
    for number in range(most):
        from_stranger(system, number)

    day = next(row for row in system.spent() if row["pk"].startswith(f"DAY#{COMPANY}#"))
    assert 0 < desk.asked(system) < most
    assert day["micros"] <= DEFAULT.address.micros


@pytest.mark.usefixtures("_small")
def test_an_analysis_that_is_delivered_again_counts_once(system: System) -> None:
    desk.receive(system, "a@x")
    desk.analyse_again(system)

    (day,) = [row for row in system.spent() if row["pk"].startswith("DAY#")]
    assert (day["sk"], day["units"]) == (Kind.MAIL_ANALYSIS, 1)


@pytest.mark.usefixtures("_small")
def test_the_real_price_replaces_the_estimate(system: System) -> None:
    desk.receive(system, "a@x")

    (day,) = [row for row in system.spent() if row["pk"].startswith("DAY#")]
    (sender,) = [row for row in system.spent() if row["pk"].startswith("SENDER#")]
    assert 0 < day["micros"] < sender["micros"] < BOUNDS.sender.micros
    assert day["micros_desk_40shop_2Eexample"] == day["micros"]


@pytest.mark.long
@pytest.mark.usefixtures("_small")
def test_a_reached_bound_is_a_condition_that_alarms(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(STRANGERS + 1):
        from_stranger(system, number)

    lines = capsys.readouterr().out
    assert '"condition":"SpendingLimitReached"' in lines.replace(" ", "")
    assert "host1.example" not in lines


@pytest.mark.usefixtures("_small")
def test_senders_are_stored_as_keyed_hashes(system: System) -> None:
    desk.receive(system, "a@x")

    assert ANN not in str(system.spent())
    assert sender_hash(COMPANY, ANN)[:32] in str(system.spent())


def test_the_bounds_of_a_stranger_are_affordable() -> None:
    assert DEFAULT.company.part(STRANGERS_PERCENT).micros <= 5 * MICROS


def test_the_limit_of_the_company_holds_for_analyses_that_people_ask_for_too(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    monkeypatch.setattr(metrics, "add_metric", lambda name, *_: names.append(name))
    counts = system.worker.resources.spending.table
    usage.set_ceilings(counts, COMPANY, {"month_micros": 1}, by="a person")
    from_stranger(system, 1)
    (left,) = listed(system, analysis_reason="spending_limit")

    ask_for_analysis(system, left)
    assert desk.asked(system) == 0
    assert listed(system, analysis_reason="spending_limit")
    assert names.count("SpendingLimitReached") == 2
    assert "ModelFailure" not in names  # the model is well

    usage.set_ceilings(counts, COMPANY, {"month_micros": 10**9}, by="a person")
    ask_for_analysis(system, left)
    assert desk.asked(system) == 1
    assert listed(system, analysis_reason="spending_limit") == []
    assert ceilings.spent(counts, COMPANY, clock.to_text(system.clock.ms)[:10])[1] > 0


def test_a_mail_is_reserved_at_the_price_in_the_settings_of_its_model(system: System) -> None:
    own = MODEL | {"price": {"input": 1_000, "output": 2_000}}  # dollars a million tokens
    result(system.call("PUT", f"/email-mailboxes/{ASSISTED}", {"ai": own}))
    table = system.worker.resources.spending.table
    usage.set_ceilings(table, COMPANY, {"day_micros": 500_000}, by="a person")

    desk.receive(system, "a@x")

    assert desk.asked(system) == 0
    assert desk.analysis(system)["reason"] == "spending_limit"
