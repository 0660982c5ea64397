"""
Review of drafts by people: amend, approve, reject, and resolve a send whose outcome is unknown.

Each step is one conditional write of the draft, then its audit entry. Of two persons one wins; the other is told the
draft's present state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.replies.draft_state import is_answered, is_stale
from email_threads.replies.outcomes import trial_counts
from email_threads.store import drafts
from email_threads.store.items import DraftStatus
from email_threads.store.items.replies.draft import FINAL, WAITING
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.store.items import Draft, Thread
    from shared.aws.dynamodb import Table

_QUEUED: Final = frozenset({DraftStatus.APPROVED, DraftStatus.SENDING, DraftStatus.SENT})
_ATTEMPTED: Final = frozenset({DraftStatus.FAILED, DraftStatus.UNKNOWN})
_NOT_ARRIVED: Final = "not_arrived"
_AMENDABLE: Final = frozenset({DraftStatus.PENDING, DraftStatus.AMENDED, DraftStatus.FAILED})


UNDONE: Final = "undone"
WITHDRAWN: Final = "withdrawn"
RESTORED: Final = "restored"


class NotTheAuthor(Exception):
    """Another person wrote the draft."""


class Refused(Exception):
    """The draft cannot take this step."""


class StaleVersion(Refused):
    """The draft has another version than the caller has read."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(f"version: the draft has version {draft.version}")


class StaleDraft(Refused):
    """The thread has gone on since the mail that the draft answers."""

    def __init__(self, event: str) -> None:
        super().__init__(f"{event}; confirm_stale sends the draft all the same")


