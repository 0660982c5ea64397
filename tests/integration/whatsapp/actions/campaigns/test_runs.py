"""Campaigns that run: every recipient once, with an outcome, and counters that add up."""

from __future__ import annotations

from typing import Any

import pytest

from shared.identity.addresses import displayed
from shared.policy.consent import withdrawals
from shared.policy.consent.withdrawals import Withdrawal
from shared.providers import linked_files
from shared.providers.linked_files import Beginning, Unreadable
from shared.runtime import clock
from tests.integration.whatsapp.actions.campaigns.runs import (
    OF_TEXT,
    Killed,
    Killer,
    Runs,
    numbers,
    total,
)
from tests.integration.whatsapp.actions.conftest import ADA, WABA
from tests.integration.whatsapp.actions.templates.catalogue import IMAGE, listed
from tests.integration.whatsapp.conftest import NOW
from tests.integration.whatsapp.contacts.test_identity import P, Q, written
from whatsapp.store.sending import timers


@pytest.mark.long
@pytest.mark.usefixtures("short_pages")
def test_a_started_campaign_sends_to_each_recipient_once_and_adds_up(runs: Runs) -> None:
    people = numbers(46)
    runs.wrote(*people)
    made = runs.create([f"+{n}" for n in people] + [f"+{people[0]}", "+4499999999"], autoStart=True)
    shown = runs.finish(made["campaignId"])

    assert sorted(runs.sent_to()) == sorted(f"+{n}" for n in people)
    assert (shown["sent"], shown["duplicate"], shown["invalid"]) == (46, 1, 1)
    assert (total(shown), shown["totalRecipients"], shown["pages"]) == (48, 48, 3)
    assert shown["invalidLines"] == [48]
    assert runs.pages_left() == []


@pytest.mark.parametrize(
    ("wrote", "other"),
    [
        ("553187654321", "5531987654321"),
        ("5215512345678", "525512345678"),
        ("541123456789", "5491123456789"),
    ],
)
def test_a_customer_who_is_listed_in_both_spellings_of_the_number_gets_it_once(
    runs: Runs, wrote: str, other: str
) -> None:
    runs.wrote(wrote)
    made = runs.create([f"+{wrote}", f"+{other}"], autoStart=True)
    shown = runs.finish(made["campaignId"])

    assert len(runs.sent_to()) == 1
    assert (shown["sent"], shown["duplicate"], total(shown)) == (1, 1, 2)


def test_the_message_belongs_to_the_campaign_and_has_the_values_of_its_row(runs: Runs) -> None:
    runs.wrote(ADA)
    made = runs.create([{"to": f"+{ADA}", "bodyParams": ["Grace"]}], autoStart=True)
    runs.finish(made["campaignId"])

    (sent,) = [one for one in runs.actions.wire if one.operation == "send_message"]
    assert isinstance(sent.body, dict)
    assert sent.body["template"]["components"] == [
        {"type": "body", "parameters": [{"type": "text", "text": "Grace"}]}
    ]
    listed = runs.control("get_campaign_recipients", made["campaignId"], outcome="sent").result
    shown = [(one["to"], one["toText"]) for one in listed["recipients"]]
    assert shown == [(ADA, displayed(ADA))] != [(ADA, ADA)]


def test_a_row_with_values_that_do_not_fit_is_invalid_and_stops_no_others(runs: Runs) -> None:
    first, second = numbers(2)
    runs.wrote(first, second)
    rows = [{"to": f"+{first}", "bodyParams": ["a", "b"]}, f"+{second}"]
    shown = runs.finish(runs.create(rows, autoStart=True)["campaignId"])

    assert (shown["invalid"], shown["sent"]) == (1, 1)


