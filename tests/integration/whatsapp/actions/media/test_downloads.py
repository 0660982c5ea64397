"""`eum_download_media`, `download_media` and `delete_media`: customers' files in our bucket and at the provider."""

from __future__ import annotations

import dataclasses

import pytest

from local.sandbox.accounts.media import (
    EXECUTABLE_AS_JPEG,
    GONE,
    JPEG_IMAGE,
    PDF_DOCUMENT,
    WRONG_HASH,
)
from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import (
    AWS_PHONE,
    EUM_PHONE,
    EUM_WABA,
    GLOBEX,
    GLOBEX_PHONE,
    Actions,
)
from tests.integration.whatsapp.actions.media.conftest import (
    JPEG,
    on_aws,
    on_graph,
    receive,
    store,
)
from tests.integration.whatsapp.conftest import PHONE, a_phone
from whatsapp.store.items import Media
from whatsapp.worker.media import downloads

STORED_KEY = f"media/acme/{PHONE}/{JPEG_IMAGE}/file.jpg"


def test_a_file_of_a_message_is_stored_and_linked_to_it(files: Actions) -> None:
    message_pk = receive(files)
    answer = files.run("eum_download_media", on_graph({"mediaId": JPEG_IMAGE}))

    assert answer.result["s3Key"] == STORED_KEY
    assert (answer.result["mediaStatus"], answer.result["contentLength"]) == ("STORED", len(JPEG))
    assert files.harness.resources.bucket.get(STORED_KEY) == JPEG
    assert files.item(message_pk)["s3Key"] == STORED_KEY
    assert "ttl" not in files.item(f"MEDIA#{JPEG_IMAGE}")
    look_up, fetched = files.requests
    assert (look_up.operation, fetched.operation) == ("get_media", "download_media")
    assert wire.problems(look_up, "GET", "/{Version}/{Media-ID}") == []
    assert look_up.query == {"phone_number_id": PHONE}


def test_a_stored_file_is_not_fetched_again(files: Actions) -> None:
    receive(files)
    first = files.run("download_media", on_graph({"mediaId": JPEG_IMAGE}))
    again = files.run("eum_download_media", on_graph({"mediaId": JPEG_IMAGE}))

    assert again.result == first.result
    assert len(files.requests) == 2


def test_aws_copies_a_file_under_our_prefix_and_the_real_key_is_stored(files: Actions) -> None:
    files.register_eum()
    files.harness.resources.table.put(
        Media(
            pk=Media.key(PDF_DOCUMENT),
            company="acme",
            media_id=PDF_DOCUMENT,
            phone=EUM_PHONE,
            waba_meta_id=EUM_WABA,
            content_type="application/pdf",
        ).attributes()
    )
    answer = files.run("eum_download_media", on_aws({"mediaId": PDF_DOCUMENT}))

    prefix = f"media/acme/{EUM_PHONE}/{PDF_DOCUMENT}/"
    (sent,) = files.requests
    assert (sent.operation, sent.body) == (
        "GetWhatsAppMessageMedia",
        {
            "originationPhoneNumberId": AWS_PHONE,
            "mediaId": PDF_DOCUMENT,
            "metadataOnly": False,
            "destinationS3File": {"bucketName": files.harness.resources.bucket.name, "key": prefix},
        },
    )
    assert answer.result["s3Key"] == f"{prefix}{PDF_DOCUMENT}.pdf"


@pytest.mark.parametrize(
    ("media_id", "state"),
    [
        (WRONG_HASH, "FAILED: wrong_hash"),
        (EXECUTABLE_AS_JPEG, "FAILED: wrong_type"),
        (GONE, "EXPIRED"),
    ],
)
def test_a_file_that_is_gone_or_not_as_announced_is_never_stored(
    files: Actions, media_id: str, state: str
) -> None:
    message_pk = receive(files, media_id)
    answers = [files.run("eum_download_media", on_graph({"mediaId": media_id})) for _ in range(2)]

    assert {(answer.status, answer.error) for answer in answers} == {(409, "state_conflict")}
    assert state in answers[0].body["error"]["message"]
    assert "s3Key" not in files.item(message_pk)
    assert files.harness.resources.bucket.keys_under(f"media/acme/{PHONE}/{media_id}/") == []


def test_an_unknown_file_and_another_companys_do_not_exist(files: Actions) -> None:
    receive(files)

    assert files.run("eum_download_media", on_graph({"mediaId": "99"})).status == 404
    of_globex = {"phoneNumberId": GLOBEX_PHONE, "mediaId": JPEG_IMAGE}
    assert files.run("eum_download_media", of_globex, caller=GLOBEX).status == 404
    assert files.run("delete_media", of_globex, caller=GLOBEX).status == 404
    assert files.requests == []


def test_a_key_is_never_a_parameter_of_a_download(files: Actions) -> None:
    answer = files.run("eum_download_media", on_graph({"mediaId": JPEG_IMAGE, "s3Key": "x"}))

    assert (answer.status, answer.error) == (400, "invalid_input")


@pytest.mark.parametrize(
    ("fault", "status"),
    [({"kind": "status", "status": 429}, 429), ({"kind": "lost_answer"}, 503)],
)
def test_a_download_that_fails_leaves_the_file_pending(
    files: Actions, fault: dict[str, object], status: int
) -> None:
    receive(files)
    files.sandbox.faults.add(provider="meta", operation="get_media", **fault)

    assert files.run("eum_download_media", on_graph({"mediaId": JPEG_IMAGE})).status == status
    assert files.item(f"MEDIA#{JPEG_IMAGE}")["mediaStatus"] == "PENDING"
    assert files.run("eum_download_media", on_graph({"mediaId": JPEG_IMAGE})).status == 200


