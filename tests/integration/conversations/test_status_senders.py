"""A delivery status counts only when it comes from the account and the address that sent its message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from conversations.store.items import identifiers
from conversations.store.items.log import Delivery
from events.conversations import aws_sms, cast, twilio
from shared.aws.sqs_fifo import Entry
from shared.consent.records import Consents
from shared.events import DeliveryStatus
from shared.runtime import clock
from tests.integration.conversations.acts import (
    MINUTE_MS,
    aside,
    queue_name,
    stands,
    start_conversation,
)
from tests.integration.conversations.telling import ours
from tests.integration.conversations.test_finding_people import at_aws

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

MISMATCH = "TENANT_MISMATCH"
THEIR_ACCOUNT, THEIR_TOKEN = "AC" + "7b1c" * 8, "token-of-another-company"
OPTED_OUT = {"ErrorCode": "21610"}
WABA = "102290129340398"
ANOTHER = "another-account"


def action_of(world: World, ref: str) -> str:
    return identifiers.action_id(ref, str(ours(world, ref)["turn_id"]))


def ledger_state(world: World, ref: str) -> str:
    row = world.row("log", f"ACTION#{action_of(world, ref)}", "#")
    assert row is not None
    return str(row["state"])


def is_opted_out(world: World, address: str = cast.CANDIDATE) -> bool:
    consents = Consents(aside(world).log)
    return consents.standing(cast.COMPANY, [address], "sms").is_opted_out


def untouched(world: World, ref: str) -> bool:
    """Whether neither message, ledger, consent nor conversation shows that the message failed."""
    return (
        ours(world, ref)["delivery_status"] == Delivery.ACCEPTED
        and ledger_state(world, ref) == "sent"
        and stands(world, ref)[0] == "initial_message_sent"
        and not is_opted_out(world)
    )


@pytest.mark.parametrize("known_by", ["action", "message"])
def test_a_callback_signed_by_another_company_records_no_opt_out(
    world: World, known_by: str
) -> None:
    ref = world.begin("sms")
    world.keep_webhook_secret(
        twilio.SECRET["accounts"] | {THEIR_ACCOUNT: {"auth_tokens": [THEIR_TOKEN]}}
    )
    by_action = known_by == "action"
    sid = "SM" + "d" * 32 if by_action else str(ours(world, ref)["provider_message_id"])
    fields = twilio.status("-", "undelivered", **OPTED_OUT) | {
        "AccountSid": THEIR_ACCOUNT,
        "MessageSid": sid,
        "SmsSid": sid,
    }

    action = action_of(world, ref) if by_action else None
    world.webhook(twilio.callback(fields, action, key=THEIR_TOKEN))
    world.work_off()

    assert world.parked() == [MISMATCH]
    assert untouched(world, ref)
    assert (
        stands(world, start_conversation(world, "whatsapp", "req-2"))[0] == "initial_message_sent"
    )


def test_a_callback_about_another_number_of_a_shared_account_changes_nothing(world: World) -> None:
    ref = world.begin("sms")
    sid = str(ours(world, ref)["provider_message_id"])

    world.status(sid, "undelivered", **OPTED_OUT, From="+12025550199")
    world.work_off()

    assert world.parked() == [MISMATCH]
    assert untouched(world, ref)


def test_an_event_of_aws_sms_about_another_number_changes_nothing(world: World) -> None:
    channels = cast.project()["channel_config"]
    sms = {
        "provider": "aws_sms",
        "account": "arn:aws:sns:us-east-1:123456789012:inbound-topic",
        "company_sms_number": aws_sms.NUMBER,
    }
    world.change(channel_config=channels | {"sms": sms})
    ref = world.begin("sms")
    action = action_of(world, ref)
    events_topic = world.called["aws_sms"].settings.sms_topic_arns[-1]

    status = aws_sms.delivery("d", "TEXT_BLOCKED", action, originationPhoneNumber="+12025550199")
    world.published(aws_sms.notification("n", status, topic=events_topic))
    world.work_off()
    assert world.parked() == [MISMATCH]
    assert untouched(world, ref)

    # Deliveries are published on another topic than inbound messages.
    status = aws_sms.delivery("e", "TEXT_DELIVERED", action)
    world.published(aws_sms.notification("m", status, topic=events_topic))
    world.work_off()
    assert ours(world, ref)["delivery_status"] == "delivered"


def forwarded(world: World, ref: str, **facts: Any) -> DeliveryStatus:
    return DeliveryStatus(**{
        "provider_message_id": "of-the-provider",
        "action_id": action_of(world, ref),
        "occurred_at": clock.to_text(world.clock.ms),
        **facts,
    })  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [{"account": ANOTHER}, {"business_address": "+12025550199"}, {"provider": "meta"}],
    ids=["account", "number", "provider"],
)
def test_a_status_that_the_inbox_forwards_of_another_account_changes_nothing(
    world: World, other: dict[str, str]
) -> None:
    at_aws(world)
    ref = world.begin("whatsapp")
    own = {
        "provider": "aws_social", "account": WABA, "channel_method": "whatsapp", "status": "failed",
        "business_address": cast.WHATSAPP_SENDER,
    }  # fmt: skip

    world.tell(forwarded(world, ref, **own | other))
    world.work_off()
    assert world.parked() == [MISMATCH]
    assert untouched(world, ref)

    world.tell(forwarded(world, ref, **own))
    world.work_off()
    assert ours(world, ref)["delivery_status"] == "failed"


@pytest.mark.parametrize(
    "event",
    [
        {"status": "Complaint", "error_code": "abuse"},
        {"status": "Bounce", "error_code": "Permanent"},
        {"status": "Delivery"},
    ],
    ids=["complaint", "bounce", "delivery"],
)
def test_feedback_of_ses_about_another_sender_changes_nothing(
    world: World, event: dict[str, str]
) -> None:
    ref = world.begin("email")
    of_ses = {"provider": "ses", "account": "arn:aws:ses", "channel_method": "email"}

    their = {"business_address": "jobs@neighbour.example"}
    world.tell(forwarded(world, ref, **of_ses, **their, **event))
    world.work_off()

    assert world.parked() == [MISMATCH]
    assert untouched(world, ref)
    assert not is_opted_out(world, cast.CANDIDATE_EMAIL)


def test_after_a_change_of_account_statuses_of_the_sending_account_still_count(
    world: World,
) -> None:
    ref = world.begin("sms")
    sid = str(ours(world, ref)["provider_message_id"])
    channels = cast.project()["channel_config"]
    world.change(channel_config=channels | {"sms": channels["sms"] | {"account": THEIR_ACCOUNT}})
    world.keep_secret(
        cast.TWILIO_SECRET_ID,
        {"twilio_account_sid": THEIR_ACCOUNT, "twilio_auth_token": THEIR_TOKEN},
    )
    world.new_process()

    theirs = {"provider_message_id": sid, "account": THEIR_ACCOUNT}
    facts = {"provider": "twilio", "channel_method": "sms", "status": "undelivered"}
    world.tell(forwarded(world, ref, **theirs, **facts))
    world.work_off()
    assert world.parked() == [MISMATCH]

    world.status(sid, "delivered")
    world.work_off()
    assert ours(world, ref)["delivery_status"] == "delivered"


def test_a_status_event_without_a_business_address_is_accepted_by_its_account(world: World) -> None:
    ref = world.begin("sms")
    body = {
        "type": "delivery_status", "v": 1, "provider": "twilio", "account": twilio.ACCOUNT,
        "provider_message_id": str(ours(world, ref)["provider_message_id"]),
        "channel_method": "sms", "status": "delivered",
        "occurred_at": clock.to_text(world.clock.ms),
    }  # fmt: skip

    world.lanes.put(queue_name(world, "statuses"), Entry(json.dumps(body), "group", "once"))
    world.work_off()

    assert ours(world, ref)["delivery_status"] == "delivered"


@pytest.mark.parametrize(("account", "taken"), [(twilio.ACCOUNT, True), (THEIR_ACCOUNT, False)])
def test_a_message_without_a_recorded_sender_is_checked_against_the_current_set_up(
    world: World, account: str, *, taken: bool
) -> None:
    ref = world.begin("sms")
    for key, row in world.rows().items():
        if key[1].startswith(("OUT#", "ACTION#")):
            names = {"account", "business_address", "businessAddress"}
            world.write("log", {name: part for name, part in row.items() if name not in names})

    world.tell(
        forwarded(
            world, ref, provider="twilio", account=account, channel_method="sms", status="delivered"
        )
    )
    world.work_off()

    assert (ours(world, ref)["delivery_status"] == "delivered") is taken
    assert world.parked() == ([] if taken else [MISMATCH])


def test_a_secret_changed_to_another_account_is_recorded_before_the_next_attempt(
    world: World,
) -> None:
    channels = cast.project()["channel_config"]
    sms = {name: value for name, value in channels["sms"].items() if name != "account"}
    world.change(channel_config=channels | {"sms": sms})
    world.begin("sms")  # The process has read the secret.
    secret = {"twilio_account_sid": THEIR_ACCOUNT, "twilio_auth_token": THEIR_TOKEN}
    world.keep_secret(cast.TWILIO_SECRET_ID, secret)
    world.clock.ms += 2 * MINUTE_MS
    world.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=401
    )

    ref = start_conversation(world, request_id="req-2")

    row = world.row("log", f"ACTION#{action_of(world, ref)}", "#")
    assert row is not None
    assert (row["account"], row["attempt"]) == (THEIR_ACCOUNT, 2)
