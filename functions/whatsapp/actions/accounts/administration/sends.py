"""Shows records of the ledger and sends of unknown outcome, and records decisions about them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.providers.action_ledger import Action, State
from shared.runtime import clock
from shared.runtime.redaction import redact
from whatsapp import store
from whatsapp.actions.accounts.administration import resending
from whatsapp.actions.calls import paging
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Input, Moment, PageInput, Text
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.json_view import View
from whatsapp.api.queries import NotFound
from whatsapp.sending import messages
from whatsapp.sending.failures import ProviderRejected
from whatsapp.store.inbox import exports
from whatsapp.store.items import Message
from whatsapp.store.items.analytics.exports import ExportJob
from whatsapp.store.sending import unknown_sends
from whatsapp.store.sending.unknown_sends import RESEND, Decision
from whatsapp.worker import message_exports
from whatsapp.worker.messages import sent_messages

OPS = Group("delivery_ops")
type ActionId = Annotated[str, Field(min_length=5, max_length=64)]
_STATES = {"was_sent": State.CONFIRMED, "was_not_sent": State.FAILED, RESEND: State.RESERVED}
NOT_SENT = "decided_not_sent"


class GetAction(Input):
    """The id of an action or of a job."""

    action_id: ActionId


class ActionView(View):
    """
    A record of the ledger, or a job.

    Of a send, *state* is reserved (in progress or in doubt), sent, confirmed, failed or unknown; of a job running or
    done. *links* lead to the files of an export and are valid for an hour.
    """

    action_id: str
    kind: Literal["send", "export"]
    state: str
    reason: str | None = None
    provider: str | None = None
    phone: str | None = None
    attempt: int | None = None
    started_at: str
    finished_at: str | None = None
    message_pk: str | None = None
    sent_by: str | None = None
    decision: str | None = None
    decided_by: str | None = None
    decided_at: str | None = None
    decision_note: str | None = None
    exported: int | None = None
    links: list[str] | None = None


class ListUnknown(PageInput):
    """Attempts since a time, or all of the last 35 days."""

    since: Moment | None = None


class UnknownSendView(View):
    """A send of unknown outcome. Its message is in the conversation, marked as unknown."""

    action_id: str
    attempted_at: str
    attempt: int
    provider: str
    phone: str | None
    sent_by: str | None = None
    reason: str | None = None
    message_pk: str | None = None
    conversation_pk: str | None = None
    type: str | None = None
    preview: str | None = None


class UnknownSends(View):
    """A page of sends, newest first."""

    sends: list[UnknownSendView]


class Resolve(Input):
    """A decision about a send of unknown outcome, with a note for the record."""

    action_id: ActionId
    decision: Literal["was_sent", "was_not_sent", "resend"]
    note: Annotated[Text, Field(max_length=300)] | None = None


class Resolved(View):
    """The decision and the state after it; *state* in_doubt: the answer of the new attempt was lost as well."""

    action_id: str
    decision: str
    state: str
    message_pk: str | None = None


@OPS.reads("local", Scope.WHATSAPP_READ)
def get_action(call: Call[GetAction]) -> ActionView:
    """
    Return the record of a send or of a job: state, reason, times, message key, and links to the files of an export.

    Records are kept for 35 days, exports for seven.
    """
    action = call.resources.ledger.action(call.input.action_id)
    if action is not None and action.company == call.company:
        return _of_send(action)
    job = exports.get(call.table, call.input.action_id)
    if job is None or job.company != call.company:
        raise NotFound("actionId: no such action")
    return _of_export(call, job)


@OPS.reads("local", Scope.WHATSAPP_READ)
def list_unknown_sends(call: Call[ListUnknown]) -> Page[UnknownSends]:
    """
    List the sends whose outcome is unknown, newest first.

    The provider's answer was lost and no status has come. A send in doubt is listed some minutes after its attempt; one
    that a late status settles is no longer listed. A page may be short and have a cursor.
    """
    since = call.input.since
    actions, last = unknown_sends.newest(
        call.table,
        call.company,
        clock.to_text(round(since.timestamp() * 1_000)) if since else None,
        limit=call.input.limit,
        start=paging.start_of(call),
    )
    return Page(
        UnknownSends(sends=[_unknown(call, action) for action in actions]),
        paging.cursor_of(call, last),
    )


@OPS.changes("remote_eum", Scope.WHATSAPP_SEND, idempotent=False)
def resolve_unknown_send(call: Call[Resolve]) -> Resolved:
    """
    Decide about a send of unknown outcome: it was sent, it was not sent, or send it again.

    The decision is final and recorded with its author. `resend` makes a new attempt under the same action id, so a
    status of either attempt is matched to the one message; the customer may then have the message twice. Texts and
    templates can be sent again, from the stored message; other types answer `not_supported`: send them anew. The policy
    applies as to any message. Errors: `state_conflict` if the outcome is known or decided.
    """
    action = call.resources.ledger.action(call.input.action_id)
    if action is None or action.company != call.company:
        raise NotFound("actionId: no such send")
    wanted = call.input.decision
    resumed = (action.model_extra or {}).get("decisionCause") == call.cause
    if not unknown_sends.is_undecided(action) and not resumed:
        raise StateConflict(f"actionId: the outcome is not unknown but {action.state}")
    message_pk = action.message_pk or sent_messages.own_key(action)
    order = resending.order_of(call, action, message_pk) if wanted == RESEND else None
    if order is not None and not resumed:
        messages.rehearse(call.resources, call.resources.gate, order)
    if not resumed:
        _record(call, action)
    state = str(_STATES[wanted])
    if order is not None:
        try:
            state = resending.send(call, order)
        except ProviderRejected:
            _show(call, action, message_pk, State.FAILED)
            raise
    if state != messages.IN_DOUBT:
        _show(call, action, message_pk, State(state))
    return Resolved(action_id=action.action_id, decision=wanted, state=state, message_pk=message_pk)


def _record(call: Call[Resolve], action: Action) -> None:
    """Record the decision with its author. Raises StateConflict if a status or another person was faster."""
    given = call.input
    decision = Decision(
        decision=given.decision,
        state=_STATES[given.decision],
        by=call.caller.principal,
        at=clock.to_text(clock.now_ms()),
        cause=call.cause,
        note=redact(given.note) if given.note else None,
    )
    if not unknown_sends.decide(call.table, action, decision):
        raise StateConflict("actionId: the outcome is not unknown any more")


def _show(call: Call[Resolve], action: Action, message_pk: str, state: State) -> None:
    """Show the decided outcome at the message, and take the send off the list. Safe to repeat."""
    if state in {State.SENT, State.CONFIRMED}:
        unknown_sends.show_outcome(call.table, call.company, message_pk, sent_messages.accepted())
    elif state is State.FAILED:
        at = clock.to_text(clock.now_ms())
        fields = Message.named(
            delivery_status="failed",
            status_rank=sent_messages.FAILED_RANK,
            status_at=at,
            status_error={"code": NOT_SENT},
            delivery_status_history=[{"status": "failed", "at": at, "code": NOT_SENT}],
        )
        unknown_sends.show_outcome(call.table, call.company, message_pk, fields)
    if state is not State.UNKNOWN:
        unknown_sends.remove(call.table, action.action_id)


def _of_send(action: Action) -> ActionView:
    decided = action.model_extra or {}
    return ActionView(
        action_id=action.action_id,
        kind="send",
        state=action.state,
        reason=action.reason,
        provider=action.provider,
        phone=action.business_address,
        attempt=int(action.attempt),
        started_at=clock.to_text(int(action.reserved_at)),
        message_pk=action.message_pk,
        sent_by=action.sent_by,
        decision=decided.get("decision"),
        decided_by=decided.get("decidedBy"),
        decided_at=decided.get("decidedAt"),
        decision_note=decided.get("decisionNote"),
    )


def _of_export(call: Call[Any], job: ExportJob) -> ActionView:
    is_done = job.state == "done"
    return ActionView(
        action_id=job.job_id,
        kind="export",
        state=job.state,
        phone=job.phone,
        started_at=job.requested_at,
        finished_at=job.finished_at,
        sent_by=job.requested_by,
        exported=job.exported,
        links=message_exports.links_of(call.resources.bucket, job) if is_done else None,
    )


def _unknown(call: Call[Any], action: Action) -> UnknownSendView:
    message = store.messages.get(call.table, action.message_pk or sent_messages.own_key(action))
    is_shown = message is not None and message.company == call.company and not message.erased
    shown = message if is_shown else None
    return UnknownSendView(
        action_id=action.action_id,
        attempted_at=clock.to_text(int(action.reserved_at)),
        attempt=int(action.attempt),
        provider=action.provider,
        phone=action.business_address,
        sent_by=action.sent_by,
        reason=action.reason,
        message_pk=shown.pk if shown else None,
        conversation_pk=shown.conversation_pk if shown else None,
        type=shown.type if shown else None,
        preview=shown.preview if shown else None,
    )
