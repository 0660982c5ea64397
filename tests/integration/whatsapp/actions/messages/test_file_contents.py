"""Files that are sent by a link, or by an id that Parley does not know, are checked by their first bytes."""

from __future__ import annotations

from typing import Any

import pytest

from local.sandbox.accounts import media
from shared.providers import linked_files
from shared.providers.http import OriginRefused
from shared.providers.linked_files import Beginning, Missing, Unreadable
from tests.integration.whatsapp.actions.conftest import ADA, EUM_PHONE, EUM_WABA, Actions
from tests.integration.whatsapp.actions.messages.test_files import LINK
from tests.integration.whatsapp.actions.payments.conftest import configured, payment_order
from tests.integration.whatsapp.actions.templates.catalogue import IMAGE, listed
from tests.integration.whatsapp.conftest import NOW, PHONE, text
from whatsapp import store
from whatsapp.store.items import Media

CONTENT = {name: media.BUILT_IN[media_id].content[:64] for name, media_id in {
    "jpeg": media.JPEG_IMAGE, "png": media.PNG_IMAGE, "pdf": media.PDF_DOCUMENT, "ogg": media.OGG_VOICE,
    "mp4": media.MP4_VIDEO, "webp": media.WEBP_STICKER, "exe": media.EXECUTABLE_AS_JPEG,
}.items()}  # fmt: skip
MP3, HTML = b"ID3\x04" + bytes(60), b"<!doctype html><title>Log in</title>"
OGG_OF_VORBIS = b"OggS" + bytes(24) + b"\x01vorbis" + bytes(20)
ACCEPTED = {
    "image": ["image/jpeg, image/png"],
    "sticker": ["image/webp"],
    "audio": ["audio/mpeg", "audio/ogg"],
    "video": ["video/mp4"],
}


CHECKED: list[tuple[str, str, str | bytes, str | None]] = [
    ("image", "image/jpeg", "jpeg", None),
    ("image", "application/octet-stream", "png", None),
    ("image", "", "png", None),
    ("image", "image/webp", "webp", "one of"),
    ("image", "image/jpeg", "webp", "content differs"),
    ("image", "text/html; charset=utf-8", HTML, "one of"),
    ("image", "image/jpeg", b"", "is empty"),
    ("image", "image/jpeg", "exe", "content differs"),
    ("sticker", "image/webp", "webp", None),
    ("sticker", "image/webp", "jpeg", "content differs"),
    ("sticker", "image/jpeg", "jpeg", "one of"),
    ("audio", "audio/ogg", "ogg", None),
    ("audio", "audio/opus", "ogg", None),
    ("audio", "binary/octet-stream", "ogg", None),
    ("audio", "audio/ogg", MP3, "content differs"),
    ("audio", "audio/ogg", OGG_OF_VORBIS, "Opus"),
    ("audio", "video/mp4", "mp4", "one of"),
    ("video", "video/mp4", "mp4", None),
    ("video", "video/mp4", "jpeg", "content differs"),
    ("document", "application/vnd.acme", b"anything", None),
    ("document", "application/pdf", "jpeg", "content differs"),
    ("document", "application/pdf", "exe", "content differs"),
]  # fmt: skip


@pytest.mark.parametrize("case", CHECKED)
def test_a_linked_file_is_checked_before_it_is_sent(
    actions: Actions,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, str, str | bytes, str | None],
) -> None:
    kind, mime_type, content, problem = case
    first_bytes = CONTENT[content] if isinstance(content, str) else content
    serve(monkeypatch, Beginning(mime_type, first_bytes))
    answer = actions.send(f"send_{kind}", {"link": LINK})

    if problem is None:
        assert (answer.status, len(actions.wire)) == (200, 1)
        return
    assert (answer.status, answer.fields, actions.wire) == (400, ["link"], [])
    rule = answer.body["error"]["details"][0]["problem"]
    assert problem in rule
    assert all(accepted in rule for accepted in ACCEPTED.get(kind, []) if problem != "is empty")


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        (Unreadable(403), "unreadable link: its host answers 403"),
        (Unreadable(), "unreadable link: its host does not answer in time"),
        (Missing(), "no file"),
        (OriginRefused("resolves to a private address"), "public host name"),
    ],
)
def test_a_link_that_is_not_a_readable_public_file_is_refused_in_every_message(
    actions: Actions, monkeypatch: pytest.MonkeyPatch, outcome: Exception, problem: str
) -> None:
    serve(monkeypatch, Beginning("image/png", CONTENT["png"]))
    sent = actions.send("send_image", {"link": LINK}).result
    serve(monkeypatch, outcome)
    image = {"type": "image", "image": {"link": LINK}}
    interactive = {"interactiveType": "button", "interactive": {
        "header": image, "body": {"text": "Hi"},
        "action": {"buttons": [{"type": "reply", "reply": {"id": "1", "title": "Yes"}}]},
    }}  # fmt: skip
    refused = [
        actions.send("send_image", {"link": LINK}),
        actions.send("send_interactive", interactive),
        actions.run("resend_message", {"messageId": sent["messagePk"]}),
    ]

    for answer in refused:
        assert answer.status == 400, answer.body
        assert problem in answer.body["error"]["details"][0]["problem"]
    assert len(actions.wire) == 1


