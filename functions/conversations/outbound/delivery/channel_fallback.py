"""
Retries an undelivered first message on the next channel, as a new conversation.

`State.fallback` is the number of the fallback. Its request id ends with it, `req-1-f1`, since the conversation id must
differ from the requested one. A provider may report a message as failed and deliver it later: once an attempt is
reported delivered, no further fallback starts.
"""

import re
from itertools import product
from typing import Any

from conversations.configuration.resources import Resources
from conversations.initiation import case_data
from conversations.initiation.context_object import (
    ContextObject,
    ConversationData,
    Metadata,
    as_json,
)
from conversations.lifecycle.conversation import OpenConversation
from conversations.store import states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from shared.aws.sqs_fifo import Entry, digest
from shared.runtime import clock

# Conversations without `State.fallback` were created by an earlier release.
_FALLBACK = re.compile(r"(?P<base>.+)-f(?P<number>\d)")


def fall_back(resources: Resources, opened: OpenConversation) -> None:
    """Start a conversation on the next usable channel of `fallback_channels`, if there is one."""
    conversation, company = opened.conversation, opened.company
    base, tried = _attempt(opened)
    for number, channel in enumerate(company.fallback_channels[tried:], start=tried + 1):
        if channel is not conversation.channel_method and _can_use(opened, channel):
            if opened.state.arrived_late_at is None and not arrived_before(resources, opened):
                _begin(resources, opened, channel, base, number)
            return


def arrived_before(resources: Resources, opened: OpenConversation) -> bool:
    """Return whether an earlier attempt was delivered late. Makes no call for the first attempt."""
    conversation = opened.conversation
    base, tried = _attempt(opened)
    before = [base, *(f"{base}-f{number}" for number in range(1, tried))] if tried else []
    contacts = filter(None, (conversation.recipient_tel, conversation.recipient_email))
    ids = (
        identifiers.conversation_id(
            conversation.company_id, conversation.project_id, request_id, address.removeprefix("+")
        )
        for request_id, address in product(before, contacts)
    )
    refs = (ref for conversation_id in ids for ref in identifiers.refs_of(conversation_id))
    states_ = (states.read(resources.log, ref) for ref in refs)
    return any(state is not None and state.arrived_late_at is not None for state in states_)


def _attempt(opened: OpenConversation) -> tuple[str, int]:
    """Return the original request id and the number of the fallback; 0 if it is none."""
    request_id, number = opened.conversation.request_id, opened.state.fallback
    if number is None:
        match = _FALLBACK.fullmatch(request_id)
        number = int(match["number"]) if match else 0
    return (request_id.removesuffix(f"-f{number}") if number else request_id), number


def _can_use(opened: OpenConversation, channel: ChannelMethod) -> bool:
    conversation, company = opened.conversation, opened.company
    is_mail = channel is ChannelMethod.EMAIL
    address = conversation.recipient_email if is_mail else conversation.recipient_tel
    is_set_up = getattr(company.channel_config, channel.value) is not None
    return bool(address) and is_set_up and channel in company.allowed_channels


def _begin(
    resources: Resources, opened: OpenConversation, channel: ChannelMethod, base: str, number: int
) -> None:
    request_id = f"{base}-f{number}"
    conversation, company = opened.conversation, opened.company
    case = case_data.read(conversation, resources.bucket)
    if case.unreadable:
        return  # The new conversation would lack its case data; `case_data` has logged the cause.
    is_mail = channel is ChannelMethod.EMAIL
    address = str(conversation.recipient_email if is_mail else conversation.recipient_tel)
    conversation_id = identifiers.conversation_id(
        company.company_id, company.project_id, request_id, address.removeprefix("+")
    )
    ref = identifiers.ref_of(conversation_id)
    context = ContextObject(
        frontend_payload=_payload(opened, channel, request_id, case.project_data),
        company_data_payload=as_json(
            resources.companies.item(company.company_id, company.project_id)
        ),
        conversation_data=ConversationData(
            conversation_id=conversation_id, conversation_ref=ref, fallback=number
        ),
        metadata=Metadata(
            router_version=conversation.router_version or "",
            queued_at=clock.to_text(clock.now_ms()),
            correlation_id=opened.ref,
        ),
    )
    body = context.model_dump_json(ensure_ascii=True)
    resources.channels[channel].send([Entry(body, digest(ref), digest(ref, "fallback"))])


def _payload(
    opened: OpenConversation, channel: ChannelMethod, request_id: str, project_data: dict[str, Any]
) -> dict[str, Any]:
    """Build the original request again, for another channel."""
    conversation, state = opened.conversation, opened.state
    recipient = {
        "recipient_first_name": conversation.recipient_first_name,
        "recipient_last_name": conversation.recipient_last_name,
        "recipient_tel": conversation.recipient_tel,
        "recipient_email": state.email_as_given or conversation.recipient_email,
        "comms_consent": conversation.comms_consent,
        "language": state.language,
    }
    request = {
        "request_id": request_id,
        "channel_method": channel.value,
        "initial_request_timestamp": conversation.initial_request_timestamp
        or conversation.created_at,
        "template": state.template,
    }
    return {
        "company_data": {
            "company_id": conversation.company_id,
            "project_id": conversation.project_id,
        },
        "recipient_data": _without_gaps(recipient),
        "project_data": as_json(project_data),
        "request_data": _without_gaps(request),
    }


def _without_gaps(section: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in section.items() if part is not None}
