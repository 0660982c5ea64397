"""What happens in the measured e-mail threads: mails, people and SES, and the figures of each kind of event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from shared.aws.dynamodb import Table as StoredTable
from shared.inbox.satisfaction.links import Link, token_of
from tests.cost import email_moves, email_runs
from tests.cost.harness import Figures
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


@dataclass(frozen=True, slots=True)
class Kind:
    """
    A kind of event or call: the unmeasured set-up *before*, and the measured *steps*.

    *smaller* are the figures that differ while the head of the thread is not full: by its number of mails.
    *most_reads* bounds the read units at any length: heads, referenced mails and mails of a page grow up to limits.
    *only_at*: it is measured in threads of these lengths. The API refuses it in longer ones, and its requests depend on
    the length.
    """

    name: str
    steps: Steps
    figures: Figures
    most_reads: float
    before: Steps = lambda _: None
    smaller: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    only_at: tuple[int, ...] = ()

    def is_measured_at(self, length: int) -> bool:
        """Whether it is measured in a thread of this length."""
        return not self.only_at or length in self.only_at

    def at(self, length: int) -> dict[str, int]:
        """The figures by name in a thread of this length."""
        return {**asdict(self.figures), **self.smaller.get(length, {})}


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
    _run(system)
    _run(system)


def _run(system: System) -> None:
    """One invocation for each message that waits."""
    for queue, message in system.fifo_queues.receive():
        if queue in system.workers:
            system.run_worker(queue, message)


def _writes(system: System) -> None:
    _arrives(system, further(REALLY_EXCHANGED + 1, system), "further")


def _writes_long(system: System) -> None:
    _arrives(system, further(REALLY_EXCHANGED + 1, system, text=WORDS * 15), "further")


def _writes_otherwise(system: System) -> None:
    """A mail with another date than the mails before it."""
    text = TEXT.replace("by Friday", "by 1 December 2026")
    _arrives(system, further(REALLY_EXCHANGED + 1, system, text=text), "further")


def _writes_first(system: System) -> None:
    raw = mail("first@grove.example", TEXT, sender=email_moves.ZOE, to=ASSISTED)
    _arrives(system, raw, "first")


def _writes_with_files(system: System) -> None:
    _arrives(system, _with_files(system), "files")


def _with_files(system: System) -> bytes:
    named = [one["message_id"] for one in system.mails(thread_of(system))][-NEWEST_REFERENCES:]
    references = " ".join(f"<{name}>" for name in named)
    block = VERDICTS.format(
        sender=ANN, to=ASSISTED, domain="orchard.example", dmarc="pass", spam="PASS", virus="PASS"
    )
    raw = with_files("files@orchard.example").replace(b"A long letter. " * 600, TEXT.encode())
    return f"{block}In-Reply-To: <{named[-1]}>\nReferences: {references}\n".encode() + raw


def _again(system: System) -> None:
    """S3 tells a second time, after the deduplication interval of the queue."""
    system.notify(f"raw/{ASSISTED}/further")
    _run(system)
    _run(system)


def _to_nobody(system: System) -> None:
    raw = mail("ann@grove.example", TEXT, to="sales@shop.example")
    system.deliver(raw, name="unknown", address="sales@shop.example")
    _run(system)
    _run(system)


def _is_drafted(system: System) -> None:
    _writes(system)
    _run(system)


def _written_twice(system: System) -> None:
    """A second mail arrives while the answer to the first one waits for a person."""
    _is_drafted(system)
    system.clock.sleep(60)
    _arrives(system, further(REALLY_EXCHANGED + 2, system), "second")


def _writes_with_copies(system: System) -> None:
    """A mail of Ann with two people in copy."""
    raw = further(REALLY_EXCHANGED + 1, system)
    copies = b"Cc: bob@mill.example, zoe@grove.example\nTo:"
    _arrives(system, raw.replace(b"To:", copies, 1), "further")
    _run(system)


def composes(system: System) -> None:
    """A person drafts an answer with the customer's copies and a blind copy."""
    given = {"body_text": TEXT, "bcc": ["max@field.example"]}
    path = f"/email-threads/{thread_of(system)}/replies"
    status, body = system.call("POST", path, given)
    assert status == 201, body
    assert len(_composed(system)["cc"]) == COPIES


