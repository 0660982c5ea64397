"""The role of each function of e-mail permits exactly what the function does in the simulation."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest

from email_threads.inbound.events import EmailAnalyse, entry
from shared.ai.spending import usage
from shared.aws.workers.fair_shares import LATE_MS
from tests import template
from tests.simulation.email_threads import people
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.scenarios import SCENARIOS
from tests.simulation.email_threads.steps import occupy
from tests.simulation.email_threads.system import (
    ANN,
    ASSISTED,
    AUTOMATED,
    COMPANY,
    MAILBOX,
    System,
    mail,
)
from tests.simulation.invocations import Invocation
from tests.simulation.permissions.permissions import CallObserver, Use
from tests.simulation.permissions.role_checks import check, observed

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long  # all scenarios run before the first test
STAGE = {"Stage": "local"}
FUNCTIONS = System.parts.functions


@pytest.fixture(scope="module")
def uses(_system: System) -> Iterator[dict[str, set[Use]]]:
    with observed(_system) as observer:
        for scenario in SCENARIOS:
            _system.reset()
            scenario.before(_system)
            _system.drain()
            scenario.then(_system)
            _system.drain()
        _fail_and_retry(_system)
        _use_the_api(_system, observer)
        _erase_and_export(_system)
        _report_of_an_issue(_system)
        _wait_above_the_share(_system, observer)
        yield observer.uses


def _fail_and_retry(system: System) -> None:
    """A failing table: retries, dead letters, and their redrive. A subject without reply headers."""
    system.reset()
    system.deliver(mail("a@x", subject="A long subject"), name="1")
    system.drain()
    system.deliver(mail("b@x", subject="Re: A long subject"), name="2")
    system.drain()
    gone = system.deliver(mail("gone@x"), name="gone")
    system.s3.delete_object(Bucket=system.bucket, Key=gone)
    system.drain()
    for number, failing in enumerate(("s3.GetObject", "dynamodb.Transact"), start=3):
        system.deliver(mail(f"{number}@x"), name=f"{number}")
        system.interceptor.fails_if = partial(_starts_with, failing)
        system.drain()
        system.interceptor.rewind()
    _, letters = system.call("GET", "/email-threads/dead-letters", scopes="operator")
    ids = [letter["id"] for letter in letters["result"]["letters"]]
    assert len(ids) == 2
    system.call("POST", "/email-threads/dead-letters/redrive", {"ids": ids}, scopes="operator")
    system.drain()


def _report_of_an_issue(system: System) -> None:
    """An event about the mail of a newsletter."""
    system.reset()
    tags = {"issue": ["IS-20261102-AAAAAAAA"], "recipient": ["0a1b"]}
    system.report("Delivery", messageId="ses-1", tags=tags)
    system.drain()


def _wait_above_the_share(system: System, observer: CallObserver) -> None:
    """A late analysis of a company with its share of the runs."""
    system.reset()
    system.deliver(mail("a@x", to=ASSISTED), name="1", address=ASSISTED)
    system.drain()
    observer.watching("EmailThreadsWorker", occupy)(system)
    (thread,) = system.threads()
    late = EmailAnalyse(conversation_id=thread["conversation_id"], n=1, cause="again")
    system.fifo_queues.put(system.queue, entry(late))
    system.clock.ms += LATE_MS + 1
    system.drain()


def _starts_with(operation: str, call: str) -> bool:
    return call.startswith(operation)


def _limit(system: System) -> None:
    counts = system.worker.resources.spending.table
    usage.set_ceilings(counts, COMPANY, {"month_micros": 10**9}, by="a person")


def _use_the_api(system: System, observer: CallObserver) -> None:
    system.reset()
    system.deliver(verified(with_files()), name="1", address=MAILBOX)
    system.drain()
    other = mail("c@x", sender="zoe@orchard.example", in_reply_to="files@x")
    system.deliver(other, name="4", address=MAILBOX)
    system.deliver(mail("b@x", to=AUTOMATED), name="2", address=AUTOMATED)
    system.deliver(b"-", name="3", address=MAILBOX)
    system.drain()
    thread = f"/email-threads/{system.mails()[0]['conversation_id'].partition('#')[0]}"
    calls = [
        ("GET", f"{thread}/emails", None),
        ("GET", f"{thread}/emails/1/attachments/1", None),
        ("PATCH", thread, {"priority": "high"}),
        ("POST", f"{thread}/notes", {"text": "Hm."}),
        ("GET", f"{thread}/notes", None),
        ("PUT", "/email-mailboxes/a@shop.example", {}),
        ("GET", "/email-mailboxes", None),
        ("DELETE", "/email-mailboxes/a@shop.example", None),
        ("POST", f"{thread}/emails/2/admit", None),
        ("POST", f"{thread}/emails/2/withhold", None),
        ("POST", f"{thread}/merge", {"into": "0123456789abcdef"}),  # refused: the claim is released
        ("POST", "/email-threads/parked/replay", {}),
        ("POST", "/email-threads/macros", {"name": "closing", "canned_reply": "ready"}),
        ("GET", "/email-threads/macros", None),
        ("POST", f"{thread}/macros/closing", {}),  # refused: there is no such canned reply
        ("POST", "/email-threads/macros/closing/remove", {}),
    ]
    for method, path, body in calls:
        system.call(method, path, body)
    observer.watching("EmailThreadsApi", _limit)(system)  # a try reserves and settles its cost
    tried = {"mails": [{"text": "Is it red?"}]}
    system.call("POST", f"/email-mailboxes/{ASSISTED}/playground", tried)  # asks the model
    _open_a_page(system)
    _use_drafts(system, thread, observer)
    for stored in system.mails():
        path = stored["conversation_id"].replace("#mail#0000000", "/emails/")
        system.call("GET", f"/email-threads/{path}", query={"html": "1"})
    system.call("GET", "/email-threads/parked", scopes="operator")
    assert "cursor" in system.call("GET", "/email-threads", query={"limit": "1"})[1]


def _open_a_page(system: System) -> None:
    """A link with the proof of another stage: the keys are read."""
    path = {"token": f"email.0123456789abcdef.en.ffffffff.{'0' * 32}"}
    event = {"resource": "/satisfaction/{token}", "httpMethod": "GET", "pathParameters": path}
    assert system.api.handler(event, Invocation(system.clock))["statusCode"] == HTTPStatus.NOT_FOUND


def _use_drafts(system: System, thread: str, observer: CallObserver) -> None:
    pdf = {"filename": "a.pdf", "content_type": "application/pdf"}
    form = system.call("POST", f"{thread}/uploads", pdf)[1]["result"]
    place = {"Bucket": system.bucket, "Key": form["fields"]["key"]}
    # A browser writes the file, with the permission of the function that has signed the form.
    observer.watching("EmailThreadsApi", observer.note)("s3.PutObject", place)
    system.s3.put_object(**place, Body=b"%PDF", ContentType="application/pdf")
    files = [{"upload": form["upload"], "filename": form["filename"]}]
    missing_file = [{"upload": "0" * 32, "filename": "gone.pdf"}]
    for given, expected in ((files, 201), (missing_file, 400)):
        draft = {"body_text": "Here.", "attachments": given}
        assert system.call("POST", f"{thread}/replies", draft)[0] == expected
    new = {"mailbox": MAILBOX, "to": ["zoe@field.example"], "subject": "News", "body_text": "Hi."}
    assert system.call("POST", "/email-threads", new)[0] == 201
    assert len(system.call("GET", "/email-threads/drafts")[1]["result"]["drafts"]) == 2


def _erase_and_export(system: System) -> None:
    """An export that is read, and an erasure that deletes it."""
    system.reset()
    people.alone(system)
    assert people.finished(system, "export", ANN)["export"]
    people.finished(system, "erase", ANN)


def test_every_function_of_email_is_exercised() -> None:
    names = template.resources("AWS::Serverless::Function")

    ours = {name for name in names if name.startswith("Email") and not name.endswith("InboxFeed")}
    assert ours == set(FUNCTIONS)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_permits_exactly_the_calls_of_its_function(
    uses: dict[str, set[Use]], function: str
) -> None:
    check(function, uses, STAGE)
