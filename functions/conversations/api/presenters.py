"""Converts stored items to the views of the admin API (`views`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conversations.api.views import (
    LINK_SECONDS,
    ChangeView,
    ChannelConsentView,
    ConversationView,
    FileView,
    FunctionView,
    InFlightView,
    Link,
    MessageView,
    RecipientView,
    ReplacedAnswerView,
    SatisfactionView,
    SourceView,
    StandingView,
    SummaryView,
    TurnView,
    UnmatchedView,
    UnreachableView,
    WaitingView,
)
from conversations.configuration.folders import folder_of
from conversations.store.items import identifiers
from conversations.store.items.turn import Stage, TurnKind
from shared.ai.spending import prices
from shared.aws.stored_objects import ObjectUnusable, media_of, record
from shared.identity.addresses import displayed
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.initiation.case_data import CaseData
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.conversation import Conversation
    from conversations.store.items.log import Change, Message
    from conversations.store.items.parts.state import State
    from conversations.store.items.proposal import Proposal
    from conversations.store.items.records import Unmatched
    from conversations.store.items.routes import Ended, Open
    from shared.aws.s3 import Bucket
    from shared.aws.stored_objects import Folder
    from shared.policy.consent.items import Consent
    from shared.policy.consent.unreachable import Unreachable

_AS_THEY_ARE = MessageView.model_fields.keys() - {
    *("whole_text", "media", "function", "sources", "ai_dollars"),
}


def summary_of_listed(project_id: str, entry: Open | Ended) -> SummaryView:
    """Present a conversation from one of its project's lists."""
    return SummaryView(
        ref=entry.ref,
        project_id=project_id,
        conversation_status=entry.conversation_status,
        channel_method=entry.channel_method,
        hand_off_to_human=entry.hand_off_to_human,
        hand_off_to_human_reason=entry.hand_off_to_human_reason,
        since=entry.since,
        last_activity_at=entry.last_activity_at,
    )


def summary_of(conversation: Conversation) -> SummaryView:
    """Present any conversation from its item."""
    return SummaryView(
        ref=identifiers.ref_of_item(conversation),
        project_id=conversation.project_id,
        conversation_status=conversation.conversation_status,
        channel_method=conversation.channel_method,
        hand_off_to_human=conversation.hand_off_to_human,
        hand_off_to_human_reason=conversation.hand_off_to_human_reason,
        since=conversation.created_at,
        last_activity_at=conversation.updated_at,
    )


def conversation_view(
    opened: OpenConversation,
    case: CaseData,
    changes: list[tuple[str, Change]],
    resumes_at: str | None,
    *,
    unreachable: Unreachable | None,
    waiting: Message | None,
) -> ConversationView:
    """
    Present one conversation; *changes* are pairs of time and change.

    *unreachable* is set if the channel does not reach the customer; *waiting* is the message of a function call that
    waits for approval.
    """
    item, state = opened.conversation, opened.state
    return ConversationView(
        ref=opened.ref,
        company_id=item.company_id,
        project_id=item.project_id,
        request_id=item.request_id,
        channel_method=item.channel_method,
        conversation_status=item.conversation_status,
        status_reason=state.status_reason,
        resumes_at=resumes_at,
        mode=state.mode,
        owner=state.owner,
        turn=_turn_view(state),
        hand_off_to_human=item.hand_off_to_human,
        hand_off_to_human_reason=item.hand_off_to_human_reason,
        function_call=item.function_call,
        function_call_type=item.function_call_type,
        waits_for_approval=_waiting_view(waiting),
        task_complete=bool(item.task_complete),
        comms_consent=item.comms_consent,
        recipient=RecipientView(
            first_name=item.recipient_first_name,
            last_name=item.recipient_last_name,
            tel=item.recipient_tel,
            tel_text=displayed(item.recipient_tel) if item.recipient_tel else None,
            email=state.email_as_given or item.recipient_email,
        ),
        unreachable=UnreachableView(reason=unreachable.reason, since=unreachable.at)
        if unreachable
        else None,
        business_address=state.business_address,
        language=state.language,
        template=state.template,
        company_name=item.company_name,
        project_name=item.project_name,
        project_data=case.project_data,
        recorded_answers=case.recorded_answers,
        replaced_answers=[ReplacedAnswerView(**one) for one in item.replaced_answers or ()],
        unreadable=list(case.unreadable),
        thread_id=item.thread_id,
        email_id=item.email_id,
        ai_dollars=prices.shown(item.ai_cost_micros),
        satisfaction=_satisfaction_view(state),
        created_at=item.created_at,
        updated_at=item.updated_at,
        initial_request_timestamp=item.initial_request_timestamp,
        last_message_at=state.last_message_at,
        last_inbound_at=state.last_inbound_at,
        last_outbound_at=state.last_outbound_at,
        window_until=state.window_until,
        labels=sorted(state.labels),
        snoozed_until=state.snoozed_at(clock.to_text(clock.now_ms())),
        revision=state.revision or 0,
        changes=[
            ChangeView(
                at=at,
                who=change.who,
                principal=change.principal,
                from_status=change.from_status,
                to_status=change.to_status,
                reason=change.reason,
                cause=change.cause,
            )
            for at, change in changes
        ],
    )


