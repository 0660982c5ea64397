"""
Jobs that erase or export an address (`bylines`) or a user, as turns of `shared.privacy.engine`.

Of a user there are newsletters, and the name in reviews of colleagues' newsletters.

A newsletter of the user is deleted, or exported with its files. From a newsletter whose review the user has requested
or decided the name is removed, or the review is exported. Nothing is fenced: deletions and reviews are conditional on
the version that was read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from newsletters.api.changes import delete
from newsletters.privacy import bylines
from newsletters.privacy.bylines import PAGE, position_after
from newsletters.privacy.requests import ADDRESS, jobs_of, named_in
from newsletters.store import authors, companies, issues, series, sets
from newsletters.store.bucket.objects import folder_of
from newsletters.store.content import newsletters
from newsletters.store.content.newsletters import (
    Newsletter,
    StaleVersion,
    get_newsletter_full,
    get_newsletter_stored,
)
from newsletters.store.delivery import warm_ups
from newsletters.store.items.privacy import NEWSLETTER, REVIEW
from newsletters.store.readers import public_lists, templates
from shared.aws.stored_objects import ObjectUnusable, record
from shared.privacy import engine, inventory
from shared.privacy.engine import Engine
from shared.privacy.inventory import Found, Page
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.configuration.resources import Resources
    from newsletters.inbound.events import PrivacyRequested
    from newsletters.store.bucket.objects import Store
    from newsletters.store.items import Metadata, PrivacyJob
    from shared.aws.dynamodb import Attributes
    from shared.privacy.exports import ExportFolder
    from shared.privacy.inventory import Line, Source

ERASED: Final = "erased"
# Messages of the same batch wait for a turn.
TURN_MS: Final = 5 * clock.SECOND_MS


@dataclass(frozen=True)
class Inventory(inventory.Inventory):
    """The data of one user of a company."""

    resources: Resources
    company_id: str
    user_id: str

    sources: ClassVar[Sequence[Source]] = (("newsletters", ""),)

    def page(self, _source: Source, start: Attributes | None, /) -> Page:
        """Return the user's part of a page of the company's list, which is strongly consistent."""
        listed, last = newsletters.list_of_company(
            self.resources.store.table, self.company_id, limit=PAGE, start=start
        )
        found = [
            Found(NEWSLETTER if self._owns(one) else REVIEW, one.newsletterCode)
            for one in listed
            if self._owns(one) or self._names_in_review(one)
        ]
        return Page(found, position_after(last))

    def remove(self, found: Found, /) -> None:
        """Delete a newsletter of the user, or remove the name from a review. Raises Transient after a lost race."""
        newsletter = get_newsletter_stored(self.resources.store.table, found.key)
        if newsletter is None:
            return
        if self._owns(newsletter.metadata):
            delete(self.resources, newsletter)
        else:
            self._forget_reviewer(newsletter.metadata)

    def lines(self, found: Found, folder: ExportFolder, /) -> list[Line]:
        """Return the items of a newsletter with copies of its files, or a review."""
        store = self.resources.store
        newsletter = get_newsletter_stored(store.table, found.key)
        if newsletter is None:
            return []
        if self._owns(newsletter.metadata):
            return _lines(store, newsletter, folder)
        review = newsletter.metadata.review
        return [{"reviewed": newsletter.code, **(review.model_dump() if review else {})}]

    def finish(self) -> None:
        """
        Remove the user as the author of the company's settings, sets and runs, issues, lists, templates, warm-ups and
        series.
        """
        table = self.resources.store.table
        series.end_of_author(table, self.company_id, self.user_id)
        for authored in (issues, companies, sets):
            authored.forget_author(table, self.company_id, self.user_id, ERASED)
        for written in (public_lists, templates, warm_ups, series):
            authors.replace(table, written.of_company(table, self.company_id), self.user_id, ERASED)

    def _owns(self, metadata: Metadata) -> bool:
        return metadata.user_id == self.user_id

    def _names_in_review(self, metadata: Metadata) -> bool:
        review = metadata.review
        return review is not None and self.user_id in {review.requested_by, review.decided_by}

    def _forget_reviewer(self, metadata: Metadata) -> None:
        if metadata.review is None:
            return
        named = ("requested_by", "decided_by")
        theirs = {one: ERASED for one in named if getattr(metadata.review, one) == self.user_id}
        if not theirs:
            return  # Erased by an interrupted turn, or decided again by a colleague.
        review = metadata.review.model_copy(update=theirs)
        try:
            newsletters.change_metadata(self.resources.store.table, metadata, {"review": review})
        except StaleVersion:
            raise Transient("newsletter_contended") from None


def _lines(store: Store, newsletter: Newsletter, folder: ExportFolder) -> list[Line]:
    """Return the items of a newsletter as lines, and copy its files."""
    newsletter = _whole(store, newsletter)
    items = (newsletter.metadata, newsletter.topics, newsletter.outline, newsletter.draft)
    lines: list[Line] = [one.attributes() for one in items if one is not None]
    keys = store.bucket.all_keys_under(folder_of(store, newsletter.code).prefix)
    copies: list[Line] = [{"file": name} for key in keys if (name := folder.copy(key)) is not None]
    return [*lines, *copies]


def _whole(store: Store, newsletter: Newsletter) -> Newsletter:
    """Return a newsletter with its large values; if one of them is lost, with all values as they are stored."""
    try:
        return get_newsletter_full(store, newsletter.code) or newsletter
    except ObjectUnusable as fault:
        record(fault, "spilled")
        return newsletter


def work(resources: Resources, event: PrivacyRequested) -> bool:
    """Continue a job; False if it was done before. Raises Permanent (`no_privacy_job`) and Transient."""
    of_newsletters = Engine(
        jobs=jobs_of(resources),
        inventory=lambda job: _inventory(resources, job),
        turn_ms=TURN_MS,
        settles_ms=lambda job: bylines.SETTLES_MS if named_in(job)[0] == ADDRESS else 0,
    )
    return engine.work(of_newsletters, event.job_id) is not None


def _inventory(resources: Resources, job: PrivacyJob) -> Inventory | bylines.Inventory:
    company, (named_by, value) = job.company_id, named_in(job)
    if named_by != ADDRESS:
        return Inventory(resources, company, value)
    return bylines.Inventory(resources, company, value, for_export=job.kind == "export")
