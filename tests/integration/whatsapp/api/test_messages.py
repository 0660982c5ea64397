"""GET /whatsapp/conversations/{key}/messages: messages with their statuses, edits and files."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.integration.whatsapp.api.conftest import (
    ADA,
    MESSAGES,
    Api,
)
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from whatsapp import store
from whatsapp.store.items import Media, pk


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 100])
def test_pages_of_any_size_together_show_every_message_once_newest_first(
    harness: Harness, api: Api, limit: int
) -> None:
    for number in (3, 0, 4, 1, 2):
        harness.take({"messages": [text(f"wamid.{number}", at=1767268000 + number)]})
    [conversation] = api.conversations()

    pages = list(api.pages(MESSAGES, key=conversation["key"], limit=limit))

    assert [message["id"] for page in pages for message in page["messages"]] == [
        f"wamid.{number}" for number in (4, 3, 2, 1, 0)
    ]


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
def test_linked_conversations_are_one_list_and_one_entry_of_the_inbox(
    harness: Harness, api: Api, limit: int
) -> None:
    by_id = {"from": None, "from_user_id": "GB.1"}
    harness.take({"messages": [text(f"wamid.{n}", at=1767268000 + n) | by_id for n in (0, 2, 4)]})
    harness.take({"messages": [text(f"wamid.{n}", at=1767268000 + n) for n in (1, 3)]})
    keys = [conversation["key"] for conversation in api.conversations()]
    harness.take({"messages": [text("wamid.5", at=1767268005, from_user_id="GB.1")]})

    [conversation] = api.conversations()
    assert (conversation["customer"], conversation["linkedConversations"]) == (
        "GB.1",
        ["447700900101"],
    )
    assert conversation["unreadCount"] == 6
    for key in keys:  # The key of the hidden conversation leads to the same list.
        pages = list(api.pages(MESSAGES, key=key, limit=limit))
        assert [message["id"] for page in pages for message in page["messages"]] == [
            f"wamid.{number}" for number in (5, 4, 3, 2, 1, 0)
        ]


def test_messages_of_another_company_and_expired_ones_are_left_out(
    harness: Harness, api: Api
) -> None:
    for number in (0, 1, 3):
        harness.take({"messages": [text(f"wamid.{number}", at=1767268000 + number)]})
    table = harness.resources.table
    table.update(pk("MSG#wamid.0"), put={"company": "globex"})
    table.update(pk("MSG#wamid.1"), put={"ttl": NOW // 1000})
    [conversation] = api.conversations()

    assert [message["id"] for message in api.messages(conversation["key"])] == ["wamid.3"]


def test_a_message_shows_its_statuses_edits_and_reactions(harness: Harness, api: Api) -> None:
    harness.take({"contacts": [ADA], "messages": [text("wamid.1", "helo", at=1767268700)]})
    edit = {
        "original_message_id": "wamid.1",
        "message": {"type": "text", "text": {"body": "hello"}},
    }
    harness.take(
        {"messages": [text("wamid.2", at=1767268701) | {"type": "edit", "edit": edit}]},
        {
            "messages": [
                text("wamid.3", at=1767268702)
                | {"type": "reaction", "reaction": {"message_id": "wamid.1", "emoji": "\U0001f44d"}}
            ]
        },
    )
    [conversation] = api.conversations()

    assert api.messages(conversation["key"]) == [
        {
            "id": "wamid.1",
            "correlationId": "790a433cb230d1dc5d33878e70",
            "direction": "INBOUND",
            "type": "text",
            "subtype": "text",
            "receivedAt": "2026-01-01T11:58:20.999Z",
            "from": "447700900101",
            "to": "15550783881",
            "senderName": "Ada Byrne",
            "senderPhone": "447700900101",
            "text": "hello",
            "preview": "hello",
            "editedAt": "2026-01-01T11:58:21.000Z",
            "versions": [
                {"at": "2026-01-01T11:58:20.999Z", "text": "helo"},
                {"at": "2026-01-01T11:58:21.000Z", "text": "hello"},
            ],
            "reactions": [{"actor": "447700900101", "emoji": "\U0001f44d"}],
        }
    ]


@pytest.mark.parametrize("is_early", [False, True])
def test_a_reaction_has_the_name_of_its_author(harness: Harness, api: Api, is_early: bool) -> None:
    part = {"message_id": "wamid.1", "emoji": "👍"}
    reaction = text("wamid.r") | {"type": "reaction", "reaction": part}
    contact = {"wa_id": "447700900101", "profile": {"name": "Ada Byrne"}}
    values = [{"messages": [text("wamid.1")]}, {"contacts": [contact], "messages": [reaction]}]
    harness.take(*(values[::-1] if is_early else values))

    (message,) = api.messages(api.conversations()[0]["key"])

    assert message["reactions"] == [{"actor": "447700900101", "emoji": "👍", "name": "Ada Byrne"}]


@pytest.mark.parametrize(
    ("href", "shown"),
    [
        ("https://developers.facebook.com/docs/131026", True),
        ("javascript:alert(1)", False),
        (7, False),
        ("https://example.com/" + "x" * 200, False),
    ],
)
def test_the_error_of_a_status_has_its_link(
    harness: Harness, api: Api, href: object, shown: bool
) -> None:
    error = {"code": 131026, "title": "Undeliverable", "href": href}
    sent: dict[str, object] = {"id": "wamid.e", "from": "15550783881", "to": "447700900101"}
    sent |= {"type": "text", "timestamp": str(NOW // 1000 - 60), "text": {"body": "Hello"}}
    status = {"id": "wamid.e", "status": "failed", "timestamp": str(NOW // 1000 - 50)}
    harness.take(
        {"field": "smb_message_echoes", "message_echoes": [sent]},
        {"statuses": [status | {"recipient_id": "447700900101", "errors": [error]}]},
    )

    (message,) = api.messages(api.conversations()[0]["key"])

    assert message["statusError"].get("href") == (href if shown else None)


def test_all_versions_of_a_photo_are_listed_with_their_captions_and_files(
    harness: Harness, api: Api
) -> None:
    for number, media_id in enumerate(("77", "78")):
        image = {"id": media_id, "mime_type": "image/jpeg", "caption": f"caption {number}"}
        written = {"type": "image", "image": image}
        change = {"original_message_id": "wamid.0", "message": written}
        body = {"type": "edit", "edit": change} if number else written
        harness.take({"messages": [text(f"wamid.{number}", at=1767268700 + number) | body]})
    file = harness.item("MEDIA#77") | {"mediaStatus": "STORED", "s3Key": "media/acme/1/77/f.jpg"}
    harness.resources.table.put(file)

    [message] = api.messages(api.conversations()[0]["key"])

    original, edited = message["versions"]
    assert (original["caption"], edited["caption"]) == ("caption 0", "caption 1")
    assert original["media"]["status"] == "STORED"
    assert "media/acme/1/77/f.jpg" in original["media"]["link"]
    assert edited["media"] == message["media"] == {"mimeType": "image/jpeg", "status": "PENDING"}


def test_versions_beyond_the_ten_newest_and_long_ones_are_links(harness: Harness, api: Api) -> None:
    harness.take({"messages": [text("wamid.0", "long " * 1_000, at=1767268700)]})
    for number in range(1, 13):
        new = {"type": "text", "text": {"body": f"version {number}"}}
        change = {"original_message_id": "wamid.0", "message": new}
        edit = text(f"wamid.{number}", at=1767268700 + number) | {"type": "edit", "edit": change}
        harness.take({"messages": [edit]})

    [message] = api.messages(api.conversations()[0]["key"])

    original, first, second, *newest = message["versions"]
    assert original["text"].startswith("long long")
    assert all("link" in version["wholeContent"] for version in (original, first, second))
    assert (first["at"], second["at"]) == ("2026-01-01T11:58:21.000Z", "2026-01-01T11:58:22.000Z")
    assert [version["text"] for version in newest] == [f"version {n}" for n in range(3, 13)]
    key = urlsplit(first["wholeContent"]["link"]).path.partition("/content/")[2]
    assert b"version 1" in harness.resources.bucket.get(f"content/{key}")
    assert "wholeContent" not in message


def test_a_revoked_message_is_marked_and_shows_no_content(harness: Harness, api: Api) -> None:
    harness.take({"messages": [text("wamid.1", "regretted")]})
    revoke = {"original_message_id": "wamid.1"}
    harness.take({"messages": [text("wamid.2") | {"type": "revoke", "revoke": revoke}]})

    answer = api.get(MESSAGES, key=api.conversations()[0]["key"])

    [message] = answer.body["result"]["messages"]
    assert message["revokedAt"]
    assert "regretted" not in str(answer.body)


def test_a_location_is_returned_as_numbers(harness: Harness, api: Api) -> None:
    location = {"latitude": 51.5034, "longitude": -0.1276, "name": "Workshop"}
    harness.take({"messages": [text("wamid.1") | {"type": "location", "location": location}]})

    [message] = api.messages(api.conversations()[0]["key"])

    assert message["content"] == location


def test_a_stored_file_is_a_signed_link_valid_for_fifteen_minutes(
    harness: Harness, api: Api
) -> None:
    image = {"id": "77", "mime_type": "image/jpeg", "sha256": "x", "caption": "my bike"}
    harness.take({"messages": [text("wamid.1") | {"type": "image", "image": image}]})
    [conversation] = api.conversations()
    [pending] = api.messages(conversation["key"])
    s3_key = f"media/acme/{PHONE}/77/file.jpg"
    store.messages.attach_file(
        harness.resources.table, "MSG#wamid.1", "77", harness.resources.bucket.name, s3_key
    )

    [stored] = api.messages(conversation["key"])

    assert pending["media"] == {"mimeType": "image/jpeg", "status": "PENDING"}
    assert pending["caption"] == "my bike"
    link = urlsplit(stored["media"].pop("link"))
    assert stored["media"] == {
        "mimeType": "image/jpeg",
        "status": "STORED",
        "expiresInSeconds": 900,
    }
    query = parse_qs(link.query)
    assert link.path.endswith(s3_key)
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
    assert query["X-Amz-Expires"] == ["900"]
    assert query["response-content-disposition"] == ["attachment"]


def test_a_missing_file_has_its_reason_unless_another_company_reported_it(
    harness: Harness, api: Api
) -> None:
    image = {"id": "77", "mime_type": "image/jpeg", "sha256": "x"}
    twice = [text(f"wamid.{n}") | {"type": "image", "image": image} for n in range(2)]
    harness.take({"messages": twice})
    [conversation] = api.conversations()
    table = harness.resources.table
    record = store.media.get(table, Media.key("77"))
    assert record is not None

    def status() -> set[str]:
        return {message["media"]["status"] for message in api.messages(conversation["key"])}

    store.media.mark_unavailable(table, record, "FAILED", "wrong_hash")
    assert status() == {"FAILED"}
    table.update(pk(record.pk), put={"company": "globex"})
    assert status() == {"UNAVAILABLE"}
    table.update(pk(record.pk), put={"company": "acme", "ttl": NOW // 1000})
    assert status() == {"UNAVAILABLE"}


def test_a_long_text_is_cut_and_linked(harness: Harness, api: Api) -> None:
    harness.take({"messages": [text("wamid.1", "long " * 4_000)]})

    [message] = api.messages(api.conversations()[0]["key"])

    assert message["text"] == ("long " * 4_000)[:2_000]
    assert urlsplit(message["wholeContent"]["link"]).path.rpartition("/")[2].endswith(".json")


def test_an_erased_message_is_a_stub(harness: Harness, api: Api) -> None:
    harness.take({"messages": [text("wamid.1", "forgotten")]})
    harness.resources.table.update(pk("MSG#wamid.1"), put={"erased": True})

    [message] = api.messages(api.conversations()[0]["key"])

    assert message.keys() == {"id", "correlationId", "direction", "type", "receivedAt", "erased"}
