"""Status changes of a conversation: the mode in its state, the item, the change log and the open list."""

from dataclasses import dataclass
from typing import Any

from conversations.configuration.resources import Resources
from conversations.lifecycle import closing_question
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.status import LISTED, OVER, WITH_PEOPLE, Status, may_become
from conversations.store import conversations, messages, states
from conversations.store.items.conversation import Conversation
from conversations.store.items.log import Change, Mode
from conversations.store.items.parts.state import State
from conversations.store.items.routes import Ended, Open
from conversations.store.lists import open_list
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.failures import Transient

ROUNDS = 4
_MODES = {
    Status.HANDOFF_PENDING: Mode.HUMAN,
    Status.HANDOFF_ACTIVE: Mode.HUMAN,
    Status.CLOSED: Mode.CLOSED,
    Status.OPTED_OUT: Mode.CLOSED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """
    Actor (`parley`, `ai`, `customer`, `human:<agent id>`), triggering event (*what*) and reason of a status change.

    *reason* is a code; *words* is the text that agents see for a hand-off instead. *principal* is the authenticated
    caller of a change that was requested over the API.
    """

    who: str
    what: str
    reason: str | None = None
    words: str | None = None
    principal: str | None = None

    def marks(self, status: Status) -> dict[str, Any]:
        """Return the state attributes that let another worker finish a move to *status* after a crash."""
        return {
            "moves_to": status,
            "moved_by": self.who,
            "moved_principal": self.principal or "",
            "moved_for": self.what,
        }


def mode_of(status: Status) -> Mode:
    """Return the mode of a status: who may send messages (AI, human agents or neither)."""
    return _MODES.get(status, Mode.AI)


def move(
    resources: Resources,
    opened: OpenConversation,
    status: Status,
    cause: Cause,
    *,
    is_return: bool = False,
) -> OpenConversation:
    """
    Move a conversation to another status and return it as stored. Safe to repeat.

    The fence is raised first: once the status shows a hand-off, no message of the model can pass it any more. If the
    transition is no longer allowed, the conversation is unchanged.
    """
    now = Status(opened.conversation.conversation_status)
    if not may_become(now, status, is_return=is_return):
        return opened
    state = _fenced(resources, opened, status, cause, is_return=is_return)
    if state is None:
        return opened
    changed = change_status(resources, opened, status, cause, is_return=is_return)
    if changed is None:
        return opened
    _, after = changed
    keep_open(resources, opened.ref, after)
    if status is Status.CLOSED:
        closing_question.schedule(resources, opened)
    return OpenConversation(ref=opened.ref, conversation=after, state=state, company=opened.company)


def finish_move(resources: Resources, opened: OpenConversation) -> OpenConversation:
    """Finish a move whose worker died after it raised the fence; return the conversation. Safe to repeat."""
    state = opened.state
    if state.moves_to is None or state.moved_for is None:
        return opened
    status = Status(state.moves_to)
    is_behind = mode_of(Status(opened.conversation.conversation_status)) is not state.mode
    if mode_of(status) is not state.mode or not is_behind:
        return opened
    cause = Cause(
        who=state.moved_by or "parley",
        principal=state.moved_principal or None,
        what=state.moved_for,
        reason=state.status_reason,
    )
    # The state names the target status. If the item still shows an ended conversation, this move reopens it.
    now = Status(opened.conversation.conversation_status)
    return move(resources, opened, status, cause, is_return=now in OVER)


def finish_notes(resources: Resources, opened: OpenConversation, cause: Cause) -> OpenConversation:
    """Finish a move for *cause* that the item shows, but maybe not the log or the open list. Safe to repeat."""
    now = opened.conversation.conversation_status
    if opened.state.moved_for != cause.what or opened.state.moves_to != now:
        return opened
    return move(resources, opened, Status(now), cause)


def change_status(
    resources: Resources,
    opened: OpenConversation,
    status: Status,
    cause: Cause,
    *,
    is_return: bool = False,
) -> tuple[Conversation, Conversation] | None:
    """Write the status and hand-off attributes; return the item before and after, None if it no longer exists."""
    facts: dict[str, Any] = {"conversation_status": status}
    if status is Status.HANDOFF_PENDING:
        facts |= {
            "hand_off_to_human": True,
            "hand_off_to_human_reason": cause.words or cause.reason,
            "hand_off_cause": cause.reason,
            "ai_version": opened.company.ai_version,
        }

    def decide(conversation: Conversation) -> dict[str, Any] | None:
        now = Status(conversation.conversation_status)
        if now is status or not may_become(now, status, is_return=is_return):
            return None
        if now in WITH_PEOPLE and mode_of(status) is Mode.AI:
            return facts | {"hand_off_to_human": False}
        return facts

    state = opened.state
    changed = conversations.change(
        resources.table, state.primary_channel, state.conversation_id, decide
    )
    if changed is not None:
        note_change(resources, opened.ref, *changed, cause)
    return changed


def note_change(
    resources: Resources, ref: str, before: Conversation, after: Conversation, cause: Cause
) -> None:
    """
    Write a status change to the log. The change id is deterministic, so that a repetition writes the same entry.

    If *before* and *after* have the same status, an earlier worker may have died between the change and its log entry:
    the entry is then written, unless the newest one has this status already.
    """
    change_id = digest(ref, cause.what, after.conversation_status)[:16]
    from_status: str | None = before.conversation_status
    if before.conversation_status == after.conversation_status:
        newest = messages.changes(resources.log, ref, 1)
        if newest and newest[0].to_status == after.conversation_status:
            return
        from_status = newest[0].to_status if newest else None
    change = _change(after, cause, from_status)
    messages.note_change(resources.log, ref, after.updated_at, change_id, change)


def note_take_over(resources: Resources, opened: OpenConversation, cause: Cause) -> None:
    """Log that an agent took a conversation over from another; the status is unchanged. Safe to repeat."""
    newest = messages.changes(resources.log, opened.ref, 1)
    if newest and newest[0].cause == cause.what:
        return
    item = opened.conversation
    change_id = digest(opened.ref, cause.what, item.conversation_status)[:16]
    change = _change(item, cause, item.conversation_status)
    messages.note_change(
        resources.log, opened.ref, clock.to_text(clock.now_ms()), change_id, change
    )


def _change(item: Conversation, cause: Cause, from_status: str | None) -> Change:
    return Change(
        who=cause.who,
        principal=cause.principal,
        from_status=from_status,
        to_status=item.conversation_status,
        reason=cause.reason,
        cause=cause.what,
        ttl=item.ttl,
    )


def keep_open(resources: Resources, ref: str, conversation: Conversation) -> None:
    """Update a conversation in its project's open list, or list it as ended if its status is not one of open ones."""
    of_project = resources.log, conversation.company_id, conversation.project_id
    now = clock.to_text(clock.now_ms())
    if is_listed_as_open(conversation):
        open_list.keep(*of_project, Open(**_shown(ref, conversation, now)))
    else:
        open_list.end(*of_project, Ended(**_shown(ref, conversation, now)))


def is_listed_as_open(conversation: Conversation) -> bool:
    """Whether a conversation is in its project's open list, and not among the ended ones."""
    return Status(conversation.conversation_status) in LISTED


def ended(ref: str, conversation: Conversation) -> Ended:
    """Return the entry of an ended conversation that has had no activity since its item was written."""
    return Ended(**_shown(ref, conversation, conversation.updated_at))


def _shown(ref: str, conversation: Conversation, active_at: str) -> dict[str, Any]:
    return {
        "ref": ref,
        "conversation_status": conversation.conversation_status,
        "channel_method": conversation.channel_method,
        "hand_off_to_human": conversation.hand_off_to_human,
        "hand_off_to_human_reason": conversation.hand_off_to_human_reason,
        "since": conversation.created_at,
        "last_activity_at": open_list.hour_of(active_at),
        "ttl": conversation.ttl,
    }


def _fenced(
    resources: Resources, opened: OpenConversation, status: Status, cause: Cause, *, is_return: bool
) -> State | None:
    """
    Write the mode and the reason of a status change to the state; a new mode raises the fence.

    Returns None if the conversation was ended meanwhile and *is_return* is false.
    """
    mode, state = mode_of(status), opened.state
    without = () if cause.reason else ("status_reason",)  # No reason: remove the old one.
    for _ in range(ROUNDS):
        if state.mode is Mode.CLOSED and mode is not Mode.CLOSED and not is_return:
            return None
        if state.mode is mode:
            if state.status_reason == cause.reason:
                return state
            facts = {"status_reason": cause.reason}
            if mode is Mode.CLOSED and opened.conversation.conversation_status != status:
                facts["moved_for"] = cause.what  # Records the event that ended the conversation.
            return states.note(resources.log, opened.ref, drop=without, **facts)
        set_ = states.set_mode(
            resources.log,
            opened.ref,
            mode,
            seen=state,
            # A conversation that is over is not snoozed, nor one that is opened again.
            drop=(*without, "snoozed_until") if mode is Mode.CLOSED else without,
            status_before=opened.conversation.conversation_status,
            status_reason=cause.reason,
            **cause.marks(status),
        )
        if set_ is not None:
            return set_
        again = states.read(resources.log, opened.ref)
        if again is None:
            raise states.Gone
        state = again
    raise Transient("state_contended")


def status_before(opened: OpenConversation) -> Status:
    """Return the status that a conversation had before it was closed or opted out."""
    stored = opened.state.status_before
    then = Status(stored) if stored else None
    if then is not None and then not in OVER:
        return then
    if opened.conversation.task_complete:
        return Status.INITIAL_MESSAGE_SENT
    return Status.PROCESSING
