"""Campaigns to a list or segment: each person once, the others counted with the reason, at any crash."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from shared.contacts import lists
from shared.contacts.items import ContactList
from shared.policy.consent import withdrawals
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.withdrawals import Withdrawal
from shared.privacy import tombstones
from shared.runtime import clock
from tests.cases import each
from tests.integration.whatsapp.actions.campaigns.people import BY_NAME, NAMED, READER, people
from tests.integration.whatsapp.actions.campaigns.runs import (
    MINUTE_MS,
    VALUES,
    Killed,
    Killer,
    numbers,
    total,
)
from tests.integration.whatsapp.actions.conftest import ACME, GLOBEX, GLOBEX_PHONE
from whatsapp.actions.campaigns.pages import audiences, recipients
from whatsapp.privacy import subjects
from whatsapp.store.items.contacts.privacy import ErasedContact

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from shared.policy.consent.records import Consents
    from tests.integration.whatsapp.actions.campaigns.people import People
    from tests.integration.whatsapp.actions.campaigns.runs import Runs

__all__ = ["people"]


def consents(runs: Runs) -> Consents:
    found: Consents = runs.actions.module.resources.consents
    return found


def opt_out(runs: Runs, number: str) -> None:
    said = Statement(source=Source.OPERATOR, at_ms=clock.now_ms(), evidence="a call")
    consents(runs).record_opt_out("acme", [f"+{number}"], said)


def withdraw(runs: Runs, number: str) -> None:
    gone = Withdrawal(at=clock.to_text(runs.now), evidence="wamid.gone")
    withdrawals.note(consents(runs).table, "acme", f"+{number}", gone)


def texts(runs: Runs) -> list[str]:
    """The values of the template's body, as they were sent."""
    sent = [one.body for one in runs.actions.wire if one.operation == "send_message"]
    return sorted(
        parameter["text"]
        for body in sent
        for component in body["template"]["components"]  # type: ignore[index] # a JSON object
        for parameter in component["parameters"]
    )


def test_a_list_is_read_at_the_start_and_each_person_is_reached_once_or_counted_with_the_reason(
    runs: Runs, people: People
) -> None:
    own = [people.wrote(n, f"Person  {n[-1]}") for n in numbers(4)]
    nameless = people.wrote("447700900050")
    made = people.create("list", people.in_list(*own, nameless))
    campaign = made["campaignId"]
    runs.wait(2)
    assert made["audience"] == {"kind": "list", "id": made["audience"]["id"]}
    assert runs.sent_to() == []

    opt_out(runs, numbers(4)[0])
    withdraw(runs, numbers(4)[1])
    late = people.wrote("447700900051", "Late")
    lists.add(people.tables.contacts, "acme", made["audience"]["id"], late)
    started = runs.control("start_campaign", campaign).result
    assert (started["status"], "totalRecipients" in started) == ("draft", False)
    assert runs.control("start_campaign", campaign).status == 200
    shown = runs.finish(campaign)

    assert texts(runs) == ["Late", "Person 2", "Person 3", "friend"]
    assert (shown["sent"], total(shown), shown["totalRecipients"]) == (4, 4, 4)
    assert shown["leftOut"] == {"opted_out": 1, "address_withdrawn": 1}
    assert runs.pages_left() == []


def test_a_segment_is_read_when_its_time_comes_and_who_lacks_a_value_is_left_out(
    runs: Runs, people: People
) -> None:
    for number, name in zip(numbers(3), ("Ada", "Ben", None), strict=True):
        people.label(people.wrote(number, name), "vip")
    people.wrote("447700900060", "Other")
    segment = people.segment({"field": "label", "operator": "is", "value": "vip"})
    at = clock.to_text(runs.now + 10 * MINUTE_MS)
    fields = [{"field": "name"}]
    campaign = people.create("segment", segment, scheduledAt=at, bodyFields=fields)["campaignId"]
    runs.wait(3)
    assert "totalRecipients" not in runs.show(campaign)
    shown = runs.finish(campaign)

    assert texts(runs) == ["Ada", "Ben"]
    assert (shown["totalRecipients"], shown["leftOut"]) == (2, {"missing_value": 1})


def test_people_who_opt_out_or_lose_their_number_after_the_reading_get_nothing(
    runs: Runs, people: People
) -> None:
    own = [people.wrote(n, "Ada") for n in numbers(3)]
    campaign = people.create("list", people.in_list(*own), autoStart=True)["campaignId"]
    (body,) = runs.events()
    runs.job(body)
    assert runs.show(campaign)["totalRecipients"] == 3
    runs.now += 1
    opt_out(runs, numbers(3)[0])
    withdraw(runs, numbers(3)[1])
    shown = runs.finish(campaign)

    assert runs.sent_to() == [f"+{numbers(3)[2]}"]
    assert (shown["sent"], shown["refused"], total(shown)) == (1, 2, 3)


