"""Edits, revocations and reactions, before and after their message."""

import dataclasses
from typing import Any

import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from whatsapp.event import Outcome

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
    assert [version["text"] for version in harness.item(f"EDIT#{PHONE}#wamid.1")["versions"]] == [
        "second",
        "third",
    ]


def test_the_history_of_edits_is_bounded(harness: Harness) -> None:
    harness.take(ORIGINAL)
    for number in range(14):
        harness.take(edit(f"wamid.v{number}", f"version {number}", number))

    versions = harness.item(f"EDIT#{PHONE}#wamid.1")["versions"]
    assert [version["text"] for version in versions] == [
        f"version {number}" for number in range(4, 14)
    ]


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
    assert "fvie" not in str(harness.item(f"EDIT#{PHONE}#wamid.1")) + str(
        harness.item(CONVERSATION)
    )


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
    harness.take(ORIGINAL)
    for number in range(12):
        value = react(f"wamid.c{number}", "👍", number)
        value["messages"][0]["from"] = f"4477009002{number:02d}"
        harness.take(value)

    assert len(harness.item("MSG#wamid.1")["reactions"]) == 10


@pytest.mark.parametrize("kind", ["edit", "revoke", "reaction"])
def test_a_change_that_names_no_message_is_parked(harness: Harness, kind: str) -> None:
    (handled,) = harness.take(event("wamid.2", kind, {}))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "no_target")
