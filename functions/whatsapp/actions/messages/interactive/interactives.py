"""Sends interactive messages: buttons, lists, links, forms and questions."""

from typing import Annotated, Any

from pydantic import AliasChoices, Field

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import HttpsUrl, ProviderObject, ReplyInput, Text
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.interactive.kinds import KINDS, InteractiveType
from whatsapp.actions.messages.interactive.parts import Body, Label, Short, checked
from whatsapp.actions.messages.provider_files import check_files
from whatsapp.inbound.content import PREVIEW_CHARACTERS
from whatsapp.sending.drafts import Draft

CORE = Group("core_messaging")
LEGACY = Group("legacy")
INTERACTIVE = "interactive"


class SendInteractive(ReplyInput):
    """An interactive message in the provider's structure. Its kind is `interactive.type`, or `interactiveType`."""

    interactive_type: InteractiveType | None = None
    interactive: ProviderObject


class SendLink(ReplyInput):
    """A text with one button that opens a web page."""

    body_text: Annotated[Body, Field(validation_alias=AliasChoices("body", "bodyText", "text"))]
    button_text: Label
    url: HttpsUrl
    header_text: Short | None = None
    footer_text: Short | None = None


class SendLocationRequest(ReplyInput):
    """A text with a button that sends the customer's location."""

    body: Annotated[Text, Field(max_length=1_024)]


@CORE.sends(Scope.WHATSAPP_SEND)
def send_interactive(call: Call[SendInteractive]) -> Draft:
    """
    Send an interactive message after the provider's limits were checked; a fault is named with its place.

    Requests for payment (order_details, order_status) have separate actions.
    """
    given = call.input
    content = {name: part for name, part in given.interactive.items() if name != "type"}
    draft = of_interactive(_kind_of(given), content, given.reply_to_message_id, place=INTERACTIVE)
    check_files(call, content, INTERACTIVE)
    return draft


@CORE.sends(Scope.WHATSAPP_SEND)
def send_cta_url(call: Call[SendLink]) -> Draft:
    """Send a text with one button that opens a web page."""
    given = call.input
    parameters = {"display_text": given.button_text, "url": given.url}
    interactive = framed(
        {"name": "cta_url", "parameters": parameters},
        header=given.header_text,
        body=given.body_text,
        footer=given.footer_text,
    )
    return of_interactive("cta_url", interactive, given.reply_to_message_id)


@LEGACY.sends(Scope.WHATSAPP_SEND)
def send_location_request(call: Call[SendLocationRequest]) -> Draft:
    """Send a text with a button that sends the customer's location."""
    interactive = framed({"name": "send_location"}, body=call.input.body)
    return of_interactive("location_request_message", interactive, call.input.reply_to_message_id)


def _kind_of(given: SendInteractive) -> InteractiveType:
    """Return the kind of a message. Raises InvalidInput if it has none, another one, or two."""
    named, inner = given.interactive_type, given.interactive.get("type")
    if inner is None:
        if named is None:
            raise _invalid("interactiveType", "is required, unless interactive has a type")
        return named
    kind = next((kind for kind in KINDS if kind == inner), None)
    if kind is None:
        raise _invalid("interactive.type", f"must be one of {', '.join(KINDS)}")
    if named not in {None, kind}:
        raise _invalid("interactive.type", "must equal interactiveType")
    return kind


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])


def framed(
    action: dict[str, Any],
    *,
    header: str | None = None,
    body: str | None = None,
    footer: str | None = None,
) -> dict[str, Any]:
    """Return an interactive object without its `type`: texts around an action."""
    parts = {
        "header": {"type": "text", "text": header} if header else None,
        "body": {"text": body} if body else None,
        "footer": {"text": footer} if footer else None,
        "action": action,
    }
    return {name: part for name, part in parts.items() if part is not None}


def of_interactive(
    kind: InteractiveType, interactive: dict[str, Any], reply_to: str | None = None, place: str = ""
) -> Draft:
    """Return the message of an interactive object. Raises InvalidInput with places below the field *place*. Pure."""
    checked(KINDS[kind], interactive, place)
    content = {"type": kind, **interactive}
    text = str(interactive.get("body", {}).get("text") or "")
    return Draft(
        type=INTERACTIVE,
        content=content,
        shown={
            "type": INTERACTIVE,
            "text_body": text or None,
            "content": content,
            "preview": (text or f"[{kind}]")[:PREVIEW_CHARACTERS],
        },
        reply_to=reply_to,
    )
