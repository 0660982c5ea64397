"""Files of actions: from the bucket, by the provider's id, and refused ones."""

from typing import Any

import pytest

from local.sandbox.accounts import media
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    ADA,
    EUM_PHONE,
    GLOBEX_PHONE,
    Actions,
)
from tests.integration.whatsapp.actions.templates.catalogue import IMAGE, listed
from tests.integration.whatsapp.conftest import NOW, PHONE, text
from whatsapp import store
from whatsapp.store.items import Media

MESSAGES = "/{Version}/{Phone-Number-ID}/messages"
FILES = {
    "image": ("photo.jpg", "image/jpeg", media.JPEG_IMAGE),
    "video": ("clip.mp4", "video/mp4", media.MP4_VIDEO),
    "audio": ("voice.ogg", "audio/ogg", media.OGG_VOICE),
    "document": ("bill.pdf", "application/pdf", media.PDF_DOCUMENT),
    "sticker": ("sticker.webp", "image/webp", media.WEBP_STICKER),
}


def put(actions: Actions, kind: str, key: str = "", content: bytes | None = None) -> str:
    name, mime_type, media_id = FILES[kind]
    stored = key or f"uploads/acme/{name}"
    body = media.BUILT_IN[media_id].content if content is None else content
    actions.harness.resources.bucket.put(stored, body, mime_type)
    return stored


def record(actions: Actions, **facts: Any) -> None:
    given = {"media_id": media.JPEG_IMAGE, "company": "acme", "phone": PHONE} | facts
    store.media.add(
        actions.harness.resources.table, Media(pk=Media.key(str(given["media_id"])), **given)
    )


@pytest.mark.parametrize("kind", ["image", "video", "audio", "document", "sticker"])
def test_a_file_of_the_bucket_is_sent_and_a_copy_is_kept_with_its_message(
    actions: Actions, kind: str
) -> None:
    answer = actions.send(f"send_{kind}", {"s3Key": put(actions, kind)})

    [sent] = actions.wire
    assert wire.problems(sent, "POST", MESSAGES) == []
    stored = actions.item(answer.result["messagePk"])
    assert (stored["type"], stored["mediaId"]) == (kind, answer.result["actionId"])
    assert stored["s3Key"].startswith(f"media/acme/{PHONE}/{answer.result['actionId']}/file.")
    assert stored["s3Key"] in sent.body[kind]["link"]  # type: ignore[index] # JSON
    assert actions.item(f"MEDIA#{answer.result['actionId']}")["mediaStatus"] == "STORED"


@pytest.mark.parametrize("kind", ["image", "video", "audio", "document"])
def test_send_media_sends_each_of_its_types(actions: Actions, kind: str) -> None:
    answer = actions.send("send_media", {"mediaType": kind, "mediaId": FILES[kind][2]})

    [sent] = actions.wire
    assert wire.problems(sent, "POST", MESSAGES) == []
    assert sent.body[kind] == {"id": FILES[kind][2]}  # type: ignore[index] # JSON
    assert actions.item(answer.result["messagePk"])["mediaId"] == FILES[kind][2]


def test_caption_and_file_name_are_shown_to_the_customer_and_in_the_inbox(actions: Actions) -> None:
    about = {"caption": "Your bill", "filename": "bill 7.pdf"}
    answer = actions.send("send_document", {"mediaId": media.PDF_DOCUMENT, **about})

    assert actions.wire[0].body["document"] == {"id": media.PDF_DOCUMENT, **about}  # type: ignore[index] # JSON
    stored = actions.item(answer.result["messagePk"])
    assert (stored["caption"], stored["filename"]) == ("Your bill", "bill 7.pdf")
    assert stored["preview"] == "Your bill"


def test_a_dry_run_shows_the_media_id(actions: Actions) -> None:
    answer = actions.send("send_image", {"mediaId": media.JPEG_IMAGE, "dryRun": True})

    assert answer.result["payload"]["image"] == {"id": media.JPEG_IMAGE}


