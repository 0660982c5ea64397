"""Files of the bucket and of customers for the actions of media."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from local.sandbox.accounts.media import BUILT_IN, JPEG_IMAGE, WEBHOOK_MEDIA
from tests.integration.whatsapp.actions.conftest import EUM_PHONE, Actions
from tests.integration.whatsapp.conftest import NOW, PHONE

if TYPE_CHECKING:
    from collections.abc import Iterator

JPEG = BUILT_IN[JPEG_IMAGE].content


@pytest.fixture
def files(actions: Actions) -> Iterator[Actions]:
    """The function with the hosts of download links, and providers that write to our bucket."""
    client = actions.harness.resources.bucket.client

    def put_object(bucket: str, key: str, body: bytes, content_type: str) -> None:
        client.put_object(Bucket=bucket, Key=key, Body=body, ContentType=content_type)

    configured = dataclasses.replace(actions.module.resources, media_origins=(actions.sandbox.url,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(actions.module, "resources", configured)
        patch.setattr(actions.sandbox, "put_object", put_object)
        yield actions


def store(actions: Actions, key: str, content: bytes = JPEG, mime_type: str = "image/jpeg") -> str:
    """Write an object of our bucket and return its key."""
    actions.harness.resources.bucket.put(key, content, mime_type)
    return key


def receive(actions: Actions, media_id: str = JPEG_IMAGE, kind: str = "image", **facts: Any) -> str:
    """Take a customer's message with a file, whose download has not begun; return the message's key."""
    _, mime_type, sha256 = WEBHOOK_MEDIA[media_id]
    part = {"id": media_id, "mime_type": mime_type, "sha256": sha256} | facts
    message = {
        "id": f"wamid.file.{media_id}",
        "from": "447700900101",
        "timestamp": str(NOW // 1000 - 60),
        "type": kind,
        kind: part,
    }
    actions.harness.take({"messages": [message]})
    return f"MSG#wamid.file.{media_id}"


def on_graph(body: dict[str, Any]) -> dict[str, Any]:
    return {"phoneNumberId": PHONE, **body}


def on_aws(body: dict[str, Any]) -> dict[str, Any]:
    return {"phoneNumberId": EUM_PHONE, **body}
