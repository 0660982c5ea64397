"""Customers: which contact an event belongs to, by number and user id, in any order of the events."""

import itertools
from typing import Any

import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from whatsapp.inbound.event import Outcome

P, Q = "447700900101", "447700900199"
T = NOW // 1000 - 1_000


def written(name: str, at: int, phone: str = "", user_id: str = "") -> dict[str, Any]:
    """A text from a customer with these ids."""
    ids = {"from": phone or None, "from_user_id": user_id or None}
    message = text(f"wamid.{name}", name, at=T + at) | ids
    return {key: value for key, value in message.items() if value is not None}


def changed(name: str, at: int, phone: str = P, new: str = Q, **system: str) -> dict[str, Any]:
    """The notice that a customer changed the number *phone* to *new*."""
    words = {"type": "user_changed_number", "body": "changed", "wa_id": new} | system
    notice = {"id": f"wamid.{name}", "from": phone, "timestamp": str(T + at), "type": "system"}
    return notice | {"system": {key: value for key, value in words.items() if value}}


def conversations(harness: Harness) -> set[frozenset[str]]:
    """The messages of each listed conversation, by name; a linked one's are with the one that continues it."""
    heads = {key: harness.item(key) for key in harness.keys() if key.startswith("CONV#")}
    continued = {key: head.get("linkedTo", key) for key, head in heads.items()}
    found: dict[str, set[str]] = {}
    for key in harness.keys():
        if key.startswith("MSG#"):
            message = harness.item(key)
            home = continued[message["conversationPk"]]
            found.setdefault(home, set()).add(key.removeprefix("MSG#wamid."))
    for key, names in found.items():
        texts = {
            name for name in names if harness.item(f"MSG#wamid.{name}")["direction"] == "INBOUND"
        }
        assert heads[key]["unreadCount"] == len(texts), key
        assert "inboxPk" in heads[key]
    return {frozenset(names) for names in found.values()}


def test_a_notice_beside_the_text_of_another_customer_stays_its_own(harness: Harness) -> None:
    contact = {"wa_id": P, "profile": {"name": "Ada Byrne"}}
    harness.take(
        {
            "contacts": [contact],
            "messages": [written("p", 0, P), changed("n", 0, Q, "447700900198")],
        }
    )
    harness.take({"messages": [written("q", 10, "447700900198")]})

    assert conversations(harness) == {frozenset({"p"}), frozenset({"n", "q"})}
    assert "senderName" not in harness.item("MSG#wamid.n")
    assert harness.item(f"ALIAS#WAID#{PHONE}#{Q}")["target"] == Q


def test_messages_show_the_number_and_ids_that_they_were_sent_from(harness: Harness) -> None:
    contact = {
        "wa_id": Q, "user_id": "GB.2", "parent_user_id": "GB.ENT.2", "identity_key_hash": "DF2lS5v2W6x=",
        "profile": {"name": "Ada", "username": "ada.rides"},
    }  # fmt: skip
    harness.take({"messages": [written("a", 0, P, "GB.1")]})
    harness.take({"messages": [changed("n", 10, user_id="GB.2", previous_user_id="GB.1")]})
    head = harness.item(f"CONV#{PHONE}#{P}")
    harness.take({"contacts": [contact], "messages": [written("b", 20, Q, "GB.2")]})

    assert (head["senderPhone"], head["senderUserId"]) == (Q, "GB.2")
    first, second = harness.item("MSG#wamid.a"), harness.item("MSG#wamid.b")
    assert (first["from"], first["senderPhone"], first["senderUserId"]) == (P, P, "GB.1")
    assert (second["from"], second["senderPhone"], second["senderUserId"]) == (P, Q, "GB.2")
    known = {"parentUserId": "GB.ENT.2", "username": "ada.rides", "identityHash": "DF2lS5v2W6x="}
    assert known.items() <= second.items()
    assert known.items() <= harness.item(f"CONV#{PHONE}#{P}").items()


