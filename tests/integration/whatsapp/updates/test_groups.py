"""Groups and their participants, for any order of events; marketing preferences; payment reports."""

from itertools import permutations
from typing import Any

import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from tests.integration.whatsapp.worker.test_ownership import deliver_from_other_company
from whatsapp.inbound.event import Outcome

AT = NOW // 1000 - 600
GROUP = "GROUP#g-1"


def group_change(field: str, kind: str, at: int, **more: Any) -> dict[str, Any]:
    facts = {"timestamp": str(AT + at), "group_id": "g-1", "type": kind}
    return {"field": f"group_{field}_update", "groups": [facts | more]}


def participants_joined(at: int, *people: str) -> dict[str, Any]:
    who = [{"wa_id": person} for person in people]
    return group_change(
        "participants", "group_participants_add", at, added_participants=who, reason="invite_link"
    )


def participants_left(at: int, *people: str) -> dict[str, Any]:
    who = [{"input": person} for person in people]
    return group_change("participants", "group_participants_remove", at, removed_participants=who)


CREATED = group_change(
    "lifecycle", "group_create", 0, request_id="r-1", subject="Riders", description="Sundays",
    invite_link="https://chat.whatsapp.com/x",
)  # fmt: skip
DELETED = group_change("lifecycle", "group_delete", 90, request_id="r-9")
RENAMED = group_change(
    "settings", "group_settings_update", 20,
    group_subject={"text": "Slow riders", "update_successful": True},
    group_description={"text": "never", "update_successful": False, "errors": [{"code": 1}]},
)  # fmt: skip


def test_a_created_group_is_recorded_at_its_request(harness: Harness) -> None:
    assert harness.outcomes(CREATED, CREATED) == [Outcome.PERSISTED, Outcome.DUPLICATE]

    group, request = harness.item(GROUP), harness.item("GROUP#REQUEST#r-1")
    assert (group["name"], group["description"], group["state"]) == ("Riders", "Sundays", "active")
    assert (group["admins"], group["wabaMetaId"]) == (["15550783881"], "102290129340398")
    assert group["createdAt"] == "2026-01-01T11:50:00.000Z"
    assert (request["group"], request["state"]) == ("g-1", "created")
    assert "sentAt" not in group


def test_a_failed_request_creates_no_group_and_is_stored(harness: Harness) -> None:
    harness.take(
        group_change("lifecycle", "group_create", 0, request_id="r-1", errors=[{"code": 131215}])
    )

    assert harness.item(GROUP) == {}
    assert harness.item("GROUP#REQUEST#r-1")["state"] == "failed"
    assert [key for key in harness.keys() if key.startswith("WEBHOOK#")]


@pytest.mark.long
def test_events_of_a_group_give_the_same_item_in_any_order(harness: Harness) -> None:
    suspended = group_change("status", "group_suspend", 30)
    events = (
        CREATED,
        RENAMED,
        participants_joined(10, "447700900101", "447700900102"),
        participants_left(40, "447700900101"),
    )
    left = []
    # The suspension is independent of the other events: it is last or first.
    orders = list(permutations(events))
    for order in [(*one, suspended) for one in orders] + [(suspended, *one) for one in orders]:
        for value in order:
            harness.take(value)
        left.append({k: v for k, v in harness.item(GROUP).items() if k != "revision"})
        for key in harness.keys():
            if key.startswith("GROUP#"):
                harness.resources.table.delete({"pk": key})

    assert len(left) == 48
    assert all(group == left[0] for group in left)
    assert (left[0]["name"], left[0]["description"]) == ("Slow riders", "Sundays")
    assert (left[0]["participants"], left[0]["state"]) == (["447700900102"], "suspended")


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_participant_who_joined_and_left_is_not_in_the_group_in_any_order_of_events(
    harness: Harness, is_reversed: bool
) -> None:
    events = [participants_joined(10, "447700900101"), participants_left(20, "447700900101")]
    for value in reversed(events) if is_reversed else events:
        harness.take(value)

    assert "participants" not in harness.item(GROUP)
    person = harness.item(f"{GROUP}#PARTICIPANT#447700900101")
    assert (person["present"], person["changedAt"]) == (False, "2026-01-01T11:50:20.000Z")


@pytest.mark.parametrize("participant", [{}, {"wa_id": {"new": "shape"}}, {"extra": {"a": 1}}])
def test_a_participant_of_an_unknown_shape_is_stored_with_the_event(
    harness: Harness, participant: dict[str, Any]
) -> None:
    joined = participants_joined(10, "447700900101")
    joined["groups"][0]["added_participants"].append(participant)

    harness.take(joined)

    assert harness.item(GROUP)["participants"] == ["447700900101"]
    assert [key for key in harness.keys() if key.startswith("WEBHOOK#")]


