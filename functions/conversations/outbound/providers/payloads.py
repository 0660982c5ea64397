"""Builds a message in each provider's format. Sends nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.configuration.projects import SmsChannel, WhatsAppChannel
from conversations.outbound.compose.texts import fixed_texts
from shared.identity import addresses
from shared.providers.outcomes import Misconfigured

if TYPE_CHECKING:
    from conversations.configuration.projects import EmailChannel
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from shared.events.exchange import OutboundMessage
    from shared.providers.email.ses import Mail
    from shared.providers.sms.aws_eum import TextMessage
    from shared.providers.twilio import messages

LIVES_SECONDS = 3_600  # an SMS that no carrier accepted by then is obsolete


def for_twilio(
    opened: OpenConversation,
    channel: WhatsAppChannel | SmsChannel,
    message: Message,
    secret: dict[str, Any],
    status_callback: str | None,
) -> messages.Message:
    """Build Twilio's SMS or WhatsApp message; *secret* may name the template. Raises Misconfigured."""
    from shared.providers.twilio import messages  # noqa: PLC0415 - of one provider

    is_sms = isinstance(channel, SmsChannel)
    service = channel.messaging_service_sid if isinstance(channel, SmsChannel) else None
    return messages.Message(
        channel="sms" if is_sms else "whatsapp",
        to=opened.customer,
        sender=None if service else opened.state.business_address,
        messaging_service_sid=service,
        content=_twilio_content(channel, message, secret),
        status_callback=status_callback,
    )


def for_aws_sms(
    opened: OpenConversation, channel: SmsChannel, message: Message, action_id: str
) -> TextMessage:
    """Build the message for AWS End User Messaging SMS."""
    from shared.providers.sms.aws_eum import TextMessage  # noqa: PLC0415 - of one provider

    return TextMessage(
        to=opened.customer,
        origination=opened.state.business_address,
        body=message.content,
        message_type=channel.message_type,
        configuration_set=channel.configuration_set,
        time_to_live_seconds=LIVES_SECONDS,
        action_id=action_id,
        ref=opened.ref,
    )


def for_meta(opened: OpenConversation, message: Message, action_id: str) -> dict[str, Any]:
    """Build the JSON of Meta's message, also used by AWS Social; statuses return the action id."""
    kind, content = _meta_content(opened, message)
    return {
        "messaging_product": "whatsapp",
        **_meta_recipient(opened),
        "type": kind,
        kind: content,
        "biz_opaque_callback_data": action_id,
    }


def for_ses(
    opened: OpenConversation, channel: EmailChannel, message: Message, action_id: str
) -> Mail:
    """Build the mail for SES: automated mail is marked as such, and a reply names the mail it answers."""
    from shared.providers.email.mime import body_of  # noqa: PLC0415 - of one provider
    from shared.providers.email.ses import Mail  # noqa: PLC0415 - of one provider

    is_answer = message.reply_to is not None
    return Mail(
        sender=channel.company_email,
        sender_name=channel.email_from_name or "",
        to=opened.customer,
        reply_to=channel.company_email,
        subject=message.subject or fixed_texts.subject(opened, channel),
        body=body_of(message.content),
        auto_submitted=None
        if message.author.startswith("human:")
        else ("auto-replied" if is_answer else "auto-generated"),
        in_reply_to=message.reply_to,
        references=[opened.conversation.email_id] if opened.conversation.email_id else [],
        unsubscribe=[channel.list_unsubscribe] if channel.list_unsubscribe else [],
        configuration_set=channel.configuration_set,
        action_id=action_id,
        tags={"ref": opened.ref},
    )


def for_inbox(
    opened: OpenConversation,
    channel: WhatsAppChannel,
    message: Message,
    action_id: str,
    provider_id: str,
) -> OutboundMessage:
    """Build the event that informs the inbox of a message sent from its WhatsApp number."""
    from shared.events.exchange import OutboundMessage  # noqa: PLC0415 - of one channel

    kind, content = _meta_content(opened, message)
    return OutboundMessage(
        provider=channel.provider,
        provider_message_id=provider_id,
        action_id=action_id,
        company=opened.company.company_id,
        account=channel.account or "",
        business_address=channel.phone_number_id or channel.address,
        customer_address=opened.customer if _user_id(opened) is None else None,
        customer_user_id=opened.state.customer_user_id,
        message_type=kind,
        content=content,
        occurred_at=message.message_timestamp,
    )


