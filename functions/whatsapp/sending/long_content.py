"""Content of sent messages that is too long for the message's item: stored in S3, as for received messages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from whatsapp.configuration import folders
from whatsapp.store.items import Message
from whatsapp.worker.messages.contents import full_content

if TYPE_CHECKING:
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.sending.drafts import Draft
    from whatsapp.store.items import Phone

_FIELDS = ("text_body", "caption", "content")


def placed(resources: SendingResources, *, phone: Phone, action_id: str, draft: Draft) -> Draft:
    """
    Return the draft with a pointer instead of long content, and store that content; any other draft as it is.

    Repeatable: the key derives from the action. The message refers to the object, so an erasure finds it.
    """
    shown = draft.shown
    if len(_as_json(shown.get("content") or {})) <= full_content.LARGEST_CONTENT_BYTES:
        return draft
    key = full_content.key_of(phone, action_id, folders.WRITTEN, action_id)
    long = {name: shown[name] for name in _FIELDS if shown.get(name)}
    resources.bucket.put(key, _as_json(Message.named(**long)))
    return replace(draft, shown={**shown, "content": None, "content_s3_key": key})


def remove(resources: SendingResources, draft: Draft) -> None:
    """Remove the stored content of a draft that was certainly not sent. Repeatable."""
    key = draft.shown.get("content_s3_key")
    if key:
        resources.bucket.delete(str(key))


def _as_json(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, ensure_ascii=False, default=float).encode()  # Numbers are decimals.
