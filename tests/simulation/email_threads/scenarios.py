"""What happens to mail in the crash matrix: the system before it, and the deliveries that are disturbed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from email_threads.store.items import Automation
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import body_of
from shared.runtime import clock
from tests.simulation.email_threads import people
from tests.simulation.email_threads.mails import SENT, SES_ID, bounce, verified, with_files
from tests.simulation.email_threads.system import (
    ANN,
    ASSISTED,
    AUTOMATED,
    BOB,
    MAILBOX,
    MODEL,
    System,
    mail,
)

type Steps = Callable[[System], object]


@dataclass(frozen=True)
class Scenario:
    """*before* is done and settled; the work of *then* is killed at every call."""

    name: str
    then: Steps
    before: Steps = lambda _: None

    def __str__(self) -> str:
        return self.name


def _delivered(*raws: bytes, address: str = MAILBOX) -> Steps:
    def steps(system: System) -> None:
        for raw in raws:
            system.deliver(raw, name=f"{len(system.objects())}", address=address)

    return steps


def announced(system: System) -> None:
    """AI conversations have sent a mail."""
    entry = Entry(body_of(SENT), digest("outbound"), digest(SENT.action_id))
    system.fifo_queues.put(system.queue, entry)


def _expired(system: System) -> None:
    system.clock.ms += 30 * 86_400_000 + 1_000
    system.run_schedule()


def _replayed(system: System) -> None:
    system.register("sales@shop.example")
    (parked,) = system.parked()
    path = f"/email-threads/parked/{parked['event_id']}/replay"
    assert system.call("POST", path, {}, scopes="operator")[0] == 202


def _asked(*raws: bytes) -> Steps:
    """Mails to the mailbox whose answers a model drafts."""
    return _delivered(*raws, address=ASSISTED)


def _to_desk(message_id: str, body: str = "Do you sell chairs?", **more: Any) -> bytes:
    return mail(message_id, body, to=ASSISTED, **more)


def _automatic(system: System) -> None:
    system.register(
        ASSISTED,
        automation=Automation.EMAIL_THREADS,
        ai=MODEL,
        reply_mode="auto",
        auto_complete=True,
    )


def _approved(system: System) -> None:
    """A person approves every draft that waits."""
    for draft in system.drafts():
        path = draft["conversation_id"].replace("#draft#", "/replies/")
        version = {"version": int(draft["version"]), "confirm_stale": True}
        status, body = system.call("POST", f"/email-threads/{path}/approve", version)
        assert status == 202, body


def _composed(system: System) -> None:
    """A person drafts an answer with a file of the mail."""
    (stored,) = system.mails()
    thread = stored["conversation_id"].partition("#")[0]
    given = {"body_text": "Here it is again.", "attachments": [{"n": 1, "index": 1}]}
    status, body = system.call("POST", f"/email-threads/{thread}/replies", given)
    assert status == 201, body


def _composed_with_copies(system: System) -> None:
    """A person drafts an answer to the Reply-To, with the customer's copies and a blind copy."""
    (stored,) = system.mails()
    thread = stored["conversation_id"].partition("#")[0]
    given = {"body_text": "Yes, it is.", "bcc": ["zoe@quarry.example"]}
    status, body = system.call("POST", f"/email-threads/{thread}/replies", given)
    assert status == 201, body
    draft = system.drafts()[0]
    assert (draft["to"], draft["cc"]) == (["orders@field.example"], [BOB])


def _undoable(system: System) -> None:
    """The mailbox sends half a minute after an approval."""
    system.register(MAILBOX, undo_seconds=30)


def _undone(system: System) -> None:
    """A person approves the drafts, stops their send, and approves them again."""
    for step in ("approve", "undo", "approve"):
        for draft in system.drafts():
            path = draft["conversation_id"].replace("#draft#", "/replies/")
            version = {"version": int(draft["version"])}
            status, body = system.call("POST", f"/email-threads/{path}/{step}", version)
            assert status < 300, body


def _scheduled(system: System) -> None:
    """A person approves the drafts for a time in 16 minutes."""
    for draft in system.drafts():
        path = draft["conversation_id"].replace("#draft#", "/replies/")
        given = {
            "version": int(draft["version"]),
            "send_at": clock.to_text(system.clock.ms + 16 * 60_000),
        }
        status, body = system.call("POST", f"/email-threads/{path}/approve", given)
        assert status == 202, body


