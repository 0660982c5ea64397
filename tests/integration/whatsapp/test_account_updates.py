"""What webhooks say about a whole account: templates, numbers, quality, flows, payments."""

from __future__ import annotations

from typing import Any

import pytest
from boto3.dynamodb.conditions import Key

from shared.observability import metrics
from tests.integration.whatsapp.conftest import APP, NOW, PHONE, Desk, a_phone
from whatsapp import store
from whatsapp.items import Phone, QualityEntry, pk
from whatsapp.outcomes import Outcome
from whatsapp.splitting import Delivery, events_of, queue_entry
from whatsapp.updates import quality

WABA = "102290129340398"
STATUS = "message_template_status_update"
NAME = f"TEMPLATE_META#{WABA}#reminder"
ENGLISH = f"{NAME}#en_GB"
NUMBER = f"PHONE#{PHONE}"
QUALITY = f"QUALITY#{PHONE}"
T0 = NOW // 1_000 - 3_600  # 2026-01-01T11:00:00Z


def told(
    desk: Desk, field: str, value: dict[str, Any], second: int = 0, source: str = "meta"
) -> Any:
    entry = {"id": WABA, "time": T0 + second, "changes": [{"field": field, "value": value}]}
    (event,) = events_of({"entry": [entry]}, Delivery(source, APP, NOW))
    return desk.handle(queue_entry(event).body)


def template(word: str = "APPROVED", language: str = "en_GB", **more: Any) -> dict[str, Any]:
    return {
        "event": word,
        "message_template_id": 17,
        "message_template_name": "reminder",
        "message_template_language": language,
        "reason": "NONE",
    } | more


def rated(word: str, number: str = "15550783881") -> dict[str, Any]:
    return {"display_phone_number": number, "event": word}


