"""The mail of a person in all its forms, and requests to erase or export it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import body_of
from tests.simulation.email_threads.mails import SENT, verified, with_files
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System, mail

if TYPE_CHECKING:
    from collections.abc import Callable

CANARY: Final = "canary-words"
SCOPES: Final = "email_threads:read email_threads:write email_threads:admin email_threads:privacy"
ZOE: Final = "zoe@mill.example"  # a colleague of Bob


def arrive(system: System, *raws: bytes, address: str = MAILBOX) -> None:
    """Mails arrive one after the other, each a second later."""
    for raw in raws:
        system.clock.ms += 1_000
        system.deliver(raw, name=f"{system.clock.ms}", address=address)
        system.drain()


def alone(system: System) -> None:
    """Ann has a thread with files, a long text, notes and an answer."""
    arrive(
        system,
        verified(with_files()).replace(b"Chairs", CANARY.encode()),
        mail("b@shop", CANARY, sender=MAILBOX, to=ANN, in_reply_to="files@x"),
        mail("c@x", CANARY, in_reply_to="b@shop"),
    )
    thread = thread_of(system, ANN)
    system.call("POST", f"/email-threads/{thread}/notes", {"text": CANARY})
    system.call("PATCH", f"/email-threads/{thread}", {"priority": "high"})


def together(system: System) -> None:
    """Bob began a thread that his colleague Zoe joined, with a file and an answer to her alone."""
    file = with_files("z@x").replace(ANN.encode(), ZOE.encode())
    file = file.replace(b"Subject: Chairs", b"Subject: Re: Tables")
    arrive(
        system,
        mail("t@x", "of Bob", sender=BOB, subject="Tables"),
        mail("y@x", CANARY, sender=ZOE, subject="Re: Tables", in_reply_to="t@x"),
        mail("w@x", CANARY, sender=ZOE, subject=f"Other {CANARY}", in_reply_to="t@x"),
        _checked(file, ZOE).replace(b"MIME-Version", b"In-Reply-To: <t@x>\nMIME-Version", 1),
        mail("s@shop", CANARY, sender=MAILBOX, to=ZOE, subject="Tables", in_reply_to="y@x"),
        mail(
            "v@x",
            "of Bob again",
            sender=BOB,
            subject="Tables",
            in_reply_to="t@x",
            more=f"Cc: {ZOE}",
        ),
    )


def parked(system: System) -> None:
    """A mail of Ann to an unknown mailbox of the company, one of Bob, and an announcement that cannot be read."""
    arrive(system, mail("p@x", CANARY), mail("q@x", sender=BOB), address="sales@shop.example")
    announced = body_of(SENT).replace('"message_type":"email"', '"message_type":"other"')
    system.fifo_queues.put(system.queue, Entry(announced, digest("o"), digest("o")))
    system.drain()


def thread_of(system: System, address: str) -> str:
    """The thread that an address began."""
    found = [one for one in system.mails() if one.get("from") == address and one["n"] == 1]
    return str(found[0]["conversation_id"])[:16]


def requested(system: System, kind: str, address: str, status: int = 202) -> dict[str, Any]:
    """Request an erasure or export, and return its job."""
    path = f"/email-threads/contacts/{kind}"
    answered, body = system.call("POST", path, {"address": address}, scopes=SCOPES)
    assert answered == status, body
    found: dict[str, Any] = body.get("result", body)
    return found


def shown(system: System, job_id: str, **more: Any) -> dict[str, Any]:
    """A job as the API shows it."""
    path = f"/email-threads/privacy-jobs/{job_id}"
    status, body = system.call("GET", path, scopes=SCOPES, **more)
    assert status == 200, body
    found: dict[str, Any] = body["result"]
    return found


def finished(system: System, kind: str, address: str) -> dict[str, Any]:
    """The job after its end."""
    job = requested(system, kind, address)
    system.drain()
    found = shown(system, job["id"])
    assert found["state"] == "done"
    return found


def run_once(system: System) -> None:
    """Run the workers of all visible messages once."""
    for queue, message in system.fifo_queues.receive():
        system.run_worker(queue, message)


def requesting(kind: str, address: str) -> Callable[[System], object]:
    """A step of a scenario."""
    return lambda system: requested(system, kind, address)


def traces(system: System, *words: str) -> list[str]:
    """The keys of items and objects that have one of these words, in their key or content."""
    items = {key: json.dumps(row, default=str) for key, row in system.rows().items()}
    objects = {key: body.decode("utf-8", "replace") for key, body in system.objects().items()}
    return sorted(
        key
        for key, body in (items | objects).items()
        if any(word in key or word in body for word in words)
    )


def _checked(raw: bytes, sender: str) -> bytes:
    block = mail("-", sender=sender).split(b"From:")[0]
    return block + raw
