"""
Sends an approved draft, once.

    approved   fence, policy                         refused: the draft waits for a person again
    sending    ledger, one attempt at SES            killed: in doubt until an event of SES, or the deadline
    sent       appended to its thread, which marks   repeated
               its questions as asked and removes it
               from the open drafts

The fence: no answer is sent over a newer mail of the customer. It is checked again right before the call of SES, and so
is the policy: between two attempts minutes may pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from email_threads.inbound.events import entry
from email_threads.replies import merged_drafts, policy
from email_threads.replies.approval import schedule
from email_threads.replies.delivery import mail_content
from email_threads.replies.delivery.sent_mail import finish
from email_threads.replies.draft_state import is_stale, send_event
from email_threads.store import drafts, threads
from email_threads.store.configuration import mailboxes
from email_threads.store.items import Draft, DraftStatus
from shared.identity.keyed_hashes import keyed_hash
from shared.providers.action_ledger import Action, OnDoubt, State
from shared.providers.outcomes import NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from email_threads.configuration.resources import Run, SendingResources
    from email_threads.inbound.events import EmailSend
    from email_threads.replies.delivery.mail_content import Content
    from email_threads.replies.delivery.sent_mail import Finished
    from email_threads.store.items import Mailbox, Thread

STALE: Final = "newer_mail"
NOT_SENT: Final = "not_sent"
_ID_CHARACTERS: Final = 40
_SENT: Final = frozenset({State.SENT, State.CONFIRMED})
_OUTCOMES: Final = {State.FAILED: DraftStatus.FAILED, State.UNKNOWN: DraftStatus.UNKNOWN}


def send(resources: SendingResources, event: EmailSend, run: Run) -> Finished | None:
    """
    Send a draft and show it in its thread. Idempotent. None if nothing was sent.

    Raises Transient while an earlier attempt may be alive or its outcome is in doubt, and if SES certainly did not act.
    """
    draft = drafts.get(resources.table, event.conversation_id, event.reply_id)
    thread = threads.get(resources.table, event.conversation_id)
    if draft is None or thread is None:
        return None
    if not _is_of(event, draft):
        _finish_refusal(resources, draft)  # An earlier delivery may have been cut off.
        return None
    if draft.draft_status is DraftStatus.APPROVED and draft.send_at is not None:
        _check_time(draft.send_at)
    mailbox = mailboxes.get(resources.table, draft.mailbox)
    is_repeated = draft.draft_status is DraftStatus.SENDING
    if draft.draft_status is DraftStatus.APPROVED:
        draft = _start(resources, thread, mailbox, draft)
    match draft.draft_status:
        case DraftStatus.SENDING:
            return _transmit(resources, thread, mailbox, draft, run, is_repeated=is_repeated)
        case DraftStatus.UNKNOWN:
            content = mail_content.content_of(resources, mailbox, draft)
            return _conclude(resources, mailbox, draft, content, State.UNKNOWN)
        case DraftStatus.SENT:
            content = mail_content.content_of(resources, mailbox, draft)
            return finish(resources, mailbox, draft, content, draft.ses_id)
        case _:
            return None


def _check_time(send_at: str) -> None:
    """Raise Transient if a send has come before its time, as by a clock that is ahead."""
    seconds = schedule.seconds_until(send_at)
    if seconds:
        raise Transient("not_due", wait_ms=seconds * clock.SECOND_MS)


def _is_of(event: EmailSend, draft: Draft) -> bool:
    """Whether the event is of the draft's present attempt: a later approval has a separate event."""
    return (draft.version, draft.attempt) == (event.version, event.attempt)


def _outdated(thread: Thread, draft: Draft) -> str | None:
    """Return the reason why a draft is no longer the answer to its thread, None if it is."""
    if is_stale(thread, draft):
        return STALE
    return merged_drafts.MERGED if thread.merged_into is not None else None


def _start(
    resources: SendingResources, thread: Thread, mailbox: Mailbox | None, draft: Draft
) -> Draft:
    """Move an approved draft to `sending`, or back to a person. Raises Transient after a lost race."""
    refusal = _outdated(thread, draft) or policy.refusal(resources, thread, draft, mailbox)
    if refusal is not None:
        return _refuse(resources, draft, refusal)
    action_id = keyed_hash(
        "email", draft.thread, draft.reply_id, str(draft.version), str(draft.attempt)
    )
    moved = drafts.move(
        resources.table,
        draft,
        draft_status=DraftStatus.SENDING,
        action_id=f"em_{action_id[:_ID_CHARACTERS]}",
        reason=None,
    )
    if moved is None:
        raise Transient("draft_contended")
    return moved