def banned(state: str) -> dict[str, Any]:
    return {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": state}}


def restricted(kind: str, expiration: object) -> dict[str, Any]:
    one = {"restriction_type": kind, "expiration": expiration}
    return {"event": "ACCOUNT_RESTRICTION", "restriction_info": [one]}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the metrics that were counted."""
    names: list[str] = []
    monkeypatch.setattr(metrics, "add_metric", lambda name, *_: names.append(name))
    return names


def events_kept(desk: Desk) -> int:
    return len([key for key in desk.keys() if key.startswith("WEBHOOK#")])


# Templates


def test_a_template_is_an_item_by_name_and_by_language(desk: Desk) -> None:
    handled = told(desk, STATUS, template(message_template_category="UTILITY"))
    told(desk, STATUS, template("PENDING", "fr", message_template_id=18), 1)

    assert handled.outcome is Outcome.PERSISTED
    item = desk.item(NAME)
    assert (item["status"], item["language"], item["category"]) == ("APPROVED", "en_GB", "UTILITY")
    assert item["templateId"] == "17"
    assert item["wabaMetaId"] == WABA
    assert item["company"] == "acme"
    assert item["statusAt"] == "2026-01-01T11:00:00.000Z"
    languages = {language: (e["id"], e["status"]) for language, e in item["languages"].items()}
    assert languages == {"en_GB": ("17", "APPROVED"), "fr": ("18", "PENDING")}
    assert desk.item(f"{NAME}#fr")["status"] == "PENDING"
    assert events_kept(desk) == 2


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("IN_APPEAL", "PENDING"),
        ("PENDING_DELETION", "DISABLED"),
        ("DELETED", "DISABLED"),
        ("ARCHIVED", "DISABLED"),
        ("LIMIT_EXCEEDED", "DISABLED"),
        ("FLAGGED", "APPROVED"),
        ("REINSTATED", "APPROVED"),
        ("PAUSED", "PAUSED"),
    ],
)
def test_a_word_of_the_provider_is_kept_beside_the_status_it_means(
    desk: Desk, word: str, status: str
) -> None:
    told(desk, STATUS, template(word))

    item = desk.item(ENGLISH)
    assert (item["status"], item["statusRaw"]) == (status, word)


def test_an_unknown_word_leaves_the_status_and_is_counted(desk: Desk, counted: list[str]) -> None:
    told(desk, STATUS, template())
    told(desk, STATUS, template("HIBERNATING"), 1)

    item = desk.item(ENGLISH)
    assert (item["status"], item["statusRaw"]) == ("APPROVED", "HIBERNATING")
    assert counted.count("UnknownWord") == 1


def test_an_unknown_word_makes_no_template(desk: Desk) -> None:
    assert told(desk, STATUS, template("HIBERNATING")).outcome is Outcome.PERSISTED

    assert desk.item(ENGLISH) == desk.item(NAME) == {}
    assert events_kept(desk) == 1


def test_a_late_status_changes_nothing(desk: Desk) -> None:
    told(desk, STATUS, template("REJECTED", reason="SCAM"), 2)
    told(desk, STATUS, template("PENDING"), 1)

    for key in (NAME, ENGLISH):
        assert (desk.item(key)["status"], desk.item(key)["reason"]) == ("REJECTED", "SCAM")
    assert desk.item(NAME)["languages"]["en_GB"]["status"] == "REJECTED"


def test_a_reason_goes_with_the_status_it_was_given_for(desk: Desk) -> None:
    told(desk, STATUS, template("REJECTED", reason="SCAM"), 1)
    told(desk, STATUS, template(), 2)

    assert "reason" not in desk.item(ENGLISH)


def test_of_two_statuses_of_one_second_always_the_same_wins(desk: Desk) -> None:
    told(desk, STATUS, template("PAUSED"))
    told(desk, STATUS, template("DISABLED"))
    first = desk.item(ENGLISH)["status"]
    for key in (NAME, ENGLISH):
        desk.here.table.delete(pk(key))
    told(desk, STATUS, template("DISABLED"))
    told(desk, STATUS, template("PAUSED"))

    assert desk.item(ENGLISH)["status"] == first


def test_the_same_event_again_is_a_duplicate_and_repairs_what_is_missing(desk: Desk) -> None:
    told(desk, STATUS, template())
    before = desk.item(NAME)
    desk.here.table.delete(pk(NAME))

    assert told(desk, STATUS, template()).outcome is Outcome.DUPLICATE
    assert desk.item(NAME) == before


def test_a_rating_before_any_status_makes_a_template_without_one(desk: Desk) -> None:
    told(desk, "message_template_quality_update", template(new_quality_score="RED"), 2)
    assert desk.item(ENGLISH)["qualityScore"] == "RED"
    assert "status" not in desk.item(ENGLISH)

    told(desk, STATUS, template(), 1)
    assert (desk.item(ENGLISH)["status"], desk.item(ENGLISH)["qualityScore"]) == ("APPROVED", "RED")


@pytest.mark.parametrize(("word", "times"), [("ULTRAVIOLET", 1), ("UNKNOWN", 0)])
def test_a_rating_in_no_word_of_ours_leaves_none(
    desk: Desk, counted: list[str], word: str, times: int
) -> None:
    told(desk, "message_template_quality_update", template(new_quality_score="GREEN"))
    told(desk, "message_template_quality_update", template(new_quality_score=word), 1)

    assert "qualityScore" not in desk.item(ENGLISH)
    assert desk.item(ENGLISH)["qualityAt"] == "2026-01-01T11:00:01.000Z"
    assert counted.count("UnknownWord") == times


def test_a_category_that_is_only_announced_is_not_yet_the_category(desk: Desk) -> None:
    announced = {"correct_category": "MARKETING", "new_category": "UTILITY"}
    told(desk, "template_category_update", template(**announced))
    assert desk.item(ENGLISH)["category"] == "UTILITY"

    done = {"previous_category": "UTILITY", "new_category": "MARKETING"}
    told(desk, "template_category_update", template(**done), 1)
    assert desk.item(ENGLISH)["category"] == "MARKETING"


def test_new_components_keep_the_file_that_events_do_not_tell(desk: Desk) -> None:
    told(desk, STATUS, template())
    photo = {"type": "HEADER", "format": "IMAGE"}
    desk.here.table.update(
        pk(ENGLISH), put={"components": [photo, {"type": "BODY", "text": "old"}]}
    )

    told(desk, "message_template_components_update", template(message_template_element="new"), 1)

    assert desk.item(ENGLISH)["components"] == [photo, {"type": "BODY", "text": "new"}]


def test_buttons_are_stored_as_the_provider_takes_them(desk: Desk) -> None:
    button = {
        "message_template_button_type": "URL",
        "message_template_button_text": "Book",
        "message_template_button_url": "https://acme.example",
    }
    told(
        desk,
        "message_template_components_update",
        template(message_template_title="Hi", message_template_buttons=[button]),
    )

    assert desk.item(ENGLISH)["components"] == [
        {"type": "HEADER", "format": "TEXT", "text": "Hi"},
        {
            "type": "BUTTONS",
            "buttons": [{"type": "URL", "text": "Book", "url": "https://acme.example"}],
        },
    ]


def test_an_account_at_aws_has_its_templates_there_too(desk: Desk) -> None:
    store.phones.register(
        desk.here.table, a_phone(aws_phone="phone-number-id-1", aws_waba="waba-1")
    )
    store.phones.forget()

    told(desk, STATUS, template("PAUSED", message_template_category="MARKETING"), source="eum")

    item = desk.item("TEMPLATE_EUM#waba-1#reminder#en_GB")
    assert (item["templateStatus"], item["templateCategory"]) == ("PAUSED", "MARKETING")
    assert (item["wabaId"], item["metaTemplateId"]) == ("waba-1", "17")
    assert (item["templateName"], item["templateLanguage"]) == ("reminder", "en_GB")
    entries, _ = desk.here.table.query("gsi_template_waba", Key("wabaId").eq("waba-1"))
    assert [entry["templateStatus"] for entry in entries] == ["PAUSED"]


@pytest.mark.parametrize(
    "changed",
    [
        {"message_template_name": "re#minder"},
        {"message_template_name": None},
        {"message_template_language": "en#GB"},
        {"message_template_language": ["en"]},
        {"event": {"word": "APPROVED"}},
    ],
)
def test_an_odd_template_event_is_kept_and_makes_nothing_else(
    desk: Desk, changed: dict[str, Any]
) -> None:
    assert told(desk, STATUS, template(**changed)).outcome is Outcome.PERSISTED

    assert [key for key in desk.keys() if key.startswith("TEMPLATE")] == []


def test_a_name_lists_no_more_languages_than_it_may(desk: Desk) -> None:
    told(desk, STATUS, template())
    full = {f"x{n}": {"id": "1"} for n in range(100)}
    desk.here.table.update(pk(NAME), put={"languages": full})

    told(desk, STATUS, template("APPROVED", "fr"), 1)

    assert desk.item(NAME)["languages"] == full
    assert desk.item(f"{NAME}#fr")["status"] == "APPROVED"


# Numbers and accounts


def test_an_approved_name_is_the_number_s_and_a_late_one_is_not(desk: Desk) -> None:
    def named(name: str, second: int, decision: str = "APPROVED") -> None:
        value = {"display_phone_number": "+1 555 078 3881", "requested_verified_name": name}
        told(desk, "phone_number_name_update", value | {"decision": decision}, second)

    named("Acme", 2)
    named("Older", 1)
    named("Refused", 3, "REJECTED")

    assert desk.item(NUMBER)["verifiedName"] == "Acme"


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        ({"max_daily_conversations_per_business": 2_000}, "TIER_2K"),
        ({"max_daily_conversation_per_phone": -1}, "TIER_UNLIMITED"),
        ({"max_daily_conversations_per_business": "TIER_10K"}, "TIER_10K"),
        ({"max_daily_conversations_per_business": 777}, "777"),
    ],
)
def test_a_limit_is_the_provider_s_word(desk: Desk, value: dict[str, Any], limit: str) -> None:
    told(desk, "business_capability_update", value)

    assert desk.item(NUMBER)["messagingLimit"] == limit


def test_a_ban_blocks_sending_until_it_is_lifted(desk: Desk, counted: list[str]) -> None:
    told(desk, "account_update", banned("DISABLE"))
    item = desk.item(NUMBER)
    assert (item["sendingBlocked"], item["sendingBlockedReason"]) == (True, "DISABLE")
    assert item["sendingBlockedAt"] == "2026-01-01T11:00:00.000Z"

    told(desk, "account_update", banned("REINSTATE"), 1)
    item = desk.item(NUMBER)
    assert item["sendingBlocked"] is False
    assert "sendingBlockedReason" not in item
    assert counted.count("AccountAlert") == 1


def test_a_ban_that_comes_after_its_end_blocks_nothing(desk: Desk) -> None:
    told(desk, "account_update", banned("REINSTATE"), 1)
    told(desk, "account_update", banned("DISABLE"))

    assert desk.item(NUMBER)["sendingBlocked"] is False


def test_a_restriction_neither_replaces_a_ban_nor_ends_with_it(desk: Desk) -> None:
    kind = "RESTRICTED_CUSTOMER_INITIATED_MESSAGING"
    told(desk, "account_update", banned("DISABLE"))
    told(desk, "account_update", restricted(kind, 1_767_300_000), 1)
    assert desk.item(NUMBER)["sendingBlockedReason"] == "DISABLE"
    assert "sendingBlockedUntil" not in desk.item(NUMBER)

    told(desk, "account_update", banned("REINSTATE"), 2)
    item = desk.item(NUMBER)
    assert (item["sendingBlocked"], item["sendingBlockedReason"]) == (True, kind)
    assert item["sendingBlockedUntil"] == "2026-01-01T20:40:00.000Z"


@pytest.mark.parametrize(
    "value",
    [
        restricted("RESTRICTED_ADD_PHONE_NUMBER_ACTION", 1_767_300_000),
        {"event": "ACCOUNT_VIOLATION", "violation_info": {"violation_type": "SPAM"}},
        {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "SCHEDULE_FOR_DISABLE"}},
        {"event": "PARTNER_REMOVED"},
    ],
)
def test_other_bad_news_raises_an_alarm_and_blocks_nothing(
    desk: Desk, counted: list[str], value: dict[str, Any]
) -> None:
    told(desk, "account_update", value)

    assert "sendingBlocked" not in desk.item(NUMBER)
    assert counted == ["AccountAlert"]


@pytest.mark.parametrize(
    ("field", "value", "alarms"),
    [
        ("account_alerts", {"alert_info": {"alert_severity": "CRITICAL"}}, 1),
        ("account_alerts", {"alert_severity": "WARNING"}, 1),
        ("account_alerts", {"alert_info": {"alert_severity": "INFORMATIONAL"}}, 0),
        ("account_review_update", {"decision": "REJECTED"}, 1),
        ("account_review_update", {"decision": "APPROVED"}, 0),
        ("account_update", {"event": "VERIFIED_ACCOUNT"}, 0),
        ("account_update", {"event": ["ACCOUNT_DELETED"], "ban_info": "DISABLE"}, 0),
        ("security", {"event": "PIN_CHANGED"}, 0),
    ],
)
def test_alerts_are_kept_and_the_grave_ones_raise_an_alarm(
    desk: Desk, counted: list[str], field: str, value: dict[str, Any], alarms: int
) -> None:
    assert told(desk, field, value).outcome is Outcome.PERSISTED

    assert counted.count("AccountAlert") == alarms
    assert events_kept(desk) == 1


def test_what_is_reported_changes_no_setting_and_outlives_a_registration(desk: Desk) -> None:
    before = desk.item(NUMBER)
    told(desk, "account_update", banned("DISABLE"))
    store.phones.register(desk.here.table, a_phone())

    after = desk.item(NUMBER)
    reported = {Phone.name_of(field) for field in Phone.reported}
    assert {name: value for name, value in after.items() if name not in reported} == before
    assert after["sendingBlocked"] is True


# Quality


def ratings(desk: Desk) -> list[tuple[str, str]]:
    return [(e["rating"], e["at"][17:19]) for e in desk.item(QUALITY)["qualityHistory"]]


def entry(desk: Desk, number: int) -> dict[str, Any]:
    return desk.item(QualityEntry.of(PHONE, number))


def test_a_flagged_number_is_rated_red_with_an_entry_and_an_alarm(
    desk: Desk, counted: list[str]
) -> None:
    told(desk, "phone_number_quality_update", rated("FLAGGED"))

    item = desk.item(QUALITY)
    assert (item["qualityRating"], item["historyCount"]) == ("RED", 1)
    assert item["wabaMetaId"] == WABA
    assert entry(desk, 1)["rating"] == "RED"
    assert entry(desk, 1)["event"] == "FLAGGED"
    assert counted == ["QualityRed"]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1), (3, 1, 2)])
def test_ratings_in_any_order_leave_the_same_history(desk: Desk, order: tuple[int, ...]) -> None:
    words = {1: "FLAGGED", 2: "UNFLAGGED", 3: "FLAGGED"}
    for second in (*order, *order):
        told(desk, "phone_number_quality_update", rated(words[second]), second)

    item = desk.item(QUALITY)
    assert ratings(desk) == [("RED", "01"), ("YELLOW", "02"), ("RED", "03")]
    assert (item["qualityRating"], item["ratingAt"][17:19], item["historyCount"]) == (
        "RED",
        "03",
        3,
    )
    assert sorted(entry(desk, n)["at"][17:19] for n in (1, 2, 3)) == ["01", "02", "03"]


def test_the_same_rating_later_is_no_change(desk: Desk) -> None:
    told(desk, "phone_number_quality_update", rated("FLAGGED"), 1)
    told(desk, "phone_number_quality_update", rated("FLAGGED"), 5)
    assert ratings(desk) == [("RED", "01")]

    told(desk, "phone_number_quality_update", rated("UNFLAGGED"), 3)
    assert desk.item(QUALITY)["qualityRating"] == "RED"
    assert ratings(desk) == [("RED", "01"), ("YELLOW", "03")]


def test_an_entry_that_a_dead_worker_left_is_counted_by_the_next(desk: Desk) -> None:
    left = QualityEntry(
        pk=QualityEntry.of(PHONE, 1), company="acme",
        rating="RED", at="2026-01-01T11:00:01.000Z", event="FLAGGED",
    )  # fmt: skip
    store.quality.add_entry(desk.here.table, left)

    told(desk, "phone_number_quality_update", rated("UNFLAGGED"), 2)

    assert ratings(desk) == [("RED", "01"), ("YELLOW", "02")]
    assert desk.item(QUALITY)["qualityRating"] == "YELLOW"
    assert (entry(desk, 1)["rating"], entry(desk, 2)["rating"]) == ("RED", "YELLOW")


def test_the_history_shows_twenty_and_what_is_older_is_not_entered_again(desk: Desk) -> None:
    for second in range(1, 23):
        word = "FLAGGED" if second % 2 else "UNFLAGGED"
        told(desk, "phone_number_quality_update", rated(word), second)
    told(desk, "phone_number_quality_update", rated("FLAGGED"), 1)

    item = desk.item(QUALITY)
    assert (len(item["qualityHistory"]), item["historyCount"]) == (20, 22)
    assert entry(desk, 1)["at"] == "2026-01-01T11:00:01.000Z"
    assert entry(desk, 23) == {}


@pytest.mark.parametrize(
    ("word", "unknown"), [("THROUGHPUT_UPGRADE", 0), ("DOWNGRADE", 0), ("APPLAUDED", 1)]
)
def test_a_word_about_something_else_is_no_rating(
    desk: Desk, counted: list[str], word: str, unknown: int
) -> None:
    told(desk, "phone_number_quality_update", rated(word) | {"current_limit": "TIER_10K"})

    assert desk.item(QUALITY) == {}
    assert desk.item(NUMBER)["messagingLimit"] == "TIER_10K"
    assert counted.count("UnknownWord") == unknown


def test_a_rating_of_a_number_that_is_not_here_is_only_kept(desk: Desk) -> None:
    told(desk, "phone_number_quality_update", rated("FLAGGED", "15550000000"))

    assert [key for key in desk.keys() if key.startswith("QUALITY#")] == []
    assert events_kept(desk) == 1


def test_of_two_ratings_at_once_the_worse_counts(desk: Desk) -> None:
    for rating in ("RED", "YELLOW"):
        quality.record(desk.here, a_phone(), rating, "2026-01-01T11:00:00.000Z", "-")

    assert desk.item(QUALITY)["qualityRating"] == "RED"
    assert [rating for rating, _ in ratings(desk)] == ["YELLOW", "RED"]


# Flows and payments


@pytest.mark.parametrize(
    ("status", "alarms"), [("THROTTLED", 1), ("BLOCKED", 1), ("PUBLISHED", 0), (["BLOCKED"], 0)]
)
def test_a_flow_that_is_held_back_raises_an_alarm(
    desk: Desk, counted: list[str], status: object, alarms: int
) -> None:
    told(desk, "flows", {"event": "FLOW_STATUS_CHANGE", "flow_id": "6", "new_status": status})

    assert counted.count("FlowBlocked") == alarms
    assert events_kept(desk) == 1


def payment(status: str, **more: str) -> dict[str, Any]:
    return {
        "configuration_name": "gateway",
        "provider_name": "razorpay",
        "provider_mid": "acc_1",
        "status": status,
    } | more


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("Active", "active"),
        ("Needs_Connecting", "pending"),
        ("Needs Testing", "pending"),
        ("removed", "inactive"),
    ],
)
def test_a_payment_configuration_is_the_company_s_where_no_number_has_a_tenant(
    desk: Desk, word: str, status: str
) -> None:
    told(desk, "payment_configuration_update", payment(word))

    item = desk.item("TENANT#acme#PAYCFG#gateway")
    assert (item["status"], item["statusRaw"], item["type"]) == (status, word, "PG")
    assert (item["tenantId"], item["configName"]) == ("acme", "gateway")
    assert item["paymentGatewayMid"] == "acc_1"


def test_a_payment_configuration_moves_forward_and_keeps_what_only_we_know(desk: Desk) -> None:
    told(desk, "payment_configuration_update", payment("Active"), 2)
    key = "TENANT#acme#PAYCFG#gateway"
    desk.here.table.update(pk(key), put={"mcc": "5940"})

    told(desk, "payment_configuration_update", payment("Needs Testing"), 1)
    assert desk.item(key)["status"] == "active"

    told(desk, "payment_configuration_update", payment("Needs Connecting"), 3)
    assert (desk.item(key)["status"], desk.item(key)["mcc"]) == ("pending", "5940")


def test_an_unknown_state_of_a_payment_configuration_changes_nothing(
    desk: Desk, counted: list[str]
) -> None:
    told(desk, "payment_configuration_update", payment("Dreaming"))

    assert desk.item("TENANT#acme#PAYCFG#gateway") == {}
    assert counted == ["UnknownWord"]


def test_another_company_s_tenant_is_not_written(desk: Desk) -> None:
    key = "TENANT#acme#PAYCFG#gateway"
    desk.here.table.put({"pk": key, "itemType": "PAYMENT_CONFIG", "company": "other",
                         "tenantId": "acme", "configName": "gateway"})  # fmt: skip

    assert told(desk, "payment_configuration_update", payment("Active")).reason == "foreign_tenant"
    assert "status" not in desk.item(key)
