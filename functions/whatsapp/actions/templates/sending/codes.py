"""Sends one-time codes in messages of authentication templates."""

from typing import Annotated, Any

from pydantic import Field, SecretStr

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.identity.keyed_hashes import keyed_hash
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Whole
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates.sending import sends, values
from whatsapp.actions.templates.sending.sends import TemplateSend
from whatsapp.actions.templates.sending.values import Definition
from whatsapp.sending.drafts import Draft

MARKETING = Group("marketing_templates")


class SendCode(TemplateSend):
    """
    A one-time code. `expiryMinutes` must equal the expiry in the template's footer, or else fills the second variable
    of its body.
    """

    otp_code: Annotated[SecretStr, Field(min_length=4, max_length=15)]
    expiry_minutes: Annotated[Whole, Field(ge=1, le=90)] | None = None

    def model_dump(self, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - of any dump
        """Return the fields, with a keyed hash in place of the code: records of calls keep hashes of dumps."""
        # A plain hash of so short a code could be searched for. Not a serializer: these hide why a key is unreadable.
        hashed = keyed_hash("one-time code", self.otp_code.get_secret_value())
        return super().model_dump(**options) | {"otp_code": hashed}


@MARKETING.sends(Scope.WHATSAPP_SEND)
def send_auth_template(call: Call[SendCode]) -> Draft:
    """
    Send an authentication template with a code, in the text and in the button that copies it.

    The code is not stored: the message shows the template's name only. Needs a phone number (`to`), as the provider
    refuses user ids here.
    """
    if call.input.to is None:
        problem = "must be a phone number in `to`: codes are not sent to user ids"
        raise InvalidInput([{"field": "recipient", "problem": problem}])
    code, definition = call.input.otp_code.get_secret_value(), sends.definition_of(call)
    minutes = _shown_minutes(definition, call.input.expiry_minutes)
    components = [
        *values.body(definition, [code, *minutes]),
        values.one_time_code(definition, code),
    ]
    return sends.draft_of(call, components, sends.AUTHENTICATION, hides_values=True)


def _shown_minutes(definition: Definition, minutes: int | None) -> list[str]:
    """Return the value of the body for the expiry; none if the footer shows it. Raises InvalidInput."""
    if minutes is None:
        return []
    shown = values.expiry_minutes(definition)
    if shown is None:
        return [str(minutes)]
    if shown != minutes:
        problem = f"must be {shown}, as the template's text says"
        raise InvalidInput([{"field": "expiryMinutes", "problem": problem}])
    return []
