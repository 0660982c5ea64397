"""Steps of the scenarios of mail: deliveries, calls of people, reports, and time that passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from email_threads.store.items import Automation
from shared.aws.sqs_fifo import Entry, digest
from shared.aws.workers.fair_shares import Runs, share
from shared.events.exchange import body_of
from shared.runtime import clock
from tests.simulation.email_threads.mails import SENT, SES_ID
from tests.simulation.email_threads.system import (
    ANN,
    ASSISTED,
    AUTOMATED,
    BOB,
    COMPANY,
    MAILBOX,
    MODEL,
    System,
    mail,
)

type Steps = Callable[[System], object]


def delivered(*raws: bytes, address: str = MAILBOX) -> Steps:
    def steps(system: System) -> None:
        for raw in raws:
            system.deliver(raw, name=f"{len(system.objects())}", address=address)

    return steps


def announced(system: System) -> None:
    """AI conversations have sent a mail."""
    entry = Entry(body_of(SENT), digest("outbound"), digest(SENT.action_id))
    system.fifo_queues.put(system.queue, entry)


def expired(system: System) -> None:
    system.clock.ms += 30 * 86_400_000 + 1_000
    system.run_schedule()


def replayed(system: System) -> None:
    system.register("sales@shop.example")
    (parked,) = system.parked()
    path = f"/email-threads/parked/{parked['event_id']}/replay"
    assert system.call("POST", path, {}, scopes="operator")[0] == 202


def asked(*raws: bytes) -> Steps:
    """Mails to the mailbox whose answers a model drafts."""
    return delivered(*raws, address=ASSISTED)


def to_desk(message_id: str, body: str = "Do you sell chairs?", **more: Any) -> bytes:
    return mail(message_id, body, to=ASSISTED, **more)


def automatic(system: System) -> None:
    system.register(
        ASSISTED,
        automation=Automation.EMAIL_THREADS,
        ai=MODEL,
        reply_mode="auto",
        auto_complete=True,
    )


def approved(system: System) -> None:
    """A person approves every draft that waits."""
    for draft in system.drafts():
        path = draft["conversation_id"].replace("#draft#", "/replies/")
        version = {"version": int(draft["version"]), "confirm_stale": True}
        status, body = system.call("POST", f"/email-threads/{path}/approve", version)
        assert status == 202, body


def composed(system: System) -> None:
    """A person drafts an answer with a file of the mail."""
    (stored,) = system.mails()
    thread = stored["conversation_id"].partition("#")[0]
    given = {"body_text": "Here it is again.", "attachments": [{"n": 1, "index": 1}]}
    status, body = system.call("POST", f"/email-threads/{thread}/replies", given)
    assert status == 201, body


def composed_with_copies(system: System) -> None:
    """A person drafts an answer to the Reply-To, with the customer's copies and a blind copy."""
    (stored,) = system.mails()
    thread = stored["conversation_id"].partition("#")[0]
    given = {"body_text": "Yes, it is.", "bcc": ["zoe@quarry.example"]}
    status, body = system.call("POST", f"/email-threads/{thread}/replies", given)
    assert status == 201, body
    draft = system.drafts()[0]
    assert (draft["to"], draft["cc"]) == (["orders@field.example"], [BOB])


def undoable(system: System) -> None:
    """The mailbox sends half a minute after an approval."""
    system.register(MAILBOX, undo_seconds=30)


def with_set(system: System) -> None:
    """The desk has a set of two scenarios, which versions have to pass."""
    asks = {"kind": "mail", "mails": [{"text": "Is there tea?"}], "answer": {"reply": "Yes."}}
    scenarios = [{"name": name, **asks, "expect": {"contains": "yes"}} for name in ("one", "two")]
    body = {"scenarios": scenarios, "gate": True}
    assert system.call("POST", _SET, body)[0] == 200


def run_begins(system: System) -> None:
    """The set is run with recorded answers."""
    assert system.call("POST", f"{_SET}/runs", {"recorded": True})[0] == 202


def with_trial(mode: str, **bounds: int) -> Steps:
    """A version of the desk's settings is on trial."""

    def begin(system: System) -> None:
        path = f"/email-mailboxes/{ASSISTED}"
        settings = {"settings": {"facts": ["A chair costs $40."]}}
        version = system.call("POST", f"{path}/versions", settings)[1]["result"]["number"]
        given = {"mode": mode, "version": version, **bounds}
        assert system.call("POST", f"{path}/trials", given)[0] == 201

    return begin


def undone(system: System) -> None:
    """A person approves the drafts, stops their send, and approves them again."""
    for step in ("approve", "undo", "approve"):
        for draft in system.drafts():
            path = draft["conversation_id"].replace("#draft#", "/replies/")
            version = {"version": int(draft["version"])}
            status, body = system.call("POST", f"/email-threads/{path}/{step}", version)
            assert status < 300, body


