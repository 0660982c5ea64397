"""Media files, fetched from the provider sandbox over real HTTP."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from local.sandbox import Config, Sandbox, running
from local.sandbox.accounts.media import WEBHOOK_MEDIA
from shared.ai.spending import usage
from shared.ai.spending.bounds import Kind
from shared.providers.whatsapp.aws_eum import Eum
from shared.providers.whatsapp.meta_graph import Graph
from shared.runtime.failures import Transient
from tests import keyring
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, a_phone, text
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.store.items.accounts.phones import CONVERSATIONS
from whatsapp.worker.media import types

JPEG = "1003383421387256"


@pytest.fixture
def sandbox(harness: Harness) -> Iterator[Sandbox]:
    def put_object(bucket: str, key: str, body: bytes, content_type: str) -> None:
        harness.resources.bucket.client.put_object(
            Bucket=bucket, Key=key, Body=body, ContentType=content_type
        )

    with running(Config(put_object=put_object)) as server:
        harness.resources = dataclasses.replace(
            harness.resources,
            graph=Graph(server.url, "v23.0"),
            eum=Eum(lambda: boto3.client("socialmessaging", endpoint_url=server.url), "v20.0"),
            media_origins=(server.url,),
        )
        yield server


def media_message(media_id: str, kind: str = "image", **facts: Any) -> dict[str, Any]:
    _, mime_type, sha256 = WEBHOOK_MEDIA[media_id]
    part = {"id": media_id, "mime_type": mime_type, "sha256": sha256} | facts
    return {
        "id": "wamid.1",
        "from": "447700900101",
        "timestamp": str(NOW // 1000 - 60),
        "type": kind,
        kind: part,
    }


def fetch(harness: Harness) -> list[Outcome]:
    entries, harness.outbox.entries = harness.outbox.entries, []
    return [harness.handle(entry.body).outcome for entry in entries]


@pytest.mark.parametrize(
    ("media_id", "kind", "extension"),
    [
        (JPEG, "image", "jpg"),
        ("1003383421387257", "image", "png"),
        ("1003383421387258", "document", "pdf"),
        ("1003383421387259", "audio", "ogg"),
        ("1003383421387260", "video", "mp4"),
        ("1003383421387261", "sticker", "webp"),
    ],
)
def test_a_file_is_stored_under_a_parley_key_and_its_message_points_to_it(
    harness: Harness, sandbox: Sandbox, media_id: str, kind: str, extension: str
) -> None:
    harness.take({"messages": [media_message(media_id, kind, filename="../../evil.exe")]})
    assert harness.item(f"MEDIA#{media_id}")["mediaStatus"] == "PENDING"

    assert fetch(harness) == [Outcome.PERSISTED]

    record, key = (
        harness.item(f"MEDIA#{media_id}"),
        f"media/acme/{PHONE}/{media_id}/file.{extension}",
    )
    assert (record["mediaStatus"], record["s3Key"], "ttl" in record) == ("STORED", key, False)
    assert harness.item("MSG#wamid.1")["s3Key"] == key
    assert len(harness.resources.bucket.get(key)) == record["contentLength"]


def test_at_an_automated_number_the_location_of_a_stored_file_is_handed_over(
    harness: Harness, sandbox: Sandbox
) -> None:
    store.phones.register(harness.resources.table, a_phone(automation=CONVERSATIONS))
    store.phones.forget()
    harness.take({"messages": [media_message(JPEG)]})
    fetch(harness)

    message, file = (json.loads(entry.body) for entry in harness.inbound.entries)
    assert "url" not in message["media"][0]
    key = harness.item("MSG#wamid.1")["s3Key"]
    assert file == {
        "type": "file_stored",
        "v": 1,
        "provider": "meta",
        "provider_message_id": "wamid.1",
        "account": "102290129340398",
        "channel_method": "whatsapp",
        "business_address": "+15550783881",
        "file": {"url": f"s3://{harness.resources.bucket.name}/{key}", "provider_id": JPEG},
    }


def test_the_location_of_a_file_is_handed_over_again_after_a_possible_crash(
    harness: Harness, sandbox: Sandbox
) -> None:
    store.phones.register(harness.resources.table, a_phone(automation=CONVERSATIONS))
    store.phones.forget()
    harness.take({"messages": [media_message(JPEG)]})
    (request,) = harness.outbox.entries
    for _ in range(2):
        harness.handle(request.body)

    _, first, again = harness.inbound.entries
    assert first == again


def test_files_of_a_number_on_aws_are_copied_by_the_service_and_stored_under_the_returned_name(
    harness: Harness, sandbox: Sandbox
) -> None:
    number = "206540352242933"
    phone = a_phone(
        pk=f"PHONE#{number}", phone=number, provider="eum", app_id=None,
        phone_arn="arn:aws:social-messaging:us-east-1:000000000000:phone-number-id/0123456789abcdef0123456789abcdef",
        aws_phone="phone-number-id-0123456789abcdef0123456789abcdef",
    )  # fmt: skip
    harness.resources.table.put(phone.attributes())
    metadata = {"phone_number_id": number}
    harness.take({"metadata": metadata, "messages": [media_message(JPEG)]}, source="eum", app="")

    assert fetch(harness) == [Outcome.PERSISTED]
    key = harness.item("MSG#wamid.1")["s3Key"]
    assert key.startswith(f"media/acme/{number}/{JPEG}/")
    assert harness.item(f"MEDIA#{JPEG}")["mediaStatus"] == "STORED"


@pytest.mark.parametrize(
    ("media_id", "status", "reason"),
    [
        ("1003383421387262", "FAILED", "wrong_type"),
        ("1003383421387263", "FAILED", "wrong_hash"),
        ("1003383421387264", "EXPIRED", "graph_100"),
    ],
)
def test_a_missing_file_or_one_unlike_its_announcement_is_rejected_and_the_message_is_kept(
    harness: Harness, sandbox: Sandbox, media_id: str, status: str, reason: str
) -> None:
    harness.take({"messages": [media_message(media_id)]})

    assert fetch(harness) == [Outcome.PERSISTED]
    record = harness.item(f"MEDIA#{media_id}")
    assert (record["mediaStatus"], record["reason"], "ttl" in record) == (status, reason, True)
    assert harness.item("MSG#wamid.1")["type"] == "image"
    assert harness.resources.bucket.keys_under("media/") == []


def test_a_file_larger_than_its_kind_allows_is_refused(
    harness: Harness, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = dataclasses.replace(types.LIMITS["image"], largest_bytes=10)
    monkeypatch.setattr(types, "LIMITS", {"image": small})
    harness.take({"messages": [media_message(JPEG)]})

    fetch(harness)
    assert harness.item(f"MEDIA#{JPEG}")["reason"] == "too_large"


def test_a_file_from_an_unlisted_origin_is_not_fetched(harness: Harness, sandbox: Sandbox) -> None:
    harness.resources = dataclasses.replace(
        harness.resources, media_origins=("https://lookaside.fbsbx.com",)
    )
    harness.take({"messages": [media_message(JPEG)]})

    fetch(harness)
    assert harness.item(f"MEDIA#{JPEG}")["reason"] == "foreign_origin"


@pytest.mark.parametrize(
    "fault",
    [{"kind": "status", "status": 500}, {"kind": "status", "status": 429}, {"kind": "reset"}],
)
@pytest.mark.parametrize("operation", ["get_media", "download_media"])
def test_a_failed_fetch_is_retried_later(
    harness: Harness, sandbox: Sandbox, fault: dict[str, Any], operation: str
) -> None:
    harness.take({"messages": [media_message(JPEG)]})
    (entry,) = harness.outbox.entries
    sandbox.faults.add(provider="meta", operation=operation, **fault)

    with pytest.raises(Transient):
        harness.handle(entry.body)
    assert harness.item(f"MEDIA#{JPEG}")["mediaStatus"] == "PENDING"
    assert harness.handle(entry.body).outcome is Outcome.PERSISTED


def test_a_stored_file_is_not_fetched_again(harness: Harness, sandbox: Sandbox) -> None:
    harness.take({"messages": [media_message(JPEG)]})
    (entry,) = harness.outbox.entries
    harness.handle(entry.body)
    sandbox.forget_sent()

    assert harness.handle(entry.body).outcome is Outcome.DUPLICATE
    assert sandbox.sent == []


def test_deleting_a_message_deletes_its_file(harness: Harness, sandbox: Sandbox) -> None:
    harness.take({"messages": [media_message(JPEG)]})
    (entry,) = harness.outbox.entries
    harness.handle(entry.body)
    revoke = {
        "id": "wamid.r",
        "from": "447700900101",
        "type": "revoke",
        "revoke": {"original_message_id": "wamid.1"},
    }
    harness.take({"messages": [revoke]})

    assert harness.resources.bucket.keys_under("media/") == []
    assert harness.item(f"MEDIA#{JPEG}")["mediaStatus"] == "REVOKED"
    assert "s3Key" not in harness.item("MSG#wamid.1")
    assert harness.handle(entry.body).outcome is Outcome.DUPLICATE
    assert harness.resources.bucket.keys_under("media/") == []


def test_files_of_a_number_without_a_token_are_parked_and_stay_at_the_provider(
    harness: Harness, sandbox: Sandbox
) -> None:
    harness.resources.table.put(a_phone(token_ref="acme/missing").attributes())
    harness.take({"messages": [media_message(JPEG)]})

    (entry,) = harness.outbox.entries
    handled = harness.handle(entry.body)

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "no_access_token")
    assert harness.item(f"MEDIA#{JPEG}")["mediaStatus"] == "PENDING"


@pytest.mark.parametrize("token", ["globex", "globex/acme", "acme-2", "acme/a/b"])
def test_a_number_never_uses_the_token_of_another_company(
    harness: Harness, sandbox: Sandbox, token: str
) -> None:
    harness.resources.table.put(a_phone(token_ref=token).attributes())
    harness.take({"messages": [media_message(JPEG)]})

    (entry,) = harness.outbox.entries
    handled = harness.handle(entry.body)

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "token_not_owned")


def test_a_read_receipt_is_sent_once_through_the_ledger(harness: Harness, sandbox: Sandbox) -> None:
    harness.resources.table.put(a_phone(auto_mark_read=True).attributes())
    harness.take({"messages": [text("wamid.1")]})
    (receipt,) = harness.outbox.entries

    for _ in range(3):
        harness.handle(receipt.body)

    (sent,) = sandbox.sent
    assert sent.body == {"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.1"}
    (action,) = [harness.item(key) for key in harness.keys() if key.startswith("ACTION#")]
    assert action["state"] == "sent"


def test_a_read_receipt_is_sent_once_when_the_identifier_keys_rotate_in_between(
    harness: Harness, sandbox: Sandbox
) -> None:
    harness.resources.table.put(a_phone(auto_mark_read=True).attributes())
    harness.take({"messages": [text("wamid.1")]})
    (receipt,) = harness.outbox.entries
    harness.handle(receipt.body)

    with keyring.held(keyring.Keys("another key", keyring.KEY)):
        harness.handle(receipt.body)

    assert len(sandbox.sent) == 1
    assert len([key for key in harness.keys() if key.startswith("ACTION#")]) == 1


def test_numbers_configured_without_receipts_send_none(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1")]})

    assert harness.outbox.entries == []


def test_a_file_beyond_the_bound_on_costs_stays_pending_and_a_person_may_fetch_it(
    harness: Harness, sandbox: Sandbox
) -> None:
    table = harness.resources.spending.table
    usage.set_percents(table, "acme", {Kind.MEDIA_DOWNLOAD: 0}, by="a person")
    harness.take({"messages": [media_message(JPEG)]})

    assert fetch(harness) == [Outcome.PERSISTED]

    record = harness.item(f"MEDIA#{JPEG}")
    assert (record["mediaStatus"], record["reason"]) == ("PENDING", "spending_limit")
    assert "s3Key" not in harness.item("MSG#wamid.1")
    assert [one for one in sandbox.sent if one.operation == "get_media"] == []


def test_a_message_beyond_the_bound_on_costs_is_not_marked_as_read(
    harness: Harness, sandbox: Sandbox
) -> None:
    table = harness.resources.spending.table
    usage.set_percents(table, "acme", {Kind.READ_RECEIPT: 0}, by="a person")
    store.phones.register(harness.resources.table, a_phone(auto_mark_read=True))
    store.phones.forget()
    harness.take({"messages": [text("wamid.1")]})

    assert fetch(harness) == [Outcome.PERSISTED]

    assert sandbox.sent == []