def test_a_customer_whose_new_number_is_hidden_has_no_number_to_answer(harness: Harness) -> None:
    harness.take({"messages": [written("a", 0, P, "GB.1")]})
    notice = changed(
        "n", 10, "", "", type="user_changed_user_id", previous_user_id="GB.1", user_id="GB.2"
    )
    harness.take({"messages": [notice]})
    harness.take({"messages": [written("b", 20, "", "GB.2")]})

    head = harness.item(f"CONV#{PHONE}#{P}")
    assert (head["senderUserId"], head.get("senderPhone")) == ("GB.2", None)
    assert conversations(harness) == {frozenset({"a", "n", "b"})}


WITH_IDS = [
    written("old", 0, P, "GB.1"),
    changed("n", 10, user_id="GB.2", previous_user_id="GB.1"),
    written("moved", 20, Q, "GB.2"),
    written("next", 30, P, "GB.9"),
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))), ids=str)
def test_the_next_owner_of_a_number_is_a_new_contact_in_any_order(
    harness: Harness, order: tuple[int, ...]
) -> None:
    for place in (*order, *order):
        harness.take({"messages": [WITH_IDS[place]]})

    assert conversations(harness) == {frozenset({"old", "n", "moved"}), frozenset({"next"})}
    harness.take({"messages": [written("later", 40, P)]})
    harness.take({"messages": [written("latest", 50, P, "GB.9"), written("also", 50, Q)]})
    assert conversations(harness) == {
        frozenset({"old", "n", "moved", "also"}),
        frozenset({"next", "later", "latest"}),
    }


@pytest.mark.parametrize(
    "order",
    [(0, 1, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2), (1, 2, 3, 0), (0, 2, 1, 3), (3, 1, 2), (2, 1, 3)],
)
def test_without_user_ids_a_number_has_a_new_owner_after_the_notice(
    harness: Harness, order: tuple[int, ...]
) -> None:
    events = [
        written("old", 0, P), changed("n", 10), written("moved", 20, Q), written("next", 30, P),
    ]  # fmt: skip
    for place in (*order, *order):
        harness.take({"messages": [events[place]]})

    old = {"old"} if 0 in order else set()
    assert conversations(harness) == {frozenset({*old, "n", "moved"}), frozenset({"next"})}


def test_the_key_of_a_new_owner_without_a_user_id_has_the_time_of_the_change(
    harness: Harness,
) -> None:
    for event in (written("old", 0, P), changed("n", 10), written("next", 30, P)):
        harness.take({"messages": [event]})

    assert harness.item("MSG#wamid.next")["from"] == f"{P}-20260101114330"


def test_a_customer_who_takes_the_number_back_has_it_again(harness: Harness) -> None:
    harness.take({"messages": [written("a", 0, P)]})
    harness.take({"messages": [changed("there", 10)]})
    harness.take({"messages": [changed("back", 20, Q, P)]})
    harness.take({"messages": [written("b", 30, P)]})
    harness.take({"messages": [written("stranger", 40, Q)]})

    assert conversations(harness) == {
        frozenset({"a", "there", "back", "b"}), frozenset({"stranger"}),
    }  # fmt: skip


SEEN_APART = [
    written("by id", 0, "", "GB.1"), written("by number", 10, P), written("both", 20, P, "GB.1"),
]  # fmt: skip


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_a_user_seen_by_id_then_by_number_then_with_both_ends_in_one_conversation(
    harness: Harness, order: tuple[int, ...]
) -> None:
    for place in (*order, *order):
        harness.take({"messages": [SEEN_APART[place]]})

    assert conversations(harness) == {frozenset({"by id", "by number", "both"})}
    harness.take({"messages": [written("c", 30, "", "GB.1"), written("d", 31, P)]})
    homes = {harness.item(f"MSG#wamid.{name}")["conversationPk"] for name in ("both", "c", "d")}
    assert len(homes) == 1
    assert harness.item(homes.pop())["lastMessagePk"] == "MSG#wamid.d"