def scheduled(system: System) -> None:
    """A person approves the drafts for a time in 16 minutes."""
    for draft in system.drafts():
        path = draft["conversation_id"].replace("#draft#", "/replies/")
        given = {
            "version": int(draft["version"]),
            "send_at": clock.to_text(system.clock.ms + 16 * 60_000),
        }
        status, body = system.call("POST", f"/email-threads/{path}/approve", given)
        assert status == 202, body


def due(system: System) -> None:
    """The schedule queues the send, whose time comes in ten seconds."""
    system.clock.ms += 16 * 60_000 - 10_000
    system.run_schedule()


def with_targets(system: System) -> None:
    """The mailbox has targets of two hours for the first response and a day for the resolution."""
    system.register(MAILBOX, first_response_minutes=120, resolution_minutes=24 * 60)


def after(minutes: int) -> Steps:
    """The time passes, and the schedule queues what is due."""

    def steps(system: System) -> None:
        system.clock.ms += minutes * 60_000
        system.run_schedule()

    return steps


def closing(system: System) -> None:
    """The mailbox closes answered threads after a day, and never reopens closed ones."""
    system.register(MAILBOX, auto_close_days=1, reopen_days=0)


def asking(system: System) -> None:
    """The mailbox asks an hour after the end of a thread."""
    system.register(MAILBOX, satisfaction_delay_hours=1)


def changed(**change: Any) -> Steps:
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


def blocking(system: System) -> None:
    """The mailbox leaves out mail of Ann."""
    system.register(MAILBOX, blocked_senders={ANN})


def reported(event: str, **part: Any) -> Steps:
    return lambda system: system.report(event, part=part)


def with_colleague(mailbox: str) -> Steps:
    """A colleague of the customer joins a thread, on weak evidence."""
    colleague = mail("b@x", sender="zoe@orchard.example", to=mailbox, in_reply_to="a@x")
    first = delivered(mail("a@x", to=mailbox), address=mailbox)
    return then(first, delivered(colleague, address=mailbox))


def admitted(system: System) -> None:
    """A person admits the second mail of the thread."""
    path = system.mails()[1]["conversation_id"].replace("#mail#0000000", "/emails/")
    status, body = system.call("POST", f"/email-threads/{path}/admit")
    assert status == 200, body


def let_join(system: System) -> None:
    """A person lets a stranger join the thread that their mail names."""
    (thread,) = (one for one in system.threads() if one.get("join_requests"))
    (joining,) = thread["join_requests"]
    path = f"/email-threads/{thread['conversation_id']}/join-requests/{joining}/admit"
    status, body = system.call("POST", path)
    assert status == 202, body


def later(system: System) -> None:
    system.clock.ms += 60_000


def then(*steps: Steps) -> Steps:
    """Steps one after the other, each settled."""

    def all_steps(system: System) -> None:
        for step in steps:
            step(system)
            system.drain()

    return all_steps


def merged(system: System) -> None:
    """A person merges the second thread into the first."""
    first, second = (
        one["conversation_id"].partition("#")[0]
        for one in sorted(system.mails(), key=lambda one: str(one["message_id"]))
    )
    status, body = system.call("POST", f"/email-threads/{second}/merge", {"into": first})
    assert status == 202, body


def moved(step: str, **body: Any) -> Steps:
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


_SET = f"/email-mailboxes/{ASSISTED}/sets/tea"
SPLIT = moved("split", mails=[1, 3])


THREE = (to_desk("a@x"), to_desk("b@x", in_reply_to="a@x"), to_desk("c@x", in_reply_to="b@x"))


BOUNCED = {"bounceType": "Permanent", "bouncedRecipients": [{"emailAddress": ANN}]}


def bounced_of_conversations(system: System) -> None:
    tags = {"ref": ["conversation-1"], "action": ["action-1"]}
    system.report("Bounce", part=BOUNCED, messageId=SES_ID, source=AUTOMATED, tags=tags)


completed = then(
    asking,
    delivered(mail("a@x"), mail("b@shop", sender=MAILBOX, in_reply_to="a@x")),
    changed(status="completed"),
)


def occupy(system: System, company: str = COMPANY) -> tuple[Runs, list[str]]:
    """Let a company have its share of the worker's runs."""
    module = system.worker
    most = module.settings.email_max_concurrency
    runs = Runs(module.worker.attempts, module.resources.queue.name, most)
    ends = system.clock.ms + 60 * 60_000
    begun = [runs.begin(company, f"another-{number}", ends) for number in range(share(most, 1))]
    return runs, [run for run in begun if run is not None]