class WrongState(Refused):
    """The draft's status does not allow the step."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(f"draft_status: the draft is {draft.draft_status}")


def amend(table: Table, draft: Draft, version: int, changes: dict[str, Any]) -> Draft:
    """Change a draft that was not sent; its version grows. Repeated by the same values, it changes nothing more."""
    if draft.version == version + 1 and all(getattr(draft, n) == v for n, v in changes.items()):
        return draft  # An earlier call was cut off.
    _check(draft, version, _AMENDABLE)
    moved = drafts.move(
        table,
        draft,
        draft_status=DraftStatus.AMENDED,
        version=version + 1,
        reason=None,
        drafted_text=_drafted(draft, changes),
        **changes,
    )
    return moved or amend(table, _present(table, draft), version, changes)


def _drafted(draft: Draft, changes: dict[str, Any]) -> str | None:
    """Return the text of the model that people change, also in further changes; None of a draft of a person."""
    if not draft.is_of_model or draft.drafted_text is not None:
        return draft.drafted_text
    return draft.body_text if changes.get("body_text", draft.body_text) != draft.body_text else None


def approve(
    table: Table,
    thread: Thread,
    draft: Draft,
    version: int,
    *,
    by: str,
    confirm_stale: bool,
    send_at: str | None = None,
    signature: str | None = None,
) -> Draft:
    """
    Approve a draft, to be sent at *send_at* with a *signature*. Approved again, it stays.

    After a failed or unknown send it is a new attempt.
    """
    if draft.version == version and draft.draft_status in _QUEUED:
        return draft
    _check(draft, version, WAITING)
    _check_unsettled(draft)
    if is_stale(thread, draft) and not confirm_stale:
        raise StaleDraft("the customer has written again")
    if is_answered(thread, draft) and not confirm_stale:
        raise StaleDraft("another answer was sent meanwhile")
    is_again = draft.draft_status in _ATTEMPTED
    moved = drafts.move(
        table,
        draft,
        draft_status=DraftStatus.APPROVED,
        attempt=draft.attempt + 1 if is_again else draft.attempt,
        reviewed_by=by,
        reviewed_at=clock.to_text(clock.now_ms()),
        confirmed_n=thread.last_inbound_n,
        send_at=send_at,
        signature=signature,
        action_id=None,
        ses_id=None,
        resolved_by=None,
        reason=None,
    )
    if moved is None:
        present = _present(table, draft)
        return approve(
            table,
            thread,
            present,
            version,
            by=by,
            confirm_stale=confirm_stale,
            send_at=send_at,
            signature=signature,
        )
    return moved


def undo(table: Table, draft: Draft, version: int, *, by: str) -> Draft:
    """Let an approved draft that is not being sent yet wait for a person again. Undone again, it stays."""
    if draft.version == version and draft.undone_by == by and draft.draft_status in _AMENDABLE:
        return draft
    _check(draft, version, {DraftStatus.APPROVED})
    moved = drafts.move(
        table,
        draft,
        draft_status=DraftStatus.AMENDED,
        attempt=draft.attempt + 1,
        reviewed_by=None,
        undone_by=by,
        send_at=None,
        reason=UNDONE,
    )
    return moved or undo(table, _present(table, draft), version, by=by)


def withdraw(table: Table, draft: Draft, version: int, *, by: str) -> Draft:
    """Close a draft of its author (*by*). Raises NotTheAuthor. Withdrawn again, it stays."""
    if draft.origin != by:
        raise NotTheAuthor("only the author of a draft withdraws it; reject it instead")
    return reject(table, draft, version, by=by, reason=WITHDRAWN)


def restore(table: Table, draft: Draft, version: int) -> Draft:
    """Let a rejected draft wait for a person again, as long as it is stored. Restored again, it stays."""
    if draft.version == version and draft.reason == RESTORED and draft.draft_status in _AMENDABLE:
        return draft
    if draft.draft_status is DraftStatus.REJECTED and draft.version != version:
        raise StaleVersion(draft)
    _check(draft, version, {DraftStatus.REJECTED})
    moved = drafts.move(
        table,
        draft,
        draft_status=DraftStatus.AMENDED,
        attempt=draft.attempt + 1,
        reviewed_by=None,
        reason=RESTORED,
        counted=trial_counts.of_rejected(table, draft, -1),
    )
    return moved or restore(table, _present(table, draft), version)


def reject(table: Table, draft: Draft, version: int, *, by: str, reason: str | None) -> Draft:
    """Close a draft that was not sent. Rejected again, it stays."""
    if draft.version == version and draft.draft_status is DraftStatus.REJECTED:
        return draft
    _check(draft, version, WAITING - {DraftStatus.UNKNOWN})
    moved = drafts.move(
        table,
        draft,
        draft_status=DraftStatus.REJECTED,
        reviewed_by=by,
        reviewed_at=clock.to_text(clock.now_ms()),
        reason=reason,
        counted=trial_counts.of_rejected(table, draft),
    )
    return moved or reject(table, _present(table, draft), version, by=by, reason=reason)


def resolve(table: Table, draft: Draft, version: int, *, by: str, has_arrived: bool) -> Draft:
    """State whether a mail whose send is unknown has arrived. One that has not may be approved again."""
    if draft.version == version and _is_resolved(draft, has_arrived=has_arrived):
        return draft
    _check(draft, version, {DraftStatus.UNKNOWN})
    if has_arrived:
        moved = drafts.move(table, draft, resolved_by=by)
    else:
        _check_unsettled(draft)
        moved = drafts.move(table, draft, draft_status=DraftStatus.FAILED, reason=_NOT_ARRIVED)
    return moved or resolve(table, _present(table, draft), version, by=by, has_arrived=has_arrived)


def _is_resolved(draft: Draft, *, has_arrived: bool) -> bool:
    if has_arrived:
        return draft.resolved_by is not None
    return (draft.draft_status, draft.reason) == (DraftStatus.FAILED, _NOT_ARRIVED)


def _check(draft: Draft, version: int, allowed: frozenset[DraftStatus] | set[DraftStatus]) -> None:
    if draft.version != version and draft.draft_status not in FINAL:
        raise StaleVersion(draft)
    if draft.draft_status not in allowed:
        raise WrongState(draft)


def _check_unsettled(draft: Draft) -> None:
    """Refuse an unknown send that an event of SES or a person has settled: a worker is about to show its outcome."""
    is_settled = draft.ses_id is not None or draft.resolved_by is not None
    if draft.draft_status is DraftStatus.UNKNOWN and is_settled:
        raise WrongState(draft)


def _present(table: Table, draft: Draft) -> Draft:
    """
    Return a draft that was changed since it was read: by another person, by the worker, or by this call itself, whose
    first answer was lost. Raises WrongState if it is gone.
    """
    present = drafts.get(table, draft.thread, draft.reply_id)
    if present is None:
        raise WrongState(draft)
    return present
