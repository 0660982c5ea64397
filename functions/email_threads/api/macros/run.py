"""
Runs a macro on a thread.

Answer, tags, status, priority and assignee are one transaction with their audit entry: all are made, or none. The send
follows, as an approval by the caller. The draft's id comes from the call, and the audit entry has the call's cause: a
repeat after a crash finds both, and goes on with the send.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.api import changes
from email_threads.api.drafts import actions, steps
from email_threads.api.drafts.inputs import ApproveInput, ReplyInput
from email_threads.api.inputs import ThreadChange
from email_threads.api.macros.inputs import ME
from email_threads.api.macros.views import MacroRun, Step, StepView
from email_threads.api.queries import head_of
from email_threads.replies import composition
from email_threads.replies.approval import review, second_answers
from email_threads.store import drafts
from email_threads.store.items import DraftStatus
from email_threads.store.items.replies.draft import FINAL
from shared.api import principals
from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.api.routing.routes import Request
from shared.inbox.canned_replies.inputs import CannedReplyInput

if TYPE_CHECKING:
    from email_threads.api.macros.inputs import MacroRunInput
    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Draft, Macro, Thread

_SENT: Final = frozenset({DraftStatus.SENDING, DraftStatus.SENT})
_NO_PERSON: Final = "assigns the thread to the person who runs it"
_NOT_PERMITTED: Final = "not_permitted"
_STALE: Final = "stale_draft"
_CHANGED: Final = "draft_changed"


def run(
    deps: ApiDependencies, thread: Thread, macro: Macro, request: Request[MacroRunInput]
) -> MacroRun:
    """
    Run a macro. Raises, before any step, Conflict, InvalidTransition, InvalidInput, Unprocessable, TooManyDrafts and
    `review.StaleDraft`; Transient and NotEnqueued, after which the call is repeated.
    """
    draft = _answer(deps, thread, macro, request)
    change = _change_of(macro, request)
    changed = changes.record(
        deps.table,
        thread,
        request,
        lambda present: changes.fields_of(deps.table, present, change) if change else {},
        f"macro {macro.name}",
        is_marked=True,
        draft=draft,
    )
    made = [StepView(step=step, state="done") for step in _steps_of(macro)]
    if draft is not None:
        draft = drafts.get(deps.table, draft.thread, draft.reply_id) or draft
        if draft.draft_status not in FINAL:
            drafts.list_in_thread(deps.table, draft)
        if macro.sends:
            made.append(_send(deps, draft, request))
    return MacroRun(
        conversation_id=changed.conversation_id,
        last_seq=changed.last_seq,
        status=changed.status,
        reply_id=draft.reply_id if draft is not None else None,
        steps=made,
    )


def _answer(
    deps: ApiDependencies, thread: Thread, macro: Macro, request: Request[MacroRunInput]
) -> Draft | None:
    """Return the answer of a macro, if it has one: of a call that was cut off the stored one."""
    if macro.canned_reply is None:
        return None
    reply_id = composition.reply_id_of(request.cause)
    earlier = drafts.get(deps.table, thread.conversation_id, reply_id)
    if earlier is not None:
        return earlier
    given = ReplyInput(
        n=request.input.n,
        canned_reply=CannedReplyInput(name=macro.canned_reply, variables=request.input.variables),
    )
    by = request.caller.principal
    draft = actions.written(deps, thread, given, by=by, cause=request.cause)
    actions.check_room(deps, thread, draft)
    is_second = _may_send(request) and macro.sends and not request.input.confirm_stale
    if is_second and second_answers.is_by_another(deps.table, thread, draft, by):
        raise review.StaleDraft("another person has answered within the last minute")
    return draft


def _change_of(macro: Macro, request: Request[MacroRunInput]) -> ThreadChange | None:
    """Return the change of the thread, None if the macro only answers. Raises InvalidInput."""
    given: dict[str, Any] = macro.model_dump(
        include={"add_tags", "remove_tags", "priority", "assigned_to"}, exclude_none=True
    )
    given["status"] = macro.new_status
    if macro.assigned_to == ME:
        given["assigned_to"] = request.caller.principal
        if not principals.is_assignable(request.caller.principal):
            raise InvalidInput([{"field": "name", "problem": _NO_PERSON}])
    given = {name: value for name, value in given.items() if value}
    return ThreadChange.model_construct(**given) if given else None


def _steps_of(macro: Macro) -> list[Step]:
    """Return the steps of a macro that are made together."""
    has = {
        Step.ANSWER: macro.canned_reply,
        Step.TAGS: macro.add_tags or macro.remove_tags,
        Step.STATUS: macro.new_status,
        Step.PRIORITY: macro.priority,
        Step.ASSIGNEE: macro.assigned_to,
    }
    return [step for step, value in has.items() if value]


def _send(deps: ApiDependencies, draft: Draft, request: Request[MacroRunInput]) -> StepView:
    """Approve the answer as the run has stored it. Raises Transient and NotEnqueued."""
    if not _may_send(request):
        return _failed(_NOT_PERMITTED)
    if draft.draft_status in _SENT:
        return StepView(step=Step.SEND, state="done")
    if (draft.version, draft.attempt) != (1, 1):
        return _failed(_CHANGED)
    thread = head_of(deps.table, draft.company_id, draft.thread)
    approval = ApproveInput(version=draft.version, confirm_stale=request.input.confirm_stale)
    try:
        steps.approve(deps, thread, draft, _with_input(request, approval))
    except review.StaleDraft:
        return _failed(_STALE)
    except review.Refused:
        return _failed(_CHANGED)
    return StepView(step=Step.SEND, state="done")


def _with_input[Given](request: Request[Any], given: Given) -> Request[Given]:
    """Return a part of a call that has an input of its own, and so another cause of its change."""
    return Request(
        caller=request.caller,
        input=given,
        id=request.id,
        cause=request.cause,
        context=request.context,
    )


def _may_send(request: Request[MacroRunInput]) -> bool:
    return Scope.EMAIL_APPROVE in request.caller.scopes


def _failed(reason: str) -> StepView:
    return StepView(step=Step.SEND, state="failed", reason=reason)
