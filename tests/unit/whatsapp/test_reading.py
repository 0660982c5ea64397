"""Reading the inbox back: pages without gaps or repetitions, and views that show what there is."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.conditions import ConditionBase
from hypothesis import given
from hypothesis import strategies as st

from shared import clock
from shared.dynamodb import Attributes, Table
from shared.objects import Bucket
from shared.sealing import Seal
from shared.secrets import JsonSecret, SecretUnreadable
from whatsapp import reading, store
from whatsapp.items import Media, Message, Phone, PhoneList
from whatsapp.reading import ConversationsQuery, PhoneRequired, Source
from whatsapp.views import MediaView, message_view

PHONE = "106540352242922"
ARN = f"arn:parley:whatsapp:::phone-number-id/{PHONE}"


class Shelf(Table):
    """A table with the entries of one index, newest first, and a few items."""

    def __init__(self, entries: Sequence[Attributes] = ()) -> None:
        self.name = "shelf"
        self.entries = entries
        self.items: dict[str, Attributes] = {}
        self.read = 0

    def get(self, key: Attributes) -> Attributes | None:
        return self.items.get(key["pk"])

    def query(
        self,
        index: str,
        condition: ConditionBase,
        *,
        limit: int | None = None,
        start: Attributes | None = None,
        newest_first: bool = False,
    ) -> tuple[list[Attributes], Attributes | None]:
        assert newest_first
        places = {entry["pk"]: place for place, entry in enumerate(self.entries)}
        begin = places[start["pk"]] + 1 if start else 0
        page = list(self.entries[begin : begin + (limit or 1)])
        self.read += len(page)
        # As DynamoDB does: a full page has a key to go on from, even if nothing follows.
        last = page[-1] if len(page) == limit else None
        key = ("pk", "inboxPk", "receivedAt")
        return page, {name: last[name] for name in key} if last else None

    def register(self, *phones: Phone) -> None:
        names = ("phone", "company", "phone_arn", "display_phone")
        listed = [phone.model_dump(include=set(names), by_alias=True) for phone in phones]
        self.items[PhoneList.pk_pattern] = {"pk": PhoneList.pk_pattern, "phones": listed}
        self.items |= {phone.pk: phone.attributes() for phone in phones}


class Links(Bucket):
    """A bucket that links to anything."""

    def link_to(self, key: str, *, seconds: int) -> str:
        return f"https://bucket/{key}?for={seconds}"


bucket = Links(lambda: pytest.fail("nothing here calls S3"), "media")


class Sealed(JsonSecret):
    """The deployment's seal secret."""

    def __init__(self, seal_key: object = "seal") -> None:
        self._content = {"seal_key": seal_key}

    def value(self) -> dict[str, Any]:
        return self._content


@pytest.fixture(autouse=True)
def _no_cached_phones() -> None:
    store.phones.forget()


def a_phone(phone: str = PHONE, **changes: Any) -> Phone:
    facts: dict[str, Any] = {
        "company": "acme",
        "display_phone": "15550783881",
        "phone_arn": f"arn:parley:whatsapp:::phone-number-id/{phone}",
        "provider": "graph",
        "waba_meta_id": "102290129340398",
    }
    return Phone(pk=Phone.key(phone), phone=phone, **facts | changes)


def inbox(kinds: str) -> list[Attributes]:
    """Entries of the inbox's index: `m` a message, `c` a conversation, `a` an archived one."""
    return [
        {
            "pk": f"{'MSG' if kind == 'm' else 'CONV'}#{place}",
            "inboxPk": ARN,
            "itemType": "MESSAGE" if kind == "m" else "CONVERSATION",
            "receivedAt": clock.to_text(1_767_268_800_000 - place),
            "from": str(place),
            "archived": kind == "a",
        }
        for place, kind in enumerate(kinds)
    ]


def a_source(shelf: Shelf) -> Source:
    return Source(table=shelf, bucket=bucket, seal_secret=Sealed())