def test_without_hosts_of_download_links_no_file_is_marked_as_failed(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = dataclasses.replace(actions.module.resources, media_origins=())
    monkeypatch.setattr(actions.module, "resources", without)
    receive(actions)
    answer = actions.run("eum_download_media", on_graph({"mediaId": JPEG_IMAGE}))

    assert (answer.status, answer.error) == (409, "not_configured")
    assert actions.item(f"MEDIA#{JPEG_IMAGE}")["mediaStatus"] == "PENDING"


def test_an_upload_can_be_downloaded_again(files: Actions) -> None:
    files.register_eum()
    store(files, "uploads/acme/photo")
    files.harness.resources.table.put(
        Media(
            pk=Media.key(JPEG_IMAGE),
            company="acme",
            media_id=JPEG_IMAGE,
            phone=EUM_PHONE,
            s3_key="uploads/acme/photo",
            content_type="image/jpeg",
        ).attributes()
    )
    answer = files.run("eum_download_media", on_aws({"mediaId": JPEG_IMAGE}))

    assert answer.result["s3Key"].startswith(f"media/acme/{EUM_PHONE}/{JPEG_IMAGE}/")
    assert files.item(f"MEDIA#{JPEG_IMAGE}")["mediaStatus"] == "STORED"


def test_a_file_is_deleted_at_graph_and_cannot_be_downloaded_any_more(files: Actions) -> None:
    receive(files)
    answer = files.run("delete_media", on_graph({"mediaId": JPEG_IMAGE}))

    assert answer.result == {"mediaId": JPEG_IMAGE, "atProvider": "deleted", "stored": False}
    (sent,) = files.requests
    assert wire.problems(sent, "DELETE", "/{Version}/{Media-ID}") == []
    assert (sent.path, sent.query) == (f"/v23.0/{JPEG_IMAGE}", {"phone_number_id": PHONE})
    assert files.item(f"MEDIA#{JPEG_IMAGE}")["mediaStatus"] == "EXPIRED"
    assert files.run("eum_download_media", on_graph({"mediaId": JPEG_IMAGE})).status == 409


def test_our_copy_is_deleted_with_the_pointer_on_its_message_if_the_call_says_so(
    files: Actions,
) -> None:
    message_pk = receive(files)
    files.run("eum_download_media", on_graph({"mediaId": JPEG_IMAGE}))
    kept = files.run("delete_media", on_graph({"mediaId": JPEG_IMAGE}))

    assert kept.result["stored"] is False
    assert files.item(message_pk)["s3Key"] == STORED_KEY
    deleted = files.run("delete_media", on_graph({"mediaId": JPEG_IMAGE, "deleteStored": True}))
    assert deleted.result == {"mediaId": JPEG_IMAGE, "atProvider": "missing", "stored": True}
    assert files.harness.resources.bucket.keys_under(STORED_KEY) == []
    assert "s3Key" not in files.item(message_pk)
    record = files.item(f"MEDIA#{JPEG_IMAGE}")
    assert (record["mediaStatus"], "s3Key" in record) == ("REVOKED", False)


def test_the_source_of_an_upload_is_not_our_copy_and_stays(files: Actions) -> None:
    receive(files)
    files.run("eum_download_media", on_graph({"mediaId": JPEG_IMAGE}))
    uploaded = files.run("eum_upload_media", on_graph({"s3Key": STORED_KEY})).result["mediaId"]
    answer = files.run("delete_media", on_graph({"mediaId": uploaded, "deleteStored": True}))

    assert (answer.result["atProvider"], answer.result["stored"]) == ("deleted", False)
    assert files.harness.resources.bucket.get(STORED_KEY) == JPEG


def test_a_file_is_deleted_at_aws(files: Actions) -> None:
    files.register_eum()
    store(files, "uploads/acme/photo")
    media_id = files.run("eum_upload_media", on_aws({"s3Key": "uploads/acme/photo"})).result[
        "mediaId"
    ]
    answer = files.run("delete_media", on_aws({"mediaId": media_id}))

    assert answer.result["atProvider"] == "deleted"
    assert (files.requests[-1].operation, files.requests[-1].body) == (
        "DeleteWhatsAppMessageMedia",
        {"originationPhoneNumberId": AWS_PHONE, "mediaId": media_id},
    )
    again = files.run("delete_media", on_aws({"mediaId": media_id}))
    assert again.result["atProvider"] == "missing"


@pytest.mark.parametrize(("status", "code"), [(429, 429), (500, 503), (403, 422)])
def test_a_deletion_that_the_provider_did_not_make_changes_nothing(
    files: Actions, status: int, code: int
) -> None:
    receive(files)
    files.sandbox.faults.add(
        provider="meta", operation="delete_media", kind="status", status=status, times=3
    )
    answer = files.run("delete_media", on_graph({"mediaId": JPEG_IMAGE, "deleteStored": True}))

    assert answer.status == code
    assert files.item(f"MEDIA#{JPEG_IMAGE}")["mediaStatus"] == "PENDING"


def test_a_file_of_a_revoked_message_is_not_fetched(files: Actions) -> None:
    message_pk = receive(files)
    downloads.remove(files.harness.resources, JPEG_IMAGE, message_pk, a_phone())
    answer = files.run("eum_download_media", on_graph({"mediaId": JPEG_IMAGE}))

    assert (answer.status, files.requests) == (409, [])
