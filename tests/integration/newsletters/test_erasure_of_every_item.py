"""No item or object has a trace of an erased user, beyond what the receipt names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsletters.inbound.events import PurgeRequested
from newsletters.privacy.jobs import ERASED
from newsletters.privacy.requests import REMAINDERS
from newsletters.store import issues, sets
from newsletters.store.content.newsletters import change_metadata
from newsletters.store.items import ITEMS, Issue
from newsletters.store.items.item import timestamp
from newsletters.worker.purge import purge
from shared.ai.evaluation.sets.items import StoredRun, StoredSet
from tests.erasure.coverage import Day
from tests.erasure.traces import words
from tests.integration.newsletters.deployment import (
    COLLEAGUE,
    COMPANY,
    OTHER_COMPANY,
    USER,
    many_chunks,
)
from tests.integration.newsletters.test_privacy import finish, request, review

if TYPE_CHECKING:
    from tests.integration.newsletters.deployment import Deployment

CANARY, NAME, MAIL = "canary-words", "Ann Öhlund", "ann@acme.example"
SOUGHT = words(USER, CANARY, NAME, MAIL)
PATTERNS = {item.__name__: f"item {item.partition} {item.sort}" for item in ITEMS}
# Classes of which no item may have a trace of a user, with the reason.
WITHOUT_TRACES = {
    "CompanyEntry": "the code of a newsletter",
    "AiUse": "a number",
    "FinishedUnit": "content of a newsletter, removed with it",
    "Deletion": "a code and times: what a deletion itself writes",
    "StoredAnswer": "ids and codes, under a hash",
    "ParkedEvent": "ids",
    "DeadLetterNote": "a reason, under a hash",
    "PrivacyJob": "the user while it runs, then counts",
    "SettingsVersion": "the company's; the author's id is replaced",
    "CompanySettings": "the company's; the author's id is replaced",
    "SettingsScenarios": "made-up newsletters",
    "SettingsResult": "answers about made-up newsletters",
    "Job": "removed with its newsletter",
    "Revision": "removed with its newsletter",
    "IssueEntry": "the id of an issue",
    "IssueStats": "numbers",
    "VariantStats": "numbers",
    "Series": "removed with its owner; the id of who changed it is replaced",
    "MailTemplate": "the company's; the author's id is replaced",
    "WarmUp": "the company's; the author's id is replaced",
    "Recipient": "ids of contacts, and keyed hashes of readers' addresses",
    "SendPace": "a time",
    "Senders": "ids of companies and times",
    "PublicList": "the company's; the author's id is replaced",
    "ArchivedIssue": "the subject of an issue",
    "TestMail": "an address of the company for a day, which the receipt of the address names",
    "Signup": "a reader's, removed by the address",
    "SignupPace": "a reader's, removed by the address",
    "ReaderQuota": "numbers, under a keyed hash",
    "Choices": "a reader's, removed by the address",
    "SoftBounces": "a reader's, removed by the address",
    "Interest": "a reader's, removed by the address",
    "WelcomeMail": "a reader's, removed by the address",
    "ConsentEvidence": "a reader's, removed by the address",
}


def values(newsletters: Deployment) -> dict[str, Any]:
    """All items and objects."""
    items = {f"item {' '.join(key)}": row for key, row in newsletters.items().items()}
    return items | {f"object {key}": body for key, body in newsletters.objects().items()}


def others(newsletters: Deployment) -> str:
    newsletters.complete(cause="colleague-2", user=COLLEAGUE, title="Not reviewed")
    newsletters.complete(cause="other-1", company=OTHER_COMPANY, title="Of the other company")
    return newsletters.complete(cause="colleague-1", user=COLLEAGUE, title="Reviewed")


def own(newsletters: Deployment) -> None:
    """Newsletters of the user with large passages and files, and an export of them."""
    facts = {"user_name": NAME, "user_email": MAIL, "description": CANARY}
    first = newsletters.complete(cause="own-1", title=f"Own {CANARY}", **facts)
    newsletters.write(first, many_chunks(first))
    for partition, sort in newsletters.items():
        if first in partition:  # texts of every step
            newsletters.table.update({"PK": partition, "SK": sort}, put={"words": CANARY})
    newsletters.store.bucket.put(f"newsletters/{first}/export.pdf", f"{CANARY} {NAME}".encode())
    approved_issue(newsletters, first)
    evaluated(newsletters)
    newsletters.create("own-2", title=f"Second {CANARY}", **facts)
    finish(newsletters, request(newsletters, "export"))


def evaluated(newsletters: Deployment) -> None:
    """A set that the user has stored, and a run that the user has begun."""
    at = timestamp(newsletters.clock.ms)
    stored = sets.of_company(newsletters.table, COMPANY)
    made = StoredSet(name="own", revision=1, scenarios=1, gate=False, by=USER, at=at)
    assert stored.put(made, ("{}",), keeps_gate=False)
    stored.begin(
        StoredRun(
            run_id="own",
            set_name="own",
            revision=1,
            version=1,
            total=1,
            most_calls=1,
            most_micros=1,
            by=USER,
            at=at,
        )
    )


def approved_issue(newsletters: Deployment, code: str) -> None:
    """An issue that the user has made and approved."""
    issue_id = issues.new_id("issue", newsletters.clock.ms)
    at = timestamp(newsletters.clock.ms)
    issues.create(
        newsletters.table,
        Issue(
            **Issue.key(issue_id),
            issue_id=issue_id,
            company_id=COMPANY,
            newsletter_code=code,
            subject="News",
            sender="news@shop.example",
            sender_name="The Shop",
            postal_address="1 Mill Lane",
            permission_line="You asked for it.",
            created_at=at,
            created_by=USER,
            approved_by=USER,
            updated_at=at,
            cause="issue",
        ),
    )


def requested(newsletters: Deployment, code: str) -> None:
    """The user requests and decides the review of a colleague's newsletter."""
    review(newsletters, code, USER)
    metadata = newsletters.read(code).metadata
    assert metadata.review is not None
    asked = metadata.review.model_copy(update={"requested_by": USER})
    change_metadata(newsletters.table, metadata, {"review": asked})


def test_nothing_is_left_and_others_lose_nothing(newsletters: Deployment) -> None:
    reviewed = others(newsletters)
    before = values(newsletters)
    own(newsletters)
    requested(newsletters, reviewed)
    stored = values(newsletters)

    job = finish(newsletters, request(newsletters, "erase"))
    for event in newsletters.messages():
        if event["type"] == "newsletter.purge":
            purge(newsletters.resources, PurgeRequested(code=event["code"]))

    done = Day(others=before, person=stored, erased=values(newsletters), words=SOUGHT)
    assert done.left() == {}
    assert done.harmed(except_for=[reviewed]) == []
    found = newsletters.read(reviewed).metadata.review
    assert found is not None
    assert (found.requested_by, found.decided_by) == (ERASED, ERASED)
    assert PATTERNS.keys() - done.tried(PATTERNS) <= WITHOUT_TRACES.keys()
    assert set(job.receipts[0]["left"]) == {one.kind for one in REMAINDERS}