def test_a_number_on_aws_uploads_the_file_first(actions: Actions) -> None:
    actions.register_eum()
    ada = text("wamid.ada.2", at=NOW // 1000 - 60)
    metadata = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
    actions.harness.take({"messages": [ada], "metadata": metadata}, waba="202290129340399")

    body = {"phoneNumberId": EUM_PHONE, "to": f"+{ADA}", "s3Key": put(actions, "image")}
    answer = actions.run("send_image", body)

    uploaded, sent = actions.wire
    assert (uploaded.operation, sent.operation) == (
        "PostWhatsAppMessageMedia",
        "SendWhatsAppMessage",
    )
    key = actions.item(answer.result["messagePk"])["s3Key"]
    assert uploaded.body["sourceS3File"]["key"] == key  # type: ignore[index] # JSON
    assert sent.body["message"]["image"] == {"id": uploaded.answer["mediaId"]}  # type: ignore[index] # JSON


@pytest.mark.parametrize(
    "key",
    [
        "uploads/globex/photo.jpg",
        "media/globex/a/photo.jpg",
        "content/acme/a.json",
        "uploads/acme/none.jpg",
    ],
)
def test_a_file_that_is_missing_or_not_of_the_company_does_not_exist(
    actions: Actions, key: str
) -> None:
    if "none" not in key:
        put(actions, "image", key)
    answer = actions.send("send_image", {"s3Key": key})

    assert (answer.status, answer.error, actions.wire) == (404, "not_found", [])


@pytest.mark.parametrize(
    ("kind", "content", "problem"),
    [
        ("image", media.BUILT_IN[media.EXECUTABLE_AS_JPEG].content, "content differs"),
        ("image", b"\xff\xd8\xff" + bytes(5 << 20), "at most 5242880"),
        ("image", b"", "is empty"),
        ("sticker", b"RIFF\0\0\0\0WEBPVP8L" + bytes(100_000), "at most 100000"),
        ("sticker", b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\x02" + bytes(500_000), "at most 500000"),
    ],
)
def test_a_file_of_another_type_or_size_is_refused(
    actions: Actions, kind: str, content: bytes, problem: str
) -> None:
    answer = actions.send(f"send_{kind}", {"s3Key": put(actions, kind, content=content)})

    assert (answer.status, answer.fields, actions.wire) == (400, ["s3Key"], [])
    assert problem in answer.body["error"]["details"][0]["problem"]


def test_an_animated_sticker_may_be_larger_than_a_still_one(actions: Actions) -> None:
    content = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\x02" + bytes(200_000)

    assert (
        actions.send("send_sticker", {"s3Key": put(actions, "sticker", content=content)}).status
        == 200
    )


@pytest.mark.parametrize(
    ("action", "body", "field"),
    [
        ("send_media", {"mediaType": "image"}, "body"),
        ("send_media", {"mediaType": "image", "mediaId": "1", "s3Key": "uploads/acme/a"}, "body"),
        ("send_media", {"mediaType": "audio", "mediaId": "1", "caption": "x"}, "body"),
        ("send_media", {"mediaType": "image", "mediaId": "1", "filename": "x"}, "body"),
        ("send_media", {"mediaType": "sticker", "mediaId": "1"}, "mediaType"),
        ("send_audio", {"mediaId": "1", "caption": "x"}, "caption"),
        ("send_image", {"mediaId": "1", "caption": "x" * 1_025}, "caption"),
        ("send_document", {"mediaId": "1", "filename": "x" * 241}, "filename"),
        ("send_image", {"s3Key": "uploads/acme/../globex/a"}, "s3Key"),
        ("send_image", {"s3Key": "/uploads/acme/a"}, "s3Key"),
        ("send_image", {"mediaId": "a/b"}, "mediaId"),
    ],
)
def test_bad_input_about_a_file_is_refused(
    actions: Actions, action: str, body: dict[str, Any], field: str
) -> None:
    answer = actions.send(action, body)

    assert (answer.status, answer.fields, actions.wire) == (400, [field], [])


def test_a_media_id_of_another_company_or_of_a_deleted_file_does_not_exist(
    actions: Actions,
) -> None:
    record(actions, company="globex", phone=GLOBEX_PHONE)
    record(actions, media_id=media.PNG_IMAGE, media_status="REVOKED")

    for media_id in (media.JPEG_IMAGE, media.PNG_IMAGE):
        answer = actions.send("send_image", {"mediaId": media_id})
        assert (answer.status, answer.error) == (404, "not_found")
    assert actions.wire == []


def test_a_media_id_works_for_the_number_and_the_type_that_it_was_uploaded_for(
    actions: Actions,
) -> None:
    record(actions, phone=EUM_PHONE)
    record(actions, media_id=media.PNG_IMAGE, content_type="image/png")

    assert actions.send("send_image", {"mediaId": media.JPEG_IMAGE}).fields == ["mediaId"]
    assert actions.send("send_video", {"mediaId": media.PNG_IMAGE}).fields == ["mediaId"]
    assert actions.send("send_image", {"mediaId": media.PNG_IMAGE}).status == 200


def test_a_stored_file_is_sent_by_its_id_and_copied_for_the_new_message(actions: Actions) -> None:
    key = put(actions, "image", f"media/acme/{PHONE}/{media.JPEG_IMAGE}/file.jpg")
    bucket = actions.harness.resources.bucket
    record(
        actions, s3_key=key, s3_bucket=bucket.name, media_status="STORED", content_type="image/jpeg"
    )

    answer = actions.send("send_image", {"mediaId": media.JPEG_IMAGE})

    assert actions.wire[0].body["image"] == {"id": media.JPEG_IMAGE}  # type: ignore[index] # JSON
    copied = actions.item(answer.result["messagePk"])["s3Key"]
    assert copied != key
    assert bucket.get(copied) == bucket.get(key)


def test_an_uploaded_file_is_sent_by_its_id_after_the_upload_was_deleted(actions: Actions) -> None:
    bucket = actions.harness.resources.bucket
    place = {"s3_key": "uploads/acme/gone.jpg", "s3_bucket": bucket.name}
    record(actions, **place, content_type="image/jpeg")
    answer = actions.send("send_image", {"mediaId": media.JPEG_IMAGE})

    assert actions.wire[0].body["image"] == {"id": media.JPEG_IMAGE}  # type: ignore[index] # JSON
    assert actions.item(answer.result["messagePk"])["mediaId"] == media.JPEG_IMAGE


@pytest.mark.parametrize(
    ("kind", "named", "sent_as"),
    [
        ("image", "image/jpg", "image/jpeg"),
        ("image", "binary/octet-stream", "image/jpeg"),
        ("audio", "application/ogg", "audio/ogg"),
        ("audio", "audio/ogg; codecs=opus", "audio/ogg; codecs=opus"),
    ],
)
def test_a_stored_file_with_another_name_of_its_type_is_sent_with_whatsapp_s_name(
    actions: Actions, kind: str, named: str, sent_as: str
) -> None:
    key, bucket = put(actions, kind), actions.harness.resources.bucket
    bucket.put(key, bucket.get(key), named)
    answer = actions.send(f"send_{kind}", {"s3Key": key})

    stored = actions.item(answer.result["messagePk"])
    assert (stored["mimeType"], bucket.content_type(stored["s3Key"])) == (sent_as, sent_as)


def test_the_same_key_sends_a_file_once(actions: Actions) -> None:
    body = {"s3Key": put(actions, "image")}
    first = actions.send("send_image", body, key="key-file-1")
    again = actions.send("send_image", body, key="key-file-1")

    assert (again.result, again.body["replayed"]) == (first.result, True)
    assert len(actions.wire) == 1


def test_a_refused_upload_is_reported_and_nothing_is_sent(actions: Actions) -> None:
    actions.register_eum()
    ada = text("wamid.ada.2", at=NOW // 1000 - 60)
    metadata = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
    actions.harness.take({"messages": [ada], "metadata": metadata}, waba="202290129340399")
    actions.sandbox.faults.add(
        provider="socialmessaging", operation="PostWhatsAppMessageMedia", kind="status", status=400
    )
    body = {"phoneNumberId": EUM_PHONE, "to": f"+{ADA}", "s3Key": put(actions, "image")}
    answer = actions.run("send_image", body)

    assert (answer.status, answer.error) == (422, "provider_rejected")
    assert [
        sent.operation for sent in actions.wire if sent.operation == "SendWhatsAppMessage"
    ] == []


LINK = "https://files.acme.example/a/b.bin?v=1"
BY_LINK: list[tuple[str, dict[str, Any], str]] = [
    *((f"send_{kind}", {}, kind) for kind in ("image", "video", "audio", "document", "sticker")),
    *(
        ("send_media", {"mediaType": kind}, kind)
        for kind in ("image", "video", "audio", "document")
    ),
    ("send_reply", {"mediaType": "image", "replyToMessageId": "wamid.ada.1"}, "image"),
]


@pytest.mark.parametrize(("action", "body", "kind"), BY_LINK)
def test_a_file_is_sent_by_its_link(
    actions: Actions, action: str, body: dict[str, Any], kind: str
) -> None:
    endings = {"image": "jpg", "video": "mp4", "audio": "mp3", "document": "pdf", "sticker": "webp"}
    link = LINK.replace("bin", endings[kind])
    answer = actions.send(action, {**body, "link": link})

    assert answer.result["state"] == "sent"
    [sent] = actions.wire
    assert sent.body[kind]["link"] == link  # type: ignore[index] # JSON
    assert actions.item(answer.result["messagePk"])["content"]["link"] == link


REFUSED_LINKS = [
    *("http://files.acme.example/a.jpg", "https://10.0.0.1/a.jpg", "https://localhost/a.jpg"),
    *("https://printer.local/a.jpg", "https://intranet.corp/a", "https://[::1]/a", "ftp://a.b/c"),
    *("https://user@files.acme.example/a", "https://files.acme.example:8443/a", "https://0x7f.1/a"),
    *("https://db.internal/a.jpg", "https://169.254.169.254/latest", "files.acme.example/a.jpg"),
]


@pytest.mark.parametrize("link", REFUSED_LINKS)
def test_a_link_that_is_not_public_https_is_refused_in_each_send(
    actions: Actions, link: str
) -> None:
    file = {"link": link}
    parameters = [{"type": "image", "image": file}]
    calls = [(action, {**body, **file}) for action, body, _ in BY_LINK]
    calls += [
        (
            "send_template",
            {
                "templateName": "sale",
                "components": [{"type": "header", "parameters": parameters}],
            },
        ),
        ("send_marketing_message", {"templateName": "sale", "headerMediaLink": link}),
        (
            "send_carousel_template",
            {"templateName": "sale", "cards": [{"headerMediaLink": link}] * 2},
        ),
        (
            "send_group_message",
            {"to": None, "phone": None, "groupId": "g", "messageType": "image"} | file,
        ),
    ]
    for action, body in calls:
        actions.sandbox.templates.clear()
        listed(actions.sandbox, IMAGE, {"type": "BODY", "text": "Hi"}, name="sale")
        answer = actions.send(action, body)
        assert (answer.status, answer.error) == (400, "invalid_input"), (action, answer.body)
        assert "must be an https URL with a public host name" in answer.body["error"]["message"]
    assert not [one for one in actions.wire if "send" in one.operation]


def test_a_number_at_aws_sends_no_links(actions: Actions) -> None:
    actions.register_eum()
    number = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
    inbound = text("wamid.ada.2", at=NOW // 1000 - 60, sender=ADA)
    actions.harness.take({"metadata": number, "messages": [inbound]}, waba="202290129340399")

    answer = actions.send("send_image", {"phoneNumberId": EUM_PHONE, "link": LINK})

    assert (answer.status, answer.error) == (501, "not_supported")
    assert answer.body["error"]["message"].startswith("link: ")
    assert actions.wire == []


@pytest.mark.parametrize(
    "body",
    [
        {"link": LINK, "mediaId": media.JPEG_IMAGE},
        {"link": LINK, "s3Key": "uploads/acme/a.jpg"},
        {},
    ],
)
def test_a_file_has_one_source(actions: Actions, body: dict[str, str]) -> None:
    answer = actions.send("send_image", body)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert "exactly one of s3Key, mediaId, link" in answer.body["error"]["message"]
