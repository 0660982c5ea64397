"""What providers say became of our messages, in any order, twice, early and late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations import arriving, moving, references
from conversations.lifecycle import Status
from conversations.moving import Cause
from events.conversations import cast, twilio
from shared import clock
from shared.events import DeliveryStatus
from shared.observability import metrics
from tests.integration.conversations.acts import (
    DAY_MS,
    HOUR_MS,
    aside,
    asked,
    release,
    said,
    stands,
    take_over,
)
from tests.integration.conversations.test_intake import mail

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

UNREACHABLE = {"ErrorCode": "30003"}


def ours(world: World, ref: str) -> dict[str, Any]:
    """Our newest message."""
    return [m for m in world.log(ref) if m["author"] != "customer"][-1]


def told(world: World, ref: str, word: str, **fields: str) -> None:
    """Twilio tells what became of our newest message."""
    world.status(ours(world, ref)["provider_message_id"], word, **fields)
    world.work_off()


def write(world: World, text: str = "Which shift is it?", name: str = "m") -> None:
    world.text(name, text)
    world.work_off()


def end(world: World, ref: str, status: Status = Status.CLOSED) -> None:
    """Somebody ends the conversation."""
    here = aside(world)
    cause = Cause(who="human:eve", what="end", reason="ended")
    moving.move(here, arriving.opened(here, ref), status, cause)


# Failures


def test_an_answer_that_nobody_got_is_a_persons(world: World) -> None:
    ref = world.begin("sms")
    write(world)

    told(world, ref, "undelivered", **UNREACHABLE)

    assert stands(world, ref) == ("handoff_pending", "delivery_failed:30003")


@pytest.mark.parametrize("status", [Status.CLOSED, Status.OPTED_OUT])
def test_a_failure_that_comes_late_brings_nothing_back_that_is_over(
    world: World, status: Status
) -> None:
    ref = world.begin("sms")
    write(world)
    end(world, ref, status)

    told(world, ref, "undelivered", **UNREACHABLE)

    assert stands(world, ref) == (status, "ended")
    assert world.state(ref)["mode"] == "closed"
    assert ours(world, ref)["delivery_status"] == "failed"


@pytest.mark.parametrize("status", [Status.CLOSED, Status.OPTED_OUT])
def test_a_first_message_that_failed_late_begins_nothing_elsewhere_once_it_is_over(
    world: World, status: Status
) -> None:
    world.change(fallback_channels=["email"])
    ref = world.begin("sms")
    end(world, ref, status)

    told(world, ref, "undelivered", **UNREACHABLE)

    assert stands(world, ref)[0] == status
    assert len(world.sent()) == 1


def test_a_failure_takes_nothing_from_whoever_has_the_conversation(world: World) -> None:
    world.change(fallback_channels=["email"])
    ref = world.begin("sms")
    take_over(world, ref)

    told(world, ref, "undelivered", **UNREACHABLE)

    assert stands(world, ref) == ("handoff_active", "taken_over")
    assert len(world.sent()) == 1


def test_what_waits_for_a_person_keeps_its_reason(world: World) -> None:
    ref = world.begin("sms")
    write(world, "Can I talk to a human please")

    told(world, ref, "undelivered", **UNREACHABLE)

    assert stands(world, ref) == ("handoff_pending", "ai")


def test_who_looked_before_somebody_ended_it_does_not_bring_it_back(world: World) -> None:
    ref = world.begin("sms")
    here = aside(world)
    seen = arriving.opened(here, ref)
    write(world, "STOP")

    cause = Cause(who="provider", what="late", reason="delivery_failed:30003")
    moving.move(here, seen, Status.HANDOFF_PENDING, cause)

    assert stands(world, ref) == ("opted_out", "said_stop")
    assert world.state(ref)["mode"] == "closed"
    write(world, "Hello?", "n")
    assert stands(world, ref)[0] == "opted_out"


# Ranks


@pytest.mark.parametrize(
    "words",
    [
        ["queued", "sent", "delivered", "read"],
        ["read", "delivered", "sent", "queued"],
        ["delivered", "read", "read", "delivered", "undelivered"],
        ["read", "sent", "played", "failed"],
    ],
    ids=["in order", "reversed", "repeated", "played"],
)
def test_a_message_only_moves_up_whatever_the_order(world: World, words: list[str]) -> None:
    ref = world.begin("whatsapp")

    for word in words:
        told(world, ref, word)

    assert ours(world, ref)["delivery_status"] == "read"
    assert stands(world, ref)[0] == "initial_message_sent"


def test_a_status_that_comes_again_changes_nothing(world: World) -> None:
    ref = world.begin("sms")
    told(world, ref, "delivered")
    before = world.rows()

    world.clock.ms += DAY_MS
    told(world, ref, "delivered")

    after = world.rows()
    moved = {key for key, row in after.items() if before.get(key) != row}
    assert {key[2].partition("#")[0] for key in moved} <= {"MSG"}  # when it was told
    assert before.keys() == after.keys()


def test_a_status_that_is_faster_than_the_answer_to_the_send_finds_its_message(
    world: World,
) -> None:
    status, answer = world.ask(cast.request("sms"))
    assert status == 200
    ref = answer["conversation_ref"]

    def early(call: str) -> bool:
        """Twilio calls back, and it is taken in, before the worker has linked the id."""
        if call.startswith("dynamodb.PutItem OUT#"):
            world.wire.fails_if = lambda _: False
            (action,) = (row for key, row in world.rows().items() if key[1].startswith("ACTION#"))
            world.status(call.rpartition("#")[2], "delivered", action["actionId"])
            take_status(world)
            assert ours(world, ref)["delivery_status"] == "delivered"
        return False

    world.wire.fails_if = early
    world.work_off()

    assert ours(world, ref)["delivery_status"] == "delivered"
    assert stands(world, ref)[0] == "initial_message_sent"


def test_a_failure_that_is_faster_than_our_own_writes_stays_one(world: World) -> None:
    status, answer = world.ask(cast.request("sms"))
    assert status == 200
    ref = answer["conversation_ref"]

    def early(call: str) -> bool:
        """Twilio calls back, and it is taken in, before the worker has linked the id."""
        if call.startswith("dynamodb.PutItem OUT#"):
            world.wire.fails_if = lambda _: False
            (action,) = (row for key, row in world.rows().items() if key[1].startswith("ACTION#"))
            sid = call.rpartition("#")[2]
            world.status(sid, "undelivered", action["actionId"], **UNREACHABLE)
            take_status(world)
        return False

    world.wire.fails_if = early
    world.work_off()

    assert ours(world, ref)["delivery_status"] == "failed"
    assert stands(world, ref) == ("failed", "delivery_failed:30003")
    assert len(world.conversation(ref)["messages"]) == 1


def test_a_late_word_about_a_first_message_says_nothing_of_the_one_after_it(world: World) -> None:
    world.change(fallback_channels=["email"], allowed_channels=["sms", "whatsapp"])
    world.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=400
    )
    ref = asked(world)
    assert stands(world, ref)[0] == "failed"
    first = ours(world, ref)
    world.change(allowed_channels=["sms", "whatsapp", "email"])
    release(world, ref)
    assert stands(world, ref) == ("initial_message_sent", None)
    sent = len(world.sent())

    told_of(world, first, "undelivered")

    assert stands(world, ref) == ("initial_message_sent", None)
    assert len(world.sent()) == sent


def test_what_is_said_after_a_failure_changes_nothing(world: World) -> None:
    ref = world.begin("sms")
    told(world, ref, "undelivered", **UNREACHABLE)

    told(world, ref, "delivered")

    assert ours(world, ref)["delivery_status"] == "failed"
    assert stands(world, ref) == ("failed", "delivery_failed:30003")


# In doubt


def in_doubt(world: World, status: int = 500) -> None:
    """The answer to the next send is lost."""
    world.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=status
    )


def test_a_first_message_in_doubt_is_found_to_have_arrived(world: World) -> None:
    in_doubt(world)
    ref = asked(world)
    world.settle()
    assert stands(world, ref) == ("failed", "unknown")

    world.status("SM" + "e" * 32, "delivered", action_of(world, ref))
    world.work_off()

    assert stands(world, ref)[0] == "initial_message_sent"
    assert world.conversation(ref)["task_complete"] == 1
    (entry,) = world.conversation(ref)["messages"]
    message = ours(world, ref)
    assert entry["entry_id"] == message["entry_id"]
    assert (message["delivery_status"], message.get("error_code")) == ("delivered", None)
    assert message["provider_message_id"] == "SM" + "e" * 32
    write(world)
    assert stands(world, ref)[0] == "reply_sent"


def test_an_answer_in_doubt_is_found_to_have_arrived_and_people_keep_the_conversation(
    world: World,
) -> None:
    ref = world.begin("sms")
    in_doubt(world)
    write(world)
    world.settle()
    assert stands(world, ref) == ("handoff_pending", "send_in_doubt")

    answer = next(m for m in world.log(ref) if m.get("delivery_status") == "unknown")
    told_of(world, answer, "sent")

    assert stands(world, ref)[0] == "handoff_pending"
    shown = [entry["entry_id"] for entry in world.conversation(ref)["messages"]]
    assert answer["entry_id"] in shown


def test_what_was_in_doubt_and_failed_stays_failed(world: World) -> None:
    in_doubt(world)
    ref = asked(world)
    world.settle()

    world.status("SM" + "e" * 32, "undelivered", action_of(world, ref), **UNREACHABLE)
    world.work_off()

    assert stands(world, ref) == ("failed", "delivery_failed:30003")
    told_of(world, ours(world, ref), "delivered")
    assert stands(world, ref) == ("failed", "delivery_failed:30003")


def action_of(world: World, ref: str) -> str:
    """The action of the only send of a conversation."""
    return references.action_id(ref, str(ours(world, ref)["turn_id"]))


def told_of(world: World, message: dict[str, Any], word: str) -> None:
    """Twilio tells of a message whose id nobody knew until now."""
    ref = str(message["pk"]).partition("#")[2]
    action = references.action_id(ref, str(message["turn_id"]))
    world.status("SM" + "f" * 32, word, action)
    world.work_off()


# What a status says of the person


def event_of_ses(world: World, ref: str, status: str, **facts: Any) -> DeliveryStatus:
    """What SES says of the newest mail, as the other context forwards it: by SES's own id, and our action."""
    message = ours(world, ref)
    return DeliveryStatus(**{
        "provider": "ses",
        "provider_message_id": str(message["provider_message_id"]).partition("@")[0],
        "account": "arn:aws:ses",
        "channel_method": "email",
        "action_id": references.action_id(ref, str(message["turn_id"])),
        "status": status,
        "occurred_at": clock.to_text(world.clock.ms),
        **facts,
    })  # fmt: skip