def test_a_linked_file_is_checked_again_when_its_message_is_sent_again(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, Beginning("image/png", CONTENT["png"]))
    first = actions.send("send_image", {"link": LINK}).result
    serve(monkeypatch, Beginning("image/png", CONTENT["webp"]))
    answer = actions.run("resend_message", {"messageId": first["messagePk"]})

    assert (answer.status, len(actions.wire)) == (400, 1)


def test_files_in_the_provider_s_objects_are_checked_too(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, Beginning("image/webp", CONTENT["webp"]))
    for header, field in (
        ({"type": "image", "image": {"link": LINK}}, "interactive.header.image.link"),
        ({"type": "image", "image": {"id": media.MP4_VIDEO}}, "interactive.header.image.id"),
    ):
        button = {"type": "reply", "reply": {"id": "a", "title": "A"}}
        interactive = {"header": header, "body": {"text": "See"}, "action": {"buttons": [button]}}
        body = {"interactiveType": "button", "interactive": interactive}
        answer = actions.send("send_interactive", body)
        assert (answer.status, answer.fields) == (400, [field])
    listed(actions.sandbox, IMAGE, {"type": "BODY", "text": "Hi"}, name="sale")
    image = {"type": "image", "image": {"link": LINK}}
    components = [{"type": "header", "parameters": [image]}]
    named = {"templateName": "sale", "components": components}
    campaign = {"type": "template", "campaignName": "Bikes", "recipients": [f"+{ADA}"]}
    number = {"phoneNumberId": PHONE} | named
    for action, call in (
        ("send_template", number | {"to": f"+{ADA}"}),
        ("create_campaign", number | campaign),
    ):
        answer = actions.run(action, call)
        assert (answer.status, answer.fields) == (400, ["components.0.parameters.0.image.link"])

    assert not [one for one in actions.wire if "send" in one.operation]