def test_a_person_who_is_being_erased_is_left_out_until_a_new_message(
    runs: Runs, people: People
) -> None:
    own = [people.wrote(n, "Ada") for n in numbers(2)]
    chosen, now = people.in_list(*own), clock.to_text(runs.now)
    table = runs.actions.harness.resources.table
    for number in numbers(2):
        key = ErasedContact.key("acme", subjects.hashes_of(number)[0])
        tombstones.write(table, ErasedContact(pk=key, company="acme", until=now))
    runs.now += 2 * 3_600_000
    people.wrote(numbers(2)[1], "Ada")  # an hour after the erasure
    shown = runs.finish(people.create("list", chosen, autoStart=True)["campaignId"])

    assert runs.sent_to() == [f"+{numbers(2)[1]}"]
    assert shown["leftOut"] == {"erased": 1}


@pytest.mark.usefixtures("short_pages")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("first", range(1, 4))
def test_a_reading_killed_at_any_call_names_each_person_once(
    runs: Runs, people: People, monkeypatch: pytest.MonkeyPatch, after: bool, first: int
) -> None:
    """Each kill is at another call, until a job survives. A person joins, and one leaves, at each kill."""
    monkeypatch.setattr(recipients, "PAGE", 4)
    own = [people.wrote(n, "Ada") for n in numbers(7)]
    chosen = people.in_list(*own)
    campaign = people.create("list", chosen, autoStart=True)["campaignId"]
    kills = 0
    for at in range(first, 400, 3):
        bodies = runs.events()
        if not bodies or "totalRecipients" in runs.show(campaign):
            runs.left += bodies
            break
        for body in bodies:
            try:
                with Killer(at, after=after):
                    runs.job(body, "the-same")
            except Killed:
                kills += 1
                runs.left.append(body)
        if kills == 2:
            lists.leave(people.tables.contacts, "acme", chosen, own[-1])
            lists.add(people.tables.contacts, "acme", chosen, people.wrote("447700900070", "New"))
        runs.now += 3 * MINUTE_MS
    shown = runs.finish(campaign)

    assert kills
    assert len(set(runs.sent_to())) == len(runs.sent_to())
    assert {f"+{n}" for n in numbers(6)} <= {*runs.sent_to()}
    assert shown["sent"] == total(shown) == shown["totalRecipients"] == len(runs.sent_to())
    assert runs.pages_left() == []


