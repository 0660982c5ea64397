"""The editorial review of a draft: requested by the owner, approved or returned by a colleague with the scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.api import presenters, views
from newsletters.api.changes import missing_content
from newsletters.jobs.requests import StepProcessing
from newsletters.jobs.state import is_working
from newsletters.store import companies
from newsletters.store.content import newsletters
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.content.step_inputs import content_hash
from newsletters.store.items import Review, ReviewState
from newsletters.store.items.item import timestamp
from shared.api.auth import Forbidden
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.api import inputs
    from newsletters.store.bucket.objects import Store
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import Draft
    from shared.api.auth import Caller


class WrongReviewState(Exception):
    """The review is not in the state that the decision needs, or its text was changed since the request."""


def request_review(
    store: Store, newsletter: Newsletter, caller: Caller, given: inputs.ReviewRequestInput
) -> views.WrittenNewsletter:
    """Ask colleagues to review the present text. Raises NoContent, StaleVersion, StepProcessing."""
    draft = _reviewable(newsletter)
    review = Review(
        state=ReviewState.REQUESTED,
        requested_by=caller.principal,
        requested_at=timestamp(clock.now_ms()),
        content_hash=content_hash(newsletter.metadata, draft),
        note=given.note,
    )
    return _written(store, newsletter, review, given.version)


def decide(
    store: Store,
    newsletter: Newsletter,
    caller: Caller,
    state: ReviewState,
    given: inputs.ApprovalInput | inputs.ReturnInput,
) -> views.WrittenNewsletter:
    """
    Approve the text under review, or return it with notes.

    Raises WrongReviewState, NoContent, StaleVersion, and Forbidden if the company wants a second person to approve.
    """
    metadata, draft = newsletter.metadata, _reviewable(newsletter)
    review = metadata.review
    if review is not None and _is_decided(review, state, caller, given):
        # The first call of a repeated one has written this decision, but did not answer.
        return _written(store, newsletter, review, given.version)
    if review is None or review.state is not ReviewState.REQUESTED:
        raise WrongReviewState("review: no review is requested")
    if review.content_hash != content_hash(metadata, draft):
        raise WrongReviewState("review: the text was changed since the review was requested")
    settings = companies.get_settings(store.table, metadata.company_id)
    if settings is not None and settings.four_eyes and caller.principal == metadata.user_id:
        raise Forbidden("the author of a newsletter may not review it")
    decided = review.model_copy(
        update={
            "state": state,
            "decided_by": caller.principal,
            "decided_at": timestamp(clock.now_ms()),
            "decision_notes": given.notes,
        }
    )
    return _written(store, newsletter, decided, given.version)


def _is_decided(
    review: Review,
    state: ReviewState,
    caller: Caller,
    given: inputs.ApprovalInput | inputs.ReturnInput,
) -> bool:
    decision = (review.state, review.decided_by, review.decision_notes)
    return decision == (state, caller.principal, given.notes)


def _reviewable(newsletter: Newsletter) -> Draft:
    draft = newsletter.draft
    if draft is None or not draft.has_content:
        raise missing_content(draft, "draft")
    if is_working(draft):
        raise StepProcessing("draft: a job is working on it; cancel it or wait")
    return draft


def _written(
    store: Store, newsletter: Newsletter, review: Review, version: int
) -> views.WrittenNewsletter:
    metadata = newsletter.metadata
    if metadata.version == version + 1 and _is_same(metadata.review, review):
        return presenters.written_newsletter(metadata)
    if metadata.version != version:
        raise StaleVersion(f"version: the newsletter has version {metadata.version}")
    written = newsletters.change_metadata(store.table, metadata, {"review": review})
    return presenters.written_newsletter(written)


def _is_same(stored: Review | None, review: Review) -> bool:
    """Whether a stored review is this one; an earlier attempt may have stored another time of the request."""
    return stored is not None and stored == review.model_copy(
        update={"requested_at": stored.requested_at}
    )
