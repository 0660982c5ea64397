"""Sends template messages, and texts that fall back to a template."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.runtime import clock
from shared.runtime.validation import patterns
from whatsapp import store
from whatsapp.actions.calls import delivery, participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Components, Language, SendInput, TemplateName, Text
from whatsapp.actions.calls.views import SentMessage
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.interactive.parts import checked
from whatsapp.actions.messages.provider_files import check_files
from whatsapp.sending.drafts import Draft, UsedTemplate
from whatsapp.sending.payloads import of_template, of_text
from whatsapp.sending.templates import approval, fit
from whatsapp.store.items import Phone

CORE = Group("core_messaging")
EXTRA = Group("inbox_extra")
AUTHENTICATION = "AUTHENTICATION"
DEFAULT_LANGUAGE = "en_US"
_LONGEST_VALUE = 1_024


class _Parameter(BaseModel):
    """A value; its other fields depend on its type."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    type: Annotated[str, Field(min_length=1, max_length=40)]


class _Component(BaseModel):
    """The values of one part of a template."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    type: Annotated[
        str,
        Field(
            pattern=patterns.worded(
                r"(?i)^(header|body|button|carousel|limited_time_offer)$",
                "must be header, body, button, carousel or limited_time_offer",
            )
        ),
    ]
    sub_type: Annotated[str, Field(max_length=40)] | None = None
    index: Annotated[int | str, Field()] | None = None
    parameters: Annotated[list[_Parameter], Field(max_length=50)] | None = None
    cards: "Annotated[list[_Card], Field(max_length=10)] | None" = None


class _Card(BaseModel):
    """The values of a card."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    card_index: int
    components: Annotated[list[_Component], Field(max_length=10)]


class _Components(BaseModel):
    """The values of a template."""

    model_config = ConfigDict(hide_input_in_errors=True)

    components: list[_Component]


class SendTemplate(SendInput):
    """A template by name and language (en_US if absent), with its values in the provider's structure."""

    template_name: TemplateName
    language_code: Language = DEFAULT_LANGUAGE
    components: Components | None = None


class SendWithFallback(SendInput):
    """
    A text, and the template that is sent if the window is closed. *bodyParams* are the values of its body's variables;
    without them a body with one variable takes the text, which then has no line break, tab or five spaces in a row.
    """

    text: Text
    template_name: TemplateName
    language_code: Language = DEFAULT_LANGUAGE
    body_params: Annotated[list[Text], Field(max_length=50)] | None = None


@CORE.sends(Scope.WHATSAPP_SEND)
def send_template(call: Call[SendTemplate]) -> Draft:
    """
    Send a template, also outside the 24-hour window. It must exist in the language, be approved, and take these values;
    otherwise the answer is 409 with the missing values. The values of an authentication template are not stored.
    """
    given, components = call.input, call.input.components or []
    phone = participants.sender_of(call)
    draft = template_draft(call, phone, given.template_name, given.language_code, components)
    check_files(call, components, "components")
    return draft


@EXTRA.changes("remote_eum", Scope.WHATSAPP_SEND, idempotent=False)
def send_with_fallback(call: Call[SendWithFallback]) -> SentMessage:
    """Send a text while the window is open, else a template; `note` names the sent one."""
    phone = participants.sender_of(call)
    conversation = participants.conversation_of(call, phone)
    is_open = conversation.has_open_window(clock.to_text(clock.now_ms()))
    draft = of_text(call.input.text) if is_open else _fallback(call, phone)
    sent = delivery.send(call, phone, conversation, draft)
    return sent.model_copy(update={"note": _note(call, sent, draft)})


def template_draft(
    call: Call[Any], phone: Phone, name: str, language: str, components: list[dict[str, Any]]
) -> Draft:
    """Return the message of a template. Raises InvalidInput, and as `approval.described`."""
    checked(_Components, {"components": components})
    used = UsedTemplate(name=name, language=language, components=components)
    resources = call.resources
    found = approval.described(resources, resources.gate, phone, name, language)
    return of_template(used, hides_values=found.category == AUTHENTICATION)


def _fallback(call: Call[SendWithFallback], phone: Phone) -> Draft:
    given = call.input
    values = given.body_params
    if values is None:
        values = _values_of_text(call, phone)
    parameters = [{"type": "text", "text": value} for value in values]
    components = [{"type": "body", "parameters": parameters}] if parameters else []
    return template_draft(call, phone, given.template_name, given.language_code, components)


def _values_of_text(call: Call[SendWithFallback], phone: Phone) -> list[str]:
    """Return the text as the value of a body's only variable; nothing for a body without variables."""
    given, resources = call.input, call.resources
    found = approval.described(
        resources, resources.gate, phone, given.template_name, given.language_code
    )
    if not approval.needs_body_values(found.components or []):
        return []
    if len(given.text) > _LONGEST_VALUE or not fit.is_value(given.text):
        problem = "is required, as the text does not fit a variable of a template"
        raise InvalidInput([{"field": "bodyParams", "problem": problem}])
    return [given.text]


def _note(call: Call[SendWithFallback], sent: SentMessage, draft: Draft) -> str:
    """Return which message was sent: by an earlier call with the same key, perhaps while the window was open."""
    message = store.messages.get(call.table, sent.message_pk) if sent.message_pk else None
    kind = (message.type if message else None) or draft.type
    if kind == "template":
        return f"the window is closed: sent the template {call.input.template_name}"
    return "the window is open: sent the text"
