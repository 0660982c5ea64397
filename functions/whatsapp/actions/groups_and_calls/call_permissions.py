"""Shows whether a customer may be called, and asks the customer for permission."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from shared.api.auth import Scope
from shared.runtime import clock
from whatsapp import transmission
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import RecipientInput, SendInput, Text
from whatsapp.actions.dispatch.registration import Group
from whatsapp.inbound.content import PREVIEW_CHARACTERS
from whatsapp.sending import recipients
from whatsapp.sending.drafts import Draft
from whatsapp.sending.views import View
from whatsapp.store.items import Conversation, Phone

EXTRA = Group("calling_extra")
START, ASK = "start_call", "send_call_permission_request"
_KIND = "call_permission_request"


class CallLimit(View):
    """The limit and the present count of an action in a period, such as 24h."""

    action: str
    period: str
    used: int
    most: int
    free_at: str | None = None


class CallPermission(View):
    """*status* is the provider's word; *can_call* and *can_ask*: permitted now."""

    status: str
    expires_at: str | None = None
    can_call: bool
    can_ask: bool
    limits: list[CallLimit]


class RequestPermission(SendInput):
    """*body*: a text with the reason of the call."""

    body: Annotated[Text, Field(max_length=1_024)] | None = None


@EXTRA.reads("remote_eum", Scope.WHATSAPP_CALLS)
def get_call_permission(call: Call[RecipientInput]) -> CallPermission:
    """Show whether the customer may be called now, until when, and the limits that are left."""
    phone = participants.sender_of(call)
    conversation = participants.conversation_of(call, phone)
    proven = recipients.proven(call.resources.gate, phone, conversation, is_last=True)
    return permission(call, phone, proven)


@EXTRA.sends(Scope.WHATSAPP_CALLS)
def request_call_permission(call: Call[RequestPermission]) -> Draft:
    """
    Ask the customer for the permission to call. Refused while the 24-hour window is closed.

    The answer arrives as a message of the customer's; the provider limits how often a customer may be asked.
    """
    return permission_request(call.input.body)


def permission_request(body: str | None) -> Draft:
    """Return the message that asks for the permission to call."""
    content: dict[str, Any] = {"type": _KIND, "action": {"name": _KIND}}
    if body:
        content["body"] = {"text": body}
    preview = body or "[request to call]"
    return Draft(
        type="interactive",
        content=content,
        shown={"type": "interactive", "content": content, "preview": preview[:PREVIEW_CHARACTERS]},
    )


def permission(call: Call[Any], phone: Phone, conversation: Conversation) -> CallPermission:
    """
    Ask the provider whether a customer may be called. Raises the provider's failures.

    Not confirmed by our own traffic: that Graph takes a user id as `recipient`; its document has numbers only.
    """
    recipient = transmission.recipient_of(conversation)
    if phone.provider == "eum":
        who = (
            {"destinationPhoneNumber": f"+{recipient.phone}"}
            if recipient.phone
            else {"endUserBsuid": str(recipient.user_id)}
        )
        answer = remote.eum_of(call, phone).call(
            "get_whatsapp_call_permission",
            originationPhoneNumberId=transmission.aws_phone_of(phone),
            **who,
        )
        return of_aws(answer)
    query = (
        {"user_wa_id": recipient.phone}
        if recipient.phone
        else {"recipient": str(recipient.user_id)}
    )
    return of_graph(remote.graph_of(call, phone).get(phone.phone, "call_permissions", **query))


def of_graph(answer: dict[str, Any]) -> CallPermission:
    """Return Graph's answer."""
    actions = [one for one in answer.get("actions") or [] if isinstance(one, dict)]
    permitted = {one.get("action_name") for one in actions if one.get("can_perform_action")}
    limits = [
        CallLimit(
            action=str(one.get("action_name") or ""),
            period=str(limit.get("time_period", "")),
            used=int(limit.get("current_usage", 0)),
            most=int(limit.get("max_allowed", 0)),
            free_at=_time(limit.get("limit_expiration_time")),
        )
        for one in actions
        for limit in one.get("limits") or []
    ]
    stated = answer.get("permission") or {}
    return CallPermission(
        status=str(stated.get("status", "unknown")),
        expires_at=_time(stated.get("expiration_time")),
        can_call=START in permitted,
        can_ask=ASK in permitted,
        limits=limits,
    )


def of_aws(answer: dict[str, Any]) -> CallPermission:
    """Return the answer of GetWhatsAppCallPermission."""
    actions = answer["actions"]
    permitted = {one["actionName"] for one in actions if one["canPerformAction"]}
    limits = [
        CallLimit(
            action=one["actionName"],
            period=limit["timePeriod"],
            used=limit["currentUsage"],
            most=limit["maxAllowed"],
            free_at=_time(limit.get("limitExpirationTime")),
        )
        for one in actions
        for limit in one["limits"]
    ]
    return CallPermission(
        status=answer["permission"]["status"],
        expires_at=_time(answer["permission"].get("expirationTime")),
        can_call=START in permitted,
        can_ask=ASK in permitted,
        limits=limits,
    )


def _time(value: object) -> str | None:
    """Return a provider's time, seconds since 1970 or boto3's, as text."""
    if isinstance(value, datetime):
        return clock.to_text(int(value.timestamp() * clock.SECOND_MS))
    is_seconds = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return clock.to_text(int(str(value)) * clock.SECOND_MS) if is_seconds else None
