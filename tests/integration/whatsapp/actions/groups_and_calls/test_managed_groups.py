"""Groups: requests, events, invitations, settings and join requests."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    ADA,
    EUM_PHONE,
    WABA,
    Actions,
)
from tests.integration.whatsapp.conftest import NOW, PHONE, text

SENDER = {"phoneNumberId": PHONE}
GROUP_EDGE = "/{Version}/{group_id}"
STRANGER = "447700900777"
PICTURE = "uploads/acme/group.png"


def report_creation(actions: Actions, group_id: str) -> None:
    """The provider's event that names the created group."""
    group = actions.sandbox.objects["group"][group_id]
    actions.harness.take(
        {
            "field": "group_lifecycle_update",
            "groups": [
                {
                    "timestamp": str(NOW // 1000 - 60),
                    "group_id": group_id,
                    "type": "group_create",
                    "request_id": group["request_id"],
                    "subject": group["subject"],
                    "invite_link": group["link"],
                }
            ],
        }
    )


@pytest.fixture
def group(actions: Actions) -> str:
    """The id of a group of acme's."""
    actions.run("create_group", {**SENDER, "groupName": "Riders", "groupDescription": "Sundays"})
    (group_id,) = actions.sandbox.objects["group"]
    report_creation(actions, group_id)
    actions.sandbox.forget_sent()
    return str(group_id)


def test_a_group_is_pending_until_the_providers_event_names_it(actions: Actions) -> None:
    body = {**SENDER, "groupName": "Riders", "participants": [f"+{STRANGER}"]}
    asked = actions.run("create_group", body, key="key-group-1")

    assert (asked.status, asked.result["state"]) == (202, "pending")
    assert asked.result["toInvite"] == [STRANGER]
    request = actions.item(f"GROUP#REQUEST#{asked.result['requestId']}")
    assert (request["state"], request["company"], request["phone"]) == ("pending", "acme", PHONE)
    assert wire.problems(actions.wire[0], "POST", "/{Version}/{Phone-Number-ID}/groups") == []
    (group_id,) = actions.sandbox.objects["group"]
    report_creation(actions, group_id)
    stored = actions.item(f"GROUP#{group_id}")
    assert (stored["name"], stored["admins"]) == ("Riders", ["15550783881"])
    assert actions.item(request["pk"])["state"] == "created"
    assert actions.run("create_group", body, key="key-group-1").body["replayed"] is True
    assert len(actions.wire) == 1


def test_an_event_that_is_faster_than_the_answer_keeps_its_outcome(actions: Actions) -> None:
    from whatsapp import store  # noqa: PLC0415 - the store as the worker uses it
    from whatsapp.store.items.conversations.groups import GroupRequest  # noqa: PLC0415 - as above

    table = actions.harness.resources.table
    done = GroupRequest(pk="GROUP#REQUEST#r-1", company="acme", group="g-1", state="created")
    store.groups.settle_request(table, done)
    store.groups.note_request(table, GroupRequest(pk="GROUP#REQUEST#r-1", company="acme"))

    assert actions.item("GROUP#REQUEST#r-1")["state"] == "created"


def test_a_lost_answer_to_a_creation_is_not_repeated(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="create_group", kind="lost_answer")
    first = actions.run("create_group", {**SENDER, "groupName": "Riders"}, key="key-group-2")
    actions.run("create_group", {**SENDER, "groupName": "Riders"}, key="key-group-2")

    assert (first.status, first.result["state"]) == (202, "in_doubt")
    assert len(actions.wire) == 1


def test_a_person_is_invited_once_and_never_added(actions: Actions, group: str) -> None:
    body = {"groupId": group, "participant": f"+{ADA}"}
    invited = actions.run("add_group_participant", body)

    assert (invited.result["state"], invited.result["participant"]) == ("invited", ADA)
    link = actions.sandbox.objects["group"][group]["link"]
    sent: Any = actions.wire[-1].body
    assert link in sent["text"]["body"]
    assert [one.operation for one in actions.wire] == ["get_invite_link", "send_message"]
    assert actions.wire[0].path == f"/v23.0/{group}/invite_link"
    again = actions.run("add_group_participant", {**body, "participant": ADA})
    assert again.result["messageId"] == invited.result["messageId"]
    assert [one.operation for one in actions.wire].count("send_message") == 1
    assert actions.item(f"GROUP#{group}").get("participants", []) == []


def test_an_invitation_outside_of_the_window_is_refused(actions: Actions, group: str) -> None:
    answer = actions.run("add_group_participant", {"groupId": group, "participant": f"+{STRANGER}"})

    assert (answer.status, answer.error) == (422, "policy_refused")


def test_what_the_provider_reports_is_stored_when_it_differs(actions: Actions, group: str) -> None:
    state = actions.sandbox.objects["group"][group]
    state |= {"participants": [ADA, STRANGER], "subject": "Slow riders", "suspended": True}
    shown = actions.run("get_group_info", {"groupId": group}).result

    assert (shown["name"], shown["state"], shown["participantCount"]) == (
        "Slow riders",
        "suspended",
        2,
    )
    stored = actions.item(f"GROUP#{group}")
    assert stored["participants"] == sorted([ADA, STRANGER])
    assert (stored["description"], stored["updatedAt"]) == ("Sundays", "2026-01-01T12:00:00.000Z")
    assert actions.item(f"GROUP#{group}#PARTICIPANT#{ADA}")["present"] is True
    assert wire.problems(actions.wire[0], "GET", GROUP_EDGE) == []
    revision = stored["revision"]
    actions.run("get_group_info", {"groupId": group})
    assert actions.item(f"GROUP#{group}")["revision"] == revision
    state["participants"] = [ADA]
    actions.run("get_group_info", {"groupId": group})
    assert actions.item(f"GROUP#{group}#PARTICIPANT#{STRANGER}")["present"] is False
    cached = actions.run("get_group_info", {"groupId": group, "refresh": False}).result
    assert cached["participants"] == [ADA]
    present = actions.run("add_group_participant", {"groupId": group, "participant": f"+{ADA}"})
    assert present.result["state"] == "participant"


def test_a_participant_is_removed_at_the_provider(actions: Actions, group: str) -> None:
    actions.sandbox.objects["group"][group]["participants"] = [ADA]
    body = {"groupId": group, "participant": f"+{ADA}"}

    assert actions.run("remove_group_participant", body).result == {"done": True}
    assert wire.problems(actions.wire[0], "DELETE", f"{GROUP_EDGE}/participants") == []
    assert actions.run("remove_group_participant", body).result == {"done": True}
    actions.sandbox.objects["group"][group]["participants"] = [ADA]
    actions.sandbox.faults.add(
        provider="meta", operation="remove_participants", kind="status", status=403
    )
    assert actions.run("remove_group_participant", body).error == "provider_rejected"


def test_a_refused_removal_is_no_success_if_the_provider_spells_the_number_differently(
    actions: Actions, group: str
) -> None:
    actions.sandbox.objects["group"][group]["participants"] = ["551187654321"]
    actions.sandbox.faults.add(
        provider="meta", operation="remove_participants", kind="status", status=403
    )
    body = {"groupId": group, "to": "+5511987654321"}

    assert actions.run("remove_group_participant", body).error == "provider_rejected"


def test_groups_are_listed_as_stored_and_at_the_provider(actions: Actions, group: str) -> None:
    stored = actions.run("get_groups", SENDER).result["groups"]
    assert [(one["groupId"], one["wabaMetaId"]) for one in stored] == [(group, WABA)]
    actions.run("create_group", {**SENDER, "groupName": "Not reported yet"})
    first = actions.run("get_groups", {**SENDER, "source": "remote", "limit": 1})
    second = actions.run(
        "get_groups", {**SENDER, "source": "remote", "limit": 1, "cursor": first.body["cursor"]}
    )
    names = {one["name"] for page in (first, second) for one in page.result["groups"]}
    assert names == {"Riders", "Not reported yet"}
    assert wire.problems(actions.wire[-1], "GET", "/{Version}/{Phone-Number-ID}/groups") == []
    new = next(i for i in actions.sandbox.objects["group"] if i != group)
    item = actions.item(f"GROUP#{new}")
    assert (item["admins"], item["createdAt"]) == (["15550783881"], "2026-01-01T11:46:40.000Z")


def test_messages_of_a_group_are_listed_newest_first(actions: Actions, group: str) -> None:
    for number in range(3):
        message = text(
            f"wamid.g{number}", f"m{number}", at=NOW // 1000 - 50 + number, group_id=group
        )
        actions.harness.take({"messages": [message]})
    first = actions.run("get_group_messages", {"groupId": group, "limit": 2})
    second = actions.run(
        "get_group_messages", {"groupId": group, "limit": 2, "cursor": first.body["cursor"]}
    )
    texts = [one["text"] for page in (first, second) for one in page.result["messages"]]
    assert texts == ["m2", "m1", "m0"]
    since = {"groupId": group, "since": "2026-01-01T11:59:12+00:00"}
    assert len(actions.run("get_group_messages", since).result["messages"]) == 1


def test_a_group_is_changed_with_its_picture(actions: Actions, group: str) -> None:
    content = b"\x89PNG\r\n\x1a\n" + b"x" * 20
    actions.harness.resources.bucket.put(PICTURE, content, "image/png")
    body = {"groupId": group, "subject": "New", "profilePictureS3Key": PICTURE}

    assert actions.run("update_group", body).result == {"done": True}
    assert wire.problems(actions.wire[0], "POST", GROUP_EDGE) == []
    assert actions.sandbox.objects["group"][group]["picture"] is True
    assert actions.item(f"GROUP#{group}")["name"] == "Riders"
    assert actions.run("update_group", {"groupId": group}).fields == ["body"]


def test_a_link_is_shown_and_replaced_once(actions: Actions, group: str) -> None:
    old = actions.run("get_group_invite_link", {"groupId": group}).result["inviteLink"]
    reset = actions.run("reset_group_invite_link", {"groupId": group}, key="key-reset-1").result
    again = actions.run("reset_group_invite_link", {"groupId": group}, key="key-reset-1").result

    assert old != reset["inviteLink"] == again["inviteLink"]
    assert wire.problems(actions.wire[1], "POST", f"{GROUP_EDGE}/invite_link") == []
    assert len(actions.wire) == 2


def test_join_requests_are_listed_and_decided_one_by_one(actions: Actions, group: str) -> None:
    actions.sandbox.objects["group"][group]["requests"] = {"j1": ADA, "j2": STRANGER}
    listed = actions.run("get_group_join_requests", {"groupId": group}).result["joinRequests"]
    assert [one["from"] for one in listed] == [ADA, STRANGER]
    assert wire.problems(actions.wire[-1], "GET", f"{GROUP_EDGE}/join_requests") == []
    approved = actions.run(
        "approve_group_join_requests", {"groupId": group, "joinRequestIds": ["j1", "gone"]}
    ).result
    assert approved == {
        "decided": ["j1"],
        "failed": [{"joinRequestId": "gone", "code": "131203"}],
    }
    assert wire.problems(actions.wire[-1], "POST", f"{GROUP_EDGE}/join_requests") == []
    rejected = actions.run(
        "reject_group_join_requests", {"groupId": group, "joinRequestIds": ["j2"]}
    ).result
    assert rejected["decided"] == ["j2"]
    assert wire.problems(actions.wire[-1], "DELETE", f"{GROUP_EDGE}/join_requests") == []
    assert actions.sandbox.objects["group"][group]["participants"] == [ADA]


def test_a_deleted_group_cannot_be_changed(actions: Actions, group: str) -> None:
    actions.sandbox.faults.add(provider="meta", operation="delete_group", kind="lost_answer")
    assert actions.run("delete_group", {"groupId": group}).result == {"done": True}
    assert wire.problems(actions.wire[0], "DELETE", GROUP_EDGE) == []
    actions.harness.take(
        {
            "field": "group_lifecycle_update",
            "groups": [{"timestamp": str(NOW // 1000), "group_id": group, "type": "group_delete"}],
        }
    )
    answer = actions.run("update_group", {"groupId": group, "subject": "x"})
    assert (answer.status, answer.error) == (409, "state_conflict")


def test_a_number_without_access_to_graph_has_no_groups(actions: Actions) -> None:
    actions.register_eum(token_ref=None)
    answer = actions.run("create_group", {"phoneNumberId": EUM_PHONE, "groupName": "Riders"})

    assert (answer.status, answer.error) == (409, "not_configured")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"groupName": "x" * 129}, "groupName"),
        ({"groupName": "x", "participants": [f"+{ADA}"] * 9}, "participants"),
        ({"groupName": "x", "participants": ["+1555"]}, "participants.0"),
        ({"groupName": "x", "joinApprovalMode": "never"}, "joinApprovalMode"),
    ],
)
def test_limits_of_groups_are_checked_first(
    actions: Actions, body: dict[str, Any], field: str
) -> None:
    answer = actions.run("create_group", SENDER | body)

    assert answer.status == 400
    assert answer.fields[0].startswith(field)
    assert actions.wire == []