def _due(system: System) -> None:
    """The schedule queues the send, whose time comes in ten seconds."""
    system.clock.ms += 16 * 60_000 - 10_000
    system.run_schedule()


def _with_targets(system: System) -> None:
    """The mailbox has targets of two hours for the first response and a day for the resolution."""
    system.register(MAILBOX, first_response_minutes=120, resolution_minutes=24 * 60)


def _after(minutes: int) -> Steps:
    """The time passes, and the schedule queues what is due."""

    def steps(system: System) -> None:
        system.clock.ms += minutes * 60_000
        system.run_schedule()

    return steps


def _closing(system: System) -> None:
    """The mailbox closes answered threads after a day, and never reopens closed ones."""
    system.register(MAILBOX, auto_close_days=1, reopen_days=0)


def _asking(system: System) -> None:
    """The mailbox asks an hour after the end of a thread."""
    system.register(MAILBOX, satisfaction_delay_hours=1)


def _changed(**change: Any) -> Steps:
    """A person changes the only thread; `remind_at` is a number of minutes."""

    def steps(system: System) -> None:
        (thread,) = system.threads()
        given = dict(change)
        if "remind_at" in given:
            given["remind_at"] = clock.to_text(system.clock.ms + given["remind_at"] * 60_000)
        path = f"/email-threads/{thread['conversation_id']}"
        status, body = system.call("PATCH", path, given)
        assert status == 200, body

    return steps


def _blocking(system: System) -> None:
    """The mailbox leaves out mail of Ann."""
    system.register(MAILBOX, blocked_senders={ANN})


def _reported(event: str, **part: Any) -> Steps:
    return lambda system: system.report(event, part=part)


def _with_colleague(mailbox: str) -> Steps:
    """A colleague of the customer joins a thread, on weak evidence."""
    colleague = mail("b@x", sender="zoe@orchard.example", to=mailbox, in_reply_to="a@x")
    first = _delivered(mail("a@x", to=mailbox), address=mailbox)
    return _then(first, _delivered(colleague, address=mailbox))


def _admitted(system: System) -> None:
    """A person admits the second mail of the thread."""
    path = system.mails()[1]["conversation_id"].replace("#mail#0000000", "/emails/")
    status, body = system.call("POST", f"/email-threads/{path}/admit")
    assert status == 200, body


def _let_join(system: System) -> None:
    """A person lets a stranger join the thread that their mail names."""
    (thread,) = (one for one in system.threads() if one.get("join_requests"))
    (joining,) = thread["join_requests"]
    path = f"/email-threads/{thread['conversation_id']}/join-requests/{joining}/admit"
    status, body = system.call("POST", path)
    assert status == 202, body


def _later(system: System) -> None:
    system.clock.ms += 60_000


def _then(*steps: Steps) -> Steps:
    """Steps one after the other, each settled."""

    def all_steps(system: System) -> None:
        for step in steps:
            step(system)
            system.drain()

    return all_steps


def _merged(system: System) -> None:
    """A person merges the second thread into the first."""
    first, second = (
        one["conversation_id"].partition("#")[0]
        for one in sorted(system.mails(), key=lambda one: str(one["message_id"]))
    )
    status, body = system.call("POST", f"/email-threads/{second}/merge", {"into": first})
    assert status == 202, body


def _moved(step: str, **body: Any) -> Steps:
    """A person undoes the merge of the merged thread, or moves mails of the only one, or back from the new one."""

    def steps(system: System) -> None:
        heads = system.threads()
        (chosen,) = (
            one
            for one in heads
            if step == "split" or ("merged_into" if step == "unmerge" else "split_from") in one
        )
        given = dict(body)
        if step == "merge":
            given["into"] = chosen["split_from"]
        path = f"/email-threads/{chosen['conversation_id']}/{step}"
        status, answer = system.call("POST", path, given, key="the-same-call")
        assert status == 202, answer

    return steps


_SPLIT = _moved("split", mails=[1, 3])
_THREE = (_to_desk("a@x"), _to_desk("b@x", in_reply_to="a@x"), _to_desk("c@x", in_reply_to="b@x"))


