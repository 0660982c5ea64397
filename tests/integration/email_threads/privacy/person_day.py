"""Everything that the threads of a company can store about a person, produced by mails, API calls and events of SES."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from email_threads.store.items import Automation
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import body_of
from shared.runtime import clock
from tests.integration.email_threads import desk, drafting
from tests.integration.email_threads.api.thread_calls import THREADS
from tests.integration.email_threads.sends.test_unknown_sends import unknown
from tests.integration.email_threads.trials.mailbox_trials import begin
from tests.simulation.email_threads import people
from tests.simulation.email_threads.mails import SENT
from tests.simulation.email_threads.people import CANARY, arrive, thread_of
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

if TYPE_CHECKING:
    from collections.abc import Callable

NAME: Final = "Ann Öhlund"
FROM_ANN: Final = f"From: {NAME} <Ann@Orchard.Example>"
FOREIGN: Final = "info@globex.example"
SUPPLIER: Final = "sales@supplier.example"


def of_ann(message_id: str, body: str = "", **more: Any) -> bytes:
    """A mail of Ann with her name, her address in another spelling, and a subject of hers."""
    subject = more.pop("subject", f"Chairs {CANARY}")
    raw = mail(message_id, f"{body} {CANARY} {NAME}", subject=subject, **more)
    return raw.replace(f"From: {ANN}".encode(), FROM_ANN.encode())


def others(system: System) -> None:
    """Bob's threads, drafts and parked mail at the same company, and both people at another one."""
    system.register(FOREIGN, company="globex")
    system.register(
        ASSISTED,
        automation=Automation.EMAIL_THREADS,
        ai=MODEL,
        reply_mode="auto",
        auto_complete=True,
    )
    arrive(system, mail("b1@x", "of Bob", sender=BOB, subject="Tables"))
    path = f"{THREADS}/{thread_of(system, BOB)}"
    drafting.send(system, drafting.composed(system, path, body_text="To Bob."))
    drafting.composed(system, path, body_text="To Bob again.")
    arrive(system, mail("b2@x", "of Bob", sender=BOB), address="sales@shop.example")
    arrive(system, mail("b3@x", "of Bob", sender=BOB), address="x@unknown.example")
    arrive(system, mail("g1@x", "of Globex", to=FOREIGN), address=FOREIGN)
    arrive(system, mail("g2@x", "of Globex", sender=BOB, to=FOREIGN), address=FOREIGN)
    people.finished(system, "export", BOB)


def _whole_thread(system: System) -> None:
    people.alone(system)


def _answers(system: System) -> None:
    """Answers that were sent with an uploaded file, rejected, and left waiting."""
    arrive(system, of_ann("s1@x"))
    path = f"{THREADS}/{_newest_of(system)}"
    upload = drafting.put_file(system, path, f"{CANARY}.pdf", CANARY.encode(), "application/pdf")
    file = {"upload": upload, "filename": f"{CANARY}.pdf"}
    sent = drafting.composed(system, path, body_text=f"Yes. {CANARY}", attachments=[file])
    drafting.send(system, sent)
    system.report("Delivery", number=len(system.sent()) - 1, part={"recipients": [ANN]})
    system.drain()
    rejected = drafting.composed(system, path, body_text=f"No. {CANARY}")
    system.call("POST", f"{rejected}/reject", {"version": 1, "reason": "tone"})
    drafting.composed(system, path, body_text=f"Later. {CANARY}")
    system.call("POST", f"{path}/notes", {"text": f"{CANARY} calls often"})


def _begun(system: System) -> None:
    """Mails of ours that should begin a thread: waiting, rejected, and approved for a later day."""
    given = {"subject": f"Our offer {CANARY}", "body_text": f"A red chair. {CANARY}"}
    drafting.begun(system, **given)
    rejected = drafting.begun(system, **given)
    system.call("POST", f"{rejected}/reject", {"version": 1})
    later = clock.to_text(system.clock.ms + 5 * 86_400_000)
    drafting.approve(system, drafting.begun(system, **given), send_at=later)


def _unknown_send(system: System) -> None:
    unknown(system)


def _answered_by_a_model(system: System) -> None:
    """Two mails whose answers a model wrote: the first was superseded, the second sent without a person."""
    desk.answers(
        system, desk.answer(f"Hello {NAME}", needs_human=True), desk.answer(f"Hi {CANARY}")
    )
    first = of_ann("m1@x", "Ten chairs.", to=ASSISTED)
    second = of_ann("m2@x", "By Friday.", to=ASSISTED, in_reply_to="m1@x")
    arrive(system, first, second, address=ASSISTED)


def _drafted_in_shadow(system: System) -> None:
    """A mail that the live version answers, and one on trial."""
    begin(system)
    desk.answers(system, desk.answer(f"Hello {NAME}"), desk.answer(f"Hi {NAME} {CANARY}"))
    arrive(system, of_ann("t1@x", "Ten chairs.", to=ASSISTED), address=ASSISTED)
    assert [one for one in system.mails() if CANARY in str(one.get("shadow"))]


def _merged(system: System) -> None:
    arrive(
        system,
        of_ann("e1@x", subject="a"),
        of_ann("e2@x", subject="b"),
        of_ann("e3@x", references="e1@x e2@x"),
    )