def test_who_complains_of_a_mail_has_opted_out_everywhere(world: World) -> None:
    ref = world.begin("email")

    world.tell(event_of_ses(world, ref, "Complaint", error_code="abuse"))
    world.work_off()

    assert stands(world, ref) == ("opted_out", "complaint")
    assert stands(world, asked(world, "sms", "req-2")) == ("blocked", "opted_out")


def test_who_takes_a_mail_out_of_the_spam_folder_has_not_left(world: World) -> None:
    ref = world.begin("email")

    world.tell(event_of_ses(world, ref, "Complaint", error_code="not-spam"))
    world.work_off()

    assert stands(world, ref)[0] == "initial_message_sent"


def test_a_complaint_that_comes_again_does_not_undo_a_later_wish(world: World) -> None:
    ref = world.begin("email")
    complaint = event_of_ses(world, ref, "Complaint")
    world.tell(complaint)
    world.work_off()
    world.clock.ms += HOUR_MS
    world.tell(mail(world, "m", "START"))
    world.work_off()
    assert stands(world, ref)[0] == "initial_message_sent"

    world.clock.ms += HOUR_MS
    world.tell(complaint)
    world.work_off()

    assert stands(world, ref)[0] == "initial_message_sent"


def test_a_number_that_told_twilio_to_stop_is_known_by_the_status_too(world: World) -> None:
    ref = world.begin("sms")

    told(world, ref, "undelivered", ErrorCode="21610")

    assert stands(world, ref)[0] == "opted_out"
    assert stands(world, asked(world, "email", "req-2")) == ("blocked", "opted_out")


