"""The test of two templates: each person in one part, a winner by the rule or a person, at any crash one message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.runtime import clock
from tests.cases import each
from tests.integration.whatsapp.actions.campaigns.people import READER, people
from tests.integration.whatsapp.actions.campaigns.runs import numbers, total
from tests.integration.whatsapp.actions.campaigns.trials import (
    OTHER,
    PEOPLE,
    RULE,
    B,
    begin,
    read_all,
    sent_with,
    tested,
)
from tests.integration.whatsapp.actions.conftest import GLOBEX
from whatsapp.actions.campaigns.pages import parts
from whatsapp.actions.campaigns.trials import significance
from whatsapp.actions.campaigns.trials.significance import Counted
from whatsapp.store.sending import timers

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.campaigns.people import People
    from tests.integration.whatsapp.actions.campaigns.runs import Runs

__all__ = ["people", "tested"]  # fixtures


def test_the_rule_sends_the_better_template_to_the_rest_and_every_part_adds_up(
    runs: Runs, tested: str
) -> None:
    a, b = begin(runs, tested)
    shown_a, shown_b = runs.finish(a), runs.finish(b)
    read_all(runs, b)
    runs.wait(20)
    rest = runs.finish(tested)
    everyone = [number for numbers_ in sent_with(runs).values() for number in numbers_]

    assert rest["test"]["winner"] == "b"
    assert "decidedBy" not in rest["test"]
    assert rest["templateName"] == "bike_waits"
    assert sorted(everyone) == sorted(f"+{n}" for n in numbers(PEOPLE))
    assert len(sent_with(runs)["bike_ready"]) == shown_a["sent"]
    for shown in (shown_a, shown_b, rest):
        assert total(shown) == shown["totalRecipients"] > 0
        assert total(shown) + sum(shown["leftOut"].values()) == PEOPLE
    assert [one["part"] for one in (shown_a, shown_b, rest)] == ["a", "b", "rest"]
    assert shown_a["testOf"] == shown_b["testOf"] == tested


def test_variants_without_a_difference_wait_for_a_person_who_decides_once(
    runs: Runs, tested: str
) -> None:
    for variant in begin(runs, tested):
        runs.finish(variant)
    runs.wait(70)
    undecided = runs.show(tested)
    result = runs.control("get_campaign_test", tested).result
    decided = runs.control("decide_campaign_test", tested, winner="a").result
    again = runs.control("decide_campaign_test", tested, winner="a")
    other = runs.control("decide_campaign_test", tested, winner="b")
    rest = runs.finish(tested)

    assert (undecided["status"], undecided["test"]["verdict"]) == ("scheduled", "not_significant")
    assert (result["hasMinimum"], result["isSignificant"]) == (True, False)
    assert [one["counted"] for one in result["variants"]] == [0, 0]
    assert (decided["test"]["winner"], decided["test"]["decidedBy"]) == ("a", "api-key:acme")
    assert (again.status, other.status) == (200, 409)
    assert len(sent_with(runs)["bike_ready"]) + len(sent_with(runs)["bike_waits"]) == PEOPLE
    assert rest["sent"] > 0
    runs.wait(2)
    assert timers.opened(runs.actions.harness.resources.table).ids == set()


@each(
    ("changed", "verdict"),
    [({"minimum": 1_000}, "too_few"), ({"decision": "person"}, "significant")],
)
def test_a_test_below_its_minimum_or_for_a_person_sends_nothing_to_the_rest(
    runs: Runs, people: People, changed: dict[str, Any], verdict: str
) -> None:
    if OTHER not in runs.actions.sandbox.templates:
        runs.actions.sandbox.templates.append(OTHER)
    own = [people.wrote(n, "Ada") for n in numbers(PEOPLE)]
    chosen = people.in_list(*own, name=verdict)
    campaign = people.create("list", chosen, test=RULE | changed)["campaignId"]
    _, b = begin(runs, campaign)
    runs.drain()
    runs.wait(2)
    read_all(runs, b)
    runs.wait(70)
    shown = runs.show(campaign)

    assert (shown["status"], shown["test"]["verdict"]) == ("scheduled", verdict)
    assert "winner" not in shown["test"]
    assert "totalRecipients" not in shown


def test_a_dry_run_shows_the_parts_and_the_cost_of_the_dearer_template(
    runs: Runs, tested: str
) -> None:
    body = {"campaignId": tested, "limit": 100}
    plan = runs.actions.run("get_campaign_recipients", body, caller=READER).result
    counts = plan["counts"]

    assert counts["part_a"] + counts["part_b"] + counts["part_rest"] == counts["reached"] == PEOPLE
    assert min(counts["part_a"], counts["part_b"], counts["part_rest"]) > 0
    assert plan["cost"]["recipients"] == PEOPLE


def test_a_test_waits_while_it_is_paused_and_is_cancelled_with_nothing_sent_to_the_rest(
    runs: Runs, tested: str
) -> None:
    _, b = begin(runs, tested)
    runs.drain()
    runs.wait(2)
    runs.control("pause_campaign", tested)
    read_all(runs, b)
    runs.wait(70)
    paused = runs.show(tested)
    runs.control("resume_campaign", tested)
    resumed = runs.show(tested)["status"]
    cancelled = runs.control("cancel_campaign", tested).result
    runs.wait(20)

    assert (paused["status"], "winner" in paused["test"]) == ("paused", False)
    assert resumed == "scheduled"
    assert (cancelled["outcome"], cancelled["totalRecipients"]) == ("cancelled", 0)
    assert runs.control("decide_campaign_test", tested, winner="a").status == 409
    assert "winner" not in runs.show(tested)["test"]


def test_a_cancelled_variant_leaves_the_decision_to_a_person(runs: Runs, tested: str) -> None:
    a, b = begin(runs, tested)
    runs.control("cancel_campaign", a)
    runs.finish(b)
    runs.wait(3)

    assert runs.show(tested)["test"]["verdict"] == "cancelled"
    assert runs.control("decide_campaign_test", tested, winner="b").status == 200
    assert runs.finish(tested)["sent"] > 0


@pytest.mark.parametrize("jobs", [0, 1, 3], ids=["before", "while", "after"])
def test_a_cancelled_test_cancels_its_variants_before_and_while_they_send(
    runs: Runs, tested: str, jobs: int
) -> None:
    variants = begin(runs, tested)
    for _ in range(jobs):
        for body in runs.events():
            runs.job(body)
    sent = len(runs.sent_to())
    ended = [one for one in variants if runs.show(one)["status"] == "completed"]
    first = runs.control("cancel_campaign", tested)
    again = runs.control("cancel_campaign", tested)
    runs.drain()
    runs.wait(20)

    assert [(one.status, one.result["outcome"]) for one in (first, again)] == [
        (200, "cancelled")
    ] * 2
    assert len(runs.sent_to()) == sent
    for variant in variants:
        shown = runs.show(variant)
        outcome = None if variant in ended else "cancelled"
        assert (shown["status"], shown.get("outcome")) == ("completed", outcome)
        assert total(shown) == shown["totalRecipients"]
    assert runs.pages_left() == []
    assert timers.opened(runs.actions.harness.resources.table).ids == set()


def test_a_test_with_a_variant_that_reaches_no_person_ends_with_too_few(
    runs: Runs, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.actions.sandbox.templates.append(OTHER)
    monkeypatch.setattr(parts, "part_of", lambda *_: "b")
    chosen = people.in_list(*(people.wrote(n, "Ada") for n in numbers(3)))
    campaign = str(people.create("list", chosen, test=RULE)["campaignId"])
    a, b = begin(runs, campaign)
    runs.drain()
    runs.wait(3)

    assert (runs.show(a)["status"], runs.show(a)["pauseReason"]) == (
        "paused",
        "no_valid_recipients",
    )
    assert runs.finish(b)["sent"] == 3
    assert runs.show(campaign)["test"]["verdict"] == "too_few"
    assert timers.opened(runs.actions.harness.resources.table).ids == set()


def test_a_scheduled_test_begins_when_it_is_due(runs: Runs, people: People) -> None:
    runs.actions.sandbox.templates.append(OTHER)
    chosen = people.in_list(*(people.wrote(n, "Ada") for n in numbers(4)))
    at = clock.to_text(runs.now + 5 * 60_000)
    campaign = people.create("list", chosen, test=RULE, scheduledAt=at)["campaignId"]
    runs.wait(3)
    before = "begunAt" in runs.show(campaign)["test"]
    runs.wait(4)

    assert (before, "begunAt" in runs.show(campaign)["test"]) == (False, True)


def test_a_person_who_is_in_two_parts_after_a_merge_of_contacts_gets_one_message(
    runs: Runs, tested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "is_elsewhere", lambda *_: False)
    a, b = begin(runs, tested)
    one, other = runs.finish(a), runs.finish(b)
    runs.control("decide_campaign_test", tested, winner="a")
    rest = runs.finish(tested)

    assert sorted(runs.sent_to()) == sorted(f"+{n}" for n in numbers(PEOPLE))
    assert one["sent"] + other["sent"] + rest["sent"] == PEOPLE
    assert rest["duplicate"] == PEOPLE


def test_only_the_company_itself_sees_and_decides_its_test(runs: Runs, tested: str) -> None:
    plain = runs.create([f"+{n}" for n in numbers(1)])["campaignId"]
    decision = {"campaignId": tested, "winner": "a"}

    assert runs.control("get_campaign_test", plain).status == 409
    assert runs.control("decide_campaign_test", tested, winner="a").status == 409  # not begun
    for action, body in (
        ("get_campaign_test", {"campaignId": tested}),
        ("decide_campaign_test", decision),
    ):
        assert runs.actions.run(action, body, caller=GLOBEX).status == 404


@each(
    ("field", "changed"),
    [
        ("test.share", {"share": 91}),
        ("test.confidence", {"confidence": 97}),
        ("test.hours", {"hours": 0}),
        ("test.measure", {"measure": "clicked"}),
        ("test.template.bodyFields", {"template": B | {"bodyFields": [{"field": "name"}] * 2}}),
        (
            "test.template.bodyFields.0.field",
            {"template": B | {"bodyFields": [{"field": "attributes.unknown"}]}},
        ),
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_the_field(
    runs: Runs, people: People, field: str, changed: dict[str, Any]
) -> None:
    if OTHER not in runs.actions.sandbox.templates:
        runs.actions.sandbox.templates.append(OTHER)
    chosen = people.in_list(name=field)
    body = {
        "phoneNumberId": runs.create([f"+{numbers(1)[0]}"]) and "106540352242922",
        "campaignName": "Bikes", "templateName": "bike_ready",
        "audience": {"list": chosen}, "test": RULE | changed,
    }  # fmt: skip
    answer = runs.actions.run("create_campaign", body, caller=READER)

    assert (answer.status, answer.fields) == (400, [field])


def test_a_contact_is_in_the_same_part_every_time_and_parts_have_their_share() -> None:
    contacts = [f"contact{number}" for number in range(5_000)]
    found = [parts.part_of("test", 20, one) for one in contacts]

    assert found == [parts.part_of("test", 20, one) for one in contacts]
    assert 0.08 < found.count("a") / len(found) < 0.12
    assert 0.08 < found.count("b") / len(found) < 0.12
    assert found != [parts.part_of("another", 20, one) for one in contacts]


@each(
    ("one", "other", "confidence", "expected"),
    [
        (Counted(100, 60), Counted(100, 30), 95, True),
        (Counted(100, 60), Counted(100, 47), 90, False),
        (Counted(10, 6), Counted(10, 3), 95, False),
        (Counted(1_000, 600), Counted(1_000, 545), 90, True),
        (Counted(1_000, 600), Counted(1_000, 545), 99, False),
        (Counted(0, 0), Counted(100, 30), 90, False),
        (Counted(100, 0), Counted(100, 0), 90, False),
        (Counted(100, 100), Counted(100, 100), 90, False),
    ],
)
def test_a_difference_counts_if_chance_explains_it_less_often_than_the_rule_allows(
    one: Counted, other: Counted, confidence: int, expected: bool
) -> None:
    assert significance.is_significant(one, other, confidence) is expected
    assert significance.is_significant(other, one, confidence) is expected


def test_the_better_variant_has_the_larger_share_not_the_larger_number() -> None:
    assert significance.better(Counted(100, 60), Counted(200, 80))
    assert not significance.better(Counted(200, 80), Counted(100, 60))
