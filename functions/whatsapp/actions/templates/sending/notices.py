"""Sends messages of marketing and utility templates with text, a file and buttons."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import HttpsUrl, MediaId
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates.sending import sends, values
from whatsapp.actions.templates.sending.sends import ButtonValue, TemplateSend, Values
from whatsapp.actions.templates.sending.values import Components
from whatsapp.sending.drafts import Draft

MARKETING = Group("marketing_templates")


class SendNotice(TemplateSend):
    """
    A template with its values. `bodyParams` are in the order of the body's variables, also if these have names.

    `headerMediaId` is a file uploaded for this number, `headerMediaLink` one on the web: at most one of them.
    """

    header_media_id: MediaId | None = None
    header_media_link: HttpsUrl | None = None
    body_params: Values | None = None
    button_params: Annotated[list[ButtonValue], Field(max_length=10)] | None = None

    @model_validator(mode="after")
    def _has_one_header(self) -> Self:
        if self.header_media_id and self.header_media_link:
            raise PydanticCustomError("header", "must have one of headerMediaId, headerMediaLink")
        return self


@MARKETING.sends(Scope.WHATSAPP_SEND)
def send_marketing_message(call: Call[SendNotice]) -> Draft:
    """
    Send a marketing template, to customers who agreed to marketing.

    A number whose account is onboarded to Meta's API for marketing messages sends through it. A template of another
    category is refused (`template_not_sendable`).
    """
    return sends.draft_of(call, _components(call), sends.MARKETING)


@MARKETING.sends(Scope.WHATSAPP_SEND)
def send_utility_template(call: Call[SendNotice]) -> Draft:
    """
    Send a utility template.

    A template that the provider has in another category is refused (`template_not_sendable`), because the category
    decides about consent and price.
    """
    return sends.draft_of(call, _components(call), sends.UTILITY)


def _components(call: Call[SendNotice]) -> Components:
    given, definition = call.input, sends.definition_of(call)
    return [
        *values.header(definition, given.header_media_id, given.header_media_link),
        *values.body(definition, given.body_params),
        *sends.button_components(given.button_params),
    ]
