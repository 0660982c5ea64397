"""Two companies on one deployment: no event that one of them signs changes the other's inbox."""

from typing import Any

import pytest

from tests.integration.whatsapp.conftest import NOW, PHONE, Desk, a_phone, text
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


def by_the_other(desk: Desk, value: dict[str, Any]) -> str | None:
    """Deliver a value as another company's number, signed by its own app; returns the reason for parking it."""
    desk.resources.table.put(
        a_phone(
            pk=Phone.key(OTHER),
            phone=OTHER,
            company="globex",
            app_id=OTHER_APP,
            phone_arn=f"arn:x/{OTHER}",
        ).attributes()
    )
    (handled,) = desk.take({"metadata": {"phone_number_id": OTHER}} | value, app=OTHER_APP)
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
    desk: Desk, value: dict[str, Any]
) -> None:
    desk.take({"field": "smb_message_echoes", "message_echoes": [ECHO]})
    before = desk.item("MSG#wamid.e")

    assert by_the_other(desk, value) == "tenant_mismatch"
    assert desk.item("MSG#wamid.e") == before
    assert not [key for key in desk.keys() if key.startswith(("EDIT#", "REACTION#", "STATUS#"))]


def test_an_edit_that_another_company_sent_first_is_not_shown_on_a_later_message(
    desk: Desk,
) -> None:
    new = {"type": "text", "text": {"body": "forged"}}
    by_the_other(desk, change("edit", {"original_message_id": "wamid.1", "message": new}))

    desk.take({"messages": [text("wamid.1", "the truth")]})

    assert desk.item("MSG#wamid.1")["textBody"] == "the truth"


def test_a_message_id_that_another_company_repeats_is_a_conflict(desk: Desk) -> None:
    desk.take({"messages": [text("wamid.1")]})
    head = desk.item(f"CONV#{PHONE}#447700900101")

    assert by_the_other(desk, {"messages": [text("wamid.1")]}) == "conflict"
    assert desk.item(f"CONV#{PHONE}#447700900101") == head


def test_a_file_that_another_company_names_is_neither_shown_nor_deleted(desk: Desk) -> None:
    image = {"id": "77", "mime_type": "image/jpeg", "sha256": "h"}
    desk.take({"messages": [text("wamid.1") | {"type": "image", "image": image}]})
    record = desk.item("MEDIA#77")

    theirs = text("wamid.2") | {"type": "image", "image": image}
    assert by_the_other(desk, {"messages": [theirs]}) == "foreign_media"
    assert by_the_other(desk, change("revoke", {"original_message_id": "wamid.2"})) is None
    assert desk.item("MEDIA#77") == record


def test_signed_webhooks_for_a_number_without_an_app_are_parked(desk: Desk) -> None:
    desk.resources.table.put(a_phone(app_id=None).attributes())

    (handled,) = desk.take({"messages": [text("wamid.1")]})

    assert handled.reason == "app_mismatch"


def test_topic_events_for_a_number_that_is_not_linked_to_aws_are_parked(desk: Desk) -> None:
    (handled,) = desk.take({"messages": [text("wamid.1")]}, source="eum", app="")

    assert handled.reason == "app_mismatch"