def message_view(bucket: Bucket, opened: OpenConversation, message: Message) -> MessageView:
    """Present one message of the conversation's log."""
    own = folder_of(bucket, opened.ref)
    from_inbox = media_of(bucket, opened.conversation.company_id)
    named = {name: getattr(message, name) for name in _AS_THEY_ARE}
    return MessageView(
        **named,
        ai_dollars=prices.shown(message.ai_cost_micros),
        function=FunctionView(**_proposed(message.proposal)) if message.proposal else None,
        whole_text=_link(message.content_key, own),
        sources=[
            SourceView(
                chunk_id=passage["chunk_id"],
                score=passage["score"],
                cited=passage.get("cited") == "true",
            )
            for passage in message.retrieved
        ],
        media=[
            FileView(
                name=file.get("name"),
                mime_type=file.get("mime_type"),
                download=_link(file.get("key"), own, from_inbox),
                transcript=file.get("transcript"),
                no_transcript=file.get("no_transcript"),
            )
            for file in message.media
        ],
    )


def unmatched_view(shown_id: str, unmatched: Unmatched) -> UnmatchedView:
    """Present a message that belongs to no conversation; *shown_id* is its id in the API path."""
    event = unmatched.event
    return UnmatchedView(
        id=shown_id,
        project_id=unmatched.project_id,
        channel_method=unmatched.channel_method,
        received_at=unmatched.received_at,
        kind=str(event.get("kind", "unknown")),
        text=event.get("text"),
        files=len(event.get("media") or []),
        business_address=str(event.get("business_address", "")),
        customer_address=event.get("customer_address"),
        customer_user_id=event.get("customer_user_id"),
        profile_name=event.get("profile_name"),
    )


def consent_view(channel: str, newest: Consent | None) -> ChannelConsentView:
    """Present the consent in force for a channel."""
    if newest is None:
        return ChannelConsentView(channel=channel, state="unknown")
    return ChannelConsentView(
        channel=channel,
        state=newest.state,
        at=newest.at,
        source=newest.source,
        evidence=newest.evidence,
        said_by=newest.said_by,
        recorded_by=newest.recorded_by,
        principal=newest.principal,
    )


def standing_view(opened: OpenConversation) -> StandingView:
    """Present a conversation's status, and an automated message that is still in flight."""
    return StandingView(
        ref=opened.ref,
        conversation_status=opened.conversation.conversation_status,
        mode=opened.state.mode,
        owner=opened.state.owner,
        ai_reply_in_flight=in_flight(opened.state),
    )


def in_flight(state: State) -> InFlightView | None:
    """
    Return the automated message that passed the fence before it was raised: it is sent, and no other one is.

    A turn that was only claimed by then can no longer pass the fence.
    """
    turn = state.turn
    if turn is None or turn.stage is not Stage.SENDING or turn.generation >= state.generation:
        return None
    if turn.kind is TurnKind.HUMAN:
        return None
    return InFlightView(entry_id=_entry_of(turn.message_sk))


def _waiting_view(message: Message | None) -> WaitingView | None:
    if message is None or message.proposal is None:
        return None
    return WaitingView(entry_id=message.entry_id, **_proposed(message.proposal))


def _proposed(proposal: Proposal) -> dict[str, Any]:
    arguments = json.loads(proposal.arguments)
    return {
        "name": proposal.name,
        "arguments": arguments,
        "verdict": proposal.verdict,
        "decided_by": proposal.decided_by,
    }


def _satisfaction_view(state: State) -> SatisfactionView | None:
    given = state.satisfaction
    if given is None:
        return None
    return SatisfactionView(score=given.score, comment=given.comment, answered_at=given.answered_at)


def _turn_view(state: State) -> TurnView | None:
    turn = state.turn
    if turn is None:
        return None
    return TurnView(entry_id=_entry_of(turn.message_sk), kind=turn.kind, stage=turn.stage)


def _entry_of(message_sk: str) -> str:
    return message_sk.rpartition("#")[2]


def _link(key: str | None, *folders: Folder) -> Link | None:
    """Return a link to a key in one of the folders; None for any other key, which is recorded as a fault."""
    if key is None:
        return None
    folder = next((candidate for candidate in folders if candidate.holds(key)), folders[0])
    try:
        return Link(link=folder.link_to(key, seconds=LINK_SECONDS))
    except ObjectUnusable as fault:
        record(fault, "message")
        return None
