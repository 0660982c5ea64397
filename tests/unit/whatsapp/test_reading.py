"""Reading the inbox: pages without gaps or repetitions, bounded calls."""

from collections.abc import Sequence
from typing import Any

import pytest
from boto3.dynamodb.conditions import And, ConditionBase
from hypothesis import given
from hypothesis import strategies as st

from shared.api.opaque_ids import Seal
from shared.aws.dynamodb import Attributes, Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret, SecretUnreadable
from shared.runtime import clock
from whatsapp import store
from whatsapp.api.conversations.conversation_lists import conversations
from whatsapp.api.inputs import ConversationsQuery
from whatsapp.api.queries import ApiDependencies, PhoneRequired
from whatsapp.store.items import Conversation, Phone, PhoneList
from whatsapp.store.items.conversations.conversations import Folder

PHONE = "106540352242922"
NO_BUCKET = Bucket(lambda: pytest.fail("nothing here calls S3"), "media")


class Shelf(Table):
    """A table with the entries of the list index, newest first, and a few items."""

    def __init__(self, entries: Sequence[Attributes] = ()) -> None:
        self.name = "shelf"
        self.entries = entries
        self.items: dict[str, Attributes] = {}
        self.read = 0

    def get(self, key: Attributes) -> Attributes | None:
        return self.items.get(key["pk"])

    def get_many(
        self,
        keys: Sequence[Attributes],
        *,
        is_consistent: bool = True,
        fields: Sequence[str] = (),
    ) -> list[Attributes]:
        assert fields == ()
        wanted = {key["pk"] for key in keys}
        return [entry for entry in self.entries if entry["pk"] in wanted]

    def query(
        self,
        index: str | None,
        condition: ConditionBase,
        *,
        limit: int | None = None,
        start: Attributes | None = None,
        newest_first: bool = False,
        only: ConditionBase | None = None,
        fields: Sequence[str] = (),
    ) -> tuple[list[Attributes], Attributes | None]:
        assert (index, newest_first, only, fields) == ("gsi_inbox_list", True, None, ())
        parts: Any = condition  # boto3 types no parts of conditions
        equal, *latest = parts._values if isinstance(condition, And) else (parts,)
        wanted, until = equal._values[1], latest[0]._values[1] if latest else "~"
        entries = [e for e in self.entries if e["listPk"] == wanted and e["receivedAt"] <= until]
        places = {entry["pk"]: place for place, entry in enumerate(entries)}
        begin = places[start["pk"]] + 1 if start else 0
        page = list(entries[begin : begin + (limit or 1)])
        self.read += len(page)
        # As DynamoDB does: a full page has a last evaluated key, even if nothing follows.
        last = page[-1] if len(page) == limit else None
        key = ("pk", "listPk", "receivedAt")
        return page, {name: last[name] for name in key} if last else None

    def register(self, *phones: Phone) -> None:
        names = ("phone", "company", "phone_arn", "display_phone")
        for company in {str(phone.company) for phone in phones}:
            own = [phone for phone in phones if phone.company == company]
            listed = [phone.model_dump(include=set(names), by_alias=True) for phone in own]
            key = PhoneList.key(company)
            self.items[key] = {"pk": key, "company": company, "phones": listed}
        self.items |= {phone.pk: phone.attributes() for phone in phones}


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
        "proof": "granted",
    }
    return Phone(pk=Phone.key(phone), phone=phone, **facts | changes)


KINDS: dict[str, tuple[Folder, int]] = {
    "r": ("open", 0), "u": ("open", 1), "d": ("resolved", 0), "s": ("snoozed", 1), "a": ("archived", 0),
    "b": ("archived", 1),
}  # fmt: skip


