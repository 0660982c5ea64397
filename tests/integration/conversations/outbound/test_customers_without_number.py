"""WhatsApp customers without a phone number, answered through Twilio by their business-scoped user id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.lifecycle.records.commands import HumanMessage
from events.conversations import sample_data
from tests.integration.conversations.outbound.delivery_reports import newest_sent, report_status
from tests.integration.conversations.steps import MINUTE_MS, enqueue, release, status_of, texts_by

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

USER_ID = "US.13491208655302741918"
ADDRESS = f"whatsapp:{USER_ID}"


def begin(system: System, **recipient: Any) -> str:
    person = {"recipient_first_name": "Ann", "recipient_user_id": USER_ID, "comms_consent": True}
    return system.begin("whatsapp", recipient_data=person | recipient)


def write(system: System, name: str = "w", text: str = "Which shift is it?") -> None:
    """The customer writes: Twilio's webhook has the user id in place of the number."""
    system.whatsapp(name, text, From=ADDRESS, ExternalUserId=ADDRESS, WaId="")
    system.drain()


def recipients(system: System) -> list[str]:
    return [message.to for message in system.sandbox.texts.messages]


def test_first_message_and_answer_go_to_the_user_id(system: System) -> None:
    ref = begin(system)

    write(system)

    assert recipients(system) == [ADDRESS, ADDRESS]
    assert status_of(system, ref) == ("reply_sent", None)


def test_a_customer_who_begins_without_a_number_is_answered(system: System) -> None:
    system.set_up(sample_data.project(accept_inbound=True))
    system.begin("whatsapp")  # Now the number belongs to the project.

    write(system)

    assert recipients(system)[1:] == [ADDRESS]


def test_a_lost_answer_is_found_in_the_list_by_the_user_id(system: System) -> None:
    ref = begin(system)
    system.sandbox.faults.add(kind="lost_answer", provider="twilio", operation="create_message")

    # The list shows the rendered template of the first message, and the text of the answer.
    write(system)
    system.settle()

    assert status_of(system, ref) == ("reply_sent", None)
    assert len(recipients(system)) == 2


def test_a_refused_user_id_is_unsupported_and_agents_see_it(system: System) -> None:
    ref = begin(system)
    system.sandbox.texts.refuses_user_ids = True

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "unsupported:21211")
    message = newest_sent(system, ref)
    assert (message["delivery_status"], message["error_code"]) == ("failed", "unsupported:21211")


def test_the_address_stays_usable(system: System) -> None:
    ref = begin(system)
    system.sandbox.texts.refuses_user_ids = True
    write(system)
    system.sandbox.texts.refuses_user_ids = False

    record = HumanMessage(ref=ref, cause="c", agent_id="eve", text="Eve here")
    enqueue(system, record, ref, "human")

    assert texts_by(system, ref, "human:eve") == ["Eve here"]


def test_a_refused_first_message_waits_for_agents_who_can_release_it(system: System) -> None:
    system.set_up(sample_data.project())
    system.sandbox.texts.refuses_user_ids = True
    ref = begin(system)
    assert status_of(system, ref) == ("handoff_pending", "unsupported:21211")
    system.sandbox.texts.refuses_user_ids = False
    system.clock.ms += MINUTE_MS

    release(system, ref)

    assert status_of(system, ref) == ("initial_message_sent", None)


def test_a_refused_first_message_uses_the_fallback_channel(system: System) -> None:
    system.set_up(sample_data.project(fallback_channels=["email"]))
    system.sandbox.texts.refuses_user_ids = True

    ref = begin(system, recipient_email=sample_data.CANDIDATE_EMAIL)

    assert status_of(system, ref) == ("handoff_pending", "unsupported:21211")
    assert [sent.provider for sent in system.sandbox.sent] == ["openai", "openai", "ses"]


def test_a_status_that_calls_the_user_id_invalid_makes_no_address_unusable(system: System) -> None:
    ref = begin(system)
    write(system)

    report_status(system, ref, "undelivered", ErrorCode="63024", To=ADDRESS)

    assert status_of(system, ref) == ("handoff_pending", "unsupported:63024")
    assert not [key for key in system.rows() if "UNREACHABLE" in str(key)]
