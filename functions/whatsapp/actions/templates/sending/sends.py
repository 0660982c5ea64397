"""Shared parts of template messages: input, definition of the template, and draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from whatsapp.actions.calls import participants
from whatsapp.actions.calls.inputs import Input, Language, SendInput, TemplateName, Text, Whole
from whatsapp.actions.templates.sending import values
from whatsapp.sending import templates
from whatsapp.sending.drafts import Draft, UsedTemplate
from whatsapp.sending.failures import TemplateNotSendable
from whatsapp.sending.payloads import of_template

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import Call
    from whatsapp.actions.templates.sending.values import Components, Definition

DEFAULT_LANGUAGE = "en_US"
MARKETING, UTILITY, AUTHENTICATION = "MARKETING", "UTILITY", "AUTHENTICATION"
type Values = Annotated[list[Annotated[Text, Field(max_length=1_024)]], Field(max_length=50)]


class TemplateSend(SendInput):
    """A message of a template. `languageCode` is en_US by default."""

    template_name: TemplateName
    language_code: Language | None = None


class ButtonValue(Input):
    """The value of a button by its position: `urlSuffix` for a URL button, `payload` for a quick reply."""

    index: Annotated[Whole, Field(ge=0, le=9)]
    url_suffix: Annotated[Text, Field(max_length=2_000)] | None = None
    payload: Annotated[Text, Field(max_length=256)] | None = None

    @model_validator(mode="after")
    def _has_one_value(self) -> Self:
        if (self.url_suffix is None) == (self.payload is None):
            raise PydanticCustomError("button", "must have urlSuffix or payload")
        return self


def definition_of(call: Call[TemplateSend]) -> Definition:
    """
    Return the components of the template at the account of the call's number.

    Raises TemplateNotSendable, and the exceptions of `templates.described`.
    """
    phone = participants.sender_of(call)
    given, resources = call.input, call.resources
    found = templates.described(
        resources, resources.gate, phone, given.template_name, _language(given)
    )
    if found.components is None:
        raise TemplateNotSendable("template: its components are not known")
    return found.components


def draft_of(
    call: Call[TemplateSend],
    components: Components,
    category: str | None = None,
    *,
    hides_values: bool = False,
) -> Draft:
    """Return the message; the template must be of *category*, if given."""
    used = UsedTemplate(
        name=call.input.template_name,
        language=_language(call.input),
        components=components,
        category=category,
    )
    return of_template(used, hides_values=hides_values)


def button_components(given: list[ButtonValue] | None) -> Components:
    """Return the values of buttons."""
    return [
        values.url(one.index, one.url_suffix)
        if one.url_suffix
        else values.payload(one.index, str(one.payload))
        for one in given or []
    ]


def _language(given: TemplateSend) -> str:
    return given.language_code or DEFAULT_LANGUAGE
