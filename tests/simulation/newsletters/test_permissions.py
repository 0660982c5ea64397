"""The role of each function of newsletters permits exactly what the function does in the simulation."""

from __future__ import annotations

import json
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.store.bucket import large_values
from shared.ai.spending import usage
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import Entry, digest
from shared.contacts import conditions, segments
from shared.identity.contacts.claims import Proof, claimed
from shared.identity.identifiers import IdentifierKind
from shared.inbox import entries
from shared.inbox.entries import Tables
from shared.inbox.items import Channel, Context, Head
from shared.runtime import clock
from tests import keyring, template
from tests.simulation.newsletters.scenarios import (
    DRAFTED,
    EXPORTED,
    ONE,
    PLANNED,
    RETRIEVED,
    SCENARIOS,
    configured,
    deleted,
    documents_added,
    draft_edited,
    exported,
    requested,
    settled,
    started,
)
from tests.simulation.newsletters.steps import series
from tests.simulation.newsletters.steps.issues import (
    KEYS,
    READERS,
    approved,
    changed,
    contacts_of,
    drafted,
    mails,
    newest_issue,
    opened,
    ordered,
    reported,
    sent,
    unsubscribe_url,
    warm,
    with_readers,
)
from tests.simulation.newsletters.steps.issues import ONE as ISSUE
from tests.simulation.newsletters.steps.readers import (
    DORA,
    confirmed,
    link_in,
    published,
    signed_up,
    visited,
)
from tests.simulation.newsletters.steps.tenants import set_up
from tests.simulation.newsletters.system import ANN, COMPANY, System
from tests.simulation.permissions.permissions import Use
from tests.simulation.permissions.role_checks import check, observed
from tests.simulation.person_calls import ask_part, asked_for

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
            for act in scenario.acts:
                act(_system)
            _system.settle()
            _system.run_schedule()
        with pytest.MonkeyPatch.context() as small:
            small.setattr(large_values, "MOST_BYTES", 2_500)
            _use_large_values(_system)
        _fail_and_retry(_system)
        _park_and_replay(_system)
        _use_the_api(_system)
        _use_a_knowledge_base(_system)
        _count_for_a_limit(_system)
        _answer_request(_system)
        _send_an_issue(_system)
        _use_the_public_pages(_system)
        _run_a_series(_system)
        _send_as_a_tenant(_system)
        yield observer.uses


def _count_for_a_limit(system: System) -> None:
    """Calls of the model, also of a try, that count for a limit of the company in dollars."""
    system.reset()
    counts = Table(system.dynamodb, system.spending)
    usage.set_ceilings(counts, COMPANY, {"day_micros": 10**9}, by="operator")
    settled(DRAFTED)(system)
    tried = {"step": "outline", "code": system.code}
    system.act("POST", "/newsletters/settings/playground", tried)


def _use_large_values(system: System) -> None:
    """Values in objects, which the schedule reads for a job past its deadline."""
    system.reset()
    settled(DRAFTED, draft_edited, exported("markdown"))(system)
    _lose_messages(system, started("draft", "again", replace_edits=True))
    system.read(ONE)
    settled(deleted)(system)


def _lose_messages(system: System, start: Any) -> None:
    """A job, and an export, whose messages are lost and which then are past their deadline."""
    exported("text", key="lost")(system)
    start(system)
    for queue in system.fifo_queues.queues.values():
        queue.messages.clear()
    system.pass_time()
    system.clock.ms += 21 * 60_000
    for queue in system.fifo_queues.queues.values():
        queue.messages.clear()
    system.settle()


def _fail_and_retry(system: System) -> None:
    """A failing table: retries, dead letters, and their redrive."""
    for prepare, step, queue in (
        (RETRIEVED, started("outline"), system.steps_queue),
        (DRAFTED, exported("text"), system.exports_queue),
    ):
        system.reset()
        prepare(system)
        step(system)
        system.interceptor.fails_if = partial(_starts_with, "dynamodb.Query")
        for _ in range(20):
            for name, message in system.fifo_queues.receive():
                system.run_worker(name, message)
            system.pass_time()
        system.interceptor.fails_if = lambda _: False
        assert system.fifo_queues.queues[queue].dead_letters
        _, found = system.call("GET", "/newsletters/dead-letters", scopes="operator")
        wanted = {"ids": [letter["id"] for letter in found["result"]["letters"]]}
        system.call("POST", "/newsletters/dead-letters/redrive", wanted, scopes="operator")
        system.settle()


def _starts_with(operation: str, call: str) -> bool:
    return call.startswith(operation)


