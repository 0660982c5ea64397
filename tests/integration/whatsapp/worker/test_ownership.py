"""Two companies on one deployment: no event that one of them signs changes the other's inbox."""

from typing import Any

import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, a_phone, text
from whatsapp.store.items import Phone

OTHER = "999540352242999"
OTHER_APP = "5550001"
ECHO = {
    "id": "wamid.e",
    "to": "447700900101",
    "timestamp": str(NOW // 1000),
    "type": "text",
    "text": {"body": "hi"},
}


def deliver_from_other_company(harness: Harness, value: dict[str, Any]) -> str | None:
    """Deliver a value as another company's number, signed by its own app; returns the reason for parking it."""
    harness.resources.table.put(
        a_phone(
            pk=Phone.key(OTHER),
            phone=OTHER,
            company="globex",
            app_id=OTHER_APP,
            phone_arn=f"arn:x/{OTHER}",
        ).attributes()
    )
    (handled,) = harness.take({"metadata": {"phone_number_id": OTHER}} | value, app=OTHER_APP)
    return handled.reason


def change(kind: str, part: dict[str, Any]) -> dict[str, Any]:
    return {
        "messages": [
            {
                "id": "wamid.x",
                "from": "447700900666",
                "timestamp": str(NOW // 1000),
                "type": kind,
                kind: part,
            }
        ]
    }


@pytest.mark.parametrize(
    "value",
    [
        {"statuses": [{"id": "wamid.e", "status": "failed", "recipient_id": "447700900101"}]},
        change(
            "edit",
            {
                "original_message_id": "wamid.e",
                "message": {"type": "text", "text": {"body": "forged"}},
            },
        ),
        change("revoke", {"original_message_id": "wamid.e"}),
        change("reaction", {"message_id": "wamid.e", "emoji": "💥"}),
    ],
    ids=["status", "edit", "revoke", "reaction"],
)
def test_an_event_of_another_company_does_not_change_a_message(
    harness: Harness, value: dict[str, Any]
) -> None:
    harness.take({"field": "smb_message_echoes", "message_echoes": [ECHO]})
    before = harness.item("MSG#wamid.e")

    assert deliver_from_other_company(harness, value) == "tenant_mismatch"
    assert harness.item("MSG#wamid.e") == before
    assert not [key for key in harness.keys() if key.startswith(("EDIT#", "REACTION#", "STATUS#"))]


def test_an_edit_that_another_company_sent_first_is_not_shown_on_a_later_message(
    harness: Harness,
) -> None:
    new = {"type": "text", "text": {"body": "forged"}}
    deliver_from_other_company(
        harness, change("edit", {"original_message_id": "wamid.1", "message": new})
    )

    harness.take({"messages": [text("wamid.1", "the truth")]})

    assert harness.item("MSG#wamid.1")["textBody"] == "the truth"


@pytest.mark.parametrize("is_first", [True, False])
def test_statuses_edits_and_reactions_are_stored_beside_those_of_another_company(
    harness: Harness, *, is_first: bool
) -> None:
    """A company can only report on the ids of its own messages; the owner of an unknown id is not known yet."""
    status = {"id": "wamid.e", "status": "read", "recipient_id": "447700900101"}
    new = {"type": "text", "text": {"body": "theirs"}}
    edit = {"original_message_id": "wamid.e", "message": new}
    theirs = [
        {"statuses": [status]},
        change("edit", edit),
        change("reaction", {"message_id": "wamid.e", "emoji": "x"}),
    ]
    ours: list[dict[str, Any]] = [
        {"statuses": [status]},
        {
            "field": "smb_message_echoes",
            "message_echoes": [
                ECHO
                | {"id": "wamid.x", "type": "edit"}
                | {"edit": edit | {"message": new | {"text": {"body": "ours"}}}}
            ],
        },
    ]

    if is_first:
        assert [deliver_from_other_company(harness, value) for value in theirs] == [
            None,
            None,
            None,
        ]
    assert [handled.reason for handled in harness.take(*ours)] == [None, None]
    if not is_first:
        assert [deliver_from_other_company(harness, value) for value in theirs] == [
            None,
            None,
            None,
        ]
    harness.take({"field": "smb_message_echoes", "message_echoes": [ECHO]})

    stored = harness.item("MSG#wamid.e")
    assert (stored["deliveryStatus"], stored["textBody"]) == ("read", "ours")
    assert "reactions" not in stored
    assert {key for key in harness.keys() if key.startswith(("STATUS#", "EDIT#"))} == {
        f"STATUS#{PHONE}#wamid.e#read", f"STATUS#{OTHER}#wamid.e#read", f"EDIT#{PHONE}#wamid.e",
        f"EDIT#{OTHER}#wamid.e",
    }  # fmt: skip


def test_a_message_id_that_another_company_repeats_is_a_conflict(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1")]})
    head = harness.item(f"CONV#{PHONE}#447700900101")

    assert deliver_from_other_company(harness, {"messages": [text("wamid.1")]}) == "conflict"
    assert harness.item(f"CONV#{PHONE}#447700900101") == head


def test_a_file_that_another_company_names_is_neither_shown_nor_deleted(harness: Harness) -> None:
    image = {"id": "77", "mime_type": "image/jpeg", "sha256": "h"}
    harness.take({"messages": [text("wamid.1") | {"type": "image", "image": image}]})
    record = harness.item("MEDIA#77")

    theirs = text("wamid.2") | {"type": "image", "image": image}
    assert deliver_from_other_company(harness, {"messages": [theirs]}) == "foreign_media"
    revoked = text("wamid.x") | {"type": "revoke", "revoke": {"original_message_id": "wamid.2"}}
    assert deliver_from_other_company(harness, {"messages": [revoked]}) is None
    assert harness.item("MEDIA#77") == record


def test_signed_webhooks_for_a_number_without_an_app_are_parked(harness: Harness) -> None:
    harness.resources.table.put(a_phone(app_id=None).attributes())

    (handled,) = harness.take({"messages": [text("wamid.1")]})

    assert handled.reason == "app_mismatch"


def test_topic_events_for_a_number_that_is_not_linked_to_aws_are_parked(harness: Harness) -> None:
    (handled,) = harness.take({"messages": [text("wamid.1")]}, source="eum", app="")

    assert handled.reason == "app_mismatch"
