"""What happens in the measured e-mail threads: mails, people and SES."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from shared.aws.dynamodb import Table as StoredTable
from shared.inbox.satisfaction.links import Link, token_of
from tests.cost.email_threads import moves
from tests.simulation import stored
from tests.simulation.email_threads.mails import with_files
from tests.simulation.email_threads.steps import with_trial
from tests.simulation.email_threads.system import ANN, ASSISTED, COMPANY, MODEL, VERDICTS, mail
from tests.simulation.invocations import Invocation

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

# So many mails really arrive or are sent. In a longer thread they get higher numbers: no run reads older ones.
REALLY_EXCHANGED: Final = 30
LISTED: Final = 60  # other threads and drafts of the company: more than a page of a list
NEWEST_REFERENCES: Final = 10  # of a mail of a customer
COPIES: Final = 2
OF_ONE_CUSTOMER: Final = 500  # threads
MOST_IN_BATCH: Final = 25  # items of BatchWriteItem
SIZE: Final = 600  # characters of a mail
WORDS: Final = (
    "Good morning, we would like twelve chairs for our new meeting room, in oak if possible, with the grey fabric. "
    "They must be here by Friday, because the room is opened on the Monday after it. "
)

type Steps = Callable[[System], object]


TEXT: Final = (WORDS * 5)[:SIZE]


def further(number: int, system: System, text: str = TEXT) -> bytes:
    """A mail of Ann in her thread, which names the mails before it as mail clients do."""
    known = system.mails(thread_of(system))
    references = [one["message_id"] for one in known][-NEWEST_REFERENCES:]
    named = {"in_reply_to": references[-1], "references": " ".join(references)} if known else {}
    return mail(f"ann-{number}@orchard.example", text, to=ASSISTED, **named)


def _arrives(system: System, raw: bytes, name: str) -> None:
    """SES stores a mail; ingest and worker handle it. Its analysis stays on the queue."""
    system.deliver(raw, name=name, address=ASSISTED)
    run(system)
    run(system)


def run(system: System) -> None:
    """One invocation for each message that waits."""
    for queue, message in system.fifo_queues.receive():
        if queue in system.workers:
            system.run_worker(queue, message)


def writes(system: System) -> None:
    _arrives(system, further(REALLY_EXCHANGED + 1, system), "further")


def writes_long(system: System) -> None:
    _arrives(system, further(REALLY_EXCHANGED + 1, system, text=WORDS * 15), "further")


def writes_otherwise(system: System) -> None:
    """A mail with another date than the mails before it."""
    text = TEXT.replace("by Friday", "by 1 December 2026")
    _arrives(system, further(REALLY_EXCHANGED + 1, system, text=text), "further")


def writes_first(system: System) -> None:
    raw = mail("first@grove.example", TEXT, sender=moves.ZOE, to=ASSISTED)
    _arrives(system, raw, "first")


def writes_with_files(system: System) -> None:
    _arrives(system, _with_files(system), "files")


def _with_files(system: System) -> bytes:
    named = [one["message_id"] for one in system.mails(thread_of(system))][-NEWEST_REFERENCES:]
    references = " ".join(f"<{name}>" for name in named)
    block = VERDICTS.format(
        sender=ANN, to=ASSISTED, domain="orchard.example", dmarc="pass", spam="PASS", virus="PASS"
    )
    raw = with_files("files@orchard.example").replace(b"A long letter. " * 600, TEXT.encode())
    return f"{block}In-Reply-To: <{named[-1]}>\nReferences: {references}\n".encode() + raw


def again(system: System) -> None:
    """S3 tells a second time, after the deduplication interval of the queue."""
    system.notify(f"raw/{ASSISTED}/further")
    run(system)
    run(system)


def to_nobody(system: System) -> None:
    raw = mail("ann@grove.example", TEXT, to="sales@shop.example")
    system.deliver(raw, name="unknown", address="sales@shop.example")
    run(system)
    run(system)


def is_drafted(system: System) -> None:
    writes(system)
    run(system)


def written_twice(system: System) -> None:
    """A second mail arrives while the answer to the first one waits for a person."""
    is_drafted(system)
    system.clock.sleep(60)
    _arrives(system, further(REALLY_EXCHANGED + 2, system), "second")


def writes_with_copies(system: System) -> None:
    """A mail of Ann with two people in copy."""
    raw = further(REALLY_EXCHANGED + 1, system)
    copies = b"Cc: bob@mill.example, zoe@grove.example\nTo:"
    _arrives(system, raw.replace(b"To:", copies, 1), "further")
    run(system)


def composes(system: System) -> None:
    """A person drafts an answer with the customer's copies and a blind copy."""
    given = {"body_text": TEXT, "bcc": ["max@field.example"]}
    path = f"/email-threads/{thread_of(system)}/replies"
    status, body = system.call("POST", path, given)
    assert status == 201, body
    assert len(_composed(system)["cc"]) == COPIES


