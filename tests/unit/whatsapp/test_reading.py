"""Reading the inbox: pages without gaps or repetitions, bounded calls."""

from collections.abc import Sequence
from typing import Any

import pytest
from boto3.dynamodb.conditions import ConditionBase
from hypothesis import given
from hypothesis import strategies as st

from shared.api.opaque_ids import Seal
from shared.aws.dynamodb import Attributes, Table
from shared.aws.s3 import Bucket
from shared.aws.secrets import JsonSecret, SecretUnreadable
from shared.runtime import clock
from whatsapp import store
from whatsapp.api import queries
from whatsapp.api.inputs import ConversationsQuery
from whatsapp.api.queries import ApiDependencies, PhoneRequired
from whatsapp.store.items import Phone, PhoneList

PHONE = "106540352242922"
NO_BUCKET = Bucket(lambda: pytest.fail("nothing here calls S3"), "media")
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

    def get_many(self, keys: Sequence[Attributes]) -> list[Attributes]:
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
    ) -> tuple[list[Attributes], Attributes | None]:
        assert newest_first
        places = {entry["pk"]: place for place, entry in enumerate(self.entries)}
        begin = places[start["pk"]] + 1 if start else 0
        page = list(self.entries[begin : begin + (limit or 1)])
        self.read += len(page)
        # As DynamoDB does: a full page has a last evaluated key, even if nothing follows.
        last = page[-1] if len(page) == limit else None
        key = ("pk", "inboxPk", "receivedAt")
        return page, {name: last[name] for name in key} if last else None

    def register(self, *phones: Phone) -> None:
        names = ("phone", "company", "phone_arn", "display_phone")
        listed = [phone.model_dump(include=set(names), by_alias=True) for phone in phones]
        self.items[PhoneList.pk_pattern] = {"pk": PhoneList.pk_pattern, "phones": listed}
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


def some_deps(shelf: Shelf) -> ApiDependencies:
    return ApiDependencies(table=shelf, bucket=NO_BUCKET, seal_secret=Sealed())


def pages(shelf: Shelf, **query: Any) -> list[list[str]]:
    """The customers of all pages, one list per call."""
    shelf.register(a_phone())
    store.phones.forget()
    found, cursor = [], None
    while True:
        asked = ConversationsQuery(cursor=cursor, **query)
        before = shelf.read
        page = queries.conversations(some_deps(shelf), "acme", asked)
        assert shelf.read - before <= queries.ENTRIES_PER_CALL
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
        patch.setattr(queries, "ENTRIES_PER_CALL", 12)
        patch.setattr(queries, "ENTRIES_PER_QUERY", 4)
        found = pages(Shelf(inbox(kinds)), limit=limit, archived=archived)

    assert [customer for page in found for customer in page] == [
        str(place) for place, kind in enumerate(kinds) if kind in wanted
    ]
    assert all(len(page) <= limit for page in found)


def test_a_call_reads_at_most_two_thousand_entries_and_returns_a_cursor_for_the_rest() -> None:
    assert pages(Shelf(inbox("m" * 4_100 + "c" + "m" * 300 + "c"))) == [[], [], ["4100", "4401"]]


def test_a_full_page_reads_no_further() -> None:
    shelf = Shelf(inbox("c" * 100 + "m" * 3_000))
    shelf.register(a_phone())

    page = queries.conversations(some_deps(shelf), "acme", ConversationsQuery(limit=100))

    assert len(page.result.conversations) == 100
    assert page.cursor is not None
    assert shelf.read == queries.ENTRIES_PER_QUERY


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
        queries.conversations(some_deps(shelf), "acme", ConversationsQuery(phone="15550783881"))
