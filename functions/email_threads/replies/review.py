"""
What people do with drafts: amend, approve, reject, and decide about a send whose outcome is unknown.

Each step is one conditional write of the draft, then its audit entry. Of two persons one wins; the other is told the
draft's present state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.replies.delivery import is_stale
from email_threads.store import drafts
from email_threads.store.items import DraftStatus
from email_threads.store.items.draft import FINAL, WAITING
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.store.items import Draft, Thread
    from shared.aws.dynamodb import Table

_QUEUED: Final = frozenset({DraftStatus.APPROVED, DraftStatus.SENDING, DraftStatus.SENT})
_ATTEMPTED: Final = frozenset({DraftStatus.FAILED, DraftStatus.UNKNOWN})
_AMENDABLE: Final = frozenset({DraftStatus.PENDING, DraftStatus.AMENDED, DraftStatus.FAILED})


class Refused(Exception):
    """The draft cannot take this step."""


class StaleVersion(Refused):
    """The draft has another version than the caller has read."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(f"version: the draft has version {draft.version}")


class StaleDraft(Refused):
    """The customer has written again since the mail that the draft answers."""

    def __init__(self) -> None:
        super().__init__(
            "the customer has written again; confirm_stale sends the draft all the same",
        )


class WrongState(Refused):
    """The draft's status does not allow the step."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(f"draft_status: the draft is {draft.draft_status}")


def amend(table: Table, draft: Draft, version: int, changes: dict[str, Any]) -> Draft:
    """Change a draft that was not sent; its version grows. Repeated by the same values, it changes nothing more."""
    if draft.version == version + 1 and all(getattr(draft, n) == v for n, v in changes.items()):
        return draft  # An earlier call was cut off.
    _check(draft, version, _AMENDABLE)
    return _moved(
        table, draft, draft_status=DraftStatus.AMENDED, version=version + 1, reason=None, **changes
    )


def approve(
    table: Table, thread: Thread, draft: Draft, version: int, *, by: str, confirm_stale: bool
) -> Draft:
    """Approve a draft, also after a failed or unknown send, which makes it a new attempt. Approved again, it stays."""
    if draft.version == version and draft.draft_status in _QUEUED:
        return draft
    _check(draft, version, WAITING)
    if is_stale(thread, draft) and not confirm_stale:
        raise StaleDraft
    is_again = draft.draft_status in _ATTEMPTED
    return _moved(
        table,
        draft,
        draft_status=DraftStatus.APPROVED,
        attempt=draft.attempt + 1 if is_again else draft.attempt,
        reviewed_by=by,
        reviewed_at=clock.to_text(clock.now_ms()),
        confirmed_n=thread.last_inbound_n,
        action_id=None,
        ses_id=None,
        reason=None,
    )


def reject(table: Table, draft: Draft, version: int, *, by: str, reason: str | None) -> Draft:
    """Close a draft that was not sent. Rejected again, it stays."""
    if draft.version == version and draft.draft_status is DraftStatus.REJECTED:
        return draft
    _check(draft, version, WAITING - {DraftStatus.UNKNOWN})
    return _moved(
        table,
        draft,
        draft_status=DraftStatus.REJECTED,
        reviewed_by=by,
        reviewed_at=clock.to_text(clock.now_ms()),
        reason=reason,
    )


def resolve(table: Table, draft: Draft, version: int, *, by: str, has_arrived: bool) -> Draft:
    """State whether a mail whose send is unknown has arrived. One that has not may be approved again."""
    if draft.version == version and draft.resolved_by is not None and has_arrived:
        return draft
    _check(draft, version, {DraftStatus.UNKNOWN})
    if has_arrived:
        return _moved(table, draft, resolved_by=by)
    return _moved(table, draft, draft_status=DraftStatus.FAILED, reason="not_arrived")


def _check(draft: Draft, version: int, allowed: frozenset[DraftStatus] | set[DraftStatus]) -> None:
    if draft.version != version and draft.draft_status not in FINAL:
        raise StaleVersion(draft)
    if draft.draft_status not in allowed:
        raise WrongState(draft)


def _moved(table: Table, draft: Draft, **changes: Any) -> Draft:  # noqa: ANN401 - values of any field
    moved = drafts.move(table, draft, **changes)
    if moved is None:
        present = drafts.get(table, draft.thread, draft.reply_id) or draft
        raise StaleVersion(present) if present.version != draft.version else WrongState(present)
    return moved
