"""Limits of campaigns: their share of the number's rate, and what the provider refuses to accounts and customers."""

from __future__ import annotations

from typing import Any

import pytest

from shared.providers.outcomes import Refused
from shared.providers.whatsapp.meta_graph import Graph
from shared.runtime import clock
from tests.integration.whatsapp.actions.campaigns.runs import (
    SHORT,
    TEMPLATE,
    VALUES,
    Runs,
    numbers,
)
from tests.integration.whatsapp.actions.conftest import ADA, EUM_PHONE, WABA
from tests.integration.whatsapp.conftest import PHONE
from whatsapp.actions.campaigns import views
from whatsapp.inbound import provider_errors

pytestmark = pytest.mark.long

OFFER = TEMPLATE | {"name": "offer", "category": "MARKETING", "id": "1002"}
LIMIT_REACHED = 131048
CAPPED = 131049
DAY_MS = 86_400_000


def refuse(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """Let Meta refuse every message with *code*."""

    def refused(*_: Any) -> str | None:
        raise Refused(f"graph_{code}")

    monkeypatch.setattr(Graph, "post_message", refused)


def failed(runs: Runs, message: dict[str, Any], code: int) -> dict[str, Any]:
    """The report that a message was not delivered."""
    return {
        "statuses": [
            {
                "id": message["messageId"], "status": "failed", "recipient_id": message["to"],
                "timestamp": str(runs.now // 1_000), "errors": [{"code": code, "title": "Failed"}],
            }
        ]
    }  # fmt: skip


def sent_of(runs: Runs, campaign: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = runs.control(
        "get_campaign_recipients", campaign, outcome="sent"
    ).result["recipients"]
    return found


def marketing(runs: Runs, *people: str) -> None:
    """Store the marketing template, and that these customers want marketing."""
    runs.actions.sandbox.templates.append(OFFER)
    for number in people:
        agreed = {"contact": f"+{number}", "purpose": "marketing", "state": "opted_in"}
        assert runs.actions.run("set_consent", agreed | {"evidence": "form 3"}).status == 200


@pytest.mark.parametrize(
    ("rate", "own", "at_most"), [(10, None, 8), (10, 8, 8), (10, 4, 4), (None, 57, 64)]
)
def test_campaigns_send_at_most_four_fifths_of_the_rate_of_their_number(
    runs: Runs, rate: int | None, own: int | None, at_most: int
) -> None:
    runs.actions.register(messages_per_second=rate)
    people = numbers(40)
    runs.wrote(*people)
    pace = {"messagesPerSecond": own} if own else {}
    began = runs.now
    made = runs.create([f"+{n}" for n in people], autoStart=True, **pace)
    runs.drain()
    seconds = (runs.now - began) / 1_000

    assert len(runs.sent_to()) == 40
    assert (40 - 10) / seconds <= at_most  # The first places are free at once.
    assert 40 / seconds >= at_most * 0.8
    assert runs.finish(made["campaignId"])["sent"] == 40


def test_two_campaigns_share_the_rate_and_leave_room_for_replies(runs: Runs) -> None:
    runs.actions.register(messages_per_second=10)
    people = numbers(30)
    runs.wrote(*people)
    began = runs.now
    made = [
        runs.create([f"+{n}" for n in some], autoStart=True, messagesPerSecond=8)["campaignId"]
        for some in (people[:15], people[15:])
    ]
    runs.drain()
    seconds = (runs.now - began) / 1_000
    reply = runs.actions.send("send_text", {"text": "Gladly."})

    assert len(runs.sent_to()) == 31
    assert 29 / seconds <= 8
    assert reply.status == 200
    assert [runs.show(campaign)["sent"] for campaign in made] == [15, 15]


def test_a_slow_campaign_does_not_hold_up_a_fast_one(runs: Runs) -> None:
    runs.actions.register(messages_per_second=50)
    people = numbers(35)
    runs.wrote(*people)
    slow = runs.create([f"+{n}" for n in people[:5]], autoStart=True, messagesPerSecond=1)
    runs.drain()
    began = runs.now
    runs.create([f"+{n}" for n in people[5:]], autoStart=True)
    runs.drain()

    assert runs.now - began <= 1_000
    assert runs.show(slow["campaignId"])["sent"] == 5


def test_refused_recipients_take_no_places(runs: Runs) -> None:
    runs.actions.register(messages_per_second=1)
    body = {"phoneNumberId": PHONE, "type": "text", "text": "Hello"}
    strangers = {"recipients": [f"+{n}" for n in numbers(20)]}
    began = runs.now
    made = runs.actions.run("bulk_send", body | strangers).result
    runs.drain()

    assert runs.now - began <= 2_000
    assert runs.show(made["campaignId"])["refused"] == 20


def test_a_campaign_pauses_when_the_provider_refuses_more_customers(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = numbers(8)
    runs.wrote(*people)
    campaign = runs.create([f"+{n}" for n in people], autoStart=True)["campaignId"]
    with monkeypatch.context() as patch:
        refuse(patch, LIMIT_REACHED)
        runs.drain()
        runs.wait(2)
    shown = runs.show(campaign)

    assert (shown["status"], shown["pauseReason"]) == ("paused", "provider:graph_131048")
    assert "customers in 24 hours" in shown["pauseMeaning"]
    runs.now += DAY_MS
    runs.wrote(*people)
    runs.control("resume_campaign", campaign)
    shown = runs.finish(campaign)
    assert (shown["failed"], shown["sent"]) == (1, 7)
    assert "pauseMeaning" not in shown


@pytest.mark.usefixtures("short_pages")
def test_a_campaign_pauses_when_the_limit_is_reported_later(runs: Runs) -> None:
    people = numbers(SHORT + 2)
    runs.wrote(*people)
    campaign = runs.create([f"+{n}" for n in people], messagesPerSecond=5)["campaignId"]
    runs.control("start_campaign", campaign)
    for body in runs.events():
        runs.job(body)
    first, second, *_ = sent_of(runs, campaign)
    late = failed(runs, second, LIMIT_REACHED)
    runs.actions.harness.take(failed(runs, first, LIMIT_REACHED))
    paused = runs.show(campaign)
    before = len(runs.sent_to())
    runs.wait(2)

    assert (paused["status"], paused["pauseReason"]) == ("paused", "provider:graph_131048")
    assert len(runs.sent_to()) == before == SHORT
    runs.now += 60_000
    runs.control("resume_campaign", campaign)
    runs.actions.harness.take(late)
    assert runs.show(campaign)["status"] == "running"


def test_a_report_for_a_message_of_no_campaign_or_of_one_recipient_pauses_nothing(
    runs: Runs,
) -> None:
    runs.wrote(*numbers(2))
    campaign = runs.create([f"+{n}" for n in numbers(2)], autoStart=True)["campaignId"]
    runs.drain()
    runs.control("resume_campaign", campaign)
    first, _ = sent_of(runs, campaign)
    single = runs.actions.send("send_text", {"text": "Hello"}).result["messageId"]
    runs.actions.harness.take(failed(runs, first, 131026))
    runs.actions.harness.take(failed(runs, {"messageId": single, "to": ADA}, LIMIT_REACHED))

    assert "pauseReason" not in runs.show(campaign)


def test_every_reason_of_the_provider_has_a_meaning() -> None:
    for code in provider_errors.ACCOUNT_ERRORS | provider_errors.TEMPLATE_ERRORS:
        assert views.meaning_of(provider_errors.reason_of(f"graph_{code}")), code
    assert views.meaning_of("typing error") is None


@pytest.mark.parametrize("is_reported_later", [False, True])
def test_a_customer_who_gets_enough_marketing_is_refused_for_a_day(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, is_reported_later: bool
) -> None:
    marketing(runs, ADA)
    offer: dict[str, Any] = {"recipients": [f"+{ADA}"], "templateName": "offer", "autoStart": True}
    with monkeypatch.context() as patch:
        if not is_reported_later:
            refuse(patch, CAPPED)
        first = runs.finish(runs.create(**offer)["campaignId"])
    if is_reported_later:
        (message,) = sent_of(runs, first["campaignId"])
        runs.actions.harness.take(failed(runs, message, CAPPED))
    assert (
        runs.actions.item(f"CONV#{PHONE}#{ADA}")["marketingCappedAt"][:16]
        == (clock.to_text(runs.now)[:16])
    )

    second = runs.finish(runs.create(**offer)["campaignId"])
    listed = runs.control("get_campaign_recipients", second["campaignId"]).result["recipients"]
    direct = runs.actions.send("send_template", {"templateName": "offer", "components": VALUES})
    utility = runs.finish(runs.create([f"+{ADA}"], autoStart=True)["campaignId"])
    runs.now += DAY_MS + 60_000
    third = runs.finish(runs.create(**offer)["campaignId"])

    assert (second["refused"], listed[0]["reason"]) == (1, "frequency_cap")
    assert (direct.status, direct.error) == (422, "policy_refused")
    assert "frequency_cap" in direct.body["error"]["message"]
    assert utility["sent"] == 1
    assert third["sent"] == 1


def test_a_first_message_to_a_customer_can_be_capped(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stranger,) = numbers(1)
    marketing(runs, stranger)
    offer: dict[str, Any] = {
        "recipients": [f"+{stranger}"],
        "templateName": "offer",
        "autoStart": True,
    }
    refuse(monkeypatch, CAPPED)
    first = runs.finish(runs.create(**offer)["campaignId"])
    second = runs.finish(runs.create(**offer)["campaignId"])

    assert (first["failed"], second["refused"]) == (1, 1)


def test_replies_of_customers_are_counted_with_their_campaign(runs: Runs) -> None:
    people = numbers(4)
    runs.wrote(*people)
    made = [
        runs.create([f"+{n}" for n in some], autoStart=True)["campaignId"]
        for some in (people[:3], people[3:])
    ]
    for campaign in made:
        runs.finish(campaign)
    messages = [message for campaign in made for message in sent_of(runs, campaign)]
    runs.now += 3 * 3_600_000
    for number, message in enumerate(messages[:2] + messages[3:]):
        reply = {
            "id": f"wamid.reply.{number}", "from": message["to"], "type": "text",
            "timestamp": str(runs.now // 1_000), "text": {"body": "Thanks"},
            "context": {"id": message["messageId"], "from": "15550783881"},
        }  # fmt: skip
        for _ in range(2):
            runs.actions.harness.take({"messages": [reply]})
    unrelated = {
        "id": "wamid.other", "from": people[0], "type": "text", "text": {"body": "Hello"},
        "timestamp": str(runs.now // 1_000),
    }  # fmt: skip
    runs.actions.harness.take({"messages": [unrelated]})
    runs.wait(6)

    def replied(**chosen: str) -> int:
        answer = runs.actions.run("get_campaign_stats", {"metaWabaId": WABA} | chosen)
        return int(answer.result["replied"])

    assert [replied(campaignId=campaign) for campaign in made] == [2, 1]
    assert replied() == 3
    runs.wait(12)
    assert replied() == 3


def test_hours_of_a_campaign_that_was_resumed_after_weeks_are_read(runs: Runs) -> None:
    first, second = numbers(2)
    runs.wrote(first, second)
    campaign = runs.create([f"+{first}", f"+{second}"])["campaignId"]
    runs.control("start_campaign", campaign)
    runs.control("pause_campaign", campaign)
    runs.now += 14 * DAY_MS
    runs.control("resume_campaign", campaign)
    runs.finish(campaign)
    message = sent_of(runs, campaign)[0]
    report = {
        "id": message["messageId"], "status": "read", "recipient_id": message["to"],
        "timestamp": str(runs.now // 1_000 + 5),
    }  # fmt: skip
    runs.actions.harness.take({"statuses": [report]})
    runs.wait(6)

    assert runs.show(campaign)["read"] == 1


def test_the_rate_of_a_number_on_aws_is_shared_in_the_same_way(runs: Runs) -> None:
    runs.actions.register_eum(messages_per_second=10)
    people = numbers(20)
    runs.wrote(*people, phone=EUM_PHONE)
    began = runs.now
    body = {"phoneNumberId": EUM_PHONE, "type": "text", "text": "Hello"}
    made = runs.actions.run("bulk_send", body | {"recipients": [f"+{n}" for n in people]}).result
    runs.drain()

    assert runs.show(made["campaignId"])["sent"] == 20
    assert 19 / ((runs.now - began) / 1_000) <= 8