def _copies_are_approved(system: System) -> None:
    _writes_with_copies(system)
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


def _is_approved(system: System) -> None:
    _is_drafted(system)
    a_minute_later(system)
    approves(system)


def _is_sent(system: System) -> None:
    _is_approved(system)
    _run(system)
    a_minute_later(system)


def reports(event: str, **part: Any) -> Steps:
    """SES reports an event of the newest sent mail."""

    def steps(system: System) -> None:
        system.report(event, -1, part)
        _run(system)
        _run(system)

    return steps


def calls(path: str, **query: str) -> Steps:
    def steps(system: System) -> None:
        given = path.format(thread=thread_of(system))
        status, body = system.call("GET", given, query=query or None)
        assert status == 200, body

    return steps


def a_minute_later(system: System) -> None:
    system.clock.sleep(60)


def _then(*steps: Steps) -> Steps:
    def all_steps(system: System) -> None:
        for step in steps:
            step(system)

    return all_steps


def _six_minutes(system: System) -> None:
    _run(system)
    system.clock.sleep(6 * 60)


_COPY: Final = "f" * 12  # begins the ids of copies


def _fill_lists(system: System) -> None:
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


def _fill_customer(system: System) -> None:
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


def _writes_again_by_subject(system: System) -> None:
    """A mail of Ann with a reply prefix and without reply headers, which her newest threads are compared with."""
    raw = mail("ann-new@orchard.example", TEXT, to=ASSISTED, subject="Re: Tables")
    _arrives(system, raw, "subject")


