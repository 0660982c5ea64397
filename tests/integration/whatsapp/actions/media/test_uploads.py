"""`eum_upload_media` and `upload_media`: our files at the provider."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest

from local.sandbox.accounts import media
from shared.runtime import clock
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    AWS_PHONE,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX,
    GLOBEX_PHONE,
    Actions,
)
from tests.integration.whatsapp.actions.media.conftest import JPEG, on_aws, on_graph, store
from tests.integration.whatsapp.conftest import NOW, PHONE

KEY = "uploads/acme/photo"
VOICE = media.BUILT_IN[media.OGG_VOICE].content
DAY_MS = int(timedelta(days=1).total_seconds() * 1_000)


def test_a_file_is_uploaded_to_graph_as_a_form_with_its_bytes(files: Actions) -> None:
    store(files, KEY)
    answer = files.run("eum_upload_media", on_graph({"s3Key": KEY}))

    (sent,) = files.wire
    assert (sent.operation, sent.path) == ("upload_media", f"/v23.0/{PHONE}/media")
    assert wire.problems(sent, "POST", "/{Version}/{Phone-Number-ID}/media") == []
    assert sent.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert sent.body == {
        "messaging_product": "whatsapp",
        "type": "image/jpeg",
        "file": hashlib.sha256(JPEG).hexdigest(),
    }
    assert answer.result["mediaStatus"] == "PENDING"


def test_opus_is_uploaded_to_graph_under_the_name_that_meta_documents(files: Actions) -> None:
    store(files, KEY, VOICE, "audio/opus")
    files.run("eum_upload_media", on_graph({"s3Key": KEY}))

    (sent,) = files.wire
    assert sent.body == {
        "messaging_product": "whatsapp",
        "type": "audio/ogg",
        "file": hashlib.sha256(VOICE).hexdigest(),
    }


def test_the_reference_of_an_upload_has_all_attributes_and_expires(files: Actions) -> None:
    store(files, KEY)
    files.register_eum()
    media_id = files.run("eum_upload_media", on_aws({"s3Key": KEY})).result["mediaId"]

    (sent,) = files.wire
    assert (sent.operation, sent.body) == (
        "PostWhatsAppMessageMedia",
        {
            "originationPhoneNumberId": AWS_PHONE,
            "sourceS3File": {"bucketName": files.harness.resources.bucket.name, "key": KEY},
        },
    )
    assert files.item(f"MEDIA#{media_id}") == {
        "pk": f"MEDIA#{media_id}",
        "itemType": "MEDIA",
        "company": "acme",
        "mediaId": media_id,
        "s3Bucket": files.harness.resources.bucket.name,
        "s3Key": KEY,
        "contentType": "image/jpeg",
        "contentLength": len(JPEG),
        "uploadedAt": clock.to_text(NOW),
        "expiresAt": clock.to_text(NOW + 30 * DAY_MS),
        "wabaMetaId": EUM_WABA,
        "mediaStatus": "PENDING",
        "phone": EUM_PHONE,
        "ttl": (NOW + 7 * DAY_MS) // 1_000,
    }


def test_the_same_key_uploads_once_and_the_older_name_does_the_same(files: Actions) -> None:
    store(files, KEY)
    first = files.run("upload_media", on_graph({"s3Key": KEY}), key="key-upload-1")
    again = files.run("upload_media", on_graph({"s3Key": KEY}), key="key-upload-1")

    assert (again.result, again.body["replayed"]) == (first.result, True)
    assert len(files.wire) == 1


@pytest.mark.parametrize(
    ("key", "content", "mime_type", "problem"),
    [
        ("uploads/acme/a", b"MZ" + bytes(60), "image/jpeg", "content differs"),
        ("uploads/acme/a", b"MZ" + bytes(60), "application/pdf", "content differs"),
        ("uploads/acme/a", b"GIF89a", "image/gif", "must be one of image/jpeg, image/png"),
        ("uploads/acme/a", b"", "application/pdf", "must not be empty"),
        ("uploads/acme/a", JPEG + bytes(5 << 20), "image/jpeg", "at most 5242880 bytes"),
        (
            "uploads/acme/a",
            b"RIFF\0\0\0\0WEBPVP8L" + bytes(100_000),
            "image/webp",
            "at most 100000 bytes",
        ),
    ],
)
def test_files_that_the_provider_would_refuse_are_not_uploaded(
    files: Actions, key: str, content: bytes, mime_type: str, problem: str
) -> None:
    store(files, key, content, mime_type)
    answer = files.run("eum_upload_media", on_graph({"s3Key": key}))

    assert (answer.status, answer.fields) == (400, ["s3Key"])
    assert problem in answer.body["error"]["details"][0]["problem"]
    assert files.wire == []


def test_an_animated_sticker_may_be_larger(files: Actions) -> None:
    animated = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x02" + bytes(200_000)
    store(files, KEY, animated, "image/webp")

    assert files.run("eum_upload_media", on_graph({"s3Key": KEY})).status == 200


@pytest.mark.parametrize(
    "key",
    ["uploads/globex/photo", "media/globex/1/2/file.jpg", "exports/acme/x", "uploads/acme/no"],
)
def test_keys_outside_the_companys_folders_do_not_exist(files: Actions, key: str) -> None:
    if not key.endswith("no"):
        store(files, key)
    answer = files.run("eum_upload_media", on_graph({"s3Key": key}))

    assert (answer.status, answer.error) == (404, "not_found")
    assert files.wire == []


def test_a_key_must_not_leave_its_folder(files: Actions) -> None:
    answer = files.run("eum_upload_media", on_graph({"s3Key": "uploads/acme/../globex/photo"}))

    assert (answer.status, answer.fields) == (400, ["s3Key"])


def test_another_companys_number_does_not_exist(files: Actions) -> None:
    store(files, KEY)

    assert (
        files.run("eum_upload_media", {"s3Key": KEY, "phoneNumberId": GLOBEX_PHONE}).status == 404
    )
    assert files.run("eum_upload_media", on_graph({"s3Key": KEY}), caller=GLOBEX).status == 404


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ({"kind": "status", "status": 429}, 429, "rate_limited"),
        ({"kind": "status", "status": 401}, 422, "provider_rejected"),
        ({"kind": "status", "status": 500}, 503, "provider_unavailable"),
        ({"kind": "lost_answer"}, 503, "provider_unavailable"),
        ({"kind": "empty"}, 503, "provider_unavailable"),
    ],
)
def test_a_failed_upload_is_no_success_and_can_be_repeated_with_its_key(
    files: Actions, fault: dict[str, object], status: int, code: str
) -> None:
    store(files, KEY)
    files.sandbox.faults.add(provider="meta", operation="upload_media", **fault)
    failed = files.run("eum_upload_media", on_graph({"s3Key": KEY}), key="key-upload-2")

    assert (failed.status, failed.error) == (status, code)
    assert not [key for key in files.harness.keys() if key.startswith("MEDIA#")]
    again = files.run("eum_upload_media", on_graph({"s3Key": KEY}), key="key-upload-2")
    assert again.status == 200


def test_a_number_without_token_uploads_nothing(files: Actions) -> None:
    store(files, KEY)
    files.register(token_ref=None)
    answer = files.run("eum_upload_media", on_graph({"s3Key": KEY}))

    assert (answer.status, answer.error) == (409, "not_configured")
