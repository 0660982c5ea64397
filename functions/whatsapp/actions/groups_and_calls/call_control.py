"""Answers, rejects and ends calls."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp import store
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Flag, Input, Text
from whatsapp.actions.groups_and_calls.calls import CALLING, Sdp, post
from whatsapp.api.call_views import CallView, call_view
from whatsapp.api.queries import NotFound
from whatsapp.store.items.conversations.groups import Call as StoredCall
from whatsapp.worker.updates import calls

_ROUNDS = 5
_ENDED = frozenset({"ended", "failed"})
# The asked status -> the provider's action, and the step that it is of the stored call.
_CONTROLS = {
    "answered": ("accept", "ACCEPTED"),
    "ended": ("terminate", calls.TERMINATE),
    "failed": ("reject", "REJECTED"),
    "missed": ("reject", "REJECTED"),
}


class SessionAnswer(Input):
    """The answer to the customer's session description."""

    sdp_type: Literal["answer"]
    sdp: Sdp = Field(repr=False)


class UpdateCall(Input):
    """
    answered accepts a customer's call, or with *pre_accept* prepares its connection; ended ends a call; failed and
    missed reject a customer's call.
    """

    call_id: Annotated[str, Field(min_length=1, max_length=200)]
    status: Literal["answered", "ended", "failed", "missed"] = Field(
        description="the new status of the call"
    )
    pre_accept: Flag = False
    session: SessionAnswer | None = None
    end_reason: Annotated[Text, Field(max_length=200)] | None = None

    @model_validator(mode="after")
    def _has_a_session_to_answer(self) -> Self:
        if self.status == "answered" and self.session is None:
            raise PydanticCustomError("session", "session is required for answered")
        if self.status != "answered" and (self.session or self.pre_accept):
            raise PydanticCustomError("session", "session and preAccept are for answered only")
        return self


@CALLING.changes("remote_eum", Scope.WHATSAPP_CALLS)
def update_call_status(call: Call[UpdateCall]) -> CallView:
    """
    Control a call at the provider, and move the stored call forward.

    Refused with 409: states that only the provider knows (a customer answered or missed the business's call), and any
    change of a call that has ended, except to its present status.
    """
    stored = _stored(call)
    asked = call.input
    if _is_done(stored, asked):
        return call_view(stored)
    phone = participants.phone_by_id(call, stored.phone)
    action, step = _CONTROLS[asked.status]
    body = control_of(stored, "pre_accept" if asked.pre_accept else action, asked.session)

    def attempt() -> str:
        post(call, phone, body)
        return stored.call_id

    remote.once(call, phone, "get_call_logs shows the status of the call", attempt)
    if asked.pre_accept:
        return call_view(stored)
    return call_view(_advanced(call, stored, step))


def control_of(stored: StoredCall, action: str, session: SessionAnswer | None) -> dict[str, Any]:
    """Return the provider's JSON that controls a call. All but `terminate` name the customer, too."""
    body: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "call_id": stored.call_id,
        "action": action,
    }
    if action != "terminate":
        customer = stored.from_
        body["to"] = f"+{customer}" if customer.isdecimal() else customer
    if session is not None:
        body["session"] = {"sdp_type": session.sdp_type, "sdp": session.sdp}
    return body


def _stored(call: Call[UpdateCall]) -> StoredCall:
    stored = store.groups.get_call(call.table, StoredCall.key(call.input.call_id))
    if stored is None or stored.company != call.company or stored.erased:
        raise NotFound("callId: call not found")
    return stored


def _is_done(stored: StoredCall, asked: UpdateCall) -> bool:
    """Whether the call has the asked status already. Raises StateConflict if it cannot get it."""
    if stored.status in _ENDED:
        if asked.status == "answered":
            raise StateConflict(f"the call has {stored.status}")
        return True
    if stored.call_direction == calls.BY_BUSINESS and asked.status != "ended":
        raise StateConflict("only the provider knows whether the customer took the call")
    if stored.status == "answered":
        if asked.status in {"failed", "missed"}:
            raise StateConflict("the call has been answered")
        return asked.status == "answered"
    return False


def _advanced(call: Call[UpdateCall], stored: StoredCall, step: str) -> StoredCall:
    """Move the stored call forward, beside concurrent events. Raises Transient after too many of them."""
    now = clock.to_text(clock.now_ms())
    for _ in range(_ROUNDS):
        moved = calls.advanced(stored, step, now)
        if call.input.end_reason:
            moved = moved.model_copy(update={"note": call.input.end_reason})
        moved = moved.model_copy(update={"revision": stored.revision + 1})
        try:
            store.groups.replace_call(call.table, moved)
        except Transient:
            stored = _stored(call)
            continue
        return moved
    raise Transient("call_contended")
