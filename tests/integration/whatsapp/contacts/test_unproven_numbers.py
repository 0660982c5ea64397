"""Numbers whose owner is not proven: a notice hid that it was given up, or only the business has written there."""

import itertools
from typing import Any

import pytest

from tests.integration.whatsapp.conftest import PHONE, Harness
from tests.integration.whatsapp.contacts.test_identity import P, Q, T, changed, written
from whatsapp.store.contacts import owners
from whatsapp.store.items import Alias

OLD, NEW, NEXT = "GB.1", "GB.2", "GB.9"


def hidden(**system: str) -> dict[str, Any]:
    """The notice that a customer has another user id, and so another number, of which it names neither."""
    words = {"type": "user_changed_user_id", "previous_user_id": OLD, "user_id": NEW} | system
    return {"id": "wamid.n", "timestamp": str(T + 10), "type": "system", "system": words}


def echo(at: int = 20, **ids: str) -> dict[str, Any]:
    """A text that the business wrote to the number in its app."""
    message = {"id": "wamid.e", "from": "15550783881", "to": P, "timestamp": str(T + at)} | ids
    wrote = message | {"type": "text", "text": {"body": "Hi"}}
    return {"field": "smb_message_echoes", "message_echoes": [wrote]}


def homes(harness: Harness, *names: str) -> list[str]:
    """The conversation that continues the one of each message."""
    stored = [harness.item(f"MSG#wamid.{name}")["conversationPk"] for name in names]
    return [harness.item(key).get("linkedTo", key) for key in stored]


def owner_of(harness: Harness, number: str = P) -> owners.Owner:
    return owners.owners_of(Alias.read(harness.item(f"ALIAS#WAID#{PHONE}#{number}")))[-1]


SEEN = {
    "by number": written("number", 0, P), "by id": written("id", 5, "", OLD), "by both": written("both", 8, P, OLD),
    "moved": hidden(),
}  # fmt: skip


@pytest.mark.parametrize("order", list(itertools.permutations(SEEN)), ids=",".join)
def test_a_number_is_given_up_by_a_notice_that_names_only_user_ids_in_any_order(
    harness: Harness, order: tuple[str, ...]
) -> None:
    for name in (*order, *order):
        harness.take({"messages": [SEEN[name]]})
    harness.take({"messages": [written("next", 30, P), written("own", 40, "", NEW)]})

    own = homes(harness, "number", "id", "both", "n", "own")
    assert len(set(own)) == 1
    assert homes(harness, "next") != own[:1]
    assert len(harness.inbound.entries) >= 1  # the company takes note


@pytest.mark.parametrize("system", [{}, {"type": "user_changed_number", "wa_id": Q}], ids=str)
@pytest.mark.parametrize("order", list(itertools.permutations("anb")), ids="".join)
def test_the_next_owner_keeps_the_number_in_any_order_with_the_hidden_notice(
    harness: Harness, order: tuple[str, ...], system: dict[str, str]
) -> None:
    events = {
        "a": written("a", 0, P, OLD),
        "n": hidden(**system),
        "b": written("b", 30, P, NEXT),
    }
    for name in order:
        harness.take({"messages": [events[name]]})

    assert owner_of(harness).user_id == NEXT
    assert homes(harness, "a") == homes(harness, "n") != homes(harness, "b")


NOTICES = {
    "a notice": changed("n", 10, user_id=NEW, previous_user_id=OLD),
    "a hidden one": hidden(),
}
SENT = {
    "to a number": echo(),
    "to the next owner": echo(to_user_id=NEXT),
    "to the owner": echo(to_user_id=OLD),
}


@pytest.mark.parametrize("order", list(itertools.permutations("ane")), ids="".join)
@pytest.mark.parametrize("notice", NOTICES)
@pytest.mark.parametrize("sent", SENT)
def test_what_the_business_writes_in_its_app_proves_no_owner_of_a_number(
    harness: Harness, order: tuple[str, ...], notice: str, sent: str
) -> None:
    events = {
        "a": {"messages": [written("a", 0, P, OLD)]},
        "n": {"messages": [NOTICES[notice]]},
        "e": SENT[sent],
    }
    for name in order:
        harness.take(events[name])
    owner = owner_of(harness)
    assert owner.contact is None or not owner.is_proven

    harness.take({"messages": [written("b", 30, P, NEXT)]})
    harness.take({"messages": [written("c", 40, P), written("d", 50, "", NEW)]})
    assert (owner_of(harness).user_id, owner_of(harness).is_proven) == (NEXT, True)
    assert homes(harness, "a") == homes(harness, "d")
    assert homes(harness, "b") == homes(harness, "c") != homes(harness, "a")


def test_a_customer_who_answers_what_the_business_wrote_is_in_its_conversation(
    harness: Harness,
) -> None:
    harness.take(echo(to_user_id=NEXT))
    harness.take({"messages": [written("b", 30, P, NEXT)]})

    assert homes(harness, "e") == homes(harness, "b")
