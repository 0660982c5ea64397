"""A delivery status counts only when it comes from the account and the address that sent its message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from conversations.store.items import identifiers
from conversations.store.items.log import Delivery
from events.conversations import aws_sms, sample_data, twilio
from shared.aws.sqs_fifo import Entry
from shared.events.exchange import DeliveryStatus
from shared.policy.consent.records import Consents
from shared.runtime import clock
from tests.integration.conversations.inbound.test_sender_matching import at_aws
from tests.integration.conversations.outbound.delivery_reports import newest_sent
from tests.integration.conversations.steps import (
    MINUTE_MS,
    direct_resources,
    queue_name,
    start_conversation,
    status_of,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

MISMATCH = "TENANT_MISMATCH"
THEIR_ACCOUNT, THEIR_TOKEN = "AC" + "7b1c" * 8, "token-of-another-company"
OPTED_OUT = {"ErrorCode": "21610"}
WABA = "102290129340398"
ANOTHER = "another-account"


def action_of(system: System, ref: str) -> str:
    return identifiers.action_id(ref, str(newest_sent(system, ref)["turn_id"]))


def ledger_state(system: System, ref: str) -> str:
    row = system.row("log", f"ACTION#{action_of(system, ref)}", "#")
    assert row is not None
    return str(row["state"])


def is_opted_out(system: System, address: str = sample_data.CANDIDATE) -> bool:
    consents = Consents(direct_resources(system).log)
    return consents.standing(sample_data.COMPANY, [address], "sms").is_opted_out


def untouched(system: System, ref: str) -> bool:
    """Whether neither message, ledger, consent nor conversation shows that the message failed."""
    return (
        newest_sent(system, ref)["delivery_status"] == Delivery.ACCEPTED
        and ledger_state(system, ref) == "sent"
        and status_of(system, ref)[0] == "initial_message_sent"
        and not is_opted_out(system)
    )


@pytest.mark.parametrize("known_by", ["action", "message"])
def test_a_callback_signed_by_another_company_records_no_opt_out(
    system: System, known_by: str
) -> None:
    ref = system.begin("sms")
    system.put_webhook_secret(
        twilio.SECRET["accounts"] | {THEIR_ACCOUNT: {"auth_tokens": [THEIR_TOKEN]}}
    )
    by_action = known_by == "action"
    sid = "SM" + "d" * 32 if by_action else str(newest_sent(system, ref)["provider_message_id"])
    fields = twilio.status("-", "undelivered", **OPTED_OUT) | {
        "AccountSid": THEIR_ACCOUNT,
        "MessageSid": sid,
        "SmsSid": sid,
    }

    action = action_of(system, ref) if by_action else None
    system.webhook(twilio.callback(fields, action, key=THEIR_TOKEN))
    system.drain()

    assert system.parked() == [MISMATCH]
    assert untouched(system, ref)
    assert (
        status_of(system, start_conversation(system, "whatsapp", "req-2"))[0]
        == "initial_message_sent"
    )


def test_a_callback_about_another_number_of_a_shared_account_changes_nothing(
    system: System,
) -> None:
    ref = system.begin("sms")
    sid = str(newest_sent(system, ref)["provider_message_id"])

    system.status(sid, "undelivered", **OPTED_OUT, From="+12025550199")
    system.drain()

    assert system.parked() == [MISMATCH]
    assert untouched(system, ref)


def test_an_event_of_aws_sms_about_another_number_changes_nothing(system: System) -> None:
    channels = sample_data.project()["channel_config"]
    sms = {
        "provider": "aws_sms",
        "account": "arn:aws:sns:us-east-1:123456789012:inbound-topic",
        "company_sms_number": aws_sms.NUMBER,
    }
    system.change(channel_config=channels | {"sms": sms})
    ref = system.begin("sms")
    action = action_of(system, ref)
    events_topic = system.functions["ConversationsAwsSms"].settings.sms_topic_arns[-1]

    status = aws_sms.delivery("d", "TEXT_BLOCKED", action, originationPhoneNumber="+12025550199")
    system.deliver_notification(aws_sms.notification("n", status, topic=events_topic))
    system.drain()
    assert system.parked() == [MISMATCH]
    assert untouched(system, ref)

    # Deliveries are published on another topic than inbound messages.
    status = aws_sms.delivery("e", "TEXT_DELIVERED", action)
    system.deliver_notification(aws_sms.notification("m", status, topic=events_topic))
    system.drain()
    assert newest_sent(system, ref)["delivery_status"] == "delivered"


def forwarded(system: System, ref: str, **facts: Any) -> DeliveryStatus:
    return DeliveryStatus(**{
        "provider_message_id": "of-the-provider",
        "action_id": action_of(system, ref),
        "occurred_at": clock.to_text(system.clock.ms),
        **facts,
    })  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [{"account": ANOTHER}, {"business_address": "+12025550199"}, {"provider": "meta"}],
    ids=["account", "number", "provider"],
)
def test_a_status_that_the_inbox_forwards_of_another_account_changes_nothing(
    system: System, other: dict[str, str]
) -> None:
    at_aws(system)
    ref = system.begin("whatsapp")
    own = {
        "provider": "aws_social", "account": WABA, "channel_method": "whatsapp", "status": "failed",
        "business_address": sample_data.WHATSAPP_SENDER,
    }  # fmt: skip

    system.forward(forwarded(system, ref, **own | other))
    system.drain()
    assert system.parked() == [MISMATCH]
    assert untouched(system, ref)

    system.forward(forwarded(system, ref, **own))
    system.drain()
    assert newest_sent(system, ref)["delivery_status"] == "failed"


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
    system: System, event: dict[str, str]
) -> None:
    ref = system.begin("email")
    of_ses = {"provider": "ses", "account": "arn:aws:ses", "channel_method": "email"}

    their = {"business_address": "jobs@neighbour.example"}
    system.forward(forwarded(system, ref, **of_ses, **their, **event))
    system.drain()

    assert system.parked() == [MISMATCH]
    assert untouched(system, ref)
    assert not is_opted_out(system, sample_data.CANDIDATE_EMAIL)


def test_after_a_change_of_account_statuses_of_the_sending_account_still_count(
    system: System,
) -> None:
    ref = system.begin("sms")
    sid = str(newest_sent(system, ref)["provider_message_id"])
    channels = sample_data.project()["channel_config"]
    system.change(channel_config=channels | {"sms": channels["sms"] | {"account": THEIR_ACCOUNT}})
    system.put_secret(
        sample_data.TWILIO_SECRET_ID,
        {"twilio_account_sid": THEIR_ACCOUNT, "twilio_auth_token": THEIR_TOKEN},
    )
    system.new_process()

    theirs = {"provider_message_id": sid, "account": THEIR_ACCOUNT}
    facts = {"provider": "twilio", "channel_method": "sms", "status": "undelivered"}
    system.forward(forwarded(system, ref, **theirs, **facts))
    system.drain()
    assert system.parked() == [MISMATCH]

    system.status(sid, "delivered")
    system.drain()
    assert newest_sent(system, ref)["delivery_status"] == "delivered"


def test_a_status_event_without_a_business_address_is_accepted_by_its_account(
    system: System,
) -> None:
    ref = system.begin("sms")
    body = {
        "type": "delivery_status", "v": 1, "provider": "twilio", "account": twilio.ACCOUNT,
        "provider_message_id": str(newest_sent(system, ref)["provider_message_id"]),
        "channel_method": "sms", "status": "delivered",
        "occurred_at": clock.to_text(system.clock.ms),
    }  # fmt: skip

    system.fifo_queues.put(queue_name(system, "statuses"), Entry(json.dumps(body), "group", "once"))
    system.drain()

    assert newest_sent(system, ref)["delivery_status"] == "delivered"


@pytest.mark.parametrize(("account", "taken"), [(twilio.ACCOUNT, True), (THEIR_ACCOUNT, False)])
def test_a_message_without_a_recorded_sender_is_checked_against_the_current_set_up(
    system: System, account: str, *, taken: bool
) -> None:
    ref = system.begin("sms")
    for key, row in system.rows().items():
        if key[1].startswith(("OUT#", "ACTION#")):
            names = {"account", "business_address", "businessAddress"}
            system.write("log", {name: part for name, part in row.items() if name not in names})

    system.forward(
        forwarded(
            system,
            ref,
            provider="twilio",
            account=account,
            channel_method="sms",
            status="delivered",
        )
    )
    system.drain()

    assert (newest_sent(system, ref)["delivery_status"] == "delivered") is taken
    assert system.parked() == ([] if taken else [MISMATCH])


def test_a_secret_changed_to_another_account_is_recorded_before_the_next_attempt(
    system: System,
) -> None:
    channels = sample_data.project()["channel_config"]
    sms = {name: value for name, value in channels["sms"].items() if name != "account"}
    system.change(channel_config=channels | {"sms": sms})
    system.begin("sms")  # The process has read the secret.
    secret = {"twilio_account_sid": THEIR_ACCOUNT, "twilio_auth_token": THEIR_TOKEN}
    system.put_secret(sample_data.TWILIO_SECRET_ID, secret)
    system.clock.ms += 2 * MINUTE_MS
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=401
    )

    ref = start_conversation(system, request_id="req-2")

    row = system.row("log", f"ACTION#{action_of(system, ref)}", "#")
    assert row is not None
    assert (row["account"], row["attempt"]) == (THEIR_ACCOUNT, 2)
