"""Validates agents' messages against the limits of channel and project before they are queued."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.api.access import Unusable
from conversations.configuration.projects import SmsChannel, WhatsAppChannel
from conversations.initiation import case_data
from conversations.outbound.compose.limits import TOO_LONG, longest, sms_length
from conversations.outbound.compose.templates import filled, template_of
from conversations.outbound.unwritable import Unwritable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.commands import HumanMessage
    from shared.aws.s3 import Bucket


def check(
    opened: OpenConversation, bucket: Bucket, message: HumanMessage, field: str = "text"
) -> None:
    """Raise Unusable for a message that the channel or project does not allow; *field* names the input field."""
    if message.template is not None:
        _check_template(opened, bucket, message.template, message.variables)
    elif message.is_divisible:
        _check_divided(opened, message.text or "", field)
    else:
        check_text(opened, message.text, field)


def check_text(opened: OpenConversation, text: str | None, field: str = "text") -> None:
    """Raise Unusable for a text that the channel or the project does not allow."""
    if text is None:
        return
    from shared.providers.sms.segments import gsm_equivalent, measure  # noqa: PLC0415 - of one channel

    most, channel = longest(opened), opened.channel
    if isinstance(channel, SmsChannel):
        text = gsm_equivalent(text.strip())
    if len(text) > most:
        raise Unusable(field, f"must have at most {most} characters")
    if isinstance(channel, SmsChannel) and measure(text).segments > channel.max_segments:
        raise Unusable(field, f"must fit into {channel.max_segments} SMS segments")


def _check_divided(opened: OpenConversation, text: str, field: str) -> None:
    """Raise Unusable for a text that needs more SMS than the project allows now."""
    from conversations.ai.checks.division import divided  # noqa: PLC0415 - of one channel

    length = sms_length(opened, is_divisible=True)
    if length is not None and not divided(text, length):
        raise Unusable(field, f"must fit into {length.messages} SMS of the project")


def _check_template(
    opened: OpenConversation, bucket: Bucket, name: str, variables: Mapping[str, str]
) -> None:
    """Raise Unusable for a template that the project does not have, or values that do not complete it."""
    channel = opened.channel
    if not isinstance(channel, WhatsAppChannel) or name not in channel.templates:
        raise Unusable("template", "must be a template of the project, in a WhatsApp conversation")
    most = longest(opened)
    try:
        filled(
            opened,
            template_of(opened, name),
            variables,
            project_data=case_data.read(opened.conversation, bucket).project_data,
            longest=most,
        )
    except Unwritable as fault:
        if fault.reason == TOO_LONG:
            problem = f"must result in a message of at most {most} characters"
        elif fault.reason == "template_incomplete":
            problem = "must be exactly the template's missing variables, within their length limits"
        else:
            raise Unusable("template", "has invalid project settings") from None
        raise Unusable("variables", problem) from None
