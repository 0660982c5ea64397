"""What is left of a deleted newsletter is removed; the mark of its code stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.api import changes
from newsletters.inbound.events import PurgeRequested
from newsletters.jobs import watch
from newsletters.store import jobs
from newsletters.store.items import FinishedUnit
from newsletters.worker.purge import purge
from tests.integration.newsletters.deployment import many_chunks

if TYPE_CHECKING:
    import pytest

    from tests.integration.newsletters.deployment import Deployment


def deleted(newsletters: Deployment, *, units: int = 3) -> str:
    """A deleted newsletter that had a large value, an export, a job and units."""
    code = newsletters.complete()
    newsletters.write(code, many_chunks(code))
    newsletters.store.bucket.put(f"newsletters/{code}/export.pdf", b"%PDF")
    job = newsletters.start(code)
    for number in range(units):
        add_unit(newsletters, code, job.job_id, number)
    newsletters.messages()
    changes.delete(newsletters.resources, newsletters.read(code))
    return code


def add_unit(newsletters: Deployment, code: str, job_id: str, number: int) -> None:
    unit = FinishedUnit(
        **FinishedUnit.key(code, job_id, f"{number:03d}"), result="{}", ttl=2_000_000_000
    )
    jobs.put_unit(newsletters.table, unit)


def left(newsletters: Deployment, code: str) -> set[str]:
    """The sort keys of the newsletter's items, and the keys of its objects."""
    items = {sort for partition, sort in newsletters.items() if code in partition + sort}
    return items | {key for key in newsletters.objects() if code in key}


def test_a_deletion_removes_the_four_items_at_once_and_queues_the_purge(
    newsletters: Deployment,
) -> None:
    code = deleted(newsletters)

    assert not [key for key in newsletters.items() if key[0].startswith("NEWSLETTER#")]
    assert [one["type"] for one in newsletters.messages()] == ["newsletter.purge"]
    deletion = jobs.get_deletion(newsletters.table, code)
    assert deletion is not None
    assert deletion.purge == "pending"


def test_a_purge_removes_objects_jobs_and_units_and_keeps_the_mark(
    newsletters: Deployment,
) -> None:
    code = deleted(newsletters)
    other = newsletters.complete(cause="call-2")
    newsletters.store.bucket.put(f"newsletters/{other}/export.pdf", b"%PDF")
    kept = left(newsletters, other)

    assert purge(newsletters.resources, PurgeRequested(code=code))

    assert left(newsletters, code) == {"DELETED"}
    assert left(newsletters, other) == kept


def test_jobs_and_units_are_removed_page_by_page(
    newsletters: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = deleted(newsletters, units=7)
    query = newsletters.dynamodb.query
    monkeypatch.setattr(newsletters.dynamodb, "query", lambda **asked: query(**asked, Limit=2))

    assert purge(newsletters.resources, PurgeRequested(code=code))

    assert left(newsletters, code) == {"DELETED"}


def test_the_last_purge_comes_after_every_worker_has_ended_and_removes_late_writes(
    newsletters: Deployment,
) -> None:
    code = deleted(newsletters)
    purge(newsletters.resources, PurgeRequested(code=code))
    add_unit(newsletters, code, "late", 0)
    newsletters.store.bucket.put(f"newsletters/{code}/steps/late.json", b"{}")
    newsletters.pass_minutes(39)
    assert jobs.due(newsletters.table, newsletters.clock.ms, None) == ([], None)
    newsletters.pass_minutes(1)
    newsletters.messages()

    (work,) = newsletters.due_work()
    watch.look_after(newsletters.resources, work)

    (message,) = newsletters.messages()
    assert (message["type"], message["turn"]) == ("newsletter.purge", 2)
    purge(newsletters.resources, PurgeRequested(code=code, turn=2))
    assert left(newsletters, code) == {"DELETED"}
    deletion = jobs.get_deletion(newsletters.table, code)
    assert deletion is not None
    assert deletion.purge == "done"
    assert jobs.due(newsletters.table, newsletters.clock.ms + 3_600_000, None) == ([], None)


def test_a_lost_purge_is_sent_again(newsletters: Deployment) -> None:
    code = deleted(newsletters)
    newsletters.messages()
    newsletters.pass_minutes(5)

    for work in newsletters.due_work():
        watch.look_after(newsletters.resources, work)

    purges = [one for one in newsletters.messages() if one["type"] == "newsletter.purge"]
    assert [(one["code"], one["turn"]) for one in purges] == [(code, 1)]


def test_repeated_purges_are_harmless(newsletters: Deployment) -> None:
    code = deleted(newsletters)
    newsletters.pass_minutes(41)
    assert purge(newsletters.resources, PurgeRequested(code=code))
    before = newsletters.items()

    assert purge(newsletters.resources, PurgeRequested(code=code))
    assert purge(newsletters.resources, PurgeRequested(code=code, turn=7))

    assert newsletters.items() == before


def test_a_purge_of_a_newsletter_that_was_not_deleted_removes_nothing(
    newsletters: Deployment,
) -> None:
    code = newsletters.complete()
    newsletters.store.bucket.put(f"newsletters/{code}/export.pdf", b"%PDF")
    before, objects = newsletters.items(), newsletters.objects()

    assert not purge(newsletters.resources, PurgeRequested(code=code))

    assert (newsletters.items(), newsletters.objects()) == (before, objects)
