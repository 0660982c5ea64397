"""
Jobs that erase or export a user, a page of the company's newsletters at each turn.

    newsletters   the newsletters of the user: deleted, or exported with files; newsletters of colleagues whose review
                  the user has requested or decided: the name is removed, or the review exported
    finish        the receipt is written; an erasure deletes earlier exports

A page is planned in one turn and done in the next: counts come from the stored plan, also after a crash. Every step is
safe to repeat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from newsletters.api.changes import delete
from newsletters.privacy.remainders import REMAINDERS
from newsletters.privacy.requests import enqueue, is_done
from newsletters.store import companies, newsletters, privacy_jobs
from newsletters.store.items import PrivacyJob
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from newsletters.store.newsletters import (
    Newsletter,
    StaleVersion,
    get_newsletter_full,
    get_newsletter_stored,
)
from newsletters.store.objects import folder_of, privacy_exports
from shared.aws.stored_objects import ObjectUnusable, record
from shared.privacy import remainders
from shared.privacy.exports import ExportFolder
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources
    from newsletters.inbound.events import PrivacyRequested
    from newsletters.store.objects import Store
    from shared.aws.dynamodb import Attributes
    from shared.aws.s3 import Bucket

PAGE: Final = 10
MOST_RECEIPTS: Final = 10
ERASED: Final = "erased"
LINES: Final = "newsletters.jsonl"


def work(resources: Resources, event: PrivacyRequested) -> bool:
    """Process the next page of a job; False if it is done. Raises Permanent (`no_privacy_job`) and Transient."""
    table = resources.store.table
    job = privacy_jobs.get(table, event.job_id)
    if job is None:
        raise Permanent("no_privacy_job")
    if is_done(job):
        return False
    changed = _STEPS[job.step](resources, job)
    stored = privacy_jobs.replace(table, changed)
    if not is_done(stored):
        enqueue(resources.steps, stored)
    return True


def folder_of_export(bucket: Bucket, job: PrivacyJob) -> ExportFolder:
    """Return the folder of the job's present run."""
    return ExportFolder(
        bucket, f"{privacy_exports(job.company_id, job.job_id)}{job.run:04d}/", LINES
    )


def _newsletters(resources: Resources, job: PrivacyJob) -> PrivacyJob:
    """Process the planned page, or plan the next page of the company's list, which is strongly consistent."""
    if job.planned:
        return _done(resources, job)
    user = job.requested_for
    found, last = newsletters.list_of_company(
        resources.store.table, job.company_id, limit=PAGE, start=job.start
    )
    planned = [
        one.newsletterCode
        for one in found
        if one.user_id == user
        or (one.review is not None and user in {one.review.requested_by, one.review.decided_by})
    ]
    update: dict[str, Any] = {"state": "running", "planned": planned, "start": _position(last)}
    if last is None:
        update["step"] = "planned" if planned else "finish"
    return job.model_copy(update=update)


def _done(resources: Resources, job: PrivacyJob) -> PrivacyJob:
    lines: list[dict[str, object]] = []
    counts = dict(job.counts)
    for code in job.planned:
        newsletter = get_newsletter_stored(resources.store.table, code)
        # Also counts a newsletter that an interrupted turn has deleted.
        is_own = newsletter is None or newsletter.metadata.user_id == job.requested_for
        kind = "newsletter" if is_own else "review"
        counts[kind] = counts.get(kind, 0) + 1
        if newsletter is None:
            continue
        if job.kind == "export":
            lines += _lines(resources, job, newsletter) if is_own else [_review_line(newsletter)]
        elif is_own:
            delete(resources, newsletter)
        else:
            _forget_reviewer(resources, newsletter, job.requested_for)
    if job.kind == "export":
        folder_of_export(resources.store.bucket, job).put_part(job.page, lines)
    step = "finish" if job.step == "planned" else job.step
    update = {"counts": counts, "planned": [], "page": job.page + 1, "step": step}
    return job.model_copy(update=update)


def _finish(resources: Resources, job: PrivacyJob) -> PrivacyJob:
    """Join the pages of an export, some in each turn; then finish the run: only its receipt remains."""
    bucket = resources.store.bucket
    if job.kind == "export":
        joining = folder_of_export(bucket, job).join(job.joining)
        if joining is not None:
            return job.model_copy(update={"joining": joining})
    else:
        user = str(job.requested_for)
        companies.forget_author(resources.store.table, job.company_id, user, ERASED)
        exported = PrivacyJob.id_of("export", job.company_id, user)
        for key in bucket.all_keys_under(privacy_exports(job.company_id, exported)):
            bucket.delete(key)
    finished_at = clock.to_text(clock.now_ms())
    receipt: dict[str, object] = {
        "run": job.run,
        "requested_at": job.requested_at,
        "requested_by": job.requested_by,
        "finished_at": finished_at,
        "counts": job.counts,
    }
    if job.kind == "erase":
        receipt["left"] = remainders.ends(REMAINDERS, clock.from_text(finished_at))
    update: dict[str, Any] = {
        "state": "done",
        "finished_at": finished_at,
        "requested_for": None,
        "start": None,
        "joining": None,
        "receipts": [receipt, *job.receipts][:MOST_RECEIPTS],
    }
    return job.model_copy(update=update)


_STEPS: Final = {"newsletters": _newsletters, "planned": _done, "finish": _finish}


def _forget_reviewer(resources: Resources, newsletter: Newsletter, user: str | None) -> None:
    metadata = newsletter.metadata
    if metadata.review is None:
        return
    named = ("requested_by", "decided_by")
    theirs = {name: ERASED for name in named if getattr(metadata.review, name) == user}
    if not theirs:
        return  # Erased by an interrupted turn, or decided again by a colleague.
    review = metadata.review.model_copy(update=theirs)
    try:
        newsletters.change_metadata(resources.store.table, metadata, {"review": review})
    except StaleVersion:
        raise Transient("newsletter_contended") from None


def _lines(
    resources: Resources, job: PrivacyJob, newsletter: Newsletter
) -> list[dict[str, object]]:
    """Return the items of a newsletter as lines, and copy its files."""
    store = resources.store
    newsletter = _whole(store, newsletter)
    items = (newsletter.metadata, newsletter.topics, newsletter.outline, newsletter.draft)
    lines: list[dict[str, object]] = [one.attributes() for one in items if one is not None]
    folder = folder_of_export(store.bucket, job)
    keys = store.bucket.all_keys_under(folder_of(store, newsletter.code).prefix)
    copies: list[dict[str, object]] = [
        {"file": name} for key in keys if (name := folder.copy(key)) is not None
    ]
    return [*lines, *copies]


def _whole(store: Store, newsletter: Newsletter) -> Newsletter:
    """Return a newsletter with its large values; if one of them is lost, with all values as they are stored."""
    try:
        return get_newsletter_full(store, newsletter.code) or newsletter
    except ObjectUnusable as fault:
        record(fault, "spilled")
        return newsletter


def _review_line(newsletter: Newsletter) -> dict[str, object]:
    review = newsletter.metadata.review
    return {"reviewed": newsletter.code, **(review.model_dump() if review else {})}


def _position(last: Attributes | None) -> Attributes | None:
    return {name: last[name] for name in (PARTITION_KEY, SORT_KEY)} if last else None