def _transmit(
    resources: SendingResources,
    thread: Thread,
    mailbox: Mailbox | None,
    draft: Draft,
    run: Run,
    *,
    is_repeated: bool,
) -> Finished | None:
    """Make one attempt through the ledger, and finish what it sent. A repeated one asks the policy again."""
    content = mail_content.content_of(resources, mailbox, draft)
    try:
        state = resources.ledger.perform(
            _intended(draft),
            owner=run.owner,
            remaining_ms=run.remaining_ms,
            send=lambda: _posted(
                resources, thread, mailbox, draft, content, is_repeated=is_repeated
            ),
        )
    except Transient as failure:
        if not run.is_last:
            raise
        if failure.reason == NOT_SENT:
            _refuse(resources, draft, NOT_SENT)
        else:  # A separate event waits for the end of the doubt.
            again = send_event(draft, cause=f"{failure.reason} {draft.action_id}")
            resources.queue.send([entry(again)])
        return None
    return _conclude(resources, mailbox, draft, content, state)


def _conclude(
    resources: SendingResources,
    mailbox: Mailbox | None,
    draft: Draft,
    content: Content,
    state: State,
) -> Finished | None:
    """
    Show the outcome of an attempt. An event of SES, or a person, may know more than this worker: it leaves the state at
    the action, and SES's id at the draft.
    """
    action = resources.ledger.action(str(draft.action_id))
    state = action.state if action is not None else state
    draft = drafts.get(resources.table, draft.thread, draft.reply_id) or draft
    if state in _SENT or draft.resolved_by is not None:
        ses_id = (action.provider_id if action is not None else None) or draft.ses_id
        return finish(resources, mailbox, draft, content, ses_id)
    reason = action.reason if action is not None else None
    if reason in {STALE, merged_drafts.MERGED}:
        _refuse(resources, draft, str(reason))
    else:
        drafts.move(resources.table, draft, draft_status=_OUTCOMES[state], reason=reason)
        _follow_merge(resources, draft)
    return None


def _posted(
    resources: SendingResources,
    thread: Thread,
    mailbox: Mailbox | None,
    draft: Draft,
    content: Content,
    *,
    is_repeated: bool,
) -> str:
    """Make the one call of SES. Raises Refused, NotSent or InDoubt."""
    if mailbox is None:
        raise Refused(policy.NO_MAILBOX)
    mail = mail_content.mail_of(resources, thread, mailbox, draft, content)
    try:
        refusal = _last_refusal(resources, mailbox, draft, is_repeated=is_repeated)
    except (BotoCoreError, ClientError, Transient) as failure:
        raise NotSent("not_checked") from failure
    if refusal is not None:
        raise Refused(refusal)
    return resources.ses.send(mail).provider_id


def _last_refusal(
    resources: SendingResources, mailbox: Mailbox, draft: Draft, *, is_repeated: bool
) -> str | None:
    """Return the reason why a draft may no longer be sent, read right before the call of SES."""
    present = threads.get(resources.table, draft.thread)
    if present is None:
        return STALE
    refusal = _outdated(present, draft)
    if refusal is None and is_repeated:
        refusal = policy.refusal(resources, present, draft, mailbox)
    return refusal


def _refuse(resources: SendingResources, draft: Draft, reason: str) -> Draft:
    """
    Return a draft that was certainly not sent to a person; an automatic one over a newer mail is superseded,
    and so is a question how satisfied the customer is.

    The next approval is a new attempt: the action of this one is settled.
    """
    if draft.is_automatic and (reason == STALE or draft.asks_satisfaction):
        status = DraftStatus.SUPERSEDED
    elif reason in {STALE, merged_drafts.MERGED}:
        status = DraftStatus.AMENDED
    else:
        status = DraftStatus.PENDING if draft.is_automatic else DraftStatus.FAILED
    attempt = draft.attempt if status is DraftStatus.FAILED else draft.attempt + 1
    moved = drafts.move(
        resources.table,
        draft,
        draft_status=status,
        reason=reason,
        attempt=attempt,
        reviewed_by=None,
        send_at=None,
        action_id=None,
    )
    if moved is None:
        raise Transient("draft_contended")
    _finish_refusal(resources, moved)
    return moved


def _finish_refusal(resources: SendingResources, draft: Draft) -> None:
    """Take a superseded draft out of its thread, or move one that waits again. Idempotent."""
    if draft.draft_status is DraftStatus.SUPERSEDED:
        drafts.unlist_in_thread(resources.table, draft)
    _follow_merge(resources, draft)


def _follow_merge(resources: SendingResources, draft: Draft) -> None:
    """Move a draft that waits again to the thread that its own has become part of during the send."""
    thread = threads.get(resources.table, draft.thread)
    if thread is not None:
        merged_drafts.move(resources.table, thread)


def _intended(draft: Draft) -> Action:
    return Action(
        action_id=str(draft.action_id),
        company=draft.company_id,
        channel=policy.CHANNEL,
        provider="ses",
        business_address=draft.mailbox,
        on_doubt=OnDoubt.AT_MOST_ONCE,
        recipient_hash=keyed_hash("recipient", *draft.to),
        body_hash=keyed_hash("body", draft.subject, draft.body_text),
        message_pk=draft.conversation_id,
        sent_by=draft.reviewed_by,
        reserved_at=clock.now_ms(),
    )
