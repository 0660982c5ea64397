"""Samples of headers: files of the company, checked by size and content, uploaded once."""

from __future__ import annotations

from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import AWS_WABA, GLOBEX, WABA, Actions
from tests.integration.whatsapp.conftest import NOW
from whatsapp.worker.media.types import MB

UPLOAD = "eum_create_template_media"
JPEG = b"\xff\xd8\xff" + bytes(20)
KEY = "uploads/acme/sale.jpg"
BODY = {"wabaId": AWS_WABA, "s3Key": KEY}


def put(actions: Actions, key: str = KEY, content: bytes = JPEG, kind: str = "image/jpeg") -> None:
    actions.harness.resources.bucket.put(key, content, kind)


def test_a_sample_is_uploaded_once_and_kept_with_its_handle(actions: Actions) -> None:
    actions.register_eum()
    put(actions)

    answer = actions.run(UPLOAD, BODY, key="key-sample-1")
    again = actions.run(UPLOAD, BODY, key="key-sample-1")

    bucket = actions.harness.resources.bucket.name
    (sent,) = actions.wire
    assert sent.operation == "CreateWhatsAppMessageTemplateMedia"
    assert sent.body == {"id": AWS_WABA, "sourceS3File": {"bucketName": bucket, "key": KEY}}
    assert again.result == answer.result
    media_id, handle = answer.result["mediaId"], answer.result["headerHandle"]
    assert actions.item(f"TEMPLATE_MEDIA#{media_id}") == {
        "pk": f"TEMPLATE_MEDIA#{media_id}",
        "itemType": "TEMPLATE_MEDIA",
        "company": "acme",
        "ttl": NOW // 1000 + 30 * clock.DAY_SECONDS,
        "mediaId": media_id,
        "wabaId": AWS_WABA,
        "s3Bucket": bucket,
        "s3Key": KEY,
        "contentType": "image/jpeg",
        "contentLength": len(JPEG),
        "uploadedAt": clock.to_text(NOW),
        "headerHandle": handle,
    }


@pytest.mark.parametrize(
    ("kind", "content"),
    [("image/png", b"\x89PNG\r\n\x1a\n"), ("video/mp4", bytes(4) + b"ftypisom"), ("application/pdf", b"%PDF-1.7")],
)  # fmt: skip
def test_other_types_are_taken_too(actions: Actions, kind: str, content: bytes) -> None:
    actions.register_eum()
    put(actions, "media/acme/1/2/a", content, kind)

    answer = actions.run(UPLOAD, {**BODY, "s3Key": "media/acme/1/2/a"})

    assert (answer.status, answer.result["contentType"]) == (200, kind)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "image/jpeg"),
        (b"MZ" + bytes(20), "image/jpeg"),
        (b"MZ" + bytes(20), "application/pdf"),
        (b"plain text", "application/pdf"),
        (JPEG, "image/gif"),
        (JPEG + bytes(5 * MB), "image/jpeg"),
    ],
)
def test_files_that_reviewers_could_not_see_are_refused(
    actions: Actions, content: bytes, kind: str
) -> None:
    actions.register_eum()
    put(actions, content=content, kind=kind)

    answer = actions.run(UPLOAD, BODY)

    assert (answer.status, answer.fields) == (400, ["s3Key"])
    assert actions.wire == []


@pytest.mark.parametrize(
    "change",
    [
        {"s3Key": "uploads/globex/sale.jpg"},
        {"s3Key": "uploads/acmecorp/sale.jpg"},
        {"s3Key": "parked/sale.jpg"},
        {"s3Key": "uploads/acme/missing.jpg"},
    ],
)
def test_files_of_others_and_missing_ones_do_not_exist(
    actions: Actions, change: dict[str, Any]
) -> None:
    actions.register_eum()
    put(actions)
    put(actions, "uploads/globex/sale.jpg")
    put(actions, "parked/sale.jpg")

    answer = actions.run(UPLOAD, {**BODY, **change})

    assert (answer.status, answer.error) == (404, "not_found")
    assert actions.wire == []


def test_a_path_upwards_another_company_and_an_account_on_graph_are_refused(
    actions: Actions,
) -> None:
    actions.register_eum()
    put(actions)

    upwards = actions.run(UPLOAD, {**BODY, "s3Key": "uploads/acme/../globex/a"})
    others = actions.run(UPLOAD, BODY, caller=GLOBEX)
    on_graph = actions.run(UPLOAD, {"metaWabaId": WABA, "s3Key": KEY})

    assert (upwards.status, others.status, on_graph.error) == (400, 404, "not_configured")


def test_a_lost_answer_is_in_doubt_and_leaves_no_item(actions: Actions) -> None:
    actions.register_eum()
    put(actions)
    actions.sandbox.faults.add(
        provider="socialmessaging",
        operation="CreateWhatsAppMessageTemplateMedia",
        kind="lost_answer",
    )

    answer = actions.run(UPLOAD, BODY)

    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    assert not [key for key in actions.harness.keys() if key.startswith("TEMPLATE_MEDIA#")]