def test_a_hard_bounce_fails_the_conversation_and_the_address_is_not_tried_again(
    world: World,
) -> None:
    ref = world.begin("email")
    bounce = {"bounce": {"bounceType": "Permanent", "bounceSubType": "General"}}

    world.tell(event_of_ses(world, ref, "Bounce", error_code="5.1.1", extra=bounce))
    world.work_off()

    assert stands(world, ref) == ("failed", "delivery_failed:5.1.1")
    again = asked(world, "email", "req-2")
    assert stands(world, again) == ("failed", "address_unusable")
    assert world.log(again) == []  # Nobody worded anything.
    assert len(world.sent()) == 1


def test_after_a_soft_bounce_the_address_is_tried_again(world: World) -> None:
    ref = world.begin("email")

    world.tell(event_of_ses(world, ref, "Bounce", error_code="Transient"))
    world.work_off()

    assert stands(world, ref)[0] == "failed"
    assert stands(world, asked(world, "email", "req-2"))[0] == "initial_message_sent"


# What was called failed, and arrives


def by_request(world: World, request_id: str) -> str:
    """The conversation of a request: its `ref`."""
    rows = [row for key, row in world.rows().items() if key[0] == "conversations"]
    (found,) = (row["conversation_id"] for row in rows if row["request_id"] == request_id)
    return references.ref_of(str(found))


