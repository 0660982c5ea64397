"""Message views of the API: present fields only, and no internal keys."""

from decimal import Decimal
from typing import Any

import pytest

from shared.aws.s3 import Bucket
from whatsapp.api.message_views import MediaView, message_view
from whatsapp.store.items import Media, Message

PHONE = "106540352242922"
ARN = f"arn:parley:whatsapp:::phone-number-id/{PHONE}"


class Links(Bucket):
    """A bucket that presigns links to any key."""

    def link_to(
        self,
        key: str,
        *,
        seconds: int,
        content_type: str | None = None,
        filename: str | None = None,
        inline: bool = False,
    ) -> str:
        return f"https://bucket/{key}?for={seconds}"


bucket = Links(lambda: pytest.fail("nothing here calls S3"), "media")


def a_message(**changes: Any) -> Message:
    stored = {
        "pk": "MSG#wamid.1",
        "company": "acme",
        "direction": "INBOUND",
        "receivedAt": "2026-01-01T11:58:20.000Z",
        "from": "447700900101",
        "fromPk": "447700900101",
        "to": "15550783881",
        "conversationPk": "CONV#1#447700900101",
        "inboxPk": ARN,
        "type": "text",
        "subtype": "text",
        "preview": "hello",
        "textBody": "hello",
        "phone": PHONE,
        "payloadHash": "0" * 64,
    }
    return Message.read(stored | changes)


def shown(**changes: Any) -> dict[str, Any]:
    view = message_view(bucket, a_message(**changes), None)
    return view.model_dump(mode="json", by_alias=True, exclude_none=True)


def test_a_text_view_has_its_content_and_no_internal_key() -> None:
    assert shown() == {
        "id": "wamid.1",
        "correlationId": "790a433cb230d1dc5d33878e70",
        "direction": "INBOUND",
        "receivedAt": "2026-01-01T11:58:20.000Z",
        "from": "447700900101",
        "to": "15550783881",
        "type": "text",
        "subtype": "text",
        "preview": "hello",
        "text": "hello",
    }


def test_the_view_of_an_erased_message_has_no_content() -> None:
    everything = {
        "erased": True,
        "mediaId": "1",
        "s3Key": "media/acme/1/1/file.jpg",
        "contentS3Key": "content/x",
        "senderName": "Ada",
        "reactions": {"447700900101": {"emoji": "x", "order": "1"}},
        "deliveryStatusHistory": [{"status": "sent"}],
    }

    assert shown(**everything) == {
        "id": "wamid.1",
        "correlationId": "790a433cb230d1dc5d33878e70",
        "direction": "INBOUND",
        "type": "text",
        "receivedAt": "2026-01-01T11:58:20.000Z",
        "erased": True,
    }


def test_removed_reactions_are_not_shown() -> None:
    reactions = {"447700900101": {"emoji": "\U0001f44d", "order": "1"}, "2": {"order": "2"}}

    assert shown(reactions=reactions)["reactions"] == [
        {"actor": "447700900101", "emoji": "\U0001f44d"}
    ]
    assert "reactions" not in shown(reactions={"2": {"order": "2"}})


def test_numbers_are_returned_as_numbers() -> None:
    content = {
        "latitude": Decimal("51.5034"),
        "items": [{"quantity": Decimal(2), "price": Decimal("7.90")}],
        "open": True,
    }

    assert shown(content=content)["content"] == {
        "latitude": 51.5034,
        "items": [{"quantity": 2, "price": 7.9}],
        "open": True,
    }
    assert isinstance(shown(content=content)["content"]["items"][0]["quantity"], int)


def test_the_view_of_an_outbound_message_has_its_delivery_status() -> None:
    history = [
        {"status": "sent", "at": "2026-01-01T12:00:01.000Z"},
        {"status": "failed", "at": "2026-01-01T12:00:02.000Z", "code": "131026"},
    ]
    error = {"code": Decimal(131026), "title": "Message undeliverable"}
    message = shown(
        direction="OUTBOUND",
        sentAt="2026-01-01T12:00:00.000Z",
        deliveryStatus="failed",
        deliveryStatusHistory=history,
        statusError=error,
        statusRank=9,
        origin="app",
    )

    assert message["deliveryStatus"] == "failed"
    assert message["statusHistory"] == history
    assert message["statusError"] == {"code": 131026, "title": "Message undeliverable"}
    assert (message["sentAt"], message["origin"]) == ("2026-01-01T12:00:00.000Z", "app")
    assert "statusRank" not in message


def test_edits_revocations_and_the_answered_message_are_shown() -> None:
    facts = {
        "editedAt": "2026-01-01T12:00:01.000Z",
        "revokedAt": "2026-01-01T12:00:02.000Z",
        "replyTo": "wamid.0",
        "forwarded": True,
        "errors": [{"code": Decimal(131051)}],
    }

    assert shown(**facts).items() >= {**facts, "errors": [{"code": 131051}]}.items()


def test_a_long_text_is_returned_as_a_preview_with_a_link() -> None:
    assert shown(contentS3Key="content/acme/1/x.json")["wholeContent"] == {
        "link": "https://bucket/content/acme/1/x.json?for=900",
        "expiresInSeconds": 900,
    }


PICTURE = {"mediaId": "77", "mimeType": "image/jpeg", "filename": "bike.jpg"}


def test_a_stored_file_has_a_link_valid_for_15_minutes() -> None:
    assert shown(**PICTURE, s3Bucket="media", s3Key="media/acme/1/77/file.jpg")["media"] == {
        "mimeType": "image/jpeg",
        "filename": "bike.jpg",
        "status": "STORED",
        "link": "https://bucket/media/acme/1/77/file.jpg?for=900",
        "expiresInSeconds": 900,
    }


@pytest.mark.parametrize(
    ("recorded", "status"),
    [
        ("PENDING", "PENDING"),
        ("FAILED", "FAILED"),
        ("EXPIRED", "EXPIRED"),
        ("REVOKED", "REVOKED"),
        ("STORED", "PENDING"),  # for another message with the same file
        (None, "UNAVAILABLE"),
    ],
)
def test_a_missing_file_has_a_reason_and_no_link(recorded: str | None, status: str) -> None:
    file = Media(pk="MEDIA#77", media_id="77", media_status=recorded) if recorded else None
    view = message_view(bucket, a_message(**PICTURE), file)

    assert view.media == MediaView(mime_type="image/jpeg", filename="bike.jpg", status=status)


@pytest.mark.parametrize("key", ["media/other/1/77/file.jpg", "claims/x.json", "media/acme/../x/y"])
def test_a_key_that_is_not_the_companys_is_not_signed(key: str) -> None:
    view = shown(**PICTURE, s3Bucket="media", s3Key=key, contentS3Key=key)

    assert view["media"]["status"] == "UNAVAILABLE"
    assert "link" not in view["media"]
    assert "wholeContent" not in view
