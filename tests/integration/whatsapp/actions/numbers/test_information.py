"""Accounts, numbers, their quality and their throughput."""

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    ADA,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX,
    GLOBEX_PHONE,
    WABA,
    Actions,
)
from tests.integration.whatsapp.conftest import NOW, PHONE

SENDER = {"phoneNumberId": PHONE}
NODE = "/{Version}/{Phone-Number-ID}"
RATING = f"QUALITY#{PHONE}"


def set_state(actions: Actions, phone: str = PHONE, **facts: str) -> None:
    initial = {"quality_rating": "GREEN", "level": "STANDARD", "limit": "TIER_1K", "pin": None}
    actions.sandbox.objects["number"].setdefault(phone, initial).update(facts)


def test_accounts_of_both_providers_are_listed_with_their_names(actions: Actions) -> None:
    actions.register_eum()
    wabas = actions.run("get_wabas").result["wabas"]

    assert [(one["metaWabaId"], one["name"], one["provider"]) for one in wabas] == [
        (WABA, "Acme (Meta)", "graph"),
        (EUM_WABA, "Acme (AWS)", "eum"),
    ]
    assert wabas[1]["registrationStatus"] == "COMPLETE"
    assert [sent.operation for sent in actions.wire] == [
        "ListLinkedWhatsAppBusinessAccounts",
        "get_account",
    ]
    assert wire.problems(actions.wire[1], "GET", "/{Version}/{WABA-ID}") == []
    stored = actions.run("get_wabas", {"source": "stored", "limit": 1})
    assert [one["name"] for one in stored.result["wabas"]] == ["Acme Bikes"]
    assert "cursor" in stored.body


def test_an_account_without_access_is_listed_with_its_problem(actions: Actions) -> None:
    (waba,) = actions.run("get_wabas", caller=GLOBEX).result["wabas"]

    assert (waba["problem"], waba["phoneNumberIds"]) == ("not_configured", [GLOBEX_PHONE])


def test_a_refresh_stores_what_the_provider_reports(actions: Actions) -> None:
    set_state(actions, quality_rating="RED", level="HIGH", verified_name="Acme")
    info = actions.run("get_phone_info", {**SENDER, "refresh": True}).result

    assert (info["qualityRating"], info["throughputStatus"]) == ("RED", "HIGH")
    assert (info["messagingLimit"], info["verifiedName"]) == ("TIER_1K", "Acme")
    assert info["healthStatus"]["can_send_message"] == "AVAILABLE"
    rating = actions.item(RATING)
    assert (rating["qualityRating"], rating["throughputStatus"]) == ("RED", "HIGH")
    assert rating["wabaMetaId"] == WABA
    assert [entry["rating"] for entry in rating["qualityHistory"]] == ["RED"]
    assert actions.item(f"{RATING}#00000001")["rating"] == "RED"
    assert wire.problems(actions.wire[0], "GET", NODE) == []


def test_an_unchanged_report_is_written_at_most_hourly(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.run("get_phone_info", {**SENDER, "refresh": True})
    first = actions.item(RATING)
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 59 * 60_000)
    actions.run("get_phone_info", {**SENDER, "refresh": True})
    assert actions.item(RATING) == first
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 61 * 60_000)
    actions.run("get_phone_info", {**SENDER, "refresh": True})
    assert actions.item(RATING)["lastCheckedAt"] == "2026-01-01T13:01:00.000Z"
    assert actions.item(RATING)["historyCount"] == 1


def test_a_number_on_aws_is_asked_there(actions: Actions) -> None:
    actions.register_eum(token_ref=None)
    set_state(actions, EUM_PHONE, quality_rating="YELLOW")
    arn = (
        f"arn:aws:social-messaging:us-east-1:123456789012:phone-number-id/{'0123456789abcdef' * 2}"
    )
    info = actions.run("get_phone_info", {"phoneArn": arn, "refresh": True}).result

    assert (info["phoneNumberId"], info["qualityRating"]) == (EUM_PHONE, "YELLOW")
    assert [sent.operation for sent in actions.wire] == [
        "GetLinkedWhatsAppBusinessAccountPhoneNumber"
    ]


