"""Places voice calls. Session descriptions (SDP) are forwarded and not stored."""

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from shared.api.auth import Scope
from shared.providers.outcomes import InDoubt
from shared.runtime import clock
from whatsapp import store, transmission
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input, RecipientInput, Text
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.groups_and_calls import call_permissions
from whatsapp.api.call_views import CallView, call_view
from whatsapp.sending import recipients
from whatsapp.sending.failures import PolicyRefused, ProviderRejected
from whatsapp.sending.gate import Subject
from whatsapp.store.items import Conversation, Phone
from whatsapp.store.items.conversations.groups import Call as StoredCall
from whatsapp.worker.updates import calls

CALLING = Group("calling")
MISSING_PERMISSION = "call_permission_missing"
_NO_PERMISSION_CODE = "graph_138006"
type Sdp = Annotated[str, Field(min_length=1, max_length=32_768)]


class Offer(Input):
    """The caller's session description."""

    sdp_type: Literal["offer"]
    sdp: Sdp = Field(repr=False)


class InitiateCall(RecipientInput):
    """*call_reason* and the caller are kept with the call; the session description is not."""

    session: Offer
    call_type: Literal["voice"] = "voice"
    call_reason: Annotated[Text, Field(max_length=200)] | None = None


@CALLING.changes("remote_eum", Scope.WHATSAPP_CALLS, idempotent=False)
def initiate_call(call: Call[InitiateCall]) -> CallView:
    """
    Call a customer who permits it now; else 422 with the reason `call_permission_missing`, and
    `request_call_permission` asks for it. Safe mode, opt-outs and blocks of the number stop calls, too.

    The customer's session description arrives as an event of the webhook.
    """
    phone = participants.sender_of(call)
    conversation = participants.conversation_of(call, phone)
    conversation = recipients.proven(call.resources.gate, phone, conversation)
    if not _was_attempted(call):
        # Neither window nor template is needed for a call.
        subject = Subject(phone=phone, conversation=conversation, is_template=True)
        call.resources.gate.rehearse(subject)
        if not call_permissions.permission(call, phone, conversation).can_call:
            raise PolicyRefused(MISSING_PERMISSION)
    body = {
        **connect_of(call.input, conversation),
        "biz_opaque_callback_data": call.action_id(),
    }
    find = "get_call_logs shows the call once an event of it arrives"
    try:
        call_id = remote.once(call, phone, find, lambda: _placed(call, phone, conversation, body))
    except ProviderRejected as refusal:
        if refusal.code == _NO_PERMISSION_CODE:
            raise PolicyRefused(MISSING_PERMISSION) from None
        raise
    begun = _begun(call, phone, conversation, call_id)
    store.groups.add_call(call.table, begun)
    return call_view(store.groups.get_call(call.table, begun.pk) or begun)


def connect_of(given: InitiateCall, conversation: Conversation) -> dict[str, Any]:
    """Return the provider's JSON that places a call."""
    recipient = transmission.recipient_of(conversation).fields()
    address = {name: value for name, value in recipient.items() if name != "recipient_type"}
    return {
        "messaging_product": "whatsapp",
        **address,
        "action": "connect",
        "session": {"sdp_type": given.session.sdp_type, "sdp": given.session.sdp},
    }


def _was_attempted(call: Call[InitiateCall]) -> bool:
    """Whether an earlier call with this key may have placed the call; then it is not asked for again."""
    action = call.resources.ledger.action(call.action_id())
    return action is not None and action.may_have_been_sent


def _placed(call: Call[Any], phone: Phone, conversation: Conversation, body: dict[str, Any]) -> str:
    """
    Place a call once, if the number is still the customer's, and return its id. An answer without one is in doubt.
    Raises as `post`.
    """
    recipients.require(call.resources.gate, phone, conversation)
    call_id = post(call, phone, body)
    if not call_id:
        raise InDoubt("no_call_id")
    return call_id


def post(call: Call[Any], phone: Phone, body: dict[str, Any]) -> str | None:
    """Make one attempt, and return the id of a new call. Raises Refused, NotSent or InDoubt."""
    if phone.provider == "eum":
        eum = remote.eum_of(call, phone)
        answer = eum.attempt(
            "send_whatsapp_call_event",
            originationPhoneNumberId=transmission.aws_phone_of(phone),
            metaApiVersion=call.resources.eum.meta_api_version,
            callEvent=json.dumps(body).encode(),
        )
        found = answer.get("callId")
        return str(found) if found else None
    answer = remote.graph_of(call, phone).attempt("POST", phone.phone, "calls", body=body)
    return next((str(one["id"]) for one in answer.get("calls", []) if "id" in one), None)


def _begun(
    call: Call[InitiateCall], phone: Phone, conversation: Conversation, call_id: str
) -> StoredCall:
    now = clock.to_text(clock.now_ms())
    return StoredCall(
        pk=StoredCall.key(call_id),
        company=phone.company,
        call_id=call_id,
        waba_meta_id=phone.waba_meta_id,
        from_=phone.display_phone,
        from_pk=phone.display_phone,
        to=conversation.from_,
        status="initiated",
        status_rank=1,
        revision=1,
        started_at=now,
        received_at=now,
        conversation_pk=conversation.pk,
        inbox_pk=phone.phone_arn,
        phone=phone.phone,
        call_direction=calls.BY_BUSINESS,
        steps={calls.CONNECT: now},
        action_id=call.action_id(),
        agent=call.caller.principal,
        note=call.input.call_reason,
    )