def test_a_person_with_two_known_ids_is_one_participant(harness: Harness) -> None:
    change = {"id": "wamid.s", "from": "447700900101", "timestamp": str(AT), "type": "system"}
    system = {"type": "user_changed_number", "wa_id": "447700900199", "body": "-"}
    harness.take({"messages": [change | {"system": system}]})

    harness.take(participants_joined(10, "447700900199"))

    assert harness.item(GROUP)["participants"] == ["447700900101"]


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_deleted_group_stays_deleted(harness: Harness, is_reversed: bool) -> None:
    events = [DELETED, group_change("status", "group_suspend_cleared", 99)]
    for value in reversed(events) if is_reversed else events:
        harness.take(CREATED, value)

    assert harness.item(GROUP)["state"] == "deleted"


@pytest.mark.parametrize(
    "value",
    [
        group_change(
            "participants", "group_join_request_created", 5, join_request_id="j", wa_id="4477"
        ),
        group_change("settings", "group_settings_update", 5, errors=[{"code": 131215}]),
        group_change(
            "settings", "group_settings_update", 5, profile_picture={"update_successful": True}
        ),
    ],
    ids=["join request", "failure", "picture"],
)
def test_group_events_that_do_not_fit_the_group_are_stored_as_received(
    harness: Harness, value: dict[str, Any]
) -> None:
    assert harness.outcomes(value) == [Outcome.PERSISTED]

    (kept,) = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    assert harness.item(kept)["webhookEventType"] == value["field"]
    assert harness.item(kept).get("reason") is None


def test_a_group_of_another_company_is_not_changed(harness: Harness) -> None:
    harness.take(CREATED, participants_joined(10, "447700900101"))
    before = {key: harness.item(key) for key in harness.keys() if key.startswith("GROUP#")}

    assert (
        deliver_from_other_company(harness, participants_left(20, "447700900101"))
        == "foreign_group"
    )
    assert deliver_from_other_company(harness, CREATED) == "foreign_group"
    assert {key: harness.item(key) for key in harness.keys() if key.startswith("GROUP#")} == before


def test_an_event_that_names_no_group_is_parked(harness: Harness) -> None:
    (handled,) = harness.take(group_change("status", "group_suspend", 0, group_id=""))

    assert handled.reason == "no_group"


def prefers(value: str, at: int, more: dict[str, Any] | None = None) -> dict[str, Any]:
    entry = {"wa_id": "447700900101", "category": "marketing_messages", "value": value}
    return {
        "field": "user_preferences",
        "user_preferences": [entry | {"timestamp": AT + at} | (more or {})],
    }


@pytest.mark.parametrize("is_reversed", [False, True])
def test_the_newest_choice_about_marketing_shows_on_the_head(
    harness: Harness, is_reversed: bool
) -> None:
    events = [prefers("stop", 0), prefers("resume", 5), prefers("stop", 5)]
    for value in reversed(events) if is_reversed else events:
        assert harness.outcomes(value) == [Outcome.PERSISTED]

    head = harness.item(f"CONV#{PHONE}#447700900101")
    assert (head["marketingOptOut"], head["marketingOptOutAt"]) == (
        True,
        "2026-01-01T11:50:05.000Z",
    )
    assert (head["company"], "inboxPk" in head) == ("acme", False)
    assert len([key for key in harness.keys() if key.startswith("WEBHOOK#")]) == 3


@pytest.mark.parametrize("more", [{"category": "other"}, {"value": "maybe"}])
def test_another_preference_is_only_stored_as_an_event(
    harness: Harness, more: dict[str, Any]
) -> None:
    harness.take(prefers("stop", 0, more))

    assert harness.item(f"CONV#{PHONE}#447700900101") == {}
    assert [key for key in harness.keys() if key.startswith("WEBHOOK#")]


def paid(reference: str = "ref-1", value: int = 2_500, **more: Any) -> dict[str, Any]:
    payment = {
        "reference_id": reference,
        "amount": {"value": value, "offset": 100},
        "currency": "INR",
        "transaction": {"id": "tx-1", "type": "upi", "status": "success"},
    }
    facts = {"id": "wamid.p", "type": "payment", "status": "captured", "timestamp": str(AT)}
    return {"statuses": [facts | {"recipient_id": "447700900101", "payment": payment | more}]}


def order(harness: Harness, **changes: Any) -> dict[str, Any]:
    facts = {
        "pk": "ORDER#ref-1", "itemType": "PAYMENT_ORDER", "company": "acme", "phone": PHONE, "orderId": "o",
        "referenceId": "ref-1", "currency": "INR", "totalAmount": 2500, "status": "pending",
        "paymentStatus": "pending", "createdAt": "2026-01-01T11:00:00.000Z",
    }  # fmt: skip
    harness.resources.table.put(facts | changes)
    return harness.item("ORDER#ref-1")


