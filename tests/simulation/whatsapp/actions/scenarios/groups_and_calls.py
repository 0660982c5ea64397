"""Groups of the counter, and calls with Ada."""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.whatsapp.actions.groups_and_calls import BODIES, RIDERS
from events.whatsapp.actions.numbers import PICTURE
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from tests.simulation.whatsapp.actions.scenario import Json, Scenario
from tests.simulation.whatsapp.actions.scenarios.numbers import a_picture
from whatsapp.store.items.conversations.groups import Call, Group

if TYPE_CHECKING:
    from tests.simulation.whatsapp.system import System

GROUP = str(RIDERS["groupId"])
# Too short to be taken for an id that the provider made up.
SMALL = "riders"
CALL = str(BODIES["update_call_status"]["callId"])


def a_group(system: System, group_id: str = GROUP) -> None:
    """A group at the provider and in the table, with Ada in it and a request to join."""
    system.sandbox.objects["group"][group_id] = {
        "phone": COUNTER.phone, "subject": "Riders", "description": "", "suspended": False,
        "join_approval_mode": "approval_required", "creation_timestamp": 1_767_268_000,
        "participants": [], "requests": {"request-1": ADA.wa_id},
        "link": "https://chat.whatsapp.com/link", "request_id": "request",
    }  # fmt: skip
    group = Group(
        pk=Group.key(group_id), company=COMPANY, group_id=group_id, waba_meta_id=COUNTER.waba,
        phone=COUNTER.phone, name="Riders", revision=1,
    )  # fmt: skip
    system.table.put(group.attributes())


def a_joined_group(system: System) -> None:
    a_group(system, SMALL)
    system.sandbox.objects["group"][SMALL]["participants"] = [ADA.wa_id]


def a_permission(system: System) -> None:
    """Ada permits calls."""
    system.sandbox.objects["call permission"][ADA.wa_id] = True


def a_call(system: System) -> None:
    """Ada calls."""
    system.sandbox.objects["call"][CALL] = "ringing"
    stored = Call(
        pk=Call.key(CALL), company=COMPANY, call_id=CALL, waba_meta_id=COUNTER.waba, from_=ADA.wa_id,
        from_pk=ADA.wa_id, to=COUNTER.display, status="initiated", status_rank=1, revision=1,
        started_at="2026-01-01T12:00:00.000Z", received_at="2026-01-01T12:00:00.000Z",
        phone=COUNTER.phone, call_direction="USER_INITIATED",
        conversation_pk=f"CONV#{COUNTER.phone}#{ADA.wa_id}",
        inbox_pk=f"arn:parley:whatsapp:::phone-number-id/{COUNTER.phone}",
    )  # fmt: skip
    system.table.put(stored.attributes())


def with_a_picture(system: System) -> None:
    a_group(system)
    a_picture(system)


def _of_group(action: str, *effect: str, **more: Json) -> Scenario:
    body = more.get("body", BODIES[action])
    return Scenario(action=action, body=body, prepare=a_group, effect=effect)


SCENARIOS = (
    Scenario(action="create_group", body=BODIES["create_group"], effect=("create_group",)),
    _of_group("add_group_participant", "send_message"),
    Scenario(
        action="remove_group_participant",
        body={"groupId": SMALL, "participant": f"+{ADA.wa_id}"},
        prepare=a_joined_group,
        effect=("remove_participants",),
    ),
    Scenario(
        action="update_group",
        body=RIDERS | {"subject": "Slow riders", "profilePictureS3Key": PICTURE},
        prepare=with_a_picture,
        effect=("update_group", "update_group"),
    ),
    _of_group("delete_group", "delete_group"),
    _of_group("reset_group_invite_link", "reset_invite_link"),
    _of_group("approve_group_join_requests", "approve_requests"),
    _of_group("reject_group_join_requests", "reject_requests"),
    Scenario(
        action="initiate_call",
        body=BODIES["initiate_call"],
        prepare=a_permission,
        effect=("manage_call",),
    ),
    Scenario(
        action="update_call_status",
        body=BODIES["update_call_status"],
        prepare=a_call,
        effect=("manage_call",),
    ),
    Scenario(
        action="update_call_settings",
        body=BODIES["update_call_settings"],
        effect=("update_settings",),
    ),
    Scenario(
        action="request_call_permission",
        body=BODIES["request_call_permission"],
        effect=("send_message",),
    ),
)
