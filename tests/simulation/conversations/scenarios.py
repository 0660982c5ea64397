"""Actions of a company, a customer and agents; each scenario goes through the crash matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from events.conversations import sample_data, twilio
from local.sandbox.accounts.text_messages import TextMessage, media_sid
from shared.events.exchange import DeliveryStatus
from shared.runtime import clock

if TYPE_CHECKING:
    from tests.simulation.conversations.system import Snapshot, System

type Steps = Callable[[System], object]


@dataclass(frozen=True)
class Scenario:
    """*before* runs without crashes; workers crash during *steps*."""

    name: str
    steps: Steps
    before: Steps = lambda _: None

    def begin(self, system: System) -> Snapshot:
        """Run everything before the steps; return the snapshot of the system."""
        self.before(system)
        system.settle()
        self.steps(system)
        start = system.snapshot()
        system.new_process()  # Like each run that is compared with this one.
        system.interceptor.rewind()
        return start


def _requests(channel: str) -> Steps:
    def steps(system: System) -> None:
        status, answer = system.ask(sample_data.request(channel))
        assert status == 200, answer

    return steps


def _started(system: System) -> None:
    system.begin("sms")


def _burst(system: System) -> None:
    system.text("one", "Yes I do")
    system.text("two", "a full one")
    system.text("three", "for ten years")
    # A crash in one of them would let the others be answered first: another scenario.
    system.run_intake()


def _customer_writes(name: str, text: str) -> Steps:
    return lambda system: system.text(name, text)


def _without_an_answer(system: System) -> None:
    """The model did not know the answer of a question, and has offered a person."""
    system.begin("sms")
    system.text("once", "Is there a canteen?")
    system.drain()


def _with_reviews(system: System) -> None:
    system.set_up(sample_data.project(auto_queue_initial_message=True))


def _reports_status(word: str, **fields: str) -> Steps:
    def steps(system: System) -> None:
        (row,) = (row for key, row in system.rows().items() if key[1].startswith("OUT#"))
        sid = next(key[1] for key in system.rows() if key[1].startswith("OUT#")).rpartition("#")[2]
        system.status(sid, word, row["action_id"], **fields)

    return steps


def _opted_out(system: System) -> None:
    system.begin("sms")
    system.text("first", "STOP")


def _email_sent(system: System) -> None:
    system.begin("email")


def _complained(system: System) -> None:
    action = _only_action(system)
    status = DeliveryStatus(
        provider="ses",
        provider_message_id="0102-of-ses",
        account="arn:aws:ses",
        channel_method="email",
        action_id=action,
        status="Complaint",
        occurred_at=clock.to_text(system.clock.ms),
    )
    system.forward(status)


def _send_unknown(system: System) -> None:
    """The send of the first message is unknown."""
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=500
    )
    system.ask(sample_data.request("sms"))


def _delivered_later(system: System) -> None:
    system.status("SM" + "e" * 32, "delivered", _only_action(system))


def _failed_later(system: System) -> None:
    system.status("SM" + "e" * 32, "undelivered", _only_action(system), ErrorCode="30003")


def _only_action(system: System) -> str:
    (action,) = (row["actionId"] for key, row in system.rows().items() if "ACTION#" in key[1])
    return str(action)


def _accepts_unknown_senders(system: System) -> None:
    system.set_up(sample_data.project(accept_inbound=True))
    system.begin("sms", request_id="req-0", recipient_data={
        "recipient_first_name": "Bob", "recipient_tel": "+447700900456", "comms_consent": True,
    })  # fmt: skip


def sends_pictures(system: System, name: str, files: int, media_type: str = "image/jpeg") -> None:
    """The candidate sends an MMS: Twilio has the files, and its webhook names their addresses."""
    sid = twilio.sid_of(name)
    account = f"{system.sandbox.url}/2010-04-01/Accounts/{twilio.ACCOUNT}"
    system.sandbox.texts.messages.append(
        TextMessage(
            sid=sid,
            account_sid=twilio.ACCOUNT,
            direction="inbound",
            sender=twilio.CUSTOMER,
            to=twilio.SMS_NUMBER,
            body="",
            status="received",
            at=system.clock.ms / 1_000,
            segments=1,
            media=["-"] * files,
        )
    )
    named = {
        f"MediaUrl{number}": f"{account}/Messages/{sid}/Media/{media_sid(sid, number)}"
        for number in range(files)
    }
    kinds = {f"MediaContentType{number}": media_type for number in range(files)}
    system.text(name, "", NumMedia=str(files), **named, **kinds)


def _two_pictures(system: System) -> None:
    sends_pictures(system, "pictures", 2)
    # A crash in the intake would let the answer of another run be the first one: another scenario.
    system.run_intake()


def _unavailable_picture(system: System) -> None:
    system.sandbox.faults.add(kind="status", provider="twilio", operation="get_media", status=503)
    sends_pictures(system, "pictures", 1)


def _with_voice_notes(system: System) -> None:
    """A project that transcribes voice notes, and whose agents reply: no answer depends on the time of the text."""
    ai = sample_data.project()["ai_config"] | {"transcription": {"provider": "scripted"}}
    system.set_up(sample_data.project(ai_config=ai, auto_queue_reply_message=True))
    system.begin("sms")


def _voice_note(system: System) -> None:
    sends_pictures(system, "note", 1, "audio/ogg")
    system.run_intake()


_TEA = {"project_id": sample_data.PROJECT, "set_name": "tea"}
_SET = "POST /projects/{project_id}/sets/{set_name}"


def with_set(system: System) -> None:
    """A project has a set of two scenarios."""
    asks = {"says": "Is there tea?", "answers": ["Yes, we have tea."]}
    names = ("one", "two")
    scenarios = [{"name": name, "turns": [asks]} for name in names]
    system.call_admin_api(_SET, {"scenarios": scenarios}, **_TEA)


def run_begins(system: System) -> None:
    """The set is run with recorded answers."""
    system.call_admin_api(f"{_SET}/runs", {"recorded": True}, **_TEA)


def with_trial(**trial: object) -> Steps:
    """A version of the project is on trial."""

    def steps(system: System) -> None:
        of_project = {"project_id": sample_data.PROJECT}
        settings = {"company_rep": {"company_rep_1": "Eve"}}
        line = "POST /projects/{project_id}"
        made = system.call_admin_api(f"{line}/versions", {"settings": settings}, **of_project)
        body = {"version": made["number"], **trial}
        system.call_admin_api(f"{line}/trials", body, **of_project)
        system.new_process()

    return steps


def _started_with_shadow(system: System) -> None:
    _started(system)
    with_trial(mode="shadow", most_answers=5)(system)


FIRST_SMS = Scenario("a first SMS", _requests("sms"))
REPLY = Scenario("three fragments and one answer", _burst, _started)
EVERY = (
    FIRST_SMS,
    Scenario("a first WhatsApp message", _requests("whatsapp")),
    Scenario("a first mail", _requests("email")),
    Scenario("a first message that people review", _requests("sms"), _with_reviews),
    REPLY,
    Scenario(
        "a request for a person", _customer_writes("p", "Can I talk to a human please"), _started
    ),
    Scenario("stop", _customer_writes("s", "STOP"), _started),
    Scenario(
        "an opt-out in other words", _customer_writes("n", "do not contact me again"), _started
    ),
    Scenario("help", _customer_writes("h", "HELP"), _started),
    Scenario(
        "a message of an unknown sender",
        _customer_writes("x", "Is the job still open?"),
        _accepts_unknown_senders,
    ),
    Scenario("a delivery", _reports_status("delivered"), _started),
    Scenario("a failed delivery", _reports_status("undelivered", ErrorCode="30003"), _started),
    Scenario("an invalid number", _reports_status("undelivered", ErrorCode="21614"), _started),
    Scenario("a stop, for the second time", _customer_writes("t", "STOP"), _opted_out),
    Scenario("a complaint", _complained, _email_sent),
    Scenario("a delivery status of an unknown send", _delivered_later, _send_unknown),
    Scenario("a failure status of an unknown send", _failed_later, _send_unknown),
    Scenario("two pictures", _two_pictures, _started),
    Scenario("a voice note", _voice_note, _with_voice_notes),
    Scenario("a picture that is not available at first", _unavailable_picture, _started),
    Scenario("a run of an evaluation", run_begins, with_set),
    Scenario(
        "an answer with a version in shadow",
        _customer_writes("v", "Which shift is it?"),
        _started_with_shadow,
    ),
    Scenario(
        "a first SMS in the share of a trial",
        _requests("sms"),
        with_trial(mode="share", share=100),
    ),
    Scenario(
        "a question without an answer",
        _customer_writes("twice", "And where can cyclists leave their bikes?"),
        _without_an_answer,
    ),
)


def by_name(*names: str) -> list[Scenario]:
    """The scenarios with these names."""
    found = {scenario.name: scenario for scenario in EVERY}
    return [found[name] for name in names]