def test_two_workers_with_the_same_event_read_an_audience_once(
    runs: Runs, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = [people.wrote(n, "Ada") for n in numbers(3)]
    campaign = people.create("list", people.in_list(*own), autoStart=True)["campaignId"]
    (body,) = runs.events()
    real = audiences.read

    def meanwhile(*given: Any, **more: Any) -> Any:
        monkeypatch.setattr(audiences, "read", real)
        assert runs.job(body)
        assert "totalRecipients" not in runs.show(campaign)
        return real(*given, **more)

    monkeypatch.setattr(audiences, "read", meanwhile)
    assert runs.job(body)
    assert runs.finish(campaign)["sent"] == 3


@pytest.mark.usefixtures("short_pages")
def test_a_reading_is_paused_resumed_and_cancelled(
    runs: Runs, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipients, "PAGE", 4)
    monkeypatch.setattr(runs, "remaining_ms", 10_000)  # one page in each run
    own = [people.wrote(n, "Ada") for n in numbers(6)]
    chosen = people.in_list(*own)
    at = clock.to_text(runs.now + 2 * MINUTE_MS)
    campaign = people.create("list", chosen, scheduledAt=at)["campaignId"]
    runs.schedule(2)
    (body,) = runs.events()
    runs.job(body)
    assert runs.control("pause_campaign", campaign).result["status"] == "paused"
    runs.wait(2)
    assert "totalRecipients" not in runs.show(campaign)
    assert runs.control("start_campaign", campaign).status == 409
    assert runs.control("resume_campaign", campaign).status == 200
    shown = runs.finish(campaign)
    assert (shown["sent"], shown["totalRecipients"]) == (6, 6)

    second = people.create("list", chosen, autoStart=True)["campaignId"]
    (body,) = runs.events()
    runs.job(body)
    cancelled = runs.control("cancel_campaign", second).result
    assert (cancelled["status"], cancelled["outcome"]) == ("completed", "cancelled")
    shown = runs.finish(second)
    assert 0 < shown["cancelled"] == shown["totalRecipients"] < 6
    runs.wait()
    assert len(runs.sent_to()) == 6
    assert runs.pages_left() == []


def test_a_list_deleted_before_it_is_read_ends_the_campaign(runs: Runs, people: People) -> None:
    chosen = people.in_list(people.wrote(numbers(1)[0], "Ada"))
    campaign = people.create("list", chosen)["campaignId"]
    people.tables.contacts.delete(ContactList.key("acme", chosen))
    runs.control("start_campaign", campaign)
    runs.wait(2)

    shown = runs.show(campaign)
    assert (shown["status"], shown["pauseReason"]) == ("paused", "audience_missing")
    assert runs.control("resume_campaign", campaign).status == 409


def test_a_draft_shows_whom_it_would_reach_and_who_would_be_left_out_page_by_page(
    runs: Runs, people: People
) -> None:
    own = [people.wrote(n, "Ada") for n in numbers(4)]
    nameless = people.wrote("447700900050")
    opt_out(runs, numbers(4)[0])
    chosen, fields = people.in_list(*own, nameless), [{"field": "name"}]
    draft = people.create("list", chosen, bodyFields=fields)["campaignId"]
    body = {"campaignId": draft, "limit": 2}
    pages = [runs.actions.run("get_campaign_recipients", body, caller=READER)]
    while cursor := pages[-1].body.get("cursor"):
        more = body | {"cursor": cursor}
        pages.append(runs.actions.run("get_campaign_recipients", more, caller=READER))

    assert [one.result["exact"] for one in pages] == [False, False, True]
    assert pages[-1].result["counts"] == {"reached": 3, "opted_out": 1, "missing_value": 1}
    shown = {
        one["contactId"]: (one["outcome"], one.get("reason"))
        for page in pages
        for one in page.result["recipients"]
    }
    assert shown == dict.fromkeys([one.contact_id for one in own[1:]], ("reached", None)) | {
        own[0].contact_id: ("left_out", "opted_out"),
        nameless.contact_id: ("left_out", "missing_value"),
    }
    left = {"campaignId": draft, "outcome": "left_out"}
    answer = runs.actions.run("get_campaign_recipients", left, caller=READER)
    assert len(answer.result["recipients"]) == 2
    assert runs.actions.run("get_campaign_recipients", left, caller=ACME).status == 403
    assert runs.sent_to() == []


STRANGER = replace(GLOBEX, scopes=READER.scopes)


@each(
    ("more", "caller", "refused"),
    [
        ({}, ACME, 403),  # without contacts:read
        ({}, STRANGER, 404),
        ({"audience": {"list": "0123456789abcdef"}}, READER, 404),
        ({"audience": {"segment": "0123456789abcdef"}}, READER, 404),
        ({"audience": {}}, READER, "audience"),
        ({"audience": {"list": "a", "segment": "b"}}, READER, "audience"),
        ({"recipients": ["+447700900101"]}, READER, 400),
        ({"bodyFields": [{"field": "phone"}]}, READER, "bodyFields.0.field"),
        ({"bodyFields": [{"field": "attributes.colour"}]}, READER, "bodyFields.0.field"),
        ({"bodyFields": [{"field": "name", "default": "a\nb"}]}, READER, "bodyFields.0.default"),
        ({"bodyFields": [{"field": "name"}] * 2}, READER, "bodyFields"),
        ({"type": "text", "text": "Hi"}, READER, 400),
    ],
)
def test_an_audience_that_cannot_be_reached_is_refused_before_the_campaign_exists(
    runs: Runs, people: People, more: dict[str, Any], caller: Caller, refused: int | str
) -> None:
    """*refused*: the status, or the field that the refusal names."""
    body = BY_NAME | {"audience": {"list": people.in_list()}} | more
    if caller is STRANGER:
        body |= {"phoneNumberId": GLOBEX_PHONE, "type": "text", "text": "Hi", "bodyFields": []}
    answer = runs.actions.run("create_campaign", body, caller=caller)
    if isinstance(refused, str):
        assert (answer.status, answer.fields) == (400, [refused]), answer
    else:
        assert answer.status == refused, answer


def test_a_template_without_fields_keeps_the_values_of_the_campaign(
    runs: Runs, people: People
) -> None:
    chosen = people.in_list(people.wrote(numbers(1)[0], "Eve"))
    body = NAMED | {"audience": {"list": chosen}, "components": VALUES, "autoStart": True}
    made = runs.actions.run("create_campaign", body, caller=READER).result
    runs.finish(made["campaignId"])
    assert texts(runs) == ["Ada"]
