"""The company of dialogues, its projects and customers, in the formats of the functions. All data is fictitious."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from conversations.dialogues.scenarios.format import ModelAnswer
from conversations.dialogues.scenarios.settings import merged
from events.conversations import sample_data
from shared.events.exchange import Button, File, InboundMessage, Location

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.dialogues.scenarios.format import ChannelName, Dialogue, Place
    from conversations.dialogues.world import CustomerMessage
    from shared.events.exchange import Kind, Provider

META_ACCOUNT: Final = "102290129340398"
_PHONE_NUMBER_ID: Final = "106540352242922"
_ADDRESSES: Final[dict[ChannelName, tuple[Provider, str]]] = {
    "sms": ("twilio", sample_data.project()["channel_config"]["sms"]["account"]),
    "whatsapp": ("meta", META_ACCOUNT),
    "email": ("ses", "arn:aws:ses"),
}
_SENDERS: Final = {
    "sms": sample_data.project()["channel_config"]["sms"]["company_sms_number"],
    "whatsapp": sample_data.WHATSAPP_SENDER,
    "email": sample_data.EMAIL_SENDER,
}
_OPENING: Final = "May we ask you something about your application?"


def project_id(number: int) -> str:
    """Return the id of a dialogue's project."""
    return f"dialogue-{number}"


def customer(number: int) -> tuple[str, str]:
    """Return the phone number and the e-mail address of a dialogue's customer; numbers are reserved for fiction."""
    return f"+447700900{number % 1_000:03}", f"customer-{number}@example.com"


def project_item(number: int, dialogue: Dialogue, model: Mapping[str, Any]) -> dict[str, Any]:
    """Return the item of a dialogue's project: the sample project with *model* settings, then the dialogue's own."""
    channels = sample_data.project()["channel_config"]
    at_meta = {
        "provider": "meta",
        "account": META_ACCOUNT,
        "phone_number_id": _PHONE_NUMBER_ID,
        "whatsapp_credentials_id": sample_data.COMPANY,
        "templates": {"invitation": sample_data.INVITATION | {"meta_name": "invitation"}},
        "reengagement_template": None,
    }
    base = sample_data.project(
        project_id=project_id(number),
        channel_config=channels | {"whatsapp": channels["whatsapp"] | at_meta},
        ai_config={"provider": "openai", **model},
    )
    return merged(base, dialogue.project)


def request(number: int, dialogue: Dialogue) -> dict[str, Any]:
    """Return the company's request for the conversation of a dialogue."""
    phone, email = customer(number)
    made = sample_data.request(dialogue.channel, f"dialogue-{number}")
    made["company_data"] = {"company_id": sample_data.COMPANY, "project_id": project_id(number)}
    made["recipient_data"] |= {"recipient_tel": phone, "recipient_email": email}
    if dialogue.data:
        made["project_data"] = dialogue.data
    return made


def opening(item: Mapping[str, Any]) -> ModelAnswer:
    """Return the answer of the stand-in for a first message, with the variables of the project's default template."""
    whatsapp = item["channel_config"]["whatsapp"]
    template = whatsapp["templates"].get(whatsapp.get("default_template"), {})
    described = [one["name"] for one in template.get("variables", []) if "describe" in one]
    return ModelAnswer(content=_OPENING, variables=dict.fromkeys(described, _OPENING))


def inbound(
    number: int,
    channel: ChannelName,
    message: CustomerMessage,
    *,
    name: str,
    at: str,
    files: Sequence[File],
    reply_to: str | None,
) -> InboundMessage:
    """Return the event of a customer's message, as the context or the webhook of its channel sends it."""
    provider, account = _ADDRESSES[channel]
    phone, email = customer(number)
    return InboundMessage(
        provider=provider,
        provider_message_id=name,
        account=account,
        company=sample_data.COMPANY if channel == "whatsapp" else None,
        channel_method=channel,
        business_address=_SENDERS[channel],
        customer_address=email if channel == "email" else phone,
        received_at=at,
        kind=_kind(message),
        text=message.reacts or message.text or None,
        button=Button(payload=message.button, label=message.button) if message.button else None,
        media=list(files),
        location=_location(message.location),
        reply_to=reply_to,
        extra={"trust": "verified"} if channel == "email" else _extra(message),
    )


def _location(place: Place | None) -> Location | None:
    if place is None:
        return None
    return Location(
        latitude=str(place.latitude),
        longitude=str(place.longitude),
        name=place.name,
        address=place.address,
    )


def _kind(message: CustomerMessage) -> Kind:
    kinds: dict[Kind, object] = {
        "media": message.files,
        "location": message.location,
        "button": message.button,
        "contacts": message.contacts,
        "reaction": message.reacts,
        "unknown": message.order,  # for other contexts
    }
    return next((kind for kind, content in kinds.items() if content), "text")


def _extra(message: CustomerMessage) -> dict[str, Any]:
    """Return the provider's fields of what a customer shares over WhatsApp."""
    extra: dict[str, Any] = {}
    if message.contacts:
        extra["contacts"] = [
            {
                "name": {"formatted_name": one.name},
                "org": {"company": one.company},
                "phones": [{"phone": phone} for phone in one.phones],
                "emails": [{"email": email} for email in one.emails],
            }
            for one in message.contacts
        ]
    if message.order is not None:
        items = [
            {
                "product_retailer_id": one.article,
                "quantity": one.quantity,
                "item_price": one.price,
                "currency": one.currency,
            }
            for one in message.order.articles
        ]
        extra |= {"type": "order", "order": {"text": message.order.note, "product_items": items}}
    if message.product is not None:
        product = {"catalog_id": "1", "product_retailer_id": message.product}
        extra["context"] = {"referred_product": product}
    return extra