def _park_and_replay(system: System) -> None:
    """Events that no worker can read are parked, listed and replayed."""
    system.reset()
    for queue in (system.steps_queue, system.exports_queue):
        body = json.dumps({"type": f"newsletter.{queue}", "code": "NL-20260101-AAAA"})
        system.fifo_queues.put(queue, Entry(body, digest("p"), digest("p")))
    PLANNED(system)
    for queue, kind in (
        (system.steps_queue, "newsletter.privacy"),
        (system.exports_queue, "newsletter.export"),
    ):
        event: dict[str, object] = {"v": 1, "type": kind, "job_id": "0" * 32}
        if kind == "newsletter.export":
            event |= {"code": system.code, "format": 1}
        system.fifo_queues.put(queue, Entry(json.dumps(event), digest(kind), digest(kind)))
    system.settle()
    assert system.call("GET", "/newsletters/parked", scopes="operator")[0] == HTTPStatus.OK
    for event in system.parked():
        path = f"/newsletters/parked/{event['event_id']}/replay"
        system.call("POST", path, {}, scopes="operator")
    system.settle()


def _use_the_api(system: System) -> None:
    system.reset()
    settled(EXPORTED, requested("export"), documents_changed, started("topics", "again"))(system)
    job = requested("export")(system)
    assert isinstance(job, dict)
    system.settle()
    configured(system)
    assert system.read(f"/newsletters/privacy-jobs/{job['id']}")["export"]
    for path in ("/exports", "/exports/html", "/draft/status"):
        assert system.read(f"{ONE}{path}")
    for of in ("me", "company"):
        system.act("POST", "/newsletters", {"title": "Another one"}, key=of)
        query = {"of": of, "limit": "1"}
        assert "cursor" in system.call("GET", "/newsletters", query=query)[1]
    assert system.read("/newsletters/sources")["sources"]
    system.act("DELETE", "/newsletters/sources/teff-trial.md")
    system.call("POST", f"{ONE}/draft/start", {})  # refused: the claim is released


def _run_a_series(system: System) -> None:
    """A series with an issue, of a domain whose warm-up people have changed, and readers who are welcomed."""
    system.reset()
    settled(configured, documents_added, with_readers(), warm)(system)
    series.begun(system, with_issue=True)
    series.at(system, series.FIRST)
    assert series.runs(system) == [("2026-01-02", "done")]
    for path in (series.ALL, series.path(system), "/newsletters/warm-ups"):
        assert system.read(path)
    look = {"name": "House style", "colours": {"accent": "#7a1f5c", "page": "#fdf6e3"}}
    template_id = system.act("POST", "/newsletters/templates", look, key="look")["template_id"]
    change = {"version": series.one(system).version, "enabled": False}
    system.act("PATCH", series.path(system), change, key="disable")
    system.issue_id = newest_issue(system)
    in_look = {"version": system.read(ISSUE)["version"], "template_id": template_id}
    system.act("PATCH", ISSUE, in_look, key="in look")
    settled(approved, sent)(system)
    assert system.read("/newsletters/templates")["templates"]
    system.act("DELETE", f"/newsletters/templates/{template_id}", {}, key="remove look")
    welcome = {"subject": "Welcome", "text": "Nice to have you."}
    signed_up(system, published(system, welcome=welcome))
    system.settle()
    confirmed(system, mails(system)[-1])
    system.settle()
    system.act("DELETE", series.path(system), {}, key="delete")


def _send_as_a_tenant(system: System) -> None:
    """An issue of a company with a tenant of SES, whose resources are read after a refusal."""
    system.reset()
    set_up(system)
    settled(EXPORTED, with_readers(), partial(configured, ses_tenant=True), drafted, approved)(
        system
    )
    system.sandbox.faults.add(
        provider="ses", operation="SendEmail", times=1, kind="status", status=400
    )
    settled(sent)(system)
    assert system.read(f"{ISSUE}/stats")["failed"] == 1


def _answer_request(system: System) -> None:
    """The calls of a request about a person over all contexts: an export, then an erasure with its wait."""
    system.reset()
    settled(EXPORTED)(system)
    byline = {"user_email": "Ann@Example.com", "user_name": "Ann"}
    system.act("PATCH", ONE, {"version": system.read(ONE)["metadata"]["version"], **byline})

    def ask(call: str, **fields: Any) -> Any:
        return ask_part(system.api.handler, system.invocation("NewslettersApi"), call, **fields)

    for kind in ("export", "erase"):
        names = [["email", "ann@example.com"]]
        (subject,) = ask("subjects", kind=kind, company=COMPANY, names=names)
        asked_of = asked_for(kind, COMPANY)
        assert not ask("since", asked=asked_of, subject=subject["name"], queues=True)["is_done"]
        system.settle()
        assert ask("stored", job_id=subject["job_id"])["counts"]["author_addresses"] == 1


def _use_a_knowledge_base(system: System) -> None:
    """The owner is read for the settings, and again before a search, which is refused."""
    system.reset()
    RETRIEVED(system)
    system.grant("KB12345678")
    configured(system, retrieval={"retriever": "bedrock", "knowledge_base_id": "KB12345678"})
    system.revoke("KB12345678")
    settled(started("topics", "again"))(system)