def for_threads(
    opened: OpenConversation,
    channel: EmailChannel,
    message: Message,
    action_id: str,
    provider_id: str,
) -> OutboundMessage:
    """Build the event that informs the e-mail threads of a sent mail. *provider_id* is its Message-ID."""
    from shared.events.exchange import OutboundMessage  # noqa: PLC0415 - of one channel

    mail = for_ses(opened, channel, message, action_id)
    content = {
        "subject": mail.subject,
        "text": mail.body.text,
        "in_reply_to": mail.in_reply_to,
        "references": list(mail.references),
    }
    return OutboundMessage(
        provider="ses",
        provider_message_id=provider_id,
        action_id=action_id,
        company=opened.company.company_id,
        account=channel.company_email,
        business_address=channel.company_email,
        customer_address=opened.customer,
        message_type="email",
        content={name: value for name, value in content.items() if value},
        occurred_at=message.message_timestamp,
    )


def _twilio_content(
    channel: WhatsAppChannel | SmsChannel, message: Message, secret: dict[str, Any]
) -> messages.Text | messages.Template:
    from shared.providers.twilio import messages  # noqa: PLC0415 - of one provider

    if message.template is None:
        return messages.Text(message.content)
    templates = channel.templates if isinstance(channel, WhatsAppChannel) else {}
    configured = templates.get(message.template) or {}
    sid = configured.get("content_sid") or secret.get("twilio_template_sid")
    if not isinstance(sid, str):
        raise Misconfigured("content_sid")
    from conversations.ai.prompt.whatsapp_templates import by_placeholder  # noqa: PLC0415 - of one channel

    names = [str(variable["name"]) for variable in configured.get("variables") or ()]
    try:
        variables = by_placeholder(str(configured.get("body")), names, message.variables or {})
    except ValueError:
        raise Misconfigured("template_variables") from None
    return messages.Template(sid, variables)


def _meta_content(opened: OpenConversation, message: Message) -> tuple[str, dict[str, Any]]:
    """Return type and content of Meta's message JSON. Variables become body parameters in the template's order."""
    channel = opened.company.channel_config.whatsapp
    if message.template is None or channel is None:
        return "text", {"body": message.content}
    configured = channel.templates.get(message.template) or {}
    values = [{"type": "text", "text": text} for text in _in_order(configured, message)]
    components = [{"type": "body", "parameters": values}] if values else []
    language = str(configured.get("language") or opened.company.default_language)
    return "template", {
        "name": configured.get("meta_name") or message.template,
        "language": {"code": language.replace("-", "_")},  # Meta's format is en_US
        "components": components,
    }


def _in_order(configured: dict[str, Any], message: Message) -> list[str]:
    """Return the values of a message's variables in the template's order: the stored map is unordered."""
    values = message.variables or {}
    listed = [str(variable["name"]) for variable in configured.get("variables") or ()]
    return [values[name] for name in [*listed, *values.keys() - {*listed}] if name in values]


def _user_id(opened: OpenConversation) -> str | None:
    """Return the user id that messages go to; None if they go to a number."""
    if addresses.is_user_id(opened.customer):
        return opened.customer
    return None if opened.state.has_number else opened.state.customer_user_id


def _meta_recipient(opened: OpenConversation) -> dict[str, str]:
    """
    Return Meta's recipient field: a number, or a business-scoped user id.

    Check: that user ids go into `recipient` is Meta's announcement and not confirmed by Parley's traffic.
    """
    user_id = _user_id(opened)
    if user_id is not None:
        return {"recipient": user_id.removeprefix(addresses.USER_ID_PREFIX)}
    return {"to": opened.customer.removeprefix("+")}