def pages(shelf: Shelf, **query: Any) -> list[list[str]]:
    """The customers of all pages, one list per call."""
    shelf.register(a_phone())
    store.phones.forget()
    found, cursor = [], None
    while True:
        asked = ConversationsQuery(cursor=cursor, **query)
        before = shelf.read
        page = reading.conversations(a_source(shelf), "acme", asked)
        assert shelf.read - before <= reading.ENTRIES_PER_CALL
        found.append([str(entry.customer) for entry in page.result.conversations])
        if page.cursor is None:
            return found
        cursor = page.cursor


@given(
    st.text("mca", max_size=40),
    st.integers(min_value=1, max_value=5),
    st.sampled_from([None, "true", "false"]),
)
def test_pages_together_have_every_conversation_once_in_order(
    kinds: str, limit: int, archived: str | None
) -> None:
    wanted = {None: "ca", "true": "a", "false": "c"}[archived]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "ENTRIES_PER_CALL", 12)
        patch.setattr(reading, "ENTRIES_PER_QUERY", 4)
        found = pages(Shelf(inbox(kinds)), limit=limit, archived=archived)

    assert [customer for page in found for customer in page] == [
        str(place) for place, kind in enumerate(kinds) if kind in wanted
    ]
    assert all(len(page) <= limit for page in found)


def test_a_call_reads_at_most_two_thousand_entries_and_leaves_the_rest_to_a_cursor() -> None:
    assert pages(Shelf(inbox("m" * 4_100 + "c" + "m" * 300 + "c"))) == [[], [], ["4100", "4401"]]


def test_a_full_page_reads_no_further() -> None:
    shelf = Shelf(inbox("c" * 100 + "m" * 3_000))
    shelf.register(a_phone())

    page = reading.conversations(a_source(shelf), "acme", ConversationsQuery(limit=100))

    assert len(page.result.conversations) == 100
    assert page.cursor is not None
    assert shelf.read == reading.ENTRIES_PER_QUERY


def test_an_empty_inbox_is_one_empty_page() -> None:
    assert pages(Shelf()) == [[]]


def test_without_a_seal_key_nothing_is_read() -> None:
    seal_keys: list[object] = ["", [], None, 7]
    for seal_key in seal_keys:
        source = Source(table=Shelf(), bucket=bucket, seal_secret=Sealed(seal_key))
        with pytest.raises(SecretUnreadable):
            _ = source.seal


def test_the_newest_seal_key_seals_and_the_older_ones_still_open() -> None:
    source = Source(table=Shelf(), bucket=bucket, seal_secret=Sealed(["new", "old"]))

    assert source.seal == Seal("new", older=("old",))


def test_digits_that_two_numbers_share_do_not_choose_one() -> None:
    shelf = Shelf()
    shelf.register(a_phone(), a_phone("306540352242944"))

    with pytest.raises(PhoneRequired):
        reading.conversations(a_source(shelf), "acme", ConversationsQuery(phone="15550783881"))


def a_message(**changes: Any) -> Message:
    stored = {
        "pk": "MSG#wamid.1",
        "company": "acme",
        "direction": "INBOUND",
        "receivedAt": "2026-01-01T11:58:20.000Z",
        "from": "447700900101",
        "fromPk": "447700900101",
        "to": "15550783881",
        "conversationPk": "CONV#1#447700900101",
        "inboxPk": ARN,
        "type": "text",
        "subtype": "text",
        "preview": "hello",
        "textBody": "hello",
        "phone": PHONE,
        "payloadHash": "0" * 64,
    }
    return Message.read(stored | changes)


def shown(**changes: Any) -> dict[str, Any]:
    view = message_view(bucket, a_message(**changes), None)
    return view.model_dump(mode="json", by_alias=True, exclude_none=True)


def test_a_text_shows_its_content_and_none_of_our_keys() -> None:
    assert shown() == {
        "id": "wamid.1",
        "direction": "INBOUND",
        "receivedAt": "2026-01-01T11:58:20.000Z",
        "from": "447700900101",
        "to": "15550783881",
        "type": "text",
        "subtype": "text",
        "preview": "hello",
        "text": "hello",
    }


