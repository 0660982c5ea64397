"""Changes within one second, and who made them: only the author's own changes act on a message, in any order."""

import itertools
from typing import Any

import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from tests.integration.whatsapp.messages.test_changes import (
    LONG,
    ORIGINAL,
    SENT_AT,
    edit,
    event,
    objects,
    react,
    revoke,
)
from whatsapp.inbound.event import Outcome
from whatsapp.store.items import Phone


def of_person(identity: str, kind: str, part: dict[str, Any], **sender: str) -> dict[str, Any]:
    """A change within the same second, from a customer with these ids."""
    (message,) = event(identity, kind, part)["messages"]
    del message["from"]
    return {"messages": [message | sender]}


P_IDS, Q_IDS = {"from": "447700900101"}, {"from": "447700900199"}
AN_EDIT = {
    "original_message_id": "wamid.1",
    "message": {"type": "text", "text": {"body": "not yours"}},
}


@pytest.mark.parametrize("accepted_after_ms", [0, 1, 700])
@pytest.mark.parametrize("name", [f"wamid.{letter}" for letter in "abcdef"])
def test_the_later_of_two_changes_in_a_second_wins(
    harness: Harness, name: str, accepted_after_ms: int
) -> None:
    harness.take(ORIGINAL)
    for place, (emoji, words) in enumerate([("A", "first"), ("B", "second")]):
        at = NOW + place * accepted_after_ms
        harness.take(react(f"{name}.r{place}", emoji), accepted_at=at)
        harness.take(edit(f"{name}.e{place}", words), accepted_at=at)
    # The provider delivers the first ones again, and accepts them later.
    harness.take(react(f"{name}.r0", "A"), accepted_at=NOW + 900)
    harness.take(edit(f"{name}.e0", "first"), accepted_at=NOW + 900)

    message = harness.item("MSG#wamid.1")
    assert [each["emoji"] for each in message["reactions"].values()] == ["B"]
    assert message["textBody"] == "second"


@pytest.mark.parametrize("is_early", [False, True])
@pytest.mark.parametrize(
    "stranger", [Q_IDS, {"from_user_id": "GB.2"}, Q_IDS | {"from_user_id": "GB.2"}]
)
@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("edit", AN_EDIT),
        ("revoke", {"original_message_id": "wamid.1"}),
        ("reaction", {"message_id": "wamid.1", "emoji": "A"}),
    ],
)
def test_a_change_acts_only_on_a_message_of_the_same_person(
    harness: Harness, kind: str, part: dict[str, Any], stranger: dict[str, str], is_early: bool
) -> None:
    change = of_person("wamid.q", kind, part, **stranger)
    original = {"messages": [text("wamid.1", "at fvie?", at=SENT_AT) | {"from_user_id": "GB.1"}]}
    for value in (change, original) if is_early else (original, change):
        handled = harness.take(value)

    if not is_early:
        assert [(one.outcome, one.reason) for one in handled] == [
            (Outcome.PARKED, "foreign_change")
        ]
    message = harness.item("MSG#wamid.1")
    assert message["textBody"] == "at fvie?"
    assert not {"revokedAt", "reactions", "editedAt"} & message.keys()


def test_a_removal_by_user_id_alone_removes_the_reaction(harness: Harness) -> None:
    both = P_IDS | {"from_user_id": "GB.1"}
    harness.take(ORIGINAL)
    harness.take(of_person("wamid.a", "reaction", {"message_id": "wamid.1", "emoji": "A"}, **both))
    removal = {"message_id": "wamid.1"}
    harness.take(of_person("wamid.b", "reaction", removal, from_user_id="GB.1"))

    (reaction,) = harness.item("MSG#wamid.1")["reactions"].values()
    assert "emoji" not in reaction


def test_a_customer_edits_a_message_under_a_new_user_id(harness: Harness) -> None:
    first = text("wamid.1", "at fvie?", at=SENT_AT) | {"from_user_id": "GB.1"}
    notice = {
        "id": "wamid.n", "from": "447700900101", "timestamp": str(SENT_AT + 1), "type": "system",
        "system": {"type": "user_changed_number", "wa_id": "447700900199", "user_id": "GB.3",
                   "previous_user_id": "GB.1"},
    }  # fmt: skip
    harness.take({"messages": [first]})
    harness.take({"messages": [notice]})
    harness.take(of_person("wamid.2", "edit", AN_EDIT, **Q_IDS, from_user_id="GB.3"))

    assert harness.item("MSG#wamid.1")["textBody"] == "not yours"


FOREIGN = [
    of_person("wamid.edit", "edit", AN_EDIT, **Q_IDS),
    of_person("wamid.revoke", "revoke", {"original_message_id": "wamid.1"}, **Q_IDS),
]