def test_each_file_of_rows_is_looked_at_once_and_one_of_another_type_makes_its_rows_invalid(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = numbers(10)
    runs.wrote(*people)
    listed(
        runs.actions.sandbox, IMAGE, {"type": "BODY", "text": "Hi"}, name="sale", category="UTILITY"
    )
    asked: list[str] = []

    def beginning_of(link: str, **_: Any) -> Beginning:
        asked.append(link)
        if "silent" in link:
            raise Unreadable
        return Beginning("image/png", b"\x89PNG\r\n\x1a\n" if "good" in link else b"RIFF....WEBP")

    monkeypatch.setattr(linked_files, "beginning_of", beginning_of)
    hosts = ["good", "good", "bad", "bad", *["silent"] * 5, "good2"]
    links = [
        f"https://{host}.example.com/{n // 2 if n < 4 else n}.png" for n, host in enumerate(hosts)
    ]
    rows = [
        {"to": f"+{person}", "components": [{"type": "header", "parameters": [
            {"type": "image", "image": {"link": link}}]}]}
        for person, link in zip(people, links, strict=True)
    ]  # fmt: skip
    made = runs.create(rows, templateName="sale", components=None, autoStart=True)
    shown = runs.finish(made["campaignId"])

    assert (shown["sent"], shown["invalid"]) == (3, 7)
    invalid = runs.control("get_campaign_recipients", shown["campaignId"], outcome="invalid").result
    assert [(one["line"], one["reason"]) for one in invalid["recipients"]] == [
        (3, "file"),
        (4, "file"),
        *((line, "link") for line in range(5, 10)),
    ]
    # A host that did not answer three times is asked no more.
    assert asked == [links[n] for n in (0, 2, 4, 5, 6, 9)]


def test_customers_who_opted_out_are_refused_with_the_reason(runs: Runs) -> None:
    body = {"contact": f"+{ADA}", "purpose": "all", "state": "opted_out", "evidence": "call 17"}
    assert runs.actions.run("set_consent", body).status == 200
    shown = runs.finish(runs.create([f"+{ADA}"], autoStart=True)["campaignId"])
    campaign = shown["campaignId"]
    listed = runs.control("get_campaign_recipients", campaign, outcome="refused").result

    assert (shown["refused"], runs.sent_to()) == (1, [])
    assert listed["recipients"] == [{"outcome": "refused", "line": 1, "reason": "opted_out"}]
    assert runs.control("get_campaign_recipients", campaign).result == listed


def test_a_text_reaches_only_customers_whose_window_is_open(runs: Runs) -> None:
    (stranger,) = numbers(1)
    body = {key: OF_TEXT[key] for key in ("phoneNumberId", "type", "text")}
    body["recipients"] = [f"+{ADA}", f"+{stranger}"]
    made = runs.actions.run("bulk_send", body).result
    shown = runs.finish(made["campaignId"])

    assert runs.sent_to() == [f"+{ADA}"]
    assert (shown["sent"], shown["refused"]) == (1, 1)


def test_a_campaign_that_is_started_twice_is_the_same_run(runs: Runs) -> None:
    people = numbers(12)
    runs.wrote(*people)
    campaign = runs.create([f"+{n}" for n in people])["campaignId"]
    first, second = (
        runs.control("start_campaign", campaign),
        runs.control("start_campaign", campaign),
    )
    runs.finish(campaign)

    assert (first.status, second.status) == (200, 200)
    assert first.result["startedAt"] == second.result["startedAt"]
    assert len(runs.sent_to()) == 12
    assert runs.control("start_campaign", campaign).status == 409


def test_a_paused_campaign_sends_nothing_until_it_is_resumed(runs: Runs) -> None:
    people = numbers(5)
    runs.wrote(*people)
    campaign = runs.create([f"+{n}" for n in people], autoStart=True)["campaignId"]
    paused = runs.control("pause_campaign", campaign, reason="typing error").result
    runs.wait(2)

    assert (paused["status"], paused["pauseReason"], runs.sent_to()) == (
        "paused",
        "typing error",
        [],
    )
    assert timers.opened(runs.actions.harness.resources.table).ids == set()
    assert runs.control("start_campaign", campaign).status == 409
    assert "pauseReason" not in runs.control("resume_campaign", campaign).result
    assert runs.finish(campaign)["sent"] == 5


def test_recipients_of_a_cancelled_campaign_are_counted_and_deleted(runs: Runs) -> None:
    campaign = runs.create([f"+{n}" for n in numbers(250)])["campaignId"]
    assert len(runs.pages_left()) == 3
    cancelled = runs.control("cancel_campaign", campaign, reason="no stock").result
    shown = runs.finish(campaign)

    assert (cancelled["status"], cancelled["outcome"]) == ("completed", "cancelled")
    assert (shown["cancelled"], runs.sent_to(), runs.pages_left()) == (250, [], [])
    assert runs.control("cancel_campaign", campaign).status == 200
    assert runs.control("resume_campaign", campaign).status == 409
    runs.wait()
    assert timers.opened(runs.actions.harness.resources.table).ids == set()


@pytest.mark.parametrize(
    ("status", "reason"), [(401, "provider:graph_190"), (403, "provider:graph_10")]
)
def test_an_error_of_the_account_pauses_and_the_run_can_be_resumed(
    runs: Runs, status: int, reason: str
) -> None:
    people = numbers(5)
    runs.wrote(*people)
    runs.actions.sandbox.faults.add(
        provider="meta", operation="send_message", kind="status", status=status
    )
    campaign = runs.create([f"+{n}" for n in people], autoStart=True)["campaignId"]
    runs.drain()
    shown = runs.show(campaign)

    assert (shown["status"], shown["pauseReason"]) == ("paused", reason)
    runs.control("resume_campaign", campaign)
    shown = runs.finish(campaign)
    assert (shown["failed"], shown["sent"], len(runs.sent_to())) == (1, 4, 4)


@pytest.mark.long
def test_many_failures_pause_and_a_resumed_page_does_not_stop_for_them_again(runs: Runs) -> None:
    people = numbers(55)
    runs.wrote(*people)
    runs.actions.sandbox.faults.add(
        provider="meta", operation="send_message", kind="status", status=400, times=11
    )
    campaign = runs.create([f"+{n}" for n in people], autoStart=True)["campaignId"]
    runs.drain()
    runs.wait(2)
    shown = runs.show(campaign)

    assert (shown["status"], shown["pauseReason"]) == ("paused", "failures")
    runs.control("resume_campaign", campaign)
    shown = runs.finish(campaign)
    assert (shown["failed"], shown["sent"]) == (11, 44)


def test_a_paused_template_pauses_the_campaign(runs: Runs) -> None:
    runs.wrote(ADA)
    campaign = runs.create([f"+{ADA}"])["campaignId"]
    runs.actions.harness.receive_account_change(
        "message_template_status_update",
        {
            "event": "PAUSED",
            "reason": "NONE",
            "message_template_id": 1001,
            "message_template_name": "bike_ready",
            "message_template_language": "en_US",
        },
        3_700,
    )
    runs.control("start_campaign", campaign)
    runs.drain()
    shown = runs.show(campaign)

    assert (shown["status"], shown["pauseReason"]) == ("paused", "template_not_sendable")
    assert runs.sent_to() == []


def test_the_kill_switch_pauses_a_campaign(runs: Runs) -> None:
    runs.wrote(ADA)
    campaign = runs.create([f"+{ADA}"])["campaignId"]
    runs.actions.switch("true")
    runs.control("start_campaign", campaign)
    runs.drain()

    assert (runs.show(campaign)["pauseReason"], runs.sent_to()) == ("safe_mode", [])


def test_a_number_that_is_not_in_use_any_more_pauses_the_campaign(runs: Runs) -> None:
    campaign = runs.create([f"+{ADA}"])["campaignId"]
    runs.actions.register(enabled=False)
    runs.control("start_campaign", campaign)
    runs.drain()

    assert (runs.show(campaign)["pauseReason"], runs.sent_to()) == ("number_not_in_use", [])


def test_a_lost_answer_is_in_doubt_and_is_not_sent_again(runs: Runs) -> None:
    runs.wrote(ADA)
    runs.actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    shown = runs.finish(runs.create([f"+{ADA}"], autoStart=True)["campaignId"])

    assert (shown["inDoubt"], len(runs.sent_to())) == (1, 1)


def test_a_rate_limit_of_the_provider_delays_recipients(runs: Runs) -> None:
    people = numbers(3)
    runs.wrote(*people)
    runs.actions.sandbox.faults.add(
        provider="meta", operation="send_message", kind="status", status=429, times=4
    )
    shown = runs.finish(runs.create([f"+{n}" for n in people], autoStart=True)["campaignId"])

    assert (shown["sent"], len(runs.sent_to())) == (3, 3)


def test_a_scheduled_campaign_starts_when_it_is_due(runs: Runs) -> None:
    runs.wrote(ADA)
    made = runs.create([f"+{ADA}"], scheduledAt="2026-01-01T12:05:00Z")
    runs.wait(3)
    before = (runs.show(made["campaignId"])["status"], runs.sent_to())
    runs.wait(4)

    assert (made["status"], made["scheduledAt"][:16]) == ("scheduled", "2026-01-01T12:05")
    assert before == ("scheduled", [])
    assert (runs.show(made["campaignId"])["status"], runs.sent_to()) == ("completed", [f"+{ADA}"])


def test_deliveries_and_reads_are_counted_and_kept_with_the_campaign(runs: Runs) -> None:
    people = numbers(3)
    runs.wrote(*people)
    campaign = runs.create([f"+{n}" for n in people], autoStart=True)["campaignId"]
    runs.finish(campaign)
    found = runs.control("get_campaign_recipients", campaign, outcome="sent").result["recipients"]
    for number, status in ((0, "delivered"), (1, "read")):
        report = {
            "id": found[number]["messageId"], "status": status, "recipient_id": found[number]["to"],
            "timestamp": str(runs.now // 1_000 + 5),
        }  # fmt: skip
        runs.actions.harness.take({"statuses": [report]})
    runs.wait(6)
    shown = runs.show(campaign)
    stored = runs.actions.item(f"CAMPAIGN#{campaign}")
    stats = runs.actions.run("get_campaign_stats", {"metaWabaId": WABA}).result
    read = runs.control("get_campaign_recipients", campaign, outcome="read").result["recipients"]

    assert (shown["sent"], shown["delivered"], shown["read"]) == (3, 2, 1)
    assert (stored["sentCount"], stored["deliveredCount"], stored["readCount"]) == (3, 2, 1)
    assert (stored["totalRecipients"], stored["name"], stored["templateName"]) == (
        3,
        "Bikes",
        "bike_ready",
    )
    assert (stats["campaigns"], stats["sent"], stats["delivered"], stats["read"]) == (1, 3, 2, 1)
    assert [one["messageId"] for one in read] == [found[1]["messageId"]]
    assert not {"sentAt", "templateLanguage"} & set(stored)


def test_an_idle_schedule_reads_once(runs: Runs) -> None:
    with Killer(0, after=False) as calls:
        runs.scheduled.handler({"time": "2026-01-01T12:01:00Z"}, runs.context())

    assert len([one for one in calls.seen if "CAMPAIGN" in one]) == 1


@pytest.mark.long
def test_a_message_that_is_delivered_again_has_another_owner(runs: Runs) -> None:
    """A job killed between the provider's answer and the ledger is repeated under the same id of the message."""
    killed = 0
    for at, number in enumerate(numbers(60), 1):
        runs.wrote(number)
        campaign = runs.create([f"+{number}"], autoStart=True)["campaignId"]
        (body,) = runs.events()
        try:
            with Killer(at, after=False):
                runs.job(body, "the-same")
        except Killed:
            killed += 1
            runs.now += 2 * 60_000
        if runs.sent_to():
            break
    runs.job(body, "the-same")
    runs.wait(6)

    assert killed
    assert runs.sent_to().count(f"+{number}") == 1
    assert total(runs.finish(campaign)) == 1


@pytest.mark.parametrize("where", ["at the number of the campaign", "at another number"])
def test_a_campaign_does_not_reach_the_owner_that_a_number_got_after_its_creation(
    runs: Runs, where: str
) -> None:
    harness = runs.actions.harness
    harness.take({"messages": [written("a", 0, P, "GB.1")]})
    runs.wrote(Q)
    campaign = runs.create([f"+{P}", f"+{Q}"])["campaignId"]
    at = NOW // 1_000 + 60
    if where == "at another number":
        record = Withdrawal(at=clock.to_text(at * 1_000), evidence="wamid.b")
        withdrawals.note(runs.actions.log, "acme", f"+{P}", record)
    else:
        next_one = written("b", 0, P, "GB.2") | {"timestamp": str(at)}
        harness.take({"messages": [next_one]}, accepted_at=at * 1_000)
    runs.now += 120_000
    assert runs.control("start_campaign", campaign).status == 200
    shown = runs.finish(campaign)

    assert (shown["refused"], runs.sent_to()) == (1, [f"+{Q}"])
    listed = runs.control("get_campaign_recipients", campaign, outcome="refused").result
    assert [one["reason"] for one in listed["recipients"]] == ["address_withdrawn"]