def test_a_payment_report_is_shown_at_its_order_and_does_not_mark_it_as_paid(
    harness: Harness,
) -> None:
    before = order(harness)

    assert harness.outcomes(paid(), paid()) == [Outcome.PERSISTED, Outcome.DUPLICATE]

    shown = {"id": "tx-1", "state": "success", "at": "2026-01-01T11:50:00.000Z"}
    assert harness.item("ORDER#ref-1") == before | {"transactions": [shown]}
    assert harness.item("ORDER#ref-1#TX#tx-1")["state"] == "success"


def test_only_the_newest_twenty_attempts_show_at_an_order(harness: Harness) -> None:
    order(harness)
    for number in range(22):
        harness.take(paid(transaction={"id": f"tx-{number:02d}", "status": "failed"}))

    shown = harness.item("ORDER#ref-1")["transactions"]
    assert [entry["id"] for entry in shown] == [f"tx-{number:02d}" for number in range(2, 22)]
    assert len([key for key in harness.keys() if "#TX#" in key]) == 22


def test_a_report_changes_no_order_of_another_company(harness: Harness) -> None:
    before = order(harness, company="globex")
    harness.take(paid())

    assert harness.item("ORDER#ref-1") == before


@pytest.mark.parametrize(
    ("value", "changes", "reason"),
    [
        (paid(value=2_501), {}, "amount_mismatch"),
        (paid(currency="EUR"), {}, "amount_mismatch"),
        (paid(value=0), {}, None),
    ],
)
def test_a_report_that_does_not_fit_its_order_is_parked(
    harness: Harness, value: dict[str, Any], changes: dict[str, str], reason: str | None
) -> None:
    before = order(harness, **changes)

    (handled,) = harness.take(value)

    assert handled.reason == reason
    assert (harness.item("ORDER#ref-1") == before) == (reason is not None)


def test_a_report_about_an_unknown_order_is_stored(harness: Harness) -> None:
    assert harness.outcomes(paid("ref-9")) == [Outcome.PERSISTED]

    (kept,) = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    assert harness.item(kept)["webhookEventType"] == "payment"


def test_a_user_id_that_changes_leads_to_the_same_contact_by_either_id(harness: Harness) -> None:
    ids = {"previous": "GB.old", "current": "GB.new"}
    entry = {"wa_id": "447700900101", "user_id": ids, "timestamp": str(AT)}
    harness.take({"field": "user_id_update", "user_id_update": [entry]})

    for user_id in ("GB.old", "GB.new"):
        assert harness.item(f"ALIAS#BSUID#{PHONE}#{user_id}").get("target") == "447700900101"


def head(harness: Harness) -> dict[str, Any]:
    return harness.item(f"CONV#{PHONE}#g-1")


def test_a_group_is_listed_as_a_conversation_from_its_creation(harness: Harness) -> None:
    harness.take(CREATED)

    assert (head(harness)["from"], head(harness)["groupName"]) == ("g-1", "Riders")
    assert (head(harness)["lastType"], head(harness)["lastPreview"]) == ("group", "[group created]")
    assert (head(harness)["unreadCount"], head(harness)["lastMessagePk"]) == (0, GROUP)
    assert head(harness)["listPk"].endswith("#open#read")


@pytest.mark.long
def test_the_conversation_of_a_group_is_the_same_for_any_order_of_its_events(
    harness: Harness,
) -> None:
    message = {"messages": [text("wamid.1", "who rides?", at=AT + 25, group_id="g-1")]}
    events = (CREATED, RENAMED, message, participants_joined(40, "447700900101"))
    left = []
    for order in permutations(events):
        for event in order:
            harness.take(event)
        left.append({k: v for k, v in head(harness).items() if k != "groupRevision"})
        for key in harness.keys():
            if not key.startswith("PHONE#"):
                harness.resources.table.delete({"pk": key})

    assert all(item == left[0] for item in left)
    assert (left[0]["lastPreview"], left[0]["groupName"]) == ("who rides?", "Slow riders")
    assert left[0]["unreadCount"] == 1


@pytest.mark.parametrize(
    ("event", "preview"),
    [
        (RENAMED, "[group renamed]"),
        (group_change("status", "group_suspend", 30), "[group suspended]"),
        (group_change("status", "group_suspend_cleared", 40), "[group is active again]"),
        (DELETED, "[group deleted]"),
        (participants_joined(50, "447700900101"), "[group created]"),
    ],
)
def test_a_change_of_a_group_is_shown_but_not_its_members(
    harness: Harness, event: dict[str, Any], preview: str
) -> None:
    harness.take(CREATED, event)

    assert head(harness)["lastPreview"] == preview
