"""The ids and the contact of the sender of an event."""

from typing import Any

import pytest

from tests.cases import each
from tests.unit.whatsapp.test_splitting import change, events, message
from whatsapp.inbound import senders
from whatsapp.inbound.senders import IdChange, Sender


class CountingContact(dict[str, Any]):
    """A contact that counts its reads."""

    reads = 0

    def get(self, key: str, default: Any = None) -> Any:
        CountingContact.reads += 1
        return super().get(key, default)


def test_senders_are_found_among_many_contacts_without_reading_all_for_each_message() -> None:
    CountingContact.reads = 0
    contacts = [CountingContact(wa_id=f"4477{n:05d}") for n in range(1_000)]
    messages = [message(f"wamid.{n}", **{"from": f"4477{n:05d}"}) for n in reversed(range(1_000))]

    found = events(change("messages", contacts=contacts, messages=messages))

    assert [event.contact for event in found] == contacts[::-1]
    assert CountingContact.reads <= 10 * len(contacts)


def sender(name: str, phone: str = "", user_id: str = "") -> dict[str, Any]:
    ids = {"wa_id": phone, "user_id": user_id}
    return {"profile": {"name": name}} | {key: value for key, value in ids.items() if value}


def named(kind: str, item: dict[str, Any], *contacts: dict[str, Any]) -> str | None:
    """The name of the contact of one item of a change, beside contacts."""
    array = {"message": "messages", "status": "statuses", "echo": "message_echoes"}[kind]
    field = "smb_message_echoes" if kind == "echo" else "messages"
    event, *_ = events(change(field, contacts=[*contacts], **{array: [item]}))
    return senders.name_of(event.contact)


@each(
    ("kind", "item", "contacts", "expected"),
    [
        ("message", {"from": "441"}, [sender("P", "442")], None),
        ("message", {"from": "441"}, [sender("P", "442"), sender("Q", "+441")], "Q"),
        ("message", {"from": "441", "from_user_id": "GB.1"}, [sender("P", "441", "GB.2")], None),
        ("message", {"from": "441", "from_user_id": "GB.1"}, [sender("P", "441")], "P"),
        ("message", {"from": "441", "from_user_id": "GB.1"}, [sender("P", "449", "GB.1")], "P"),
        ("message", {"from": "441"}, [sender("P", "441", "GB.1"), sender("Q", "441", "GB.2")], None),
        ("message", {"from_user_id": "GB.1"}, [sender("P", "441")], None),
        ("status", {"recipient_id": "441"}, [sender("P", "441")], "P"),
        ("status", {"recipient_id": "441"}, [sender("P", "442")], None),
        ("echo", {"from": "15550001111", "to": "441"}, [sender("P", "441")], "P"),
        ("echo", {"from": "15550001111", "to": "441"}, [sender("P", "442")], None),
    ],
)  # fmt: skip
def test_a_contact_applies_only_to_the_customer_that_it_names(
    kind: str, item: dict[str, Any], contacts: list[dict[str, Any]], expected: str | None
) -> None:
    assert named(kind, {"id": "a", "status": "read"} | item, *contacts) == expected


def test_a_notice_of_a_new_number_has_no_contact_of_another_customer() -> None:
    notice = message(
        "n",
        type="system",
        system={"type": "user_changed_number", "wa_id": "449", "user_id": "GB.3"},
        **{"from": "442"},
    )
    texts = message("t", **{"from": "441"})

    found = events(change("messages", contacts=[sender("P", "441")], messages=[texts, notice]))

    assert [senders.name_of(event.contact) for event in found] == ["P", None]


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (
            {"type": "user_changed_number", "wa_id": "442", "user_id": "GB.2", "previous_user_id": "GB.1"},
            IdChange("442", "GB.2", "441", "GB.1"),
        ),
        ({"type": "user_changed_number", "new_wa_id": "+442"}, IdChange("442", "", "441", "GB.9")),
        ({"type": "user_changed_user_id", "user_id": "GB.9"}, IdChange("", "GB.9", "441", "")),
        ({"type": "customer_identity_changed", "wa_id": "442"}, None),
    ],
)  # fmt: skip
def test_a_system_message_names_the_ids_before_and_after_a_change(
    system: dict[str, Any], expected: IdChange | None
) -> None:
    item = {"from": "441", "from_user_id": "GB.9", "type": "system", "system": system}

    assert senders.change_of("message", item) == expected


def test_all_ids_of_a_sender_are_read() -> None:
    item = {"from": "447700900123", "from_user_id": "GB.1", "from_parent_user_id": "GB.ENT.1"}
    contact = sender("Ann", "447700900123", "GB.1") | {"identity_key_hash": "DF2lS5v2W6x="}
    contact["profile"]["username"] = "ann.rides"

    assert senders.sender_of("message", item, contact) == Sender(
        "447700900123", "GB.1", "GB.ENT.1", "ann.rides", "DF2lS5v2W6x="
    )