def _with_others(system: System) -> None:
    """A thread of Bob that names Ann in Cc, and a forward and drafts to her."""
    arrive(
        system,
        mail("o1@x", "of Bob", sender=BOB, subject="Lamps", more=f"Cc: {NAME} <{ANN}>"),
        mail("o2@x", "of Bob", sender=BOB, subject="Shelves"),
    )
    lamps, shelves = (f"{THREADS}/{one}" for one in _of_subjects(system, "Lamps", "Shelves"))
    body = {"body_text": f"For {NAME}."}
    forwarded = drafting.composed(system, lamps, kind="forward", to=[ANN], **body)
    drafting.send(system, forwarded)
    upload = drafting.put_file(system, shelves, f"{CANARY}.pdf", CANARY.encode(), "application/pdf")
    file = {"upload": upload, "filename": f"{CANARY}.pdf"}
    copied = drafting.composed(system, shelves, cc=[ANN], attachments=[file], **body)
    system.call("POST", f"{copied}/reject", {"version": 1})
    drafting.composed(system, shelves, cc=[ANN], **body)


def _forwarded(system: System) -> None:
    """Ann's mail, forwarded to a supplier, who then takes part in the thread."""
    arrive(system, of_ann("f1@x", subject=f"Repair {CANARY}"))
    path = f"{THREADS}/{_newest_of(system)}"
    drafting.send(
        system,
        drafting.composed(system, path, kind="forward", to=[SUPPLIER], body_text="Please look."),
    )


def _blocked(system: System) -> None:
    """A thread of Ann was marked as spam, and a further mail was left out."""
    arrive(system, of_ann("z1@x", subject=f"Offer {CANARY}"))
    system.call("POST", f"{THREADS}/{_newest_of(system)}/spam")
    arrive(system, of_ann("z2@x"))
    system.call("POST", f"{THREADS}/{_newest_of(system)}/not-spam")
    system.call("POST", f"{THREADS}/{_newest_of(system)}/spam")


def _held(system: System) -> None:
    arrive(system, of_ann("h1@x", dmarc="fail"))


def _bounced(system: System) -> None:
    draft = drafting.begun(system, subject=f"News {CANARY}", body_text=CANARY)
    drafting.send(system, draft)
    part = {"bounceType": "Permanent", "bouncedRecipients": [{"emailAddress": ANN.upper()}]}
    system.report("Bounce", number=len(system.sent()) - 1, part=part)
    system.drain()


def _parked(system: System) -> None:
    """Parked mails and events that name Ann: of the company, and of no company."""
    arrive(system, of_ann("p1@x"), address="sales@shop.example")
    arrive(system, of_ann("p2@x"), address="x@unknown.example")
    arrive(system, of_ann("p3@x", to="x@unknown.example"))  # to an unknown mailbox of a domain
    arrive(system, of_ann("p4@x"), of_ann("p4@x", "Another one."))
    for answered in ("p5@x", "p5@x"):
        arrive(
            system,
            mail(answered, f"{CANARY} {system.clock.ms}", sender=MAILBOX, to=ANN, subject=CANARY),
        )
    announced = body_of(SENT).replace('"message_type":"email"', '"message_type":"other"')
    announced = announced.replace("Which colour?", CANARY)
    system.fifo_queues.put(system.queue, Entry(announced, digest("o"), digest("o")))
    system.drain()
    two = {"bouncedRecipients": [{"emailAddress": BOB}, {"emailAddress": f"{NAME} <{ANN}>"}]}
    for source in (MAILBOX, "gone@unknown.example"):
        system.report("Unheard", part=two, source=source, messageId=f"ses-{source}", tags={})
        system.report("Bounce", part=two, source=source, messageId=f"ses-{source}", tags={})
    system.drain()
    system.clock.ms += 700_000
    system.drain()


def _forwarded_to_conversations(system: System) -> None:
    arrive(system, of_ann("c1@x", to=AUTOMATED), address=AUTOMATED)


def _exported(system: System) -> None:
    people.finished(system, "export", ANN)


def _unanswered_call(system: System) -> None:
    """A call with a key of its own, whose answer is stored for retries."""
    arrive(system, of_ann("k1@x"))
    path = f"{THREADS}/{_newest_of(system)}"
    given = {"filename": f"{CANARY}.pdf", "content_type": "application/pdf"}
    system.call("POST", f"{path}/uploads", given, key="key-of-a-retry")
    system.call("POST", f"{path}/notes", {"text": CANARY}, key="key-of-a-note")


FLOWS: Final[list[Callable[[System], None]]] = [
    _whole_thread,
    _answers,
    _begun,
    _unknown_send,
    _answered_by_a_model,
    _drafted_in_shadow,
    _merged,
    _with_others,
    _forwarded,
    _held,
    _bounced,
    _parked,
    _blocked,
    _forwarded_to_conversations,
    _unanswered_call,
    _exported,
]


def values(system: System) -> dict[str, Any]:
    """All items and objects."""
    items = {f"item {key}": row for key, row in system.rows().items()}
    return items | {f"object {key}": body for key, body in system.objects().items()}


def encoded(text: str) -> str:
    """A text as base64."""
    return base64.b64encode(text.encode()).decode()


def _newest_of(system: System) -> str:
    newest = max(system.mails(), key=lambda one: str(one["received_at"]))
    return str(newest["conversation_id"]).partition("#")[0]


def _of_subjects(system: System, *subjects: str) -> list[str]:
    by_subject = {one["subject"]: str(one["conversation_id"]) for one in system.threads()}
    return [by_subject[one] for one in subjects]