def test_quality_is_shown_for_numbers_and_its_history_by_page(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step, rating in enumerate(["GREEN", "RED", "YELLOW"]):
        monkeypatch.setattr(clock, "now_ms", lambda step=step: NOW + step * 1_000)
        set_state(actions, quality_rating=rating)
        actions.run("refresh_quality", {"metaWabaId": WABA})
    (shown,) = actions.run("get_quality").result["phones"]
    assert (shown["qualityRating"], len(shown["qualityHistory"])) == ("YELLOW", 3)
    first = actions.run("get_quality", {**SENDER, "history": True, "limit": 2})
    second = actions.run(
        "get_quality",
        {**SENDER, "history": True, "limit": 2, "cursor": first.body["cursor"]},
    )
    history = [one["rating"] for page in (first, second) for one in page.result["history"]]
    assert history == ["YELLOW", "RED", "GREEN"]
    assert "cursor" not in second.body


def test_history_of_several_numbers_needs_a_number(actions: Actions) -> None:
    actions.register_eum()
    answer = actions.run("get_quality", {"history": True})

    assert (answer.status, answer.fields) == (400, ["phone"])


def test_limits_are_read_stored_and_bound_our_pace(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = actions.run("get_throughput_limits", SENDER).result
    assert limits["providerTier"] == "STANDARD"
    assert limits["largestMessagesPerSecond"] == 80
    assert wire.problems(actions.wire[0], "GET", NODE) == []
    refused = actions.run("set_throughput_tier", {**SENDER, "tier": "HIGH"})
    assert (refused.status, refused.error) == (409, "state_conflict")
    set_state(actions, level="HIGH")
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 1_000)
    actions.run("get_throughput_limits", SENDER)
    paced = actions.run("set_throughput_tier", {**SENDER, "tier": "HIGH"}).result
    assert (paced["messagesPerSecond"], paced["providerTier"]) == (250, "HIGH")
    assert actions.item(f"PHONE#{PHONE}")["messagesPerSecond"] == 250
    stored = actions.run("get_throughput_limits", {**SENDER, "refresh": False}).result
    assert stored == paced


@pytest.mark.parametrize("body", [{}, {"tier": "HIGH", "messagesPerSecond": 5}, {"tier": "MAX"}])
def test_a_pace_is_named_in_one_way(actions: Actions, body: dict[str, object]) -> None:
    assert actions.run("set_throughput_tier", SENDER | body).error == "invalid_input"


def test_a_check_of_rates_takes_no_place(actions: Actions) -> None:
    actions.run("set_throughput_tier", {**SENDER, "messagesPerSecond": 10})
    before = actions.harness.keys()

    fits = actions.run("check_rate_limit", {**SENDER, "messageCount": 5})
    late = actions.run("check_rate_limit", {**SENDER, "messageCount": 50})
    pair = actions.run("check_rate_limit", {**SENDER, "messageCount": 9, "to": f"+{ADA}"})
    assert fits.result["fits"] is True
    assert (late.result["fits"], late.result["boundBy"]) == (False, "phone_rate")
    assert late.result["freeAt"] == "2026-01-01T12:00:04.500Z"
    assert (pair.result["fits"], pair.result["boundBy"]) == (False, "pair_rate")
    assert actions.harness.keys() == before


def test_sent_messages_are_counted_for_the_last_minute(actions: Actions) -> None:
    actions.send("send_text", {"text": "Hello"})
    stats = actions.run("get_throughput_stats", {**SENDER, "period": "minute"}).result

    assert (stats["sent"], stats["rateErrors"]) == (1, 0)


def test_counted_hours_and_days_are_shown_of_the_number(actions: Actions) -> None:
    from whatsapp.store.items.analytics.counts import Analytics, Hour  # noqa: PLC0415 - rare items

    table = actions.harness.resources.table
    at = "2026-01-01T11:59:00.000Z"
    hour = Hour.of(WABA, "2026010112")
    table.put(Hour(pk=hour, company="acme", counted_at=at, phones={PHONE: 7}).attributes())
    day = Analytics(
        pk=Analytics.key(WABA, "2026-01-01"), company="acme", waba_meta_id=WABA,
        date="2026-01-01", phones={PHONE: 70}, counted_at=at,
    )  # fmt: skip
    table.put(day.attributes())
    by_hour = actions.run("get_throughput_stats", {**SENDER, "period": "hour"}).result
    by_day = actions.run("get_throughput_stats", SENDER).result

    assert (by_hour["sent"], by_day["sent"], by_day["countedAt"]) == (7, 70, at)