def copies_are_approved(system: System) -> None:
    writes_with_copies(system)
    composes(system)
    a_minute_later(system)
    _approves(system, _composed(system))


def approves(system: System) -> None:
    """A person approves the newest draft of Ann's thread."""
    waiting = [one for one in _drafts(system) if one["draft_status"] == "pending"]
    _approves(system, max(waiting, key=lambda one: int(one["in_reply_to_n"])))


def _composed(system: System) -> dict[str, Any]:
    """The draft of a person that waits."""
    return next(
        one for one in _drafts(system) if one["origin"] != "ai" and one["draft_status"] == "pending"
    )


def _approves(system: System, draft: dict[str, Any]) -> None:
    path = draft["conversation_id"].replace("#draft#", "/replies/")
    version = {"version": int(draft["version"])}
    status, body = system.call("POST", f"/email-threads/{path}/approve", version)
    assert status == 202, body


def is_approved(system: System) -> None:
    is_drafted(system)
    a_minute_later(system)
    approves(system)


def is_sent(system: System) -> None:
    is_approved(system)
    run(system)
    a_minute_later(system)


def reports(event: str, **part: Any) -> Steps:
    """SES reports an event of the newest sent mail."""

    def steps(system: System) -> None:
        system.report(event, -1, part)
        run(system)
        run(system)

    return steps


def calls(path: str, **query: str) -> Steps:
    def steps(system: System) -> None:
        given = path.format(thread=thread_of(system))
        status, body = system.call("GET", given, query=query or None)
        assert status == 200, body

    return steps


def a_minute_later(system: System) -> None:
    system.clock.sleep(60)


def then(*steps: Steps) -> Steps:
    def all_steps(system: System) -> None:
        for step in steps:
            step(system)

    return all_steps


def six_minutes(system: System) -> None:
    run(system)
    system.clock.sleep(6 * 60)


_COPY: Final = "f" * 12  # begins the ids of copies


def fill_lists(system: System) -> None:
    """Other threads of the company as large as this one, and drafts of them."""
    table, rows = StoredTable(system.dynamodb, system.table), system.rows()
    head = rows[thread_of(system)]
    draft = next(row for key, row in rows.items() if "#draft#" in key)
    for number in range(LISTED):
        name = f"{_COPY}{number:04d}"
        table.put(head | {"conversation_id": name, "status": "active",
                          "company_status": f"{COMPANY}#active"})  # fmt: skip
        waiting = {"draft_status": "pending", "company_status": f"{COMPANY}#drafts"}
        table.put(draft | waiting | {"conversation_id": f"{name}#draft#{draft['reply_id']}"})


def fill_customer(system: System) -> None:
    """Further threads of Ann as large as this one, each with her row."""
    table, rows, thread = (
        StoredTable(system.dynamodb, system.table),
        system.rows(),
        thread_of(system),
    )
    row = next(row for key, row in rows.items() if key.startswith(f"{thread}#participant#"))
    suffix = row["conversation_id"].removeprefix(thread)
    copies = []
    for number in range(OF_ONE_CUSTOMER):
        name = f"{_COPY}{number:04d}"
        copies += [
            rows[thread] | {"conversation_id": name},
            row | {"conversation_id": f"{name}{suffix}"},
        ]
    for start in range(0, len(copies), MOST_IN_BATCH):
        table.put_many(copies[start : start + MOST_IN_BATCH])