def _writes_huge(system: System) -> None:
    """A mail of 30 MB, most of it a file."""
    head = mail("huge@grove.example", TEXT, sender="zoe@grove.example", to=ASSISTED)
    _arrives(system, head + b"\n" + (b"0" * 76 + b"\n") * (30 * 1_048_576 // 77), "huge")


def _with_targets(system: System) -> None:
    """The mailbox has targets in business hours."""
    hours = {"days": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
             "start": "08:00", "end": "20:00"}  # fmt: skip
    given = {"automation": "email_threads", "ai": MODEL, "first_response_minutes": 60, "resolution_minutes": 600,
             "business_hours": {"time_zone": "UTC", "periods": [hours]}}  # fmt: skip
    status, body = system.call("PUT", f"/email-mailboxes/{ASSISTED}", given)
    assert status == 200, body


def _is_due(system: System) -> None:
    _then(_with_targets, _writes_first, _run)(system)
    system.clock.sleep(50 * 60)


def _looks(system: System) -> None:
    """The schedule finds the thread, and the worker does what is due."""
    system.run_schedule()
    _run(system)


def _is_completed(system: System) -> None:
    """The mailbox asks an hour after the end of a thread; the customer wrote, was answered, and the hour is over."""
    given = {"automation": "email_threads", "ai": MODEL, "satisfaction_delay_hours": 1}
    assert system.call("PUT", f"/email-mailboxes/{ASSISTED}", given)[0] == HTTPStatus.OK
    _is_sent(system)
    path = f"/email-threads/{thread_of(system)}"
    assert system.call("PATCH", path, {"status": "completed"})[0] == HTTPStatus.OK
    system.clock.sleep(60 * 60)


def _sends_question(system: System) -> None:
    """The schedule finds the send; ingest and worker pass it on."""
    system.run_schedule()
    _run(system)
    _run(system)


def _is_asked(system: System) -> None:
    """The customer has opened the page of the link: its function has read the keys."""
    _then(_is_completed, _looks, a_minute_later)(system)
    _opens(system, httpMethod="GET")


def _answers_question(system: System) -> None:
    """The customer's browser sends the form of the link."""
    _opens(system, httpMethod="POST", body="score=5&comment=Thanks")


def _opens(system: System, **request: str) -> None:
    link = Link(channel="email", conversation_id=thread_of(system), language="en", expires_at=2**33)
    path = {"token": token_of(link)}
    event = {"resource": "/satisfaction/{token}", "pathParameters": path, **request}
    assert system.api.handler(event, Invocation(system.clock))["statusCode"] == HTTPStatus.OK


def _has_another_thread(system: System) -> None:
    """Zoe has a thread with a draft."""
    _writes_first(system)
    _run(system)


def _written_in_shadow(system: System) -> None:
    """A version of the mailbox's settings is in shadow, and a mail waits."""
    with_trial("shadow", most_answers=5)(system)
    _writes(system)


_is_merged: Final = _then(_has_another_thread, email_moves.merges, _run, email_moves.undoes)
_is_to_be_split: Final = _then(_written_twice, _run, email_moves.splits)
_BOUNCE: Final = {"bounceType": "Permanent", "bouncedRecipients": [{"emailAddress": ANN}]}

KINDS = (
    # Figures: write units, requests (all, SQS, S3), lines (log, EMF), their bytes; then read units. Of a new process:
    # the next ones do not read the owner of a mailbox again within 30 seconds.
    Kind("a mail, first of its thread", _writes_first, Figures(17, 16, 6, 2, 2, 1, 900), 6),
    Kind("a further mail", _writes, Figures(47, 15, 6, 2, 2, 1, 900), 18,
         smaller={1: {"write_units": 30}, 10: {"write_units": 43}}),
    Kind("a further mail of 3 KB", _writes_long, Figures(57, 15, 6, 2, 2, 1, 900), 18,
         smaller={1: {"write_units": 43}, 10: {"write_units": 53}}),
    Kind("a further mail, with files", _writes_with_files, Figures(59, 20, 6, 7, 2, 1, 900), 18,
         smaller={1: {"write_units": 48}, 10: {"write_units": 55}}),
    Kind("a mail again", _again, Figures(4, 17, 6, 2, 2, 1, 900), 21, _then(_writes, _six_minutes),
         smaller={1: {"requests": 18}}),
    Kind("a mail without a mailbox", _to_nobody, Figures(3, 10, 5, 2, 2, 2, 1_100), 3),
    Kind("its analysis, with a draft", _run, Figures(25, 13, 2, 0, 2, 1, 1_300), 27, _writes,
         smaller={1: {"write_units": 19, "requests": 15}, 10: {"write_units": 23}}),
    Kind("its analysis, over a waiting draft", _run, Figures(28, 15, 2, 0, 2, 1, 1_300), 28, _written_twice,
         smaller={1: {"write_units": 21}, 10: {"write_units": 26}}),
    Kind("its analysis, with a changed value", _run, Figures(36, 13, 2, 0, 2, 1, 1_300), 27, _writes_otherwise,
         smaller={1: {"write_units": 26, "requests": 15}, 10: {"write_units": 33}}),
    Kind("an analysis, and a draft in shadow", email_runs.plays, Figures(52, 30, 5, 0, 4, 2, 2_600), 65,
         _written_in_shadow,
         smaller={1: {"write_units": 41, "requests": 32}, 10: {"write_units": 50}}),
    Kind("its approval", approves, Figures(46, 10, 1, 0, 2, 0, 700), 5, _then(_is_drafted, a_minute_later),
         smaller={1: {"write_units": 30}, 10: {"write_units": 42}}),
    Kind("its send", _run, Figures(57, 24, 2, 0, 1, 1, 700), 30, _is_approved,
         smaller={1: {"write_units": 42}, 10: {"write_units": 53}}),
    Kind("an answer with copies, composed", composes, Figures(63, 12, 0, 0, 2, 0, 600), 7, _writes_with_copies,
         smaller={1: {"write_units": 38}, 10: {"write_units": 56}}),
    Kind("its send to all", _run, Figures(62, 32, 2, 0, 1, 1, 700), 39, _copies_are_approved,
         smaller={1: {"write_units": 53}, 10: {"write_units": 61}}),
    Kind("SES reports: sent", reports("Send"), Figures(2, 9, 5, 0, 2, 1, 800), 4, _is_sent,
         smaller={1: {"write_units": 1}}),
    Kind("SES reports: delivered", reports("Delivery"), Figures(2, 9, 5, 0, 2, 1, 800), 4, _is_sent,
         smaller={1: {"write_units": 1}}),
    Kind("SES reports: permanent bounce", reports("Bounce", **_BOUNCE), Figures(43, 13, 5, 0, 2, 1, 800), 7, _is_sent,
         smaller={1: {"write_units": 30}, 10: {"write_units": 39}}),
    Kind("a list of 25 threads", calls("/email-threads"), Figures(0, 2, 0, 0, 1, 0, 400), 52, _fill_lists),
    Kind("a thread", calls("/email-threads/{thread}"), Figures(0, 1, 0, 0, 1, 0, 400), 2),
    Kind("its newest 25 mails", calls("/email-threads/{thread}/emails"), Figures(0, 2, 0, 0, 1, 0, 400), 27),
    Kind("a list of 25 of a customer's 500 threads", calls("/email-threads", participant=ANN),
         Figures(0, 2, 0, 0, 1, 0, 400), 53, _fill_customer),
    Kind("a mail of a customer with 500 threads", _writes_again_by_subject, Figures(19, 18, 6, 2, 2, 1, 900), 27,
         _fill_customer),
    Kind("a mail of 30 MB", _writes_huge, Figures(14, 14, 5, 2, 2, 1, 900), 5),
    Kind("a mail, first of its thread, with targets", _writes_first, Figures(23, 16, 6, 2, 2, 1, 900), 6,
         _with_targets),
    Kind("an alarm before a breach", _looks, Figures(19, 15, 5, 0, 1, 1, 700), 7, _is_due),
    Kind("a question at the end of a thread", _looks, Figures(38, 16, 5, 0, 1, 1, 700), 9, _is_completed,
         smaller={1: {"write_units": 29}, 10: {"write_units": 35}}),
    Kind("the send of a question", _sends_question, Figures(56, 36, 8, 0, 2, 1, 900), 34, _is_asked,
         smaller={1: {"write_units": 42, "requests": 37}, 10: {"write_units": 52}}),
    Kind("an answer to a question", _answers_question, Figures(29, 2, 0, 0, 0, 0, 0), 2, _is_asked,
         smaller={1: {"write_units": 20}, 10: {"write_units": 26}}),
    # An undo and a split derive the head from all mails: they read the thread four times, or twice.
    Kind("a merge of another thread of one mail", _run, Figures(131, 25, 2, 0, 1, 1, 600), 17,
         _then(_has_another_thread, email_moves.merges),
         smaller={1: {"write_units": 98}, 10: {"write_units": 123}}, only_at=(1, 10, 2_000)),
    Kind("the undo of a merge", _run, Figures(121, 114, 2, 0, 1, 1, 600), 8_024, _is_merged,
         smaller={1: {"write_units": 101, "requests": 37}, 10: {"write_units": 116, "requests": 35}},
         only_at=(1, 10, 2_000)),
    Kind("a split of two mails", _run, Figures(127, 82, 3, 4, 1, 1, 600), 4_039, _is_to_be_split,
         smaller={1: {"write_units": 95, "requests": 43, "sqs": 4}, 10: {"write_units": 122, "requests": 42}},
         only_at=(1, 10, 2_000)),
    Kind("a list of 25 drafts", calls("/email-threads/drafts"), Figures(0, 2, 0, 0, 1, 0, 400), 25.5, _fill_lists),
    Kind("a run of two recorded scenarios", email_runs.plays, Figures(8, 18, 4, 0, 2, 2, 1_500), 12,
         email_runs.begins_recorded),
    Kind("a run of two scenarios with a model", email_runs.plays, Figures(9, 21, 4, 0, 4, 2, 2_600), 14,
         email_runs.begins_with_model),
)  # fmt: skip
WRITTEN_DOWN = {kind.name: kind.figures for kind in KINDS}


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
