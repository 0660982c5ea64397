"""Items of other systems in the same table survive every operation unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsletters.api import changes
from newsletters.inbound.events import PrivacyRequested, PurgeRequested
from newsletters.jobs.execution import execution
from newsletters.jobs.outcomes import complete
from newsletters.jobs.watch import look_after
from newsletters.privacy import jobs as privacy
from newsletters.privacy.requests import jobs_of, of_user
from newsletters.store.content import newsletters as store
from newsletters.worker.purge import purge
from tests.integration.newsletters.deployment import COMPANY, USER, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.newsletters.deployment import Deployment

THEIRS: tuple[dict[str, Any], ...] = (
    {
        "PK": "PROPOSAL#PROP-20261102-A1B2",
        "SK": "METADATA",
        "GSI1PK": f"USER#{USER}",
        "GSI1SK": "PROPOSAL#2026-11-02T12:00:00Z",
        "status": "draft",
        "user_id": USER,
        "company_id": COMPANY,
    },
    {
        "PK": "NEWSLETTERX#NL-20261102-A1B2",
        "SK": "METADATA",
        "GSI1PK": f"USER#{USER}",
        "GSI1SK": "NEWSLETTERX#2026-11-02T12:00:00Z",
        "company_id": COMPANY,
    },
    {"PK": f"USER#{USER}", "SK": "PROFILE", "GSI1PK": "USER", "GSI1SK": USER},
    {
        "PK": "NEWSLETTER#NL-20251102-A1B2",
        "SK": "METADATA",
        "GSI1PK": f"USER#{USER}",
        "GSI1SK": "NEWSLETTER#2025-11-02T12:00:00Z",
        "newsletterCode": "NL-20251102-A1B2",
        "user_id": USER,
    },
)
OBJECTS = {"proposals/PROP-1/a.pdf": b"a", "newslettersx/NL-20261102-A1B2/a": b"b"}


@pytest.fixture
def others(newsletters: Deployment) -> Iterator[Deployment]:
    """Items and objects of others, which are checked at the end."""
    for item in THEIRS:
        newsletters.table.put(item)
    for key, body in OBJECTS.items():
        newsletters.store.bucket.put(key, body)
    stored = newsletters.items()
    keys = {(item["PK"], item["SK"]) for item in THEIRS}
    before = {key: stored[key] for key in keys}

    yield newsletters

    after = newsletters.items()
    assert {key: after.get(key) for key in keys} == before
    assert {key: newsletters.objects().get(key) for key in OBJECTS} == OBJECTS


def test_lists_show_no_item_of_another_system(others: Deployment) -> None:
    code = others.create()

    own, _ = store.list_of_user(others.table, USER, COMPANY, limit=25, start=None)
    of_company, _ = store.list_of_company(others.table, COMPANY, limit=25, start=None)

    assert [one.newsletterCode for one in own] == [code]
    assert [one.newsletterCode for one in of_company] == [code]
    assert store.get_newsletter_full(others.store, "NL-20251102-A1B2") is None


def test_the_whole_life_of_a_newsletter_changes_no_item_of_another_system(
    others: Deployment,
) -> None:
    code = others.complete()
    store.configure(others.store, others.read(code), {"title": "Another title"})
    job = others.start(code)

    with execution(others.store, others.run()) as work:
        claimed = work.claim(code, "topics", job.job_id)
        work.is_done = complete(others.store, others.read(code), claimed, topics(code))

    assert work.is_done
    others.start(code, cause="start-2")
    changes.delete(others.resources, others.read(code))
    others.pass_minutes(60)
    purge(others.resources, PurgeRequested(code=code))

    assert {key[1] for key in others.items() if code in key[0]} == {"DELETED"}


def test_the_schedule_looks_after_newsletters_only(others: Deployment) -> None:
    code = others.create()
    others.write(code, topics(code))
    others.start(code)
    deleted = others.create("call-2")
    changes.delete(others.resources, others.read(deleted))
    others.pass_minutes(10)

    found = others.due_work()
    for one in found:
        look_after(others.resources, one)

    assert sorted(one.code for one in found) == sorted([code, deleted])


@pytest.mark.parametrize("kind", ["export", "erase"])
def test_a_request_of_a_user_reaches_newsletters_only(others: Deployment, kind: Any) -> None:
    code = others.complete()

    own = jobs_of(others.resources)
    job = own.start(kind, COMPANY, of_user(USER), by="api-key:admin")
    while privacy.work(others.resources, PrivacyRequested(job_id=job.job_id)):
        pass

    found = store.get_newsletter_full(others.store, code)
    assert (found is None) is (kind == "erase")