def test_an_erased_message_shows_nothing_but_that_it_was() -> None:
    everything = {
        "erased": True,
        "mediaId": "1",
        "s3Key": "media/acme/1/1/file.jpg",
        "contentS3Key": "content/x",
        "senderName": "Ada",
        "reactions": {"447700900101": {"emoji": "x", "order": "1"}},
        "deliveryStatusHistory": [{"status": "sent"}],
    }

    assert shown(**everything) == {
        "id": "wamid.1",
        "direction": "INBOUND",
        "type": "text",
        "receivedAt": "2026-01-01T11:58:20.000Z",
        "erased": True,
    }


def test_reactions_are_shown_without_those_that_were_taken_back() -> None:
    reactions = {"447700900101": {"emoji": "\U0001f44d", "order": "1"}, "2": {"order": "2"}}

    assert shown(reactions=reactions)["reactions"] == [
        {"actor": "447700900101", "emoji": "\U0001f44d"}
    ]
    assert "reactions" not in shown(reactions={"2": {"order": "2"}})


def test_numbers_come_out_as_numbers() -> None:
    content = {
        "latitude": Decimal("51.5034"),
        "items": [{"quantity": Decimal(2), "price": Decimal("7.90")}],
        "open": True,
    }

    assert shown(content=content)["content"] == {
        "latitude": 51.5034,
        "items": [{"quantity": 2, "price": 7.9}],
        "open": True,
    }
    assert isinstance(shown(content=content)["content"]["items"][0]["quantity"], int)


def test_an_outbound_message_shows_how_far_it_came() -> None:
    history = [
        {"status": "sent", "at": "2026-01-01T12:00:01.000Z"},
        {"status": "failed", "at": "2026-01-01T12:00:02.000Z", "code": "131026"},
    ]
    error = {"code": Decimal(131026), "title": "Message undeliverable"}
    message = shown(
        direction="OUTBOUND",
        sentAt="2026-01-01T12:00:00.000Z",
        deliveryStatus="failed",
        deliveryStatusHistory=history,
        statusError=error,
        statusRank=9,
        origin="app",
    )

    assert message["deliveryStatus"] == "failed"
    assert message["statusHistory"] == history
    assert message["statusError"] == {"code": 131026, "title": "Message undeliverable"}
    assert (message["sentAt"], message["origin"]) == ("2026-01-01T12:00:00.000Z", "app")
    assert "statusRank" not in message


def test_edits_revocations_and_what_a_message_answers_are_shown() -> None:
    facts = {
        "editedAt": "2026-01-01T12:00:01.000Z",
        "revokedAt": "2026-01-01T12:00:02.000Z",
        "replyTo": "wamid.0",
        "forwarded": True,
        "errors": [{"code": Decimal(131051)}],
    }

    assert shown(**facts).items() >= {**facts, "errors": [{"code": 131051}]}.items()


def test_a_long_text_shows_its_beginning_and_a_link_to_all_of_it() -> None:
    assert shown(contentS3Key="content/acme/1/x.json")["wholeContent"] == {
        "link": "https://bucket/content/acme/1/x.json?for=900",
        "expiresInSeconds": 900,
    }


PICTURE = {"mediaId": "77", "mimeType": "image/jpeg", "filename": "bike.jpg"}


def test_a_stored_file_is_a_link_that_ends_in_a_quarter_of_an_hour() -> None:
    assert shown(**PICTURE, s3Bucket="media", s3Key="media/acme/1/77/file.jpg")["media"] == {
        "mimeType": "image/jpeg",
        "filename": "bike.jpg",
        "status": "STORED",
        "link": "https://bucket/media/acme/1/77/file.jpg?for=900",
        "expiresInSeconds": 900,
    }


@pytest.mark.parametrize(
    ("recorded", "status"),
    [
        ("PENDING", "PENDING"),
        ("FAILED", "FAILED"),
        ("EXPIRED", "EXPIRED"),
        ("REVOKED", "REVOKED"),
        ("STORED", "PENDING"),  # for another message with the same file
        (None, "UNAVAILABLE"),
    ],
)
def test_a_file_that_is_not_there_says_why_and_has_no_link(
    recorded: str | None, status: str
) -> None:
    file = Media(pk="MEDIA#77", media_id="77", media_status=recorded) if recorded else None
    view = message_view(bucket, a_message(**PICTURE), file)

    assert view.media == MediaView(mime_type="image/jpeg", filename="bike.jpg", status=status)