def inbox(kinds: str, in_one_ms: int = 1) -> list[Attributes]:
    """Entries of the list index, newest first, by `KINDS`; so many of them at the same time."""
    return [
        {
            "pk": f"CONV#{place}",
            "company": "acme",
            "phone": PHONE,
            "listPk": Conversation.list_of(PHONE, KINDS[kind][0], unread=KINDS[kind][1] > 0),
            "receivedAt": clock.to_text(1_767_268_800_000 - place // in_one_ms),
            "from": str(place),
            "archived": kind in "ab",
            "unreadCount": KINDS[kind][1],
            "labels": {"vip"} if place % 2 else {"other"},
        }
        for place, kind in enumerate(kinds)
    ]


def some_deps(shelf: Shelf) -> ApiDependencies:
    return ApiDependencies(table=shelf, bucket=NO_BUCKET, seal_secret=Sealed())


def pages(shelf: Shelf, **query: Any) -> list[list[str]]:
    """The customers of all pages, one list per call."""
    shelf.register(a_phone())
    store.phones.forget()
    found, cursor = [], None
    while True:
        asked = ConversationsQuery(cursor=cursor, **query)
        page = conversations(some_deps(shelf), "acme", asked)
        found.append([str(entry.customer) for entry in page.result.conversations])
        if page.cursor is None:
            return found
        cursor = page.cursor


@given(
    kinds=st.text("".join(KINDS), max_size=40),
    limit=st.integers(min_value=1, max_value=5),
    in_one_ms=st.sampled_from([1, 3, 40]),
    archived=st.sampled_from([None, "true", "false"]),
    unread=st.sampled_from([None, "true", "false"]),
)
def test_pages_are_full_and_together_have_every_conversation_once_in_order(
    kinds: str, limit: int, in_one_ms: int, archived: str | None, unread: str | None
) -> None:
    entries = inbox(kinds, in_one_ms)
    found = pages(Shelf(entries), limit=limit, archived=archived, unread=unread)

    wanted = [
        entry
        for entry in entries
        if archived in {None, str(entry["archived"]).lower()}
        and unread in {None, str(entry["unreadCount"] > 0).lower()}
    ]
    listed = [customer for page in found for customer in page]
    times = {entry["from"]: entry["receivedAt"] for entry in entries}
    assert sorted(listed) == sorted(entry["from"] for entry in wanted)
    assert [times[one] for one in listed] == [entry["receivedAt"] for entry in wanted]
    assert all(len(page) == limit for page in found[:-1])
    assert found[-1] or not wanted


def test_a_call_compares_at_most_two_thousand_entries_and_returns_a_cursor_for_the_rest() -> None:
    entries = inbox("u" * 4_100)
    for place, entry in enumerate(entries):
        entry["labels"] = {"vip"} if place in {3_999, 4_000} else {"other"}

    assert pages(Shelf(entries), label="vip") == [[], ["3999"], ["4000"]]


def test_a_full_page_reads_one_more_entry_of_each_list_and_no_further() -> None:
    shelf = Shelf(inbox("ur" * 1_000))
    shelf.register(a_phone())

    page = conversations(some_deps(shelf), "acme", ConversationsQuery(limit=100))

    assert len(page.result.conversations) == 100
    assert page.cursor is not None
    assert shelf.read == 2 * 101


def test_an_empty_inbox_is_one_empty_page() -> None:
    assert pages(Shelf()) == [[]]


def test_without_a_seal_key_nothing_is_read() -> None:
    seal_keys: list[object] = ["", [], None, 7]
    for seal_key in seal_keys:
        deps = ApiDependencies(table=Shelf(), bucket=NO_BUCKET, seal_secret=Sealed(seal_key))
        with pytest.raises(SecretUnreadable):
            _ = deps.seal


def test_the_newest_seal_key_seals_and_the_older_ones_still_open() -> None:
    deps = ApiDependencies(table=Shelf(), bucket=NO_BUCKET, seal_secret=Sealed(["new", "old"]))

    assert deps.seal == Seal("new", older=("old",))


def test_an_ambiguous_number_filter_selects_no_number() -> None:
    shelf = Shelf()
    shelf.register(a_phone(), a_phone("306540352242944"))

    with pytest.raises(PhoneRequired):
        conversations(some_deps(shelf), "acme", ConversationsQuery(phone="15550783881"))