def test_where_a_failed_first_message_arrives_after_all_no_further_channel_is_tried(
    world: World,
) -> None:
    world.change(fallback_channels=["whatsapp", "email"])
    ref = world.begin("sms")
    told(world, ref, "undelivered", **UNREACHABLE)
    second = by_request(world, "req-1-f1")

    told(world, ref, "delivered")
    told(world, second, "undelivered", **UNREACHABLE)

    assert stands(world, ref) == ("failed", "delivery_failed:30003")
    assert stands(world, second) == ("failed", "delivery_failed:30003")
    assert len(world.sent()) == 2
    assert mails(world) == []


def test_what_was_to_go_out_elsewhere_does_not_once_the_first_has_arrived(world: World) -> None:
    world.change(fallback_channels=["email"])
    ref = world.begin("sms")
    world.switch(safe_mode="true")
    told(world, ref, "undelivered", **UNREACHABLE)
    (by_mail,) = mails(world)
    assert stands(world, by_mail) == ("deferred", "safe_mode")

    told(world, ref, "delivered")
    world.switch(safe_mode="false")
    world.settle()

    assert stands(world, by_mail) == ("blocked", "arrived_before")
    assert len(world.sent()) == 1


# An address that a channel does not reach


def test_what_is_no_mobile_is_not_written_to_again_and_the_next_channel_is_taken(
    world: World,
) -> None:
    world.change(fallback_channels=["email"], policy={"quiet_hours": None})
    landline = {"recipient_tel": "+15005550009"}
    asked(world, **landline)
    sent = len(world.sent())

    ref = asked(world, "sms", "req-2", **landline)

    assert stands(world, ref) == ("failed", "address_unusable")
    assert [m["operation"] for m in operations(world)[sent:]] == ["SendEmail"]
    by_mail = world.conversation(mails(world)[-1])
    assert (by_mail["request_id"], by_mail["channel_method"]) == ("req-2-f1", "email")


def operations(world: World) -> list[dict[str, str]]:
    return [{"operation": entry.operation} for entry in world.sandbox.sent]