def test_two_linked_contacts_have_a_record_of_the_link(harness: Harness) -> None:
    for message in SEEN_APART:
        harness.take({"messages": [message]})

    record = harness.item(f"LINK#{PHONE}#{P}#0001")
    (handled,) = harness.take({"messages": [SEEN_APART[2]]})
    assert handled.event is not None
    assert (record["primary"], record["state"], record["changedBy"], record["evidence"]) == (
        "GB.1", "linked", "parley", handled.event.correlation_id,
    )  # fmt: skip
    head = harness.item(f"CONV#{PHONE}#GB.1")
    assert head["linkedConversations"] == {f"CONV#{PHONE}#{P}"}
    assert harness.item(f"CONV#{PHONE}#{P}")["linkedTo"] == head["pk"]
    assert harness.item(f"LINK#{PHONE}#{P}#0002") == {}


def test_a_number_with_another_user_id_is_another_person(harness: Harness) -> None:
    """Without a notice: the user id is the proof."""
    harness.take({"messages": [written("a", 0, P, "GB.1")]})
    harness.take({"messages": [written("b", 10, P, "GB.9")]})
    harness.take({"messages": [written("late", 5, P)]})
    harness.take({"messages": [written("c", 20, P)]})

    assert conversations(harness) == {frozenset({"a", "late"}), frozenset({"b", "c"})}


def test_a_reported_change_of_the_user_id_joins_what_was_stored_apart(harness: Harness) -> None:
    harness.take({"messages": [written("a", 0, P, "GB.1")]})
    harness.take({"messages": [written("b", 20, P, "GB.2")]})
    update = {
        "wa_id": P,
        "user_id": {"previous": "GB.1", "current": "GB.2"},
        "timestamp": str(T + 10),
    }
    for _ in range(2):
        harness.take({"field": "user_id_update", "user_id_update": [update]})

    assert conversations(harness) == {frozenset({"a", "b"})}


def test_identities_of_two_business_numbers_are_separate(harness: Harness) -> None:
    """User ids are scoped to a business portfolio, and two numbers may belong to two of them."""
    from tests.integration.whatsapp.conftest import a_phone  # noqa: PLC0415
    from whatsapp.store.items import Phone  # noqa: PLC0415

    other = "999540352242999"
    arn = f"arn:parley:whatsapp:::phone-number-id/{other}"
    harness.resources.table.put(
        a_phone(pk=Phone.key(other), phone=other, phone_arn=arn, waba_meta_id="7").attributes()
    )
    harness.take({"messages": [written("a", 0, P, "GB.1")]})
    beside = {"metadata": {"phone_number_id": other, "display_phone_number": "15550783999"}}

    assert harness.outcomes(beside | {"messages": [written("b", 10, Q, "GB.1")]}) == [
        Outcome.PERSISTED
    ]
    assert harness.item("MSG#wamid.b")["from"] == Q


@pytest.mark.parametrize("batches", [[[0, 1, 2]], [[0], [1, 2]], [[0, 1], [2]], [[2], [0], [1]]])
def test_head_index_and_list_agree_about_messages_of_one_second(
    harness: Harness, batches: list[list[int]]
) -> None:
    for place, batch in reversed(list(enumerate(batches))):
        texts = [text(f"wamid.{n}", str(n), at=T) for n in batch]
        harness.take({"messages": texts}, accepted_at=NOW + place)

    expected = [f"MSG#wamid.{n}" for batch in batches for n in batch]
    items = sorted(
        (harness.item(key) for key in expected), key=lambda item: str(item["receivedAt"])
    )
    assert [item["pk"] for item in items] == expected
    assert len({item["receivedAt"] for item in items}) == 3
    head = harness.item(f"CONV#{PHONE}#{P}")
    assert (head["lastMessagePk"], head["receivedAt"]) == (expected[-1], items[-1]["receivedAt"])
