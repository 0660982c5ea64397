"""Sequences of messages to new customers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from shared.api.auth import Scope
from whatsapp.actions import participants
from whatsapp.actions.failures import Unsupported
from whatsapp.actions.inputs import Flag, Input, ProviderObject, WabaId
from whatsapp.actions.registration import Group
from whatsapp.actions.views import Done

if TYPE_CHECKING:
    from whatsapp.actions.call import Call

ANALYTICS = Group("analytics")


class WelcomeSequence(Input):
    """A sequence of up to ten messages."""

    meta_waba_id: WabaId
    sequence_name: Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,64}$")]
    messages: Annotated[list[ProviderObject], Field(min_length=1, max_length=10)]
    enabled: Flag = True
    trigger: Literal["first_message", "request_welcome"] = "first_message"
    stop_on_reply: Flag = True


@ANALYTICS.changes("local", Scope.WHATSAPP_CAMPAIGNS, input_model=WelcomeSequence, result=Done)
def setup_welcome_sequence(call: Call[WelcomeSequence]) -> Done:
    """
    Not offered: nothing would send the messages. Always answered with `unsupported`, and nothing is stored.

    `set_conversational_automation` sets the provider's own greeting.
    """
    participants.account_of(call, call.input.meta_waba_id)
    raise Unsupported("the steps of a sequence are not sent by this version")
