"""Edits, revocations and reactions, before and after their message."""

import dataclasses
import json
from typing import Any

import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from whatsapp import store
from whatsapp.inbound.event import Outcome

CONVERSATION = f"CONV#{PHONE}#447700900101"
SENT_AT = NOW // 1000 - 60


def event(identity: str, kind: str, part: dict[str, Any], at: int = 0) -> dict[str, Any]:
    return {
        "messages": [
            {
                "id": identity,
                "from": "447700900101",
                "timestamp": str(SENT_AT + 10 + at),
                "type": kind,
                kind: part,
            }
        ]
    }


def edit(identity: str, words: str, at: int = 0) -> dict[str, Any]:
    new = {"type": "text", "text": {"body": words}}
    return event(identity, "edit", {"original_message_id": "wamid.1", "message": new}, at)


def revoke(identity: str = "wamid.r") -> dict[str, Any]:
    return event(identity, "revoke", {"original_message_id": "wamid.1"}, 5)


def react(identity: str, emoji: str, at: int = 0) -> dict[str, Any]:
    return event(identity, "reaction", {"message_id": "wamid.1", "emoji": emoji}, at)


ORIGINAL = {"messages": [text("wamid.1", "at fvie?", at=SENT_AT)]}


@pytest.mark.parametrize(
    "values", [(ORIGINAL, edit("wamid.2", "at five?")), (edit("wamid.2", "at five?"), ORIGINAL)]
)
def test_an_edit_shows_in_message_and_inbox_in_any_order_of_arrival(
    harness: Harness, values: tuple[dict[str, Any], ...]
) -> None:
    for value in values:
        assert harness.outcomes(value) == [Outcome.PERSISTED]

    stored = harness.item("MSG#wamid.1")
    assert (stored["textBody"], stored["preview"]) == ("at five?", "at five?")
    assert stored["editedAt"] == "2026-01-01T11:59:10.000Z"
    assert harness.item(CONVERSATION)["lastPreview"] == "at five?"
    assert harness.item(CONVERSATION)["unreadCount"] == 1


def test_the_newest_of_several_edits_wins_in_any_order_and_all_are_kept(harness: Harness) -> None:
    for value in (
        ORIGINAL,
        edit("wamid.3", "third", 3),
        edit("wamid.2", "second", 2),
        edit("wamid.3", "third", 3),
    ):
        harness.take(value)

    assert harness.item("MSG#wamid.1")["textBody"] == "third"
    record = harness.item(f"EDIT#{PHONE}#wamid.1")
    assert [version["textBody"] for version in record["versions"]] == [
        "second",
        "third",
    ]


def test_the_history_of_edits_is_bounded(harness: Harness) -> None:
    harness.take(ORIGINAL)
    for number in range(14):
        harness.take(edit(f"wamid.v{number}", f"version {number}", number))

    versions = harness.item(f"EDIT#{PHONE}#wamid.1")["versions"]
    assert [version["textBody"] for version in versions] == [
        f"version {number}" for number in range(4, 14)
    ]


LONG = "five " * 1_000


def photo(media_id: str, caption: str) -> dict[str, Any]:
    return {
        "type": "image",
        "image": {"id": media_id, "mime_type": "image/jpeg", "caption": caption},
    }


def objects(harness: Harness) -> list[str]:
    return list(harness.resources.bucket.all_keys_under("content/"))


def whole(harness: Harness, version: dict[str, Any]) -> dict[str, Any]:
    full: dict[str, Any] = json.loads(harness.resources.bucket.get(version["contentS3Key"]))
    return full


@pytest.mark.parametrize("is_early", [False, True])
def test_the_original_and_every_version_are_kept_in_any_order_of_arrival(
    harness: Harness, is_early: bool
) -> None:
    values = [ORIGINAL, edit("wamid.2", "at five?", 2), edit("wamid.3", "at six?", 3)]
    for value in reversed(values) if is_early else values:
        harness.take(value)

    record = harness.item(f"EDIT#{PHONE}#wamid.1")
    assert record["original"]["textBody"] == "at fvie?"
    assert [version["textBody"] for version in record["versions"]] == ["at five?", "at six?"]
    assert harness.item("MSG#wamid.1")["textBody"] == "at six?"


