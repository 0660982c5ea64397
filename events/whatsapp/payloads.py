"""
Builders of the parts of a webhook body: contents, messages, statuses, changes.

The shapes follow Meta's webhook reference (field `messages` and its neighbours). Timestamps
are text, in seconds since 1970, except in `entry.time`.
"""

from collections.abc import Sequence
from typing import Any

from events.whatsapp.sample_data import BusinessNumber, Customer
from local.sandbox.accounts.media import WEBHOOK_MEDIA

type Json = dict[str, Any]


def content(kind: str, body: object) -> Json:
    """Return the two keys of a message of this type: `type`, and the object of the same name."""
    return {"type": kind, kind: body}


def text(body: str) -> Json:
    """Return a plain text."""
    return content("text", {"body": body})


def media(kind: str, media_id: str, *, delivery: int = 1, **extra: object) -> Json:
    """
    Return a file of the sandbox; *extra* contains `caption`, `filename`, `voice`, `animated`.

    *delivery* is the number of the delivery: each one has a different download address.
    """
    file = WEBHOOK_MEDIA[media_id]
    address = (
        "https://lookaside.fbsbx.com/whatsapp_business/attachments/"
        f"?mid={media_id}&source=webhook&ext={1767226000 + delivery}&hash=sample{delivery}"
    )
    described = {"mime_type": file.mime_type, "sha256": file.sha256, "id": media_id, "url": address}
    return content(kind, described | extra)


def interactive(kind: str, reply: Json) -> Json:
    """Return an answer to buttons, a list, a flow or a call permission request."""
    return content("interactive", content(kind, reply))


def replying_to(number: BusinessNumber, message_id: str, **extra: object) -> Json:
    """Return the `context` of a message that answers a message of the business."""
    return {"from": number.display, "id": message_id} | extra


def message(customer: Customer, message_id: str, at: int, body: Json, **extra: object) -> Json:
    """Return one item of `messages[]`; *extra* contains `context`, `referral`, `errors` or `group_id`."""
    sender = _present({"from": customer.wa_id, "from_user_id": customer.user_id})
    return sender | {"id": message_id, "timestamp": str(at)} | body | extra


def echo(number: BusinessNumber, customer: Customer, message_id: str, at: int, body: Json) -> Json:
    """Return one item of `message_echoes[]`: a message that the business wrote in its own app."""
    addresses = {"from": number.display} | _present(
        {"to": customer.wa_id, "to_user_id": customer.user_id}
    )
    return addresses | {"id": message_id, "timestamp": str(at)} | body


def status(customer: Customer, message_id: str, status_name: str, at: int, **extra: object) -> Json:
    """Return one item of `statuses[]`; *extra* contains `pricing`, `errors` and others."""
    recipient = _present({"recipient_id": customer.wa_id, "recipient_user_id": customer.user_id})
    return {"id": message_id, "status": status_name, "timestamp": str(at)} | recipient | extra


def contact(customer: Customer) -> Json:
    """Return one item of `contacts[]`."""
    profile = _present({"name": customer.name, "username": customer.username})
    return {"profile": profile} | _present({"wa_id": customer.wa_id, "user_id": customer.user_id})


def messages_change(
    number: BusinessNumber, messages: Sequence[Json], senders: Sequence[Customer]
) -> Json:
    """Return a change with messages of customers. System messages have no *senders*."""
    return change("messages", number, contacts=[contact(s) for s in senders], messages=[*messages])


def statuses_change(
    number: BusinessNumber, statuses: Sequence[Json], recipients: Sequence[Customer] = ()
) -> Json:
    """Return a change with delivery statuses. Only newer webhooks contain the *recipients*."""
    return change(
        "messages", number, contacts=[contact(r) for r in recipients], statuses=[*statuses]
    )


def change(field: str, number: BusinessNumber, **arrays: list[Json]) -> Json:
    """Return a change of one of the business's numbers; like Meta, it omits empty arrays."""
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": number.display, "phone_number_id": number.phone},
    }
    return {
        "value": value | {name: items for name, items in arrays.items() if items},
        "field": field,
    }


def entry(waba: str, *changes: Json) -> Json:
    """Return one item of `entry[]`, which is also the content of a message of AWS End User Messaging."""
    return {"id": waba, "changes": [*changes]}


def webhook(*entries: Json) -> Json:
    """Return the whole webhook body."""
    return {"object": "whatsapp_business_account", "entry": [*entries]}


def _present(fields: dict[str, str]) -> Json:
    return {name: value for name, value in fields.items() if value}
