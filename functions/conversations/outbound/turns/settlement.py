"""Settles a turn: links the provider's id, updates the conversation once and writes the state's fields."""

from collections.abc import Sequence
from typing import Any

from conversations.configuration.resources import Resources
from conversations.initiation import case_data
from conversations.lifecycle import retention, unanswered
from conversations.lifecycle.conversation import OpenConversation, Speaking
from conversations.lifecycle.status import NEVER_SENT, Status, turn_may_change
from conversations.lifecycle.transitions import Cause, change_status, note_change
from conversations.outbound.results import End, Noted
from conversations.outbound.turns import completion, next_follow_up
from conversations.outbound.turns.completion import Ending
from conversations.store import conversations, messages, states
from conversations.store.items.conversation import (
    ChannelMethod,
    Conversation,
    Entry,
    Role,
    room_for_window,
    window,
)
from conversations.store.items.log import Delivery, Message, Mode
from conversations.store.items.parts.due import DueKind
from conversations.store.items.routes import Outbound
from conversations.store.items.turn import Stage, Turn, TurnKind
from conversations.store.recovery import due
from shared.identity.business_accounts import BusinessAccount


def link(
    resources: Resources,
    speaking: Speaking,
    provider_id: str | None,
    segments: int | None,
    sender: BusinessAccount | None,
) -> Message:
    """
    T6. Link the provider id to the message; never overwrites an earlier status callback with a lower status.

    *sender* is the sending account, None if an older version did not record it.
    """
    ref, sk = speaking.opened.ref, speaking.message.own_sk
    provider = sender.provider if sender else speaking.opened.channel.provider
    if provider_id:
        outbound = Outbound(
            ref=ref,
            message_sk=sk,
            action_id=speaking.action_id,
            account=sender.account if sender else None,
            business_address=sender.business_address if sender else None,
            ttl=Outbound.time_to_live(),
        )
        messages.link(resources.log, provider, provider_id, outbound)
    facts = Message.named(
        provider=provider,
        provider_message_id=provider_id,
        segments=segments,
    )
    up_to_accepted = [Delivery.DRAFT, Delivery.DISCARDED, Delivery.SENDING, Delivery.ACCEPTED]
    accepted = messages.update(
        resources.log,
        ref,
        sk,
        {**facts, "delivery_status": Delivery.ACCEPTED},
        only_from=up_to_accepted,
    )
    return accepted or messages.update(resources.log, ref, sk, facts) or speaking.message


def finish(
    resources: Resources, speaking: Speaking, later: Sequence[Message] = ()
) -> list[Entry] | None:
    """
    T7 and T8: update the item once, then the state. Idempotent. *later* are the other messages of a divided answer.

    Returns the answered messages; None if the conversation was erased meanwhile.
    """
    opened, turn, message = speaking.opened, speaking.turn, speaking.message
    last = [message, *later][-1]
    answered = _answered(resources, opened, turn) if turn.up_to else []
    state = opened.state
    changed = conversations.change(
        resources.table,
        state.primary_channel,
        state.conversation_id,
        lambda conversation: _update(resources, conversation, speaking, answered, later),
    )
    if changed is None:  # Erased: nothing is written again.
        states.release(resources.log, opened.ref, turn)
        return None
    cause = Cause(
        who=message.author,
        principal=message.principal,
        reason=message.hand_off_cause,
        what=turn.turn_id,
    )
    note_change(resources, opened.ref, *changed, cause)
    marks: dict[str, Any] = retention.spread(resources, opened, changed[1]) | {
        "last_outbound_at": last.message_timestamp,
        "status_reason": message.hand_off_cause,
    }
    if message.hand_off_cause:
        marks["handed_off_for"] = message.hand_off_cause
    if turn.kind is TurnKind.SATISFACTION:
        marks["satisfaction_asked"] = opened.conversation.ai_version or 0
    if turn.up_to:
        marks["answered_up_to"] = turn.up_to
    if (state.last_message_at or "") < last.message_timestamp:
        marks["last_message_at"] = last.message_timestamp
    before, after = changed
    # Before the release: steps after it are not repeated.
    unanswered.note_answer(resources, opened, turn, message)
    next_follow_up.schedule(resources, opened, last, Status(after.conversation_status))
    ended = Ending(
        changed=changed,
        status=_status_after(Status(before.conversation_status), turn.kind, message),
        cause=cause,
        marks=marks,
        reported_functions=message.told,
    )
    completion.end(resources, opened, turn, ended)
    return answered


def give_up(
    resources: Resources, opened: OpenConversation, turn: Turn, delivery: Delivery, end: End
) -> None:
    """End a turn with an unsent message: mark it with *delivery* and set the status of *end*, which agents see."""
    if end.status is Status.HANDOFF_PENDING and _was_handed_back(resources, opened.ref, turn):
        delivery, end = Delivery.DISCARDED, End(reason=end.reason)
    facts = Message.named(delivery_status=delivery, error_code=end.reason)
    messages.update(resources.log, opened.ref, turn.message_sk, facts)
    if end.due_at_ms is not None:
        due.put(
            resources.log,
            opened.ref,
            DueKind.RESUME,
            end.due_at_ms,
            company=opened.company.company_id,
            reason=end.reason,
        )
    if end.noted is not None:
        keep_noted(resources, opened, end.noted)
    cause = Cause(who="parley", reason=end.reason, what=turn.turn_id, words=end.words)
    moved = change_status(resources, opened, end.status, cause) if end.status else None
    if moved is None:
        states.release(resources.log, opened.ref, turn)
        return
    marks = {"status_reason": end.reason}
    if end.status is Status.HANDOFF_PENDING:
        marks["handed_off_for"] = end.reason
        called = end.noted.functions if end.noted else ()
        unanswered.note_hand_off(resources, opened, turn, end.reason, called)
    if end.proposes:
        marks[completion.WAITS] = turn.message_sk
    ended = Ending(
        changed=moved,
        status=end.status,
        cause=cause,
        marks=marks,
        reported_functions=end.noted.reported_functions if end.noted else (),
    )
    completion.end(resources, opened, turn, ended)


