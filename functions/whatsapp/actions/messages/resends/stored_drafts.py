"""Rebuilds the draft of a stored outbound message, to send it again."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.messages.places import of_location
from whatsapp.configuration.folders import content_of
from whatsapp.sending import files
from whatsapp.sending.drafts import CONTACTS, Draft, File, UsedTemplate
from whatsapp.sending.payloads import TEMPLATE, TEXT, of_file, of_template, of_text

if TYPE_CHECKING:
    from shared.aws.s3 import Bucket
    from whatsapp.actions.calls.call import Call
    from whatsapp.store.items import Message

# Without permission to list, S3 reports a missing object as forbidden.
_MISSING = frozenset({403, 404})
OUTBOUND, LOCATION = "OUTBOUND", "location"
_FILES = frozenset({"image", "video", "audio", "document", "sticker"})
# Requests for payment have a reference that is used once.
_PAYMENTS = frozenset({"order_details", "order_status"})


def draft_of(call: Call[Any], message: Message) -> Draft:
    """
    Return a stored message as a draft that is linked to it. It quotes no message.

    Raises StateConflict for a message that cannot be sent again.
    """
    _check(message)
    fields = fields_of(call.resources.bucket, call.company, message)
    draft = _draft(call, message, fields)
    if draft is None:
        raise StateConflict(f"messageId: a message of type {message.type} cannot be sent again")
    shown = draft.shown | {"resent_from": message.pk}
    return Draft(
        type=draft.type,
        content=draft.content,
        shown=shown,
        template=draft.template,
        media=draft.media,
    )


def _check(message: Message) -> None:
    if message.direction != OUTBOUND:
        raise StateConflict("messageId: is not a sent message")
    if message.send_state == "unknown" and message.delivery_status is None:
        raise StateConflict("messageId: the outcome of its send is unknown")
    if message.revoked_at:
        raise StateConflict("messageId: the message was deleted for everyone")


def fields_of(bucket: Bucket, company: str, message: Message) -> dict[str, Any]:
    """
    Return text, caption and content of a message, as JSON values; from S3 if they are too long for the item. Raises
    StateConflict if they are not stored any more.
    """
    if message.content_s3_key is None:
        fields = message.model_dump(include={"text_body", "caption", "content"}, by_alias=True)
        return dict(json.loads(json.dumps(fields, default=_number)))
    key = message.content_s3_key
    try:
        if content_of(bucket, company).holds(key):
            return dict(json.loads(bucket.get(key)))
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] not in _MISSING:
            raise
    raise StateConflict("messageId: its content is not stored")


def _draft(call: Call[Any], message: Message, fields: dict[str, Any]) -> Draft | None:
    content = fields.get("content") or {}
    kind = message.type
    if kind == TEXT and fields.get("textBody"):
        return of_text(str(fields["textBody"]))
    if kind == TEMPLATE and content.get("name"):
        return of_template(
            UsedTemplate(
                name=content["name"],
                language=content["language"]["code"],
                components=content.get("components") or [],
            )
        )
    if kind in _FILES:
        return _of_file(call, message, fields, content)
    if kind == LOCATION and content:
        return _of_location(content)
    is_payment = content.get("type") in _PAYMENTS
    if kind not in {CONTACTS, "interactive"} or not content or is_payment:
        return None
    return Draft(
        type=kind,
        content=content,
        shown={
            "type": kind,
            "text_body": fields.get("textBody"),
            "content": content,
            "preview": message.preview,
        },
    )


def _of_location(content: dict[str, Any]) -> Draft:
    latitude, longitude = (Decimal(str(content[name])) for name in ("latitude", "longitude"))
    return of_location(latitude, longitude, content.get("name"), content.get("address"))


def _of_file(
    call: Call[Any], message: Message, fields: dict[str, Any], content: dict[str, Any]
) -> Draft | None:
    bucket = call.resources.bucket
    stored = message.s3_key
    key = files.own_key(bucket, call.company, stored, "messageId") if stored else None
    if key is None and not content.get("link") and not content.get("id"):
        return None
    return of_file(
        File(
            type=message.type,  # type: ignore[arg-type] # one of the five types of files
            place="messageId",
            key=key,
            link=None if key else content.get("link"),
            media_id=None if key else content.get("id"),
            caption=fields.get("caption"),
            filename=message.filename,
        )
    )


def _number(value: object) -> int | float:
    if not isinstance(value, Decimal):
        raise TypeError("not a JSON value")
    return int(value) if value == value.to_integral_value() else float(value)