@pytest.mark.parametrize("is_early", [False, True])
def test_long_texts_of_the_original_and_of_edits_stay_in_the_bucket(
    harness: Harness, is_early: bool
) -> None:
    original = {"messages": [text("wamid.1", f"1 {LONG}", at=SENT_AT)]}
    values = [original, edit("wamid.2", f"2 {LONG}", 2), edit("wamid.3", f"3 {LONG}", 3)]
    for value in reversed(values) if is_early else values:
        harness.take(value)

    record, message = harness.item(f"EDIT#{PHONE}#wamid.1"), harness.item("MSG#wamid.1")
    kept = [record["original"], *record["versions"]]
    assert [whole(harness, v)["textBody"] for v in kept] == [f"{n} {LONG}" for n in (1, 2, 3)]
    assert whole(harness, message)["textBody"] == f"3 {LONG}"
    assert len(message["textBody"]) == 2_000


def test_a_short_edit_of_a_long_text_is_complete_in_the_message(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1", LONG, at=SENT_AT)]})
    harness.take(edit("wamid.2", "short", 2))

    assert "contentS3Key" not in harness.item("MSG#wamid.1")
    assert whole(harness, harness.item(f"EDIT#{PHONE}#wamid.1")["original"])["textBody"] == LONG


@pytest.mark.parametrize("is_early", [False, True])
def test_an_edit_with_another_file_fetches_it_and_keeps_the_first(
    harness: Harness, is_early: bool
) -> None:
    original = {"messages": [text("wamid.1", at=SENT_AT) | photo("77", "left")]}
    change = {"original_message_id": "wamid.1", "message": photo("78", "right")}
    values = [original, event("wamid.2", "edit", change)]
    for value in reversed(values) if is_early else values:
        harness.take(value)

    message, record = harness.item("MSG#wamid.1"), harness.item(f"EDIT#{PHONE}#wamid.1")
    assert (message["mediaId"], message["caption"]) == ("78", "right")
    assert (record["original"]["mediaId"], record["original"]["caption"]) == ("77", "left")
    fetched = {json.loads(entry.body)["id"] for entry in harness.outbox.entries}
    assert fetched == {"77", "78"}
    assert {harness.item(f"MEDIA#{media_id}")["messagePk"] for media_id in fetched} == {
        "MSG#wamid.1"
    }


def test_a_late_copy_of_the_first_file_does_not_replace_the_file_of_an_edit(
    harness: Harness,
) -> None:
    harness.take({"messages": [text("wamid.1", at=SENT_AT) | photo("77", "left")]})
    change = {"original_message_id": "wamid.1", "message": photo("78", "right")}
    harness.take(event("wamid.2", "edit", change))
    table = harness.resources.table
    for media_id in ("78", "77"):
        store.messages.attach_file(table, "MSG#wamid.1", media_id, "bucket", f"media/{media_id}")

    assert harness.item("MSG#wamid.1")["s3Key"] == "media/78"


def test_an_edit_of_the_caption_keeps_the_file(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1", at=SENT_AT) | photo("77", "left")]})
    store.messages.attach_file(harness.resources.table, "MSG#wamid.1", "77", "bucket", "media/77")
    change = {"original_message_id": "wamid.1", "message": photo("77", "right")}
    harness.take(event("wamid.2", "edit", change))

    assert harness.item("MSG#wamid.1")["s3Key"] == "media/77"
    assert len(harness.outbox.entries) == 1


@pytest.mark.long
def test_a_deletion_removes_the_texts_and_files_of_all_versions(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1", LONG, at=SENT_AT)]})
    for number in range(12):
        change = {"original_message_id": "wamid.1", "message": photo(f"9{number}", LONG)}
        harness.take(event(f"wamid.v{number}", "edit", change, number))
    assert len(objects(harness)) == 1 + 12 + 2
    harness.take(revoke())

    assert objects(harness) == []
    record = harness.item(f"EDIT#{PHONE}#wamid.1")
    assert not record.keys() & {"original", "versions"}
    states = {harness.item(f"MEDIA#9{number}")["mediaStatus"] for number in range(12)}
    assert states == {"REVOKED"}


def test_versions_are_kept_after_a_deletion_if_the_deployment_is_configured_so(
    harness: Harness,
) -> None:
    harness.resources = dataclasses.replace(harness.resources, keep_revoked_content=True)
    harness.take({"messages": [text("wamid.1", LONG, at=SENT_AT)]})
    harness.take(edit("wamid.2", "short", 2))
    harness.take(revoke())

    assert len(objects(harness)) == 1
    assert len(harness.item(f"EDIT#{PHONE}#wamid.1")["versions"]) == 1


def test_an_edit_of_an_erased_message_stores_nothing(harness: Harness) -> None:
    harness.take(ORIGINAL)
    harness.resources.table.update({"pk": "MSG#wamid.1"}, put={"erased": True}, drop=["textBody"])

    assert harness.outcomes(edit("wamid.2", "again")) == [Outcome.DUPLICATE]
    assert harness.item(f"EDIT#{PHONE}#wamid.1") == {}


def test_versions_expire_with_their_message(harness: Harness) -> None:
    harness.resources = dataclasses.replace(harness.resources, message_ttl_days=90)
    harness.take(ORIGINAL)
    harness.take(edit("wamid.2", "at five?"))

    assert harness.item(f"EDIT#{PHONE}#wamid.1")["ttl"] == harness.item("MSG#wamid.1")["ttl"]


@pytest.mark.parametrize(
    "values",
    [
        (ORIGINAL, revoke()),
        (revoke(), ORIGINAL),
        (ORIGINAL, edit("wamid.2", "x"), revoke(), edit("wamid.2", "x")),
    ],
)
def test_a_deleted_message_loses_its_content_and_is_marked_as_deleted(
    harness: Harness, values: tuple[dict[str, Any], ...]
) -> None:
    for value in values:
        harness.take(value)

    stored = harness.item("MSG#wamid.1")
    assert not {"textBody", "preview", "content"} & stored.keys()
    assert stored["revokedAt"] == "2026-01-01T11:59:15.000Z"
    record = harness.item(f"EDIT#{PHONE}#wamid.1")
    assert "fvie" not in str(record) + str(harness.item(CONVERSATION))
    assert (record["revokedBy"], record.get("revocations")) == ("wamid.r", None)


def test_the_inbox_marks_a_deleted_newest_message(harness: Harness) -> None:
    harness.take(ORIGINAL)
    harness.take(revoke())

    assert harness.item(CONVERSATION)["lastPreview"] == "[deleted]"


def test_content_of_deleted_messages_is_kept_if_the_deployment_is_configured_so(
    harness: Harness,
) -> None:
    harness.resources = dataclasses.replace(harness.resources, keep_revoked_content=True)
    harness.take(ORIGINAL)
    harness.take(revoke())

    stored = harness.item("MSG#wamid.1")
    assert (stored["textBody"], stored["revokedAt"]) == ("at fvie?", "2026-01-01T11:59:15.000Z")


@pytest.mark.parametrize(
    "values", [(ORIGINAL, react("wamid.2", "👍")), (react("wamid.2", "👍"), ORIGINAL)]
)
def test_a_reaction_shows_on_its_message_in_any_order_of_arrival(
    harness: Harness, values: tuple[dict[str, Any], ...]
) -> None:
    for value in values:
        harness.take(value)

    assert harness.item("MSG#wamid.1")["reactions"]["447700900101"]["emoji"] == "👍"
    assert harness.item(f"REACTION#{PHONE}#wamid.1#447700900101")["emoji"] == "👍"
    assert harness.item(CONVERSATION)["unreadCount"] == 1


def test_the_newest_reaction_of_a_person_wins_and_an_empty_one_removes_it(harness: Harness) -> None:
    for value in (
        ORIGINAL,
        react("wamid.4", "", 4),
        react("wamid.2", "👍", 2),
        react("wamid.3", "🎉", 3),
    ):
        harness.take(value)

    assert "emoji" not in harness.item("MSG#wamid.1")["reactions"]["447700900101"]
    assert "emoji" not in harness.item(f"REACTION#{PHONE}#wamid.1#447700900101")


def test_a_repeated_reaction_is_a_duplicate(harness: Harness) -> None:
    harness.take(ORIGINAL)
    harness.take(react("wamid.2", "👍"))

    assert harness.outcomes(react("wamid.2", "👍")) == [Outcome.DUPLICATE]


def test_the_stored_reactions_of_a_message_are_bounded(harness: Harness) -> None:
    group = {"group_id": "120363041234567890"}
    harness.take({"messages": [ORIGINAL["messages"][0] | group]})
    for number in range(12):
        value = react(f"wamid.c{number}", "👍", number)
        value["messages"][0] |= {"from": f"4477009002{number:02d}"} | group
        harness.take(value)

    assert len(harness.item("MSG#wamid.1")["reactions"]) == 10


@pytest.mark.parametrize("kind", ["edit", "revoke", "reaction"])
def test_a_change_that_names_no_message_is_parked(harness: Harness, kind: str) -> None:
    (handled,) = harness.take(event("wamid.2", kind, {}))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "no_target")
