"""Sends text messages."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from shared.api.auth import Scope
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, ReplyInput, Text
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.drafts import Draft
from whatsapp.sending.payloads import of_text

CORE = Group("core_messaging")


class SendText(ReplyInput):
    """A text; with `previewUrl` WhatsApp shows a preview of its first link."""

    text: Annotated[Text, Field(max_length=4_096)]
    preview_url: Flag = False


@CORE.sends(Scope.WHATSAPP_SEND)
def send_text(call: Call[SendText]) -> Draft:
    """Send a text. Refused while the 24-hour window is closed."""
    text = call.input.text
    draft = of_text(text, call.input.reply_to_message_id)
    shows_link = {"preview_url": True} if call.input.preview_url else {}
    return replace(draft, content=draft.content | shows_link)