def test_foreign_changes_never_show_and_hide_none_of_the_author_in_any_order(
    harness: Harness,
) -> None:
    numbers = Phone.pk_pattern.partition("{")[0]
    own = edit("wamid.2", "at five?", 3)
    for order in itertools.permutations([ORIGINAL, own, *FOREIGN]):
        for key in harness.keys():
            if not key.startswith(numbers):
                harness.resources.table.delete({"pk": key})
        harness.take(*order)

        assert harness.item("MSG#wamid.1")["textBody"] == "at five?"
        record = harness.item(f"EDIT#{PHONE}#wamid.1")
        assert [version["textBody"] for version in record["versions"]] == ["at five?"]
        assert record["original"]["textBody"] == "at fvie?"
        assert "revokedAt" not in record


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_deletion_by_the_author_counts_beside_a_foreign_one_before_the_message(
    harness: Harness, order: tuple[int, ...]
) -> None:
    early = [edit("wamid.2", LONG, 3), FOREIGN[1], revoke()]
    harness.take(*(early[place] for place in order), ORIGINAL, edit("wamid.4", "again", 4))

    assert "textBody" not in harness.item("MSG#wamid.1")
    assert harness.item("MSG#wamid.1")["revokedAt"] == "2026-01-01T11:59:15.000Z"
    assert objects(harness) == []
    assert not harness.item(f"EDIT#{PHONE}#wamid.1").keys() & {"original", "versions"}


GROUP = {"group_id": "120363041234567890"}
ECHO = text("wamid.1", "at fvie?", at=SENT_AT, sender="15550783881")


@pytest.mark.parametrize("kind", ["edit", "revoke", "reaction"])
@pytest.mark.parametrize(
    ("original", "ids"),
    [
        (ECHO | {"to": "447700900101"}, {"to": "447700900199"}),
        (ECHO | {"to": "447700900101"}, {"to_user_id": "GB.2"}),
        (ECHO | {"to": "447700900101"}, {"to": "447700900101"} | GROUP),
        (ECHO | GROUP, {"to": "447700900101"}),
        (ORIGINAL["messages"][0], P_IDS | GROUP),
        (ORIGINAL["messages"][0] | GROUP, P_IDS),
    ],
)
def test_a_change_in_another_conversation_does_not_show_before_or_after_its_message(
    harness: Harness, original: dict[str, Any], ids: dict[str, str], kind: str
) -> None:
    part = {"original_message_id": "wamid.1", "message": AN_EDIT["message"]}
    part |= {"message_id": "wamid.1", "emoji": "A"}
    is_echo = original["from"] == "15550783881"
    change = event("wamid.2", kind, part)["messages"][0]
    sender = {"from": "15550783881"} if is_echo else {}
    array = "message_echoes" if is_echo else "messages"
    field = {"field": "smb_message_echoes"} if is_echo else {}
    harness.take(field | {array: [{**change, **sender, **ids}]}, field | {array: [original]})
    harness.take(field | {array: [{**change, **sender, **ids, "id": "wamid.3"}]})

    message = harness.item("MSG#wamid.1")
    assert message["textBody"] == "at fvie?"
    assert not {"revokedAt", "reactions", "editedAt"} & message.keys()


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)], ids=["both are early", "one is early"])
@pytest.mark.parametrize(
    ("original", "own", "other"),
    [
        (ECHO | {"to": "447700900101"}, {"to": "447700900101"}, {"to": "447700900199"}),
        (ORIGINAL["messages"][0], P_IDS, P_IDS | GROUP),
        (ORIGINAL["messages"][0] | Q_IDS | GROUP, P_IDS | GROUP, P_IDS),
    ],
    ids=["of the business", "of the customer", "in a group"],
)
def test_a_reaction_in_another_conversation_hides_none_in_its_own(
    harness: Harness,
    original: dict[str, Any],
    own: dict[str, str],
    other: dict[str, str],
    order: tuple[int, ...],
) -> None:
    reactions = [
        event(name, "reaction", {"message_id": "wamid.1", "emoji": emoji})["messages"][0]
        | ids
        | {"timestamp": str(SENT_AT + after)}
        for name, emoji, ids, after in [("wamid.2", "A", own, 10), ("wamid.3", "B", other, 20)]
    ]
    for place in order:
        one = [*reactions, original][place]
        if "to" in original:
            echoes = [one | {"from": "15550783881"}]
            harness.take({"field": "smb_message_echoes", "message_echoes": echoes})
        else:
            harness.take({"messages": [one]})

    (shown,) = harness.item("MSG#wamid.1")["reactions"].values()
    assert shown["emoji"] == "A"
