"""Links to stored files, the lifecycle of the bucket, and statistics."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from local.sandbox.accounts.media import JPEG_IMAGE, PDF_DOCUMENT
from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import GLOBEX, WABA, Actions
from tests.integration.whatsapp.actions.media.conftest import JPEG, on_graph, receive, store
from tests.integration.whatsapp.conftest import NOW, PHONE
from tests.template import properties
from whatsapp.actions.media import statistics

STORED_KEY = f"media/acme/{PHONE}/{JPEG_IMAGE}/file.jpg"


@pytest.fixture
def stored(files: Actions) -> Actions:
    """A customer's picture and document, both downloaded."""
    for media_id, kind in ((JPEG_IMAGE, "image"), (PDF_DOCUMENT, "document")):
        receive(files, media_id, kind)
        assert files.run("eum_download_media", on_graph({"mediaId": media_id})).status == 200
    return files


@pytest.mark.parametrize(
    "named",
    [
        {"s3Key": STORED_KEY},
        {"messageId": f"wamid.file.{JPEG_IMAGE}"},
        {"messageId": f"MSG#wamid.file.{JPEG_IMAGE}"},
    ],
)
def test_a_link_downloads_the_file_as_an_attachment_and_expires(
    stored: Actions, named: dict[str, str]
) -> None:
    result = stored.run("get_media_url", named).result
    query = parse_qs(urlsplit(result["url"]).query)

    assert urlsplit(result["url"]).path.endswith(STORED_KEY)
    assert query["response-content-disposition"] == ["attachment"]
    assert (result["expirySeconds"], result["expiresAt"]) == (900, clock.to_text(NOW + 900_000))
    assert (result["contentType"], result["contentLength"]) == ("image/jpeg", len(JPEG))


def test_a_document_keeps_its_name_and_long_times_are_lowered(files: Actions) -> None:
    message_pk = receive(files, PDF_DOCUMENT, "document", filename="Angebot für Ada.pdf")
    files.run("eum_download_media", on_graph({"mediaId": PDF_DOCUMENT}))
    result = files.run("get_media_url", {"messageId": message_pk, "expirySeconds": 86_400}).result

    assert result["expirySeconds"] == 3_600
    disposition = parse_qs(urlsplit(result["url"]).query)["response-content-disposition"]
    assert disposition == ["attachment; filename*=UTF-8''Angebot%20f%C3%BCr%20Ada.pdf"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"s3Key": STORED_KEY, "messageId": "wamid.x"}, 400),
        ({"s3Key": STORED_KEY, "expirySeconds": 59}, 400),
        ({"s3Key": STORED_KEY, "expirySeconds": 86_401}, 400),
        ({"s3Key": "media/acme/1/2/other.jpg"}, 404),
        ({"s3Key": f"media/acme/{PHONE}/{JPEG_IMAGE}/other.jpg"}, 404),
        ({"s3Key": "uploads/acme/photo"}, 404),
        ({"s3Key": "exports/acme/lines"}, 404),
        ({"messageId": "wamid.ada.1"}, 404),
        ({"messageId": "wamid.unknown"}, 404),
    ],
)
def test_only_stored_files_of_the_company_have_links(
    stored: Actions, body: dict[str, Any], status: int
) -> None:
    store(stored, "uploads/acme/photo")

    assert stored.run("get_media_url", body).status == status


def test_another_company_gets_no_link(stored: Actions) -> None:
    for named in ({"s3Key": STORED_KEY}, {"messageId": f"wamid.file.{JPEG_IMAGE}"}):
        assert stored.run("get_media_url", named, caller=GLOBEX).status == 404


def lifecycle(actions: Actions, *rules: dict[str, Any]) -> None:
    """Give the bucket these rules for stored files."""
    bucket = actions.harness.resources.bucket
    given: Any = [{"Status": "Enabled", "Filter": {"Prefix": "media/"}, **rule} for rule in rules]
    bucket.client.put_bucket_lifecycle_configuration(
        Bucket=bucket.name, LifecycleConfiguration={"Rules": given}
    )


