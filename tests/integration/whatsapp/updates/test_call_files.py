"""Recordings and transcriptions of calls, fetched from the provider sandbox over real HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from local.sandbox import Sandbox
from local.sandbox.accounts.media import WEBHOOK_MEDIA
from tests.integration.whatsapp.conftest import Harness
from tests.integration.whatsapp.messages.test_media import fetch, sandbox
from tests.integration.whatsapp.updates.test_calls import COMPLETED, CONNECT, call
from whatsapp.api.call_views import call_view
from whatsapp.inbound.event import Outcome
from whatsapp.privacy import erasure
from whatsapp.privacy.contents import kinds
from whatsapp.store.items.conversations.groups import Call

__all__ = ["sandbox"]  # a fixture

OGG, PDF, JPEG = "1003383421387259", "1003383421387258", "1003383421387256"


def named(media_id: str, **facts: str) -> dict[str, str]:
    _, mime_type, sha256 = WEBHOOK_MEDIA[media_id]
    return {"id": media_id, "mime_type": mime_type, "sha256": sha256, "url": "https://x"} | facts


RECORDING = call(
    "call_recording_available", 70, call_recording={"type": "audio", "audio": named(OGG)}
)
TRANSCRIPT = call("call_transcription_available", 71, call_transcript={"document": named(PDF)})
COMING = call("call_summary_available", 72, call_summary={"parts": [{"file": named(JPEG)}]})


def stored_call(harness: Harness) -> Call:
    return Call.read(harness.item("CALL#wacid.1"))


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("value", "name", "media_id", "extension"),
    [
        (RECORDING, "call_recording", OGG, "ogg"),
        (TRANSCRIPT, "call_transcript", PDF, "pdf"),
        (COMING, "call_summary", JPEG, "bin"),
    ],
)
def test_a_file_of_a_call_is_fetched_once_and_named_by_the_call(
    harness: Harness, value: dict[str, Any], name: str, media_id: str, extension: str
) -> None:
    harness.take(CONNECT, COMPLETED, value)
    first = fetch(harness)
    harness.take(value)
    again = fetch(harness)

    assert (first, again) == ([Outcome.PERSISTED], [])
    record = harness.item(f"MEDIA#{media_id}")
    assert (record["mediaStatus"], record["messagePk"]) == ("STORED", "CALL#wacid.1")
    assert record["s3Key"].endswith(f"file.{extension}")
    (shown,) = call_view(stored_call(harness)).files
    assert (shown.name, shown.media_id) == (name, media_id)


@pytest.mark.parametrize("order", [(RECORDING, TRANSCRIPT), (TRANSCRIPT, RECORDING)])
def test_files_of_a_call_are_kept_in_any_order_of_its_events(
    harness: Harness, order: tuple[dict[str, Any], ...]
) -> None:
    harness.take(*order, CONNECT, COMPLETED)

    stored = stored_call(harness)
    assert {file["mediaId"] for file in stored.files or ()} == {OGG, PDF}
    assert (stored.status, stored.sender_name) == ("ended", None)


@pytest.mark.parametrize(
    "part",
    [
        {},
        [],
        "77",
        {"audio": {"id": 77, "mime_type": "audio/ogg"}},
        {"audio": {"id": "7" * 257, "mime_type": "audio/ogg"}},
        {"audio": {"id": "77"}},
        {"audio": {"id": "", "mime_type": "audio/ogg"}},
    ],
)
def test_an_event_without_a_readable_file_is_stored_and_fetches_nothing(
    harness: Harness, part: object
) -> None:
    outcomes = harness.outcomes(CONNECT, call("call_recording_available", 70, call_recording=part))

    assert outcomes == [Outcome.PERSISTED, Outcome.PERSISTED]
    assert stored_call(harness).files is None
    assert harness.outbox.entries == []


def test_a_call_has_at_most_five_files(harness: Harness) -> None:
    for number in range(7):
        file = named(OGG, id=f"77{number}")
        harness.take(call(f"part_{number}_available", 70 + number, part={"audio": file}))

    assert len(stored_call(harness).files or ()) == 5


def test_an_erased_call_stores_none_of_its_files(harness: Harness, sandbox: Sandbox) -> None:
    harness.take(CONNECT, RECORDING)
    erasure.fence(harness.resources.table, stored_call(harness))
    fetch(harness)
    harness.take(TRANSCRIPT)

    assert harness.item(f"MEDIA#{OGG}")["mediaStatus"] == "REVOKED"
    assert harness.item(f"MEDIA#{PDF}") == {}
    assert harness.resources.bucket.keys_under("media/") == []
    assert kinds.media_ids_of(stored_call(harness)) == [OGG]
    assert sandbox.sent == []


def test_the_customers_name_reaches_the_api_with_the_call(harness: Harness) -> None:
    contact = {"wa_id": "447700900101", "profile": {"name": "Ada Byrne"}}
    harness.take(CONNECT | {"contacts": [contact]})

    assert call_view(stored_call(harness)).sender_name == "Ada Byrne"