def _send_an_issue(system: System) -> None:
    """All that people, readers and the provider do with an issue, to a list and to a segment."""
    system.reset()
    settled(EXPORTED, with_readers())(system)
    with keyring.held(KEYS):  # a reader with a conversation
        inbox = Tables(
            inbox=Table(system.dynamodb, system.tables["inbox"]), contacts=contacts_of(system)
        )
        entries.refresh(inbox, Heads(), "thread-1")
    condition = conditions.read({"field": "consent.email", "operator": "is", "value": "opted_in"})
    of_all = segments.create(contacts_of(system), COMPANY, "All", condition, by=ANN, cause="all")
    drafted(system, segment_ids=[of_all.sk])
    version = system.read(ISSUE)["version"]
    system.act("PATCH", ISSUE, {"version": version, "preheader": "What is new"}, key="preheader")
    assert system.read(f"{ISSUE}/checklist")["may_be_sent"]
    approved(system)
    changed("schedule", local="2026-01-01T18:00", timezone="Europe/Berlin")(system)
    changed("unschedule")(system)
    sent(system)
    settled(ordered("pause"), ordered("resume"))(system)
    for event in ("Delivery", "Bounce", "Complaint"):
        reported(system, mails(system)[0], event, bounceType="Permanent")
    system.settle()
    for method in ("GET", "POST"):
        assert opened(system, unsubscribe_url(mails(system)[1]), method).status == HTTPStatus.OK
    for part in ("stats", "recipients"):
        assert system.read(f"{ISSUE}/{part}")
    assert system.read("/newsletters/issues")["issues"]
    drafted(system, key="another")
    system.act("DELETE", ISSUE)
    settled(requested("erase"))(system)


def _use_the_public_pages(system: System) -> None:
    """All that readers do without a login, and the test of an issue."""
    system.reset()
    EXPORTED(system)
    list_id, other = published(system), published(system, "Others", title="Bee News")
    assert signed_up(system, list_id).status == HTTPStatus.ACCEPTED
    for queue in system.fifo_queues.queues.values():
        queue.messages.clear()  # lost: the schedule sends it again
    system.settle()
    assert confirmed(system, mails(system)[0]).status == HTTPStatus.OK
    system.settle()
    drafted(system)
    system.act("POST", f"{ISSUE}/test", {"addresses": ["ann@shop.example"]})
    system.settle()
    settled(approved, sent)(system)
    path = link_in(mails(system)[-1], "preferences")
    page = visited(system, path).text
    fields = {"act": "save", "list": [other], "frequency": "weekly"} | {
        name: page.partition(f'name="{name}" value="')[2].partition('"')[0]
        for name in ("version", "shown")
    }
    assert visited(system, path, fields | {"language": "de"}).status == HTTPStatus.OK
    system.settle()
    for act in ("data", "leave_all"):
        assert visited(system, path, {"act": act}).status == HTTPStatus.OK
    base = f"/n/{COMPANY}/{list_id}"
    for page in ("subscribe", "archive", "feed.xml", f"archive/{system.issue_id}"):
        assert visited(system, f"{base}/{page}").status == HTTPStatus.OK
    asked = visited(system, f"{base}/preferences", {"email": DORA, "website": ""})
    assert asked.status == HTTPStatus.ACCEPTED
    system.settle()
    erase = visited(system, link_in(mails(system)[-1], "preferences"), {"act": "erase"})
    assert erase.status == HTTPStatus.OK
    system.settle()
    erasure = link_in(mails(system)[-1], "erase")
    assert visited(system, erasure).status == HTTPStatus.OK
    assert visited(system, erasure, {"act": "save"}).status == HTTPStatus.OK
    system.settle()
    assert system.read(f"/newsletters/lists/{list_id}")
    assert system.read("/newsletters/lists")
    system.act("DELETE", f"/newsletters/lists/{other}")


class Heads:
    """The head of a conversation with a reader."""

    context = Context.EMAIL_THREADS

    def read(self, reference: str) -> Head:
        """Return the head."""
        return Head(
            company_id=COMPANY,
            context=self.context,
            reference=reference,
            channel=Channel.EMAIL,
            address="support@shop.example",
            last_activity_at=clock.to_text(clock.now_ms()),
            status="open",
            handle=READERS[0],
            claims=claimed(IdentifierKind.EMAIL, READERS[0], Proof.PROVIDER),
        )


def documents_changed(system: System) -> None:
    """The next search makes a new index, and removes the old one."""
    added = {"name": "late.md", "title": "Late news", "text": "Late news of the research."}
    system.act("POST", "/newsletters/sources", added, key="late")


def test_every_function_of_newsletters_is_exercised() -> None:
    names = template.resources("AWS::Serverless::Function")

    assert {name for name in names if name.startswith("Newsletters")} == set(FUNCTIONS)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_permits_exactly_the_calls_of_its_function(
    uses: dict[str, set[Use]], function: str
) -> None:
    check(function, uses, STAGE)
