"""Erasure of a person: all personal data are deleted, and opt-outs stay in force."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conversations.privacy import erasure
from conversations.store import messages, routes, states
from conversations.store.items import identifiers
from conversations.store.items.routes import Outbound
from events.conversations import cast
from events.conversations.twilio import SMS_NUMBER
from shared.aws.sqs_fifo import Entry, digest
from shared.consent.records import Consents
from shared.events import DeliveryStatus
from shared.failures import Transient
from shared.recovery import quota
from shared.runtime import clock
from tests.integration.conversations.acts import aside, queue_name, stands, start_conversation
from tests.integration.conversations.leaving import (
    ANN,
    BARE,
    MAIL,
    STRANGER,
    USER_ID,
    WORDS,
    received,
    talked,
)
from tests.integration.conversations.neighbour import set_up_neighbour
from tests.integration.conversations.test_finding_people import at_aws
from tests.simulation.conversations.erasing import erase, eraser, traces

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


def now(world: World) -> str:
    return clock.to_text(world.clock.ms)


@pytest.mark.parametrize("channel", ["sms", "whatsapp"])
def test_erasure_deletes_all_personal_data(world: World, channel: str) -> None:
    ref = talked(world, channel)
    world.text("long", "night shift " * 2_000)
    world.work_off()

    done = erase(world)

    assert traces(world, *WORDS) == []
    assert done.conversations == 1
    assert done.messages >= 3
    state = world.state(ref)
    assert set(state) == {"pk", "sk", "item_type", "erased_at", "ttl"}
    assert [
        key for key in world.rows() if key[1].startswith(("OPEN#", "ROUTE#", "IN#", "OUT#"))
    ] == []


def test_a_long_text_and_files_are_deleted_from_the_bucket(world: World) -> None:
    start_conversation(world)
    world.text("long", "night shift " * 2_000)
    world.work_off()
    before = len(world.objects())

    done = erase(world)

    assert (before, done.files, world.objects()) == (1, 1, {})


def test_all_channels_of_the_person_are_erased_by_one_address(world: World) -> None:
    sms, mail = (
        start_conversation(world, recipient_email=MAIL),
        start_conversation(world, "email", "req-2"),
    )

    done = erase(world)

    assert (done.addresses, done.conversations) == (2, 2)
    assert traces(world, BARE, MAIL) == []
    assert states.is_erased(aside(world).log, sms)
    assert states.is_erased(aside(world).log, mail)


def test_a_whatsapp_user_is_erased_by_their_number_under_both_ids(world: World) -> None:
    start_conversation(world, "whatsapp")
    world.whatsapp("a", "Is there a night shift?", ExternalUserId=f"whatsapp:{USER_ID}")
    world.work_off()

    done = erase(world)

    assert done.addresses == 3  # the request contains their email address
    assert traces(world, *WORDS) == []


def test_no_other_person_is_erased(world: World) -> None:
    start_conversation(world)
    other = start_conversation(
        world, request_id="req-2", recipient_tel=STRANGER, recipient_email="bob@example.com"
    )
    set_up_neighbour(world)
    of_neighbour = {"company_id": "ci-bbb-001", "project_id": cast.PROJECT}
    status, answer = world.ask(
        cast.request("sms", "req-3", company_data=of_neighbour), company="ci-bbb-001"
    )
    world.work_off()

    erase(world)

    assert status == 200
    assert stands(world, other)[0] == "initial_message_sent"
    assert stands(world, str(answer["conversation_ref"]))[0] == "initial_message_sent"


def test_an_opt_out_stays_in_force(world: World) -> None:
    talked(world)
    world.text("s", "STOP")
    world.work_off()

    erase(world)

    assert Consents(aside(world).log).standing(cast.COMPANY, [ANN], "sms").is_opted_out
    ref = start_conversation(world, request_id="req-2")
    assert stands(world, ref) == ("blocked", "opted_out")


def test_the_ledger_loses_the_recipient_and_keeps_the_action(world: World) -> None:
    talked(world)

    erase(world)

    actions = [row for key, row in world.rows().items() if key[1].startswith("ACTION#")]
    assert actions
    assert all(row["state"] in {"sent", "confirmed"} for row in actions)
    assert not any({"recipientHash", "bodyHash", "providerId"} & set(row) for row in actions)


def test_unmatched_messages_are_erased(world: World) -> None:
    bob = {"recipient_first_name": "Bob", "recipient_email": "bob@example.com"}
    start_conversation(world, recipient_tel=STRANGER, **bob)
    world.text("a", "Is there a night shift?")
    world.text("b", "Hello", From="+447700900789")
    world.work_off()

    done = erase(world)

    assert done.unmatched == 1
    assert traces(world, *WORDS) == []
    assert len(traces(world, "447700900789")) == 1


def test_parked_events_with_the_persons_address_are_erased_with_their_text(world: World) -> None:
    ref = talked(world)
    for record in ({"type": "dance", "ref": ref}, {"type": "dance", "ref": "another"}):
        world.lanes.put(
            queue_name(world, "sms"),
            Entry(json.dumps(record), digest("g"), digest(json.dumps(record))),
        )
    world.lanes.put(
        queue_name(world, "sms"), Entry(f'{{"tel": "{ANN}', digest("g"), digest("broken"))
    )
    world.tell(received(world, "x", "2026-01-01T12:00:00.000Z"))  # at an unused address
    world.remove("log", f"ADDR#sms#{SMS_NUMBER}", f"{cast.COMPANY}#{cast.PROJECT}")
    world.work_off()
    assert len(world.parked()) == 4

    done = erase(world)

    assert (done.parked, len(world.parked()), len(world.objects())) == (3, 1, 1)
    assert traces(world, *WORDS) == []


def test_parked_events_over_the_quota_are_erased_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quota, "EVENTS_PER_DAY", 1)
    talked(world)
    world.remove("log", f"ADDR#sms#{SMS_NUMBER}", f"{cast.COMPANY}#{cast.PROJECT}")
    for name in ("x", "y"):
        theirs = received(world, name, "2026-01-01T12:00:00.000Z")
        world.tell(replace(theirs, customer_user_id=USER_ID))
        other = replace(theirs, customer_address=STRANGER, text="spam")
        world.tell(replace(other, provider_message_id=f"SM{name}"))
    world.work_off()
    assert len([key for key in world.objects() if "over-quota" in key]) >= 3

    erase(world)

    assert traces(world, *WORDS) == []
    assert [key for key in world.objects() if "over-quota" in key]


def test_erasure_does_not_read_parked_or_unmatched_events_of_other_senders(world: World) -> None:
    """A sender may fill both lists with thousands of events; erasing another person must not take longer for it."""
    talked(world)
    before = calls_of_erasing(world)
    talked(world.reset())
    for number in range(30):
        world.text(f"u{number}", "spam", From="+447700900789")
        at_nobody = received(world, f"p{number}", "2026-01-01T12:00:00.000Z")
        world.tell(
            replace(at_nobody, customer_address="+447700900789", business_address="+12025550199")
        )
    world.work_off()
    assert len(world.parked()) == 30

    assert calls_of_erasing(world) == before

    assert len(traces(world, "447700900789")) == 60


def calls_of_erasing(world: World) -> int:
    """How many AWS calls the erasure of the candidate takes."""
    first = len(world.wire.calls)
    erase(world)
    return len(world.wire.calls) - first


def test_a_parked_status_of_the_persons_message_is_erased_with_it(world: World) -> None:
    ref = talked(world)
    sid = next(m["provider_message_id"] for m in world.log(ref) if m["author"] != "customer")
    world.remove("log", f"OUT#twilio#{sid}", "#")
    world.status(sid, "delivered")
    world.work_off()
    assert world.parked() == ["unknown_message"]

    done = erase(world)

    assert (done.parked, world.parked(), world.objects()) == (1, [], {})


def test_the_stored_answer_to_the_request_no_longer_names_the_person(world: World) -> None:
    start_conversation(world)

    erase(world)

    status, answer = world.ask(cast.request("sms", "req-1"))
    assert status == 200
    assert "conversation_id" not in answer
    world.work_off()
    assert traces(world, *WORDS) == []


def test_remaining_copies_at_the_models_provider_are_reported(world: World) -> None:
    ref = start_conversation(world)
    row = world.conversation(ref)
    world.write("conversations", row | {"thread_id": "conv_1"})

    done = erasure.erase(eraser(world), cast.COMPANY, [ANN])

    assert (done.threads, done.threads_left) == (0, ["conv_1"])


def test_an_erasure_fails_while_new_conversations_keep_appearing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_conversation(world)
    numbers = iter(range(2, 10))

    def start_another(ms: int) -> None:
        world.clock.ms += ms
        start_conversation(world, request_id=f"req-{next(numbers)}")

    monkeypatch.setattr("shared.runtime.clock.sleep_ms", start_another)

    with pytest.raises(Transient, match="written_to_all_the_time"):
        erase(world)


def test_a_write_of_a_worker_that_started_before_the_erasure_is_erased_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = talked(world)
    resources = aside(world)
    late = messages.newest(resources.log, ref, 1)[0].model_copy(
        update={"message_timestamp": now(world)}
    )

    def worker_goes_on(ms: int) -> None:
        world.clock.ms += ms
        messages.add(resources.log, ref, late)
        marker = Outbound(ref=ref, message_sk="-", action_id="-")
        messages.link(resources.log, "twilio", str(late.provider_message_id), marker)

    monkeypatch.setattr("shared.runtime.clock.sleep_ms", worker_goes_on)

    erase(world)

    assert traces(world, *WORDS) == []
    assert [key for key in world.rows() if key[1].startswith("OUT#")] == []


def test_every_id_that_leads_to_a_message_is_deleted(world: World) -> None:
    at_aws(world)
    ref = start_conversation(world, "whatsapp")
    mail = start_conversation(world, "email", "req-2")
    message = world.log(ref)[0]
    status = DeliveryStatus(
        provider="aws_social", provider_message_id="wamid.of-meta", account="102290129340398",
        channel_method="whatsapp", action_id=identifiers.action_id(ref, message["turn_id"]),
        status="delivered", occurred_at=now(world),
    )  # fmt: skip
    world.tell(status)
    world.work_off()
    assert len([key for key in world.rows() if key[1].startswith("OUT#")]) == 3
    assert stands(world, mail)[0] == "initial_message_sent"

    erase(world)

    assert [key for key in world.rows() if key[1].startswith("OUT#")] == []
    world.tell(replace(status, action_id=None, status="read"))
    world.work_off()
    assert world.parked() == ["erased"]
    assert world.objects() == {}


def test_a_number_is_erased_under_every_spelling(world: World) -> None:
    numbers = ("+525512345678", "+5215512345678")
    ref = start_conversation(world, recipient_tel=numbers[0])
    item = world.conversation(ref)
    other = item["conversation_id"].replace("req-1", "req-7")
    imported = {
        "primary_channel": numbers[1],
        "recipient_tel": numbers[1],
        "conversation_id": other,
    }
    world.write("conversations", item | imported)

    done = erase(world, numbers[0])

    assert done.conversations == 2
    assert [key for key in world.rows() if key[0] == "conversations"] == []


def test_an_unreachable_address_is_deleted(world: World) -> None:
    ref = start_conversation(world)
    world.status(str(world.log(ref)[0]["provider_message_id"]), "undelivered", ErrorCode="21211")
    world.work_off()
    assert [key for key in world.rows() if key[1].startswith("UNREACHABLE#")]

    erase(world)

    assert [key for key in world.rows() if key[1].startswith("UNREACHABLE#")] == []


def test_an_erased_alias_matches_no_conversation(world: World) -> None:
    start_conversation(world, "whatsapp")
    world.whatsapp("a", "Hello", ExternalUserId=f"whatsapp:{USER_ID}")
    world.work_off()

    erase(world)

    assert routes.aliases(aside(world).log, cast.COMPANY, ANN) == []
    assert routes.aliases(aside(world).log, cast.COMPANY, f"bsuid:{USER_ID}") == []