def mails(world: World) -> list[str]:
    """The conversations over mail, oldest first."""
    rows = [row for key, row in world.rows().items() if key[0] == "conversations"]
    found = sorted((row for row in rows if row["channel_method"] == "email"), key=by_creation)
    return [references.ref_of(str(row["conversation_id"])) for row in found]


def by_creation(row: dict[str, Any]) -> str:
    return str(row["created_at"])


def test_an_answer_that_the_channel_would_not_carry_is_a_persons(world: World) -> None:
    ref = world.begin("whatsapp")
    world.whatsapp("m", "Which shift is it?")
    world.take_in()
    world.clock.ms += 1_000
    told_now(world, ref, "failed", ErrorCode="63024")

    world.work_off()

    assert stands(world, ref) == ("handoff_pending", "address_unusable")
    assert len(world.sent()) == 1


def told_now(world: World, ref: str, word: str, **fields: str) -> None:
    """Twilio tells it before anybody answers."""
    world.status(ours(world, ref)["provider_message_id"], word, **fields)
    take_status(world)


def take_status(world: World) -> None:
    """The one status that waits is taken in, and nothing else."""
    name = next(name for name in world.workers if name.endswith("statuses.fifo"))
    (status,) = world.lanes.queues[name].receive(1)
    world.run_worker(name, status)


def test_who_writes_from_an_address_has_shown_that_it_works(world: World) -> None:
    ref = world.begin("sms")
    told(world, ref, "undelivered", ErrorCode="21614")
    world.clock.ms += HOUR_MS

    write(world)

    assert len(said(world, ref)) == 1  # the answer: nobody got the first message
    assert stands(world, asked(world, "sms", "req-2"))[0] == "initial_message_sent"


def test_an_old_message_that_comes_again_does_not_hide_a_newer_verdict(world: World) -> None:
    ref = world.begin("sms")
    write(world)
    world.clock.ms += HOUR_MS
    told(world, ref, "undelivered", ErrorCode="21614")

    world.clock.ms += HOUR_MS
    world.webhook(twilio_again(world))
    world.work_off()

    assert stands(world, asked(world, "sms", "req-2")) == ("failed", "address_unusable")


def twilio_again(world: World) -> dict[str, Any]:
    return twilio.post(twilio.text("m", "Which shift is it?"))


def test_an_address_that_is_dead_on_one_channel_lives_on_another(world: World) -> None:
    ref = world.begin("whatsapp")
    told(world, ref, "failed", ErrorCode="63024")

    assert stands(world, asked(world, "sms", "req-2"))[0] == "initial_message_sent"


# Of nobody


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the metrics that were counted."""
    names: list[str] = []
    monkeypatch.setattr(metrics, "add_metric", lambda name, *_: names.append(name))
    return names


def test_a_status_of_no_message_of_ours_is_kept_and_alarms_nobody(
    world: World, counted: list[str]
) -> None:
    world.begin("sms")

    world.status("SM" + "0" * 32, "delivered", "of-another-context")
    world.work_off()

    assert world.parked() == ["unknown_message"]
    assert counted.count("UnmatchedStatus") == 1
    assert not {"Parked", "ComesBack"} & set(counted)


def test_a_status_without_an_action_waits_for_its_message_to_be_linked(
    world: World, counted: list[str]
) -> None:
    ref = world.begin("sms")
    linked = next(key for key in world.rows() if key[1].startswith("OUT#"))
    item = world.row(*linked)
    assert item is not None
    world.remove(*linked)

    world.status(linked[1].rpartition("#")[2], "delivered")
    take_status(world)
    assert ours(world, ref)["delivery_status"] == "accepted"
    world.write("log", item)
    world.work_off()

    assert ours(world, ref)["delivery_status"] == "delivered"
    assert world.parked() == []


def test_a_status_that_nobody_ever_waits_for_is_given_up_when_no_send_can_be_under_way(
    world: World, counted: list[str]
) -> None:
    world.begin("sms")

    world.status("SM" + "0" * 32, "delivered")
    world.work_off()

    assert world.parked() == ["unknown_message"]
    assert "Parked" not in counted