def writes_again_by_subject(system: System) -> None:
    """A mail of Ann with a reply prefix and without reply headers, which her newest threads are compared with."""
    raw = mail("ann-new@orchard.example", TEXT, to=ASSISTED, subject="Re: Tables")
    _arrives(system, raw, "subject")


def writes_huge(system: System) -> None:
    """A mail of 30 MB, most of it a file."""
    head = mail("huge@grove.example", TEXT, sender="zoe@grove.example", to=ASSISTED)
    _arrives(system, head + b"\n" + (b"0" * 76 + b"\n") * (30 * 1_048_576 // 77), "huge")


def with_targets(system: System) -> None:
    """The mailbox has targets in business hours."""
    hours = {"days": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
             "start": "08:00", "end": "20:00"}  # fmt: skip
    given = {"automation": "email_threads", "ai": MODEL, "first_response_minutes": 60, "resolution_minutes": 600,
             "business_hours": {"time_zone": "UTC", "periods": [hours]}}  # fmt: skip
    status, body = system.call("PUT", f"/email-mailboxes/{ASSISTED}", given)
    assert status == 200, body


def is_due(system: System) -> None:
    then(with_targets, writes_first, run)(system)
    system.clock.sleep(50 * 60)


def looks(system: System) -> None:
    """The schedule finds the thread, and the worker does what is due."""
    system.run_schedule()
    run(system)


def is_completed(system: System) -> None:
    """The mailbox asks an hour after the end of a thread; the customer wrote, was answered, and the hour is over."""
    given = {"automation": "email_threads", "ai": MODEL, "satisfaction_delay_hours": 1}
    assert system.call("PUT", f"/email-mailboxes/{ASSISTED}", given)[0] == HTTPStatus.OK
    is_sent(system)
    path = f"/email-threads/{thread_of(system)}"
    assert system.call("PATCH", path, {"status": "completed"})[0] == HTTPStatus.OK
    system.clock.sleep(60 * 60)


def sends_question(system: System) -> None:
    """The schedule finds the send; ingest and worker pass it on."""
    system.run_schedule()
    run(system)
    run(system)


def is_asked(system: System) -> None:
    """The customer has opened the page of the link: its function has read the keys."""
    then(is_completed, looks, a_minute_later)(system)
    _opens(system, httpMethod="GET")


def answers_question(system: System) -> None:
    """The customer's browser sends the form of the link."""
    _opens(system, httpMethod="POST", body="score=5&comment=Thanks")


def _opens(system: System, **request: str) -> None:
    link = Link(channel="email", conversation_id=thread_of(system), language="en", expires_at=2**33)
    path = {"token": token_of(link)}
    event = {"resource": "/satisfaction/{token}", "pathParameters": path, **request}
    assert system.api.handler(event, Invocation(system.clock))["statusCode"] == HTTPStatus.OK


def has_another_thread(system: System) -> None:
    """Zoe has a thread with a draft."""
    writes_first(system)
    run(system)


def written_in_shadow(system: System) -> None:
    """A version of the mailbox's settings is in shadow, and a mail waits."""
    with_trial("shadow", most_answers=5)(system)
    writes(system)


def thread_of(system: System) -> str:
    """Ann's thread; empty before her first mail."""
    mine = {"S": ANN}
    names = (
        item["conversation_id"]["S"]
        for item in stored.items_of(system.table)
        if item.get("participant") == mine and "status" in item
    )
    return next((name for name in names if not name.startswith(_COPY)), "")


def _drafts(system: System) -> list[dict[str, Any]]:
    return [one for one in system.drafts() if one["conversation_id"].startswith(thread_of(system))]
