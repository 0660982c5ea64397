"""Stores sequences of messages to new customers."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.runtime import clock
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Flag, Input, Language, TemplateName, Text, WabaId, Whole
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.views import View
from whatsapp.store.accounts.numbers import phone_settings
from whatsapp.store.items.sending.sequences import Sequence
from whatsapp.store.sending import sequences

ANALYTICS = Group("analytics")
MOST_MINUTES = 24 * 60
DEFAULT_LANGUAGE = "en_US"


class SequenceMessage(Input):
    """A message: `delayMinutes` after the one before it, and either `text` or `templateName`."""

    delay_minutes: Annotated[Whole, Field(ge=0, le=MOST_MINUTES)] = 0
    text: Text | None = None
    template_name: TemplateName | None = None
    language_code: Language | None = None

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        if (self.text is None) == (self.template_name is None):
            raise PydanticCustomError("content", "must have exactly one of text, templateName")
        if self.language_code is not None and self.template_name is None:
            raise PydanticCustomError("content", "language is of a template")
        return self

    def stored(self) -> dict[str, Any]:
        """Return the message as a step of the item."""
        content = (
            {"text": self.text}
            if self.text is not None
            else {
                "templateName": self.template_name,
                "language": self.language_code or DEFAULT_LANGUAGE,
            }
        )
        return {"delayMinutes": self.delay_minutes, **content}


class WelcomeSequence(Input):
    """A sequence of up to ten messages."""

    meta_waba_id: WabaId
    sequence_name: Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,64}$")]
    messages: Annotated[list[SequenceMessage], Field(min_length=1, max_length=10)]
    enabled: Flag = True
    trigger: Literal["first_message", "request_welcome"] = "first_message"
    stop_on_reply: Flag = True


class StoredSequence(View):
    """A sequence as it is stored, and the numbers whose customers it welcomes."""

    meta_waba_id: str
    sequence_name: str
    enabled: bool
    trigger: Literal["first_message", "request_welcome"]
    stop_on_reply: bool
    messages: int
    phone_number_ids: list[str]


@ANALYTICS.changes("local", Scope.WHATSAPP_CAMPAIGNS)
def setup_welcome_sequence(call: Call[WelcomeSequence]) -> StoredSequence:
    """
    Stores a sequence of messages that each new customer of the account gets once from a number.

    It starts with the customer's first message, or with `request_welcome` when the customer opens the chat; without a
    sequence for that, opening the chat counts as a first message. A customer who has called, or whose messages were
    imported, is not new. Workers know a new sequence within a minute, and a number that is registered later starts it
    after the next call.

    `delayMinutes` is the time after the message before (of the first one: after the customer's message); one without a
    delay is sent within seconds, the others up to two minutes late. The send policy decides about each: text needs the
    customer's open window of 24 hours. A message that is refused or fails is left out, and the next one follows in its
    time; an opt-out ends the sequence. Templates are looked up when they are sent, and have no values. With
    `stopOnReply` a further message of the customer ends the sequence; only the messages that follow at once, without a
    delay before them, are sent all the same.

    The same name replaces the sequence, also for customers in the middle of it: they continue with its next message.
    `enabled: false` ends it for all. An account has one enabled sequence for each trigger; another one is refused with
    `state_conflict`.
    """
    given = call.input
    phones = participants.account_of(call, given.meta_waba_id)
    for phone in phones:
        other = (phone.welcome_sequences or {}).get(given.trigger, given.sequence_name)
        if given.enabled and other != given.sequence_name:
            raise StateConflict(
                f"trigger: the sequence {other} is enabled for it; disable that one"
            )
    # First, so that numbers never name a sequence that does not exist.
    sequences.put(call.table, _item_of(call))
    for phone in phones:
        kept = {
            trigger: name
            for trigger, name in (phone.welcome_sequences or {}).items()
            if name != given.sequence_name
        }
        own = {str(given.trigger): given.sequence_name} if given.enabled else {}
        phone_settings.set_welcome_sequences(call.table, phone, kept | own)
    return StoredSequence(
        meta_waba_id=given.meta_waba_id,
        sequence_name=given.sequence_name,
        enabled=given.enabled,
        trigger=given.trigger,
        stop_on_reply=given.stop_on_reply,
        messages=len(given.messages),
        phone_number_ids=[phone.phone for phone in phones],
    )


def _item_of(call: Call[WelcomeSequence]) -> Sequence:
    given = call.input
    return Sequence(
        pk=Sequence.key(given.meta_waba_id, given.sequence_name),
        company=call.company,
        account=given.meta_waba_id,
        sequence_name=given.sequence_name,
        steps=[message.stored() for message in given.messages],
        enabled=given.enabled,
        trigger=given.trigger,
        stop_on_reply=given.stop_on_reply,
        created_by=call.caller.principal,
        updated_at=clock.to_text(clock.now_ms()),
    )
