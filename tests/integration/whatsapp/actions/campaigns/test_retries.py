"""The retry of a campaign: to those whose message certainly failed, once each, at any crash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.privacy import tombstones
from shared.runtime import clock
from tests.cases import each
from tests.integration.whatsapp.actions.campaigns.people import READER, people
from tests.integration.whatsapp.actions.campaigns.runs import Killed, Killer, numbers, total
from tests.integration.whatsapp.actions.conftest import GLOBEX
from whatsapp.actions.campaigns.pages import failures
from whatsapp.privacy import subjects
from whatsapp.store.items.contacts.privacy import ErasedContact
from whatsapp.worker.messages.contents import full_content

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.campaigns.runs import Runs

__all__ = ["people"]
PASSES, FINAL = 131000, 131026


def sent(runs: Runs, people: list[str]) -> str:
    """The id of a campaign that the provider has accepted for each of these people, with their own values."""
    runs.wrote(*people)
    rows = [{"to": f"+{n}", "bodyParams": [f"Person {n[-1]}"]} for n in people]
    return str(runs.finish(runs.create(rows, autoStart=True)["campaignId"])["campaignId"])


def fail(runs: Runs, campaign: str, codes: dict[str, int]) -> None:
    """Let the provider report failures of messages of a campaign, by the recipient's number."""
    found = runs.control("get_campaign_recipients", campaign, outcome="sent").result["recipients"]
    for one in found:
        if one["to"] in codes:
            report = {
                "id": one["messageId"], "status": "failed", "recipient_id": one["to"],
                "timestamp": str(runs.now // 1_000 + 1), "errors": [{"code": codes[one["to"]]}],
            }  # fmt: skip
            runs.actions.harness.take({"statuses": [report]})
    runs.now += 60_000


def retry(runs: Runs, campaign: str, **more: Any) -> Any:
    return runs.control("retry_campaign", campaign, **more)


def planned(runs: Runs, campaign: str) -> dict[str, Any]:
    """The dry run of a retry."""
    body = {"campaignId": campaign}
    return runs.actions.run("get_campaign_recipients", body, caller=READER).result


def reached_by(runs: Runs, before: int) -> list[str]:
    return sorted(runs.sent_to()[before:])


def test_a_retry_reaches_those_whose_failure_can_pass_with_the_values_that_they_had(
    runs: Runs,
) -> None:
    four = numbers(4)
    first = sent(runs, four)
    fail(runs, first, {four[0]: PASSES, four[1]: FINAL, four[2]: PASSES})
    before = len(runs.sent_to())
    made = retry(runs, first, campaignName="Again").result
    plan = planned(runs, made["campaignId"])
    runs.control("start_campaign", made["campaignId"])
    shown = runs.finish(made["campaignId"])

    assert (made["status"], made["name"]) == ("draft", "Again")
    assert made["audience"] == {"kind": "failed", "id": first}
    assert plan["counts"] == {"reached": 2, "error_is_final": 1}
    assert plan["cost"]["recipients"] == 2
    assert reached_by(runs, before) == [f"+{four[0]}", f"+{four[2]}"]
    values = [
        one.body["template"]["components"][0]["parameters"][0]["text"]  # type: ignore[index] # a JSON object
        for one in runs.actions.wire
        if one.operation == "send_message"
    ]
    assert sorted(values[before:]) == ["Person 0", "Person 2"]
    assert (shown["sent"], total(shown), shown["leftOut"]) == (2, 2, {"error_is_final": 1})
    assert runs.show(first)["retriedBy"] == made["campaignId"]


def test_a_refusal_of_the_send_itself_is_retried_too(runs: Runs) -> None:
    two = numbers(2)
    runs.wrote(*two)
    runs.actions.sandbox.faults.add(
        provider="meta", operation="send_message", kind="status", status=403
    )
    first = runs.create([f"+{n}" for n in two], autoStart=True)["campaignId"]
    runs.drain()
    runs.control("resume_campaign", first)
    shown = runs.finish(first)
    retried = retry(runs, first).result["campaignId"]
    runs.control("start_campaign", retried)
    again = runs.finish(retried)

    assert (shown["failed"], shown["sent"]) == (1, 1)
    assert (again["sent"], sorted(runs.sent_to())) == (1, [f"+{n}" for n in two])


def test_values_that_are_too_long_for_the_item_are_repeated_from_the_bucket(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_content, "LARGEST_CONTENT_BYTES", 10)
    (one,) = numbers(1)
    first = sent(runs, [one])
    fail(runs, first, {one: PASSES})
    made = retry(runs, first).result["campaignId"]
    runs.control("start_campaign", made)
    shown = runs.finish(made)
    bodies = [one.body for one in runs.actions.wire if one.operation == "send_message"]

    assert runs.actions.harness.resources.bucket.keys_under("content/")
    assert shown["sent"] == 1
    assert [body["template"] for body in bodies[:1]] == [body["template"] for body in bodies[1:]]  # type: ignore[index] # JSON objects


def test_people_in_doubt_opted_out_or_erased_are_never_recipients(runs: Runs) -> None:
    five = numbers(5)
    runs.wrote(*five)
    runs.actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    first = sent(runs, five)
    fail(runs, first, dict.fromkeys(five[1:], PASSES))
    body = {"contact": f"+{five[2]}", "purpose": "all", "state": "opted_out", "evidence": "call 17"}
    assert runs.actions.run("set_consent", body).status == 200
    key = ErasedContact.key("acme", subjects.hashes_of(five[3])[0])
    until = clock.to_text(runs.now)
    tombstones.write(
        runs.actions.harness.resources.table, ErasedContact(pk=key, company="acme", until=until)
    )
    before = len(runs.sent_to())
    made = retry(runs, first).result["campaignId"]
    runs.control("start_campaign", made)
    shown = runs.finish(made)

    assert runs.show(first)["inDoubt"] == 1
    assert shown["leftOut"] == {"opted_out": 1, "erased": 1}
    assert reached_by(runs, before) == [f"+{five[1]}", f"+{five[4]}"]


def test_a_second_call_returns_the_same_retry_and_the_next_retry_is_of_the_retry(
    runs: Runs,
) -> None:
    two = numbers(2)
    first = sent(runs, two)
    fail(runs, first, dict.fromkeys(two, PASSES))
    made, same = (retry(runs, first).result["campaignId"] for _ in range(2))
    runs.control("start_campaign", made)
    runs.finish(made)
    fail(runs, made, {two[0]: PASSES})
    before = len(runs.sent_to())
    third = retry(runs, made).result["campaignId"]
    runs.control("start_campaign", third)
    runs.finish(third)

    assert made == same == retry(runs, first).result["campaignId"]
    assert reached_by(runs, before) == [f"+{two[0]}"]


def test_a_retry_that_was_cancelled_before_its_start_is_made_again(runs: Runs) -> None:
    (one,) = numbers(1)
    first = sent(runs, [one])
    fail(runs, first, {one: PASSES})
    dropped = retry(runs, first).result["campaignId"]
    runs.control("cancel_campaign", dropped)
    made = retry(runs, first).result["campaignId"]
    runs.control("start_campaign", made)

    assert made != dropped
    assert runs.finish(made)["sent"] == 1
    assert runs.control("start_campaign", dropped).status == 409


def test_only_a_completed_campaign_of_the_company_has_a_retry(runs: Runs) -> None:
    draft = runs.create([f"+{n}" for n in numbers(1)])["campaignId"]
    foreign = runs.actions.run("retry_campaign", {"campaignId": draft}, caller=GLOBEX)

    assert (retry(runs, draft).status, foreign.status) == (409, 404)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_retry_killed_at_any_call_is_one_campaign_and_one_message(
    runs: Runs, after: bool
) -> None:
    three = numbers(3)
    first = sent(runs, three)
    fail(runs, first, dict.fromkeys(three, PASSES))
    before, kills, made = len(runs.sent_to()), 0, set()
    for at in range(1, 60):
        try:
            with Killer(at, after=after):
                made.add(retry(runs, first).result["campaignId"])
        except Killed:
            kills += 1
        else:
            break
        runs.now += 60_000
    (campaign,) = made
    runs.control("start_campaign", campaign)
    kills += runs.jobs_killed(1, after=after)
    shown = runs.finish(campaign)

    assert kills
    assert len(set(reached_by(runs, before))) == len(reached_by(runs, before))
    assert (shown["sent"] + shown["inDoubt"], total(shown)) == (3, 3)


@each(
    ("code", "again"),
    [
        (131000, True), ("graph_130429", True), (131042, True), (132015, True),
        (131026, False), (131049, False), (131050, False), (131047, False), (None, False),
    ],
)  # fmt: skip
def test_a_failure_is_retried_if_it_passes_or_a_person_can_resolve_it(
    code: object, again: bool
) -> None:
    assert failures.is_retryable(code) is again