def test_a_lifecycle_that_is_as_asked_matches(actions: Actions) -> None:
    lifecycle(
        actions,
        {"ID": "media", "Expiration": {"Days": 90}},
        {"ID": "ia", "Transitions": [{"Days": 30, "StorageClass": "STANDARD_IA"}]},
    )
    answer = actions.run("eum_setup_s3_lifecycle")

    assert answer.result == {"matches": True, "expirationDays": 90, "transitionToIADays": 30}


@pytest.mark.parametrize(
    "rules",
    [
        (),
        ({"ID": "media", "Expiration": {"Days": 90}},),
        ({"ID": "media", "Expiration": {"Days": 91}},),
        ({"ID": "media", "Expiration": {"Days": 90}, "Status": "Disabled"},),
    ],
)
def test_another_lifecycle_is_refused_with_the_parameter_to_change(
    actions: Actions, rules: tuple[dict[str, Any], ...]
) -> None:
    if rules:
        lifecycle(actions, *rules)
    answer = actions.run("eum_setup_s3_lifecycle")

    assert (answer.status, answer.error) == (409, "managed_by_template")
    assert "MessageTtlDays" in answer.body["error"]["message"]


def test_the_named_parameter_is_that_of_the_templates_rule() -> None:
    rules = properties("MediaBucket", MessageTtlDays="90")["LifecycleConfiguration"]["Rules"]

    assert [rule["ExpirationInDays"] for rule in rules if rule.get("Prefix") == "media/"] == ["90"]


@pytest.mark.parametrize("body", [{"expirationDays": 0}, {"transitionToIADays": 29}])
def test_days_outside_the_limits_are_refused(actions: Actions, body: dict[str, int]) -> None:
    answer = actions.run("eum_setup_s3_lifecycle", body)

    assert (answer.status, answer.fields) == (400, list(body))


def test_files_are_summed_by_type_and_direction(stored: Actions) -> None:
    receive(stored, "1003383421387257")  # not downloaded yet
    upload = store(stored, "uploads/acme/photo")
    stored.run("eum_upload_media", on_graph({"s3Key": upload}))
    answer = stored.run("eum_get_media_stats", {"metaWabaId": WABA})

    by_type = {(e["mimeType"], e["direction"]): e["files"] for e in answer.result["byType"]}
    assert by_type == {
        ("application/pdf", "inbound"): 1,
        ("image/jpeg", "inbound"): 1,
        ("image/jpeg", "outbound"): 1,
    }
    assert answer.result["files"] == 3
    assert answer.result["bytes"] == sum(e["bytes"] for e in answer.result["byType"])
    assert (answer.result["withoutFile"], answer.result["complete"]) == (1, True)


def test_many_records_are_counted_page_by_page(
    stored: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics, "RECORDS_A_CALL", 1)
    body: dict[str, Any] = {"metaWabaId": WABA}
    first = stored.run("eum_get_media_stats", body)
    second = stored.run("eum_get_media_stats", body | {"cursor": first.body["cursor"]})

    assert first.result["complete"] is False
    assert first.result["files"] + second.result["files"] == 2


def test_only_files_of_the_asked_days_are_summed(stored: Actions) -> None:
    day = clock.to_text(NOW)[:10]
    asked = {"metaWabaId": WABA, "startDate": day, "endDate": day}

    assert stored.run("eum_get_media_stats", asked).result["files"] == 2
    later = {"metaWabaId": WABA, "startDate": "2030-01-01"}
    assert stored.run("eum_get_media_stats", later).result["files"] == 0
    turned = {"metaWabaId": WABA, "startDate": "2030-01-02", "endDate": "2030-01-01"}
    assert stored.run("eum_get_media_stats", turned).status == 400
