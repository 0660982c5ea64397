"""Changes under any id of their author, before and after their message: every order ends with the same message."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.integration.whatsapp.conftest import Harness
from tests.integration.whatsapp.contacts.test_identity import P, T, written
from whatsapp.inbound.event import Outcome
from whatsapp.store.items import Phone

USER = "GB.1"
WROTE = {"type": "text", "text": {"body": "at five?"}}
PARTS: dict[str, dict[str, Any]] = {
    "reaction": {"message_id": "wamid.m", "emoji": "A"},
    "removal": {"message_id": "wamid.m"},
    "edit": {"original_message_id": "wamid.m", "message": WROTE},
    "revoke": {"original_message_id": "wamid.m"},
}


def change(name: str, at: int, **ids: str) -> dict[str, Any]:
    kind = "reaction" if name == "removal" else name
    return {"id": f"wamid.{name}", "timestamp": str(T + at), "type": kind, kind: PARTS[name]} | ids


# By number alone, from before the customer had a user id; the changed message, with both; and its changes.
EARLIER = written("earlier", 0, P)
MESSAGE = written("m", 10, P, USER)
NUMBER, USER_ID = {"from": P}, {"from_user_id": USER}
CHANGES: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "a reaction": ([change("reaction", 20, **USER_ID)], {"reactions": ["A"]}),
    "a reaction, removed by number": (
        [change("reaction", 20, **USER_ID), change("removal", 30, **NUMBER)], {},
    ),
    "a reaction by number, removed by user id": (
        [change("reaction", 20, **NUMBER), change("removal", 30, **USER_ID)], {},
    ),
    "an edit": ([change("edit", 20, **USER_ID)], {"textBody": "at five?"}),
    "an edit, and a deletion by number": (
        [change("edit", 20, **USER_ID), change("revoke", 30, **NUMBER)],
        {"textBody": None, "isDeleted": True},
    ),
    "a deletion": (
        [change("revoke", 20, **USER_ID)], {"textBody": None, "isDeleted": True},
    ),
}  # fmt: skip


def shown(harness: Harness) -> dict[str, Any]:
    """What agents see of the message: a removed reaction is none."""
    message = harness.item("MSG#wamid.m")
    reactions = message.get("reactions", {}).values()
    return {
        "textBody": message.get("textBody"),
        "isDeleted": "revokedAt" in message,
        "reactions": [each["emoji"] for each in reactions if "emoji" in each],
    }


@pytest.mark.parametrize("name", CHANGES)
def test_changes_under_other_ids_of_the_author_are_shown_in_every_order(
    harness: Harness, name: str
) -> None:
    changes, expected = CHANGES[name]
    numbers = Phone.pk_pattern.partition("{")[0]
    for order in itertools.permutations([EARLIER, MESSAGE, *changes]):
        for key in harness.keys():
            if not key.startswith(numbers):
                harness.resources.table.delete({"pk": key})
        # A change that is parked, as its author is not known yet, is handled again.
        outcomes = [(event, harness.outcomes({"messages": [event]})) for event in order]
        for event in (event for event, [outcome] in outcomes if outcome is Outcome.PARKED):
            harness.take({"messages": [event]})

        found = {"textBody": "m", "isDeleted": False, "reactions": []} | expected
        assert shown(harness) == found, [event["id"] for event in order]