def _was_handed_back(resources: Resources, ref: str, turn: Turn) -> bool:
    """Return whether agents took over and handed back since the turn was claimed; then the next turn decides."""
    if turn.stage is not Stage.CLAIMED:
        return False
    state = states.read(resources.log, ref)
    return state is not None and state.mode is Mode.AI and state.generation != turn.generation


def _answered(resources: Resources, opened: OpenConversation, turn: Turn) -> list[Entry]:
    """Return the customer's messages that the turn answers, in the window's format."""
    waiting = messages.after(resources.log, opened.ref, opened.state.answered_up_to)
    return [
        messages.entry_of(message)
        for message in waiting
        if message.role is Role.USER and message.own_sk <= (turn.up_to or "")
    ]


def _status_after(now: Status, kind: TurnKind, message: Message) -> Status | None:
    """Return the status after a sent message; None if it does not change."""
    if message.opts_out:
        return Status.OPTED_OUT
    if message.hand_off_reason:
        return Status.HANDOFF_PENDING
    if message.completes_task:
        return Status.CLOSED
    if kind is TurnKind.INITIAL or (kind is TurnKind.HUMAN and now in NEVER_SENT):
        return Status.INITIAL_MESSAGE_SENT
    return Status.REPLY_SENT if kind.is_reply else None


def in_part(message: Message, end: End) -> Message:
    """Return the first message of an answer that was sent in part: an agent goes on, unless the end is another."""
    if end.status is None:  # An agent's message: its author sees the failure.
        return message
    if end.status is Status.OPTED_OUT:
        return message.model_copy(update={"opts_out": True, "completes_task": None})
    facts = {"hand_off_reason": end.reason, "hand_off_cause": end.reason}
    return message.model_copy(update=facts)


def _update(
    resources: Resources,
    conversation: Conversation,
    speaking: Speaking,
    answered: list[Entry],
    later: Sequence[Message],
) -> dict[str, Any] | None:
    """T7: return the attributes to write; None if they are written already."""
    message = speaking.message
    now = Status(conversation.conversation_status)
    kind = speaking.turn.kind
    status = _status_after(now, kind, message)
    if status is None or not turn_may_change(now, status):
        status = now
    if now is Status.FAILED and message.delivery_status is Delivery.FAILED:
        status = now  # The failure status arrived before this write: sent, but not delivered.
    entry_ids = {entry.entry_id for entry in conversation.messages}
    if [message, *later][-1].entry_id in entry_ids and now is status:
        return None
    facts: dict[str, Any] = {
        "conversation_status": status,
        "ttl": retention.moved_on(speaking.opened.company, conversation),
    }
    if not kind.is_notice:
        facts["task_complete"] = 1  # The conversation has begun, with any author.
    if conversation.thread_id is None:
        facts["thread_id"] = message.thread_id
    if kind is TurnKind.INITIAL:
        facts["processing_time_ms"] = message.processing_time_ms
        if conversation.channel_method is ChannelMethod.EMAIL:
            facts["email_id"] = message.provider_message_id
    if message.ai_cost_micros and message.entry_id not in entry_ids:
        facts["ai_cost_micros"] = (conversation.ai_cost_micros or 0) + message.ai_cost_micros
    facts |= _assisted(message) | _noted(
        resources, conversation, Noted(message.functions, message.answers)
    )
    after = conversation.model_copy(
        update={name: value for name, value in facts.items() if value is not None}
    )
    added = [*answered, *map(messages.entry_of, [message, *later])]
    entries = window(conversation.messages, added, room_for_window(after))
    return facts | {"messages": [entry.stored() for entry in entries]}


def _assisted(message: Message) -> dict[str, Any]:
    """Return the version of the settings with which the model wrote a message, and its hand-off."""
    version = {"ai_version": message.ai_version} if message.ai_version is not None else {}
    if not message.hand_off_reason:
        return version
    return version | {
        "hand_off_to_human": True,
        "hand_off_to_human_reason": message.hand_off_reason,
        "hand_off_cause": message.hand_off_cause,
    }


def keep_noted(resources: Resources, opened: OpenConversation, noted: Noted) -> None:
    """Store the effects of a model's turn that ends without a message. Idempotent."""

    def decide(conversation: Conversation) -> dict[str, Any] | None:
        facts = _noted(resources, conversation, noted)
        is_new = any(getattr(conversation, name) != value for name, value in facts.items())
        return facts if is_new else None

    state = opened.state
    conversations.change(resources.table, state.primary_channel, state.conversation_id, decide)


def _noted(resources: Resources, conversation: Conversation, noted: Noted) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if noted.functions:
        facts |= {"function_call": True, "function_call_type": noted.functions[-1]}
    if noted.answers:
        facts |= case_data.with_answers(conversation, noted.answers, resources.bucket)
    return facts