_BOUNCED = {"bounceType": "Permanent", "bouncedRecipients": [{"emailAddress": ANN}]}


def _bounced_of_conversations(system: System) -> None:
    tags = {"ref": ["conversation-1"], "action": ["action-1"]}
    system.report("Bounce", part=_BOUNCED, messageId=SES_ID, source=AUTOMATED, tags=tags)


_completed = _then(
    _asking,
    _delivered(mail("a@x"), mail("b@shop", sender=MAILBOX, in_reply_to="a@x")),
    _changed(status="completed"),
)
SCENARIOS = [
    Scenario("a mail that a model reads", _asked(_to_desk("a@x"))),
    Scenario("an answer without a person", _asked(_to_desk("a@x")), _automatic),
    Scenario(
        "a second mail of a customer",
        _asked(_to_desk("b@x", "By next Friday.", in_reply_to="a@x")),
        _asked(_to_desk("a@x")),
    ),
    Scenario("an approved draft", _approved, _asked(_to_desk("a@x"))),
    Scenario(
        "an answer with a file",
        _approved,
        _then(_delivered(verified(with_files())), _composed),
    ),
    Scenario(
        "a send after the undo time",
        _approved,
        _then(_undoable, _delivered(verified(with_files())), _composed),
    ),
    Scenario(
        "a send that was undone and approved again",
        _undone,
        _then(_undoable, _delivered(verified(with_files())), _composed),
    ),
    Scenario(
        "a scheduled send",
        _due,
        _then(_delivered(verified(with_files())), _composed, _scheduled),
    ),
    Scenario(
        "an answer with copies",
        _approved,
        _then(
            _delivered(mail("a@x", more=f"Cc: {BOB}, {MAILBOX}\nReply-To: orders@field.example")),
            _composed_with_copies,
        ),
    ),
    Scenario(
        "a mail after an answer",
        _asked(_to_desk("b@x", in_reply_to="a@x")),
        _then(_asked(_to_desk("a@x")), _approved),
    ),
    Scenario(
        "a permanent bounce",
        _reported("Bounce", **_BOUNCED),
        _then(_asked(_to_desk("a@x")), _approved),
    ),
    Scenario(
        "a complaint",
        _reported("Complaint", complainedRecipients=[{"emailAddress": ANN}]),
        _then(_asked(_to_desk("a@x")), _approved),
    ),
    Scenario(
        "a mail from an address that had bounced",
        _asked(_to_desk("b@x", in_reply_to="a@x")),
        _then(_asked(_to_desk("a@x")), _approved, _reported("Bounce", **_BOUNCED), _later),
    ),
    Scenario("a bounce of a mail that AI conversations sent", _bounced_of_conversations, announced),
    Scenario("a word against further mail", _asked(_to_desk("a@x", "STOP"))),
    Scenario(
        "a merge of threads with drafts",
        _merged,
        _asked(_to_desk("a@x"), _to_desk("b@x", sender=BOB)),
    ),
    Scenario(
        "the undo of a merge",
        _moved("unmerge"),
        _then(_asked(_to_desk("a@x"), _to_desk("b@x", sender=BOB)), _merged),
    ),
    Scenario(
        "a split",
        _moved("split", mails=[2]),
        _delivered(mail("a@x"), verified(b"In-Reply-To: <a@x>\n" + with_files())),
    ),
    Scenario("the undo of a split", _moved("merge"), _then(_asked(*_THREE), _SPLIT)),
    Scenario(
        "an alarm before a breach",
        _after(95),
        _then(_with_targets, _delivered(mail("a@x"))),
    ),
    Scenario(
        "a breach of a target",
        _after(30),
        _then(_with_targets, _delivered(mail("a@x")), _after(95)),
    ),
    Scenario(
        "a reminder",
        _after(60),
        _then(_delivered(mail("a@x")), _changed(status="pending_info", remind_at=60)),
    ),
    Scenario(
        "the end of an answered thread",
        _after(24 * 60),
        _then(_closing, _delivered(mail("a@x"), mail("b@shop", sender=MAILBOX, in_reply_to="a@x"))),
    ),
    Scenario("a question at the end of a thread", _after(61), _completed),
    Scenario(
        "the send of a question",
        _after(4),
        # With a further mail the worker reads the keys again, which it keeps for five minutes.
        _then(_completed, _after(61), _delivered(mail("c@x", sender=BOB, subject="Tables"))),
    ),
    Scenario(
        "a mail that continues a closed thread",
        _delivered(mail("b@x", in_reply_to="a@x")),
        _then(_closing, _delivered(mail("a@x")), _changed(status="completed"), _later),
    ),
    Scenario("a mail of a blocked sender", _delivered(verified(with_files())), _blocking),
    Scenario("a mail with files", _delivered(verified(with_files()))),
    Scenario(
        "a reply",
        _delivered(mail("b@x", in_reply_to="a@x")),
        _delivered(mail("a@x")),
    ),
    Scenario(
        "a reply before its mail",
        _delivered(mail("a@x")),
        _delivered(mail("b@x", in_reply_to="a@x", references="a@x")),
    ),
    Scenario(
        "a colleague joins",
        _delivered(mail("b@x", sender="zoe@orchard.example", in_reply_to="a@x")),
        _delivered(mail("a@x")),
    ),
    Scenario("a colleague who is admitted", _admitted, _with_colleague(MAILBOX)),
    Scenario("a colleague who is admitted and read", _admitted, _with_colleague(ASSISTED)),
    Scenario("a colleague who is admitted and forwarded", _admitted, _with_colleague(AUTOMATED)),
    Scenario("a code", _asked(_to_desk("a@x", "Your verification code is 123456"))),
    Scenario(
        "a stranger who names a thread",
        _delivered(mail("b@x", sender=BOB, in_reply_to="a@x")),
        _delivered(mail("a@x")),
    ),
    Scenario(
        "a stranger who may join",
        _let_join,
        _then(_delivered(mail("a@x")), _delivered(mail("b@x", sender=BOB, in_reply_to="a@x"))),
    ),
    Scenario(
        "a person in copy joins",
        _delivered(mail("b@x", sender=BOB, in_reply_to="a@x")),
        _delivered(mail("a@x", more=f"Cc: {BOB}")),
    ),
    Scenario(
        "two threads that are one",
        _delivered(mail("c@x", references="a@x b@x")),
        _delivered(mail("a@x", subject="a"), mail("b@x", subject="b")),
    ),
    Scenario(
        "a forwarded mail with files",
        _delivered(
            verified(with_files()).replace(MAILBOX.encode(), AUTOMATED.encode()), address=AUTOMATED
        ),
    ),
    Scenario(
        "a bounce",
        _delivered(bounce("b@shop")),
        _delivered(mail("b@shop", sender=MAILBOX, to=ANN)),
    ),
    Scenario("a mail without a mailbox", _delivered(mail("a@x"), address="sales@shop.example")),
    Scenario(
        "a replay",
        _replayed,
        _delivered(mail("a@x"), address="sales@shop.example"),
    ),
    Scenario(
        "another mail with a stored id",
        _delivered(mail("a@x", "Another one.")),
        _delivered(mail("a@x")),
    ),
    Scenario("a mail that AI conversations sent", announced),
    Scenario(
        "an answer to a mail that AI conversations sent",
        _delivered(mail("b@x", to=AUTOMATED, in_reply_to=SENT.provider_message_id)),
        announced,
    ),
    Scenario(
        "an expired thread",
        _expired,
        _delivered(verified(with_files()), mail("b@x", in_reply_to="files@x")),
    ),
    Scenario(
        "an erasure of the only person of a thread", people.requesting("erase", ANN), people.alone
    ),
    Scenario(
        "an erasure of one of several people",
        people.requesting("erase", people.ZOE),
        people.together,
    ),
    Scenario("an erasure of parked mails", people.requesting("erase", ANN), people.parked),
    Scenario(
        "an erasure of a sent draft",
        people.requesting("erase", ANN),
        _then(_asked(_to_desk("a@x")), _approved),
    ),
    Scenario(
        "an erasure of a parked mail of no company",
        people.requesting("erase", ANN),
        _delivered(mail("a@x"), address="x@unknown.example"),
    ),
    Scenario("an export", people.requesting("export", people.ZOE), people.together),
]
