"""An erasure removes a person's changes to a message that never arrives, and keeps changes by others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.conftest import PHONE, T0, Harness
from tests.integration.whatsapp.contacts.test_privacy_jobs import erase
from whatsapp.inbound.event import Outcome
from whatsapp.privacy import erasure

ADA, BEN, CYD = "447700900101", "447700900102", "447700900103"
RECORD = f"EDIT#{PHONE}#wamid.never"


def by(sender: str, kind: str, at: int = 0) -> dict[str, Any]:
    """A change of the message, with words of its author."""
    parts: dict[str, dict[str, Any]] = {
        "edit": {
            "original_message_id": "wamid.never",
            "message": {"type": "text", "text": {"body": f"words of {sender}"}},
        },
        "revoke": {"original_message_id": "wamid.never", "note": f"words of {sender}"},
        "reaction": {"message_id": "wamid.never", "emoji": "👍"},
    }
    facts = {"id": f"wamid.{kind}-{sender}-{at}", "from": sender, "timestamp": str(T0 + at)}
    return {"messages": [facts | {"type": kind, kind: parts[kind]}]}


def left(harness: Harness, sender: str) -> dict[str, str]:
    """The items and objects with a person's id or words, without aliases, heads and what is erased."""
    bucket = harness.resources.bucket
    found = {key: json.dumps(harness.item(key), default=str) for key in harness.keys()}
    found |= {key: bucket.get(key).decode() for key in bucket.keys_under("")}
    return {key: text for key, text in found.items() if sender in f"{key} {text}"}


@pytest.mark.parametrize("kind", ["edit", "revoke", "reaction"])
def test_each_authors_changes_go_with_their_own_erasure(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    people = (ADA, BEN, CYD)
    for number, sender in enumerate(people):
        assert harness.outcomes(by(sender, kind, number)) == [Outcome.PERSISTED]
    assert all(RECORD in left(harness, sender) for sender in people)

    for number, sender in enumerate(people, start=1):
        erase(harness, sender)

        assert left(harness, sender) == {}
        assert all(RECORD in left(harness, other) for other in people[number:])
    assert not [key for key in harness.keys() if key.startswith("EDIT")]


def test_changes_of_every_kind_go_up_to_the_request_and_those_of_others_stay(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    for sender in (ADA, BEN):
        for kind in ("reaction", "revoke", "edit"):
            harness.take(by(sender, kind))
    harness.take(by(BEN, "reaction", 60))
    harness.outbox.entries.clear()
    at = clock.to_text((T0 + 30) * 1_000)
    harness.privacy_jobs.start("erase", "acme", BEN, by="an agent", at=at)
    (entry,) = harness.outbox.entries

    assert harness.handle(entry.body).outcome is Outcome.PERSISTED

    record = harness.item(RECORD)
    assert [one["author"]["phone"] for one in record["revocations"]] == [ADA]
    assert sorted(record["reactions"]) == [ADA, BEN]
    assert f"words of {BEN}" not in json.dumps(record, default=str)
    erase(harness, BEN)
    assert left(harness, BEN) == {}
    assert list(harness.item(RECORD)["reactions"]) == [ADA]