@pytest.mark.parametrize(
    ("kind", "media_id", "is_sent"),
    [
        ("image", media.JPEG_IMAGE, True),
        ("image", media.EXECUTABLE_AS_JPEG, False),
        ("image", media.WEBP_STICKER, False),
        ("sticker", media.JPEG_IMAGE, False),
        ("audio", media.OGG_VOICE, True),
        ("audio", media.MP4_VIDEO, False),
        ("document", media.EXECUTABLE_AS_JPEG, False),
    ],
)
@pytest.mark.parametrize("provider", ["graph", "eum"])
def test_a_file_of_an_unknown_id_is_looked_at_where_the_provider_has_it(
    actions: Actions,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    media_id: str,
    provider: str,
    *,
    is_sent: bool,
) -> None:
    bucket, body = actions.harness.resources.bucket, {"mediaId": media_id}
    copied: list[str] = []

    def put_object(name: str, key: str, content: bytes, content_type: str) -> None:
        copied.append(key)
        bucket.client.put_object(Bucket=name, Key=key, Body=content, ContentType=content_type)

    monkeypatch.setattr(actions.sandbox, "put_object", put_object)
    if provider == "eum":
        actions.register_eum()
        number = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
        inbound = text("wamid.ada.2", at=NOW // 1000 - 60, sender=ADA)
        actions.harness.take({"metadata": number, "messages": [inbound]}, waba=EUM_WABA)
        body |= {"phoneNumberId": EUM_PHONE}
    answer = actions.send(f"send_{kind}", body)

    assert (answer.status == 200) is is_sent, answer.body
    assert is_sent or (answer.fields, sends_of(actions)) == (["mediaId"], [])
    assert [key for key in copied if bucket.keys_under(key)] == []  # what was looked at is gone


@pytest.mark.parametrize("media_id", ["99", media.GONE])
@pytest.mark.parametrize("provider", ["graph", "eum"])
def test_an_id_that_the_provider_does_not_show_is_refused_in_every_message(
    actions: Actions, media_id: str, provider: str
) -> None:
    number = {"phoneNumberId": PHONE}
    if provider == "eum":
        actions.register_eum()
        number = {"phoneNumberId": EUM_PHONE}
    image = {"type": "image", "image": {"id": media_id}}
    button = {"type": "reply", "reply": {"id": "a", "title": "A"}}
    interactive = {"header": image, "body": {"text": "See"}, "action": {"buttons": [button]}}
    for action, body, field in (
        ("send_image", {"mediaId": media_id}, "mediaId"),
        ("send_document", {"mediaId": media_id}, "mediaId"),
        ("send_interactive", {"interactiveType": "button", "interactive": interactive}, "interactive.header.image.id"),
    ):  # fmt: skip
        answer = actions.send(action, number | body)
        assert (answer.status, answer.fields) == (400, [field]), answer.body
        assert "unreadable file" in answer.body["error"]["details"][0]["problem"]
    assert sends_of(actions) == []


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ({"kind": "status", "status": 503}, 503),
        ({"kind": "lost_answer"}, 503),
        ({"kind": "status", "status": 429}, 429),
    ],
)
def test_a_file_that_the_provider_cannot_show_now_is_not_sent_and_a_retry_helps(
    actions: Actions, fault: dict[str, Any], status: int
) -> None:
    actions.sandbox.faults.add(provider="meta", operation="get_media", **fault)
    first = actions.send("send_image", {"mediaId": media.JPEG_IMAGE}, key="key-of-a-file")
    assert (first.status, sends_of(actions)) == (status, [])

    again = actions.send("send_image", {"mediaId": media.JPEG_IMAGE}, key="key-of-a-file")
    assert (again.status, len(sends_of(actions))) == (200, 1)


def test_files_of_every_further_way_are_checked(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured(actions)
    order = payment_order() | {"headerMediaId": media.EXECUTABLE_AS_JPEG}
    answer = actions.send("send_payment_order", order)
    assert (answer.status, answer.fields) == (400, ["headerMediaId"])

    serve(monkeypatch, Beginning("image/png", CONTENT["png"]))
    listed(actions.sandbox, IMAGE, {"type": "BODY", "text": "Hi"}, name="sale", category="UTILITY")
    image = {"type": "image", "image": {"link": LINK}}
    components = [{"type": "header", "parameters": [image]}]
    button = {"type": "reply", "reply": {"id": "a", "title": "A"}}
    interactive = {"header": image, "body": {"text": "See"}, "action": {"buttons": [button]}}
    sent = [
        actions.send("send_template", {"templateName": "sale", "components": components}),
        actions.send("send_interactive", {"interactiveType": "button", "interactive": interactive}),
    ]
    serve(monkeypatch, Beginning("image/png", CONTENT["webp"]))
    for first in sent:
        assert first.status == 200, first.body
        answer = actions.run("resend_message", {"messageId": first.result["messagePk"]})
        assert (answer.status, answer.body["error"]["code"]) == (400, "invalid_input")
    assert len(sends_of(actions)) == 2


def test_a_received_file_that_was_not_downloaded_is_looked_at_where_the_provider_has_it(
    actions: Actions,
) -> None:
    record = Media(
        pk=Media.key(media.EXECUTABLE_AS_JPEG), company="acme", phone=PHONE,
        media_id=media.EXECUTABLE_AS_JPEG, message_pk="MSG#wamid.1",
    )  # fmt: skip
    store.media.add(actions.harness.resources.table, record)
    answer = actions.send("send_image", {"mediaId": media.EXECUTABLE_AS_JPEG})

    assert (answer.status, answer.fields, sends_of(actions)) == (400, ["mediaId"], [])


def sends_of(actions: Actions) -> list[Any]:
    return [one for one in actions.wire if "send" in one.operation]


def serve(monkeypatch: pytest.MonkeyPatch, outcome: Beginning | Exception) -> None:
    """Let each link lead to this file."""

    def beginning_of(*_: Any, **__: Any) -> Beginning:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(linked_files, "beginning_of", beginning_of)
