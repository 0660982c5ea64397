"""Lists filtered by number, unread, archived, status or assignee return full pages in an inbox of any size."""

from collections.abc import Iterator
from typing import Any

import pytest
from boto3.dynamodb.conditions import Key

from shared.runtime import clock
from tests.integration.whatsapp.api.conftest import Api, second_number
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from whatsapp import store
from whatsapp.api.conversations import conversation_lists
from whatsapp.store.conversations import head_writes
from whatsapp.store.items import Conversation, Message

ARN = f"arn:parley:whatsapp:::phone-number-id/{PHONE}"
NEWER_MESSAGES = 12_000
OTHERS = 150  # conversations of each kind that a filter leaves out: more than a page


def head(number: int, at_ms: int, **facts: Any) -> Conversation:
    customer = f"4477{number:08}"
    made = Conversation(
        pk=Conversation.key(PHONE, customer),
        company="acme",
        phone=PHONE,
        inbox_pk=ARN,
        from_=customer,
        received_at=clock.to_text(at_ms),
        last_key="0" * 13,
        **facts,
    )
    lists = head_writes.lists_of(made)
    return made.model_copy(
        update={"list_pk": lists["listPk"], "assignee_pk": lists.get("assigneePk")}
    )


def write(harness: Harness, items: list[dict[str, Any]]) -> None:
    for first in range(0, len(items), 25):
        harness.resources.table.put_many(items[first : first + 25])


@pytest.fixture
def queries(harness: Harness, api: Api) -> Iterator[list[str]]:
    """The indexes that the API queried, one entry per query."""
    made: list[str] = []
    client = api.module.deps.table._client
    client.meta.events.register(
        "before-parameter-build.dynamodb.Query",
        lambda params, **_: made.append(params["IndexName"]),
        unique_id="full-pages",
    )
    yield made
    client.meta.events.unregister("before-parameter-build.dynamodb.Query", unique_id="full-pages")


@pytest.mark.long
def test_thirty_conversations_behind_12_000_newer_messages_of_another_customer_take_one_call(
    harness: Harness, api: Api, queries: list[str]
) -> None:
    older = [head(n, NOW - 90_000_000 + n, unread_count=n % 2) for n in range(30)]
    busy = head(99, NOW, unread_count=1)
    message = Message(
        pk="-", company="acme", phone=PHONE, direction="INBOUND", received_at="-", from_="4477",
        from_pk="4477", conversation_pk=busy.pk, type="text", inbox_pk=ARN, payload_hash="-",
    ).attributes()  # fmt: skip
    messages = [
        message | {"pk": f"MSG#wamid.{n}", "receivedAt": clock.to_text(NOW - n)}
        for n in range(NEWER_MESSAGES)
    ]
    write(harness, [one.attributes() for one in (*older, busy)] + messages)

    answer = api.get(limit=31)

    found = [entry["customer"] for entry in answer.body["result"]["conversations"]]
    assert found == [busy.from_, *(one.from_ for one in reversed(older))]
    assert "cursor" not in answer.body
    assert set(queries) == {"gsi_inbox_list"}


@pytest.mark.parametrize(
    ("query", "fitting", "other"),
    [
        ({"unread": "true"}, {"unread_count": 1}, {"unread_count": 0}),
        ({"unread": "false"}, {"unread_count": 0}, {"unread_count": 1}),
        ({"archived": "true"}, {"archived": True}, {"archived": False}),
        ({"archived": "false"}, {"archived": False}, {"archived": True}),
        ({"status": "open", "archived": "false"}, {}, {"status": "resolved"}),
        ({"status": "resolved"}, {"status": "resolved"}, {}),
        ({"assignee": "ada"}, {"assignee": "ada"}, {"assignee": "bob"}),
        ({"assignee": "ada"}, {"assignee": "ada"}, {}),
        (
            {"assignee": "ada", "unread": "true", "archived": "false"},
            {"assignee": "ada", "unread_count": 1},
            {"assignee": "ada", "archived": True, "unread_count": 1},
        ),
    ],
)
def test_a_page_is_full_behind_newer_conversations_that_do_not_fit(
    harness: Harness, api: Api, query: Any, fitting: Any, other: Any
) -> None:
    wanted = [head(n, NOW - 1_000_000 + n, **fitting) for n in range(30)]
    others = [head(1_000 + n, NOW + n, **other) for n in range(OTHERS)]
    write(harness, [one.attributes() for one in (*wanted, *others)])

    first = api.get(limit=20, **query)
    second = api.get(limit=20, cursor=first.body["cursor"], **query)

    pages = [page.body["result"]["conversations"] for page in (first, second)]
    assert [len(page) for page in pages] == [20, 10]
    found = [entry["customer"] for page in pages for entry in page]
    assert found == [one.from_ for one in reversed(wanted)]
    assert "cursor" not in second.body


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_conversations_of_the_same_time_are_listed_once_over_pages_of_any_size(
    harness: Harness, api: Api, limit: int
) -> None:
    heads = [
        head(n, NOW - n // 6, unread_count=n % 2, archived=n % 3 == 0, status="resolved" if n % 5 else None)
        for n in range(24)
    ]  # fmt: skip
    write(harness, [one.attributes() for one in heads])

    pages = [page["conversations"] for page in api.pages(limit=limit)]

    found = [entry["customer"] for page in pages for entry in page]
    assert sorted(found) == sorted(str(one.from_) for one in heads)
    times = [entry["lastMessageAt"] for page in pages for entry in page]
    assert times == sorted(times, reverse=True)
    assert all(len(page) == limit for page in pages[:-1])
    assert pages[-1]


def test_a_conversation_that_changes_its_list_between_two_pages_is_not_repeated(
    harness: Harness, api: Api
) -> None:
    for number in range(4):
        sender = f"44770090010{number}"
        harness.take(
            {"messages": [text(f"wamid.{number}", sender=sender, at=NOW // 1000 - 60 + number)]}
        )
    first = api.get(limit=2).body
    shown = [entry["key"] for entry in first["result"]["conversations"]]
    api.change(shown[0], status="resolved")
    api.change(shown[1], archived=True)

    rest = api.conversations(limit=4, cursor=first["cursor"])

    assert len(rest) == 2
    assert not {entry["key"] for entry in rest} & set(shown)


def test_an_assignee_has_one_list_over_all_numbers_which_a_number_narrows(
    harness: Harness, api: Api
) -> None:
    store.phones.register(harness.resources.table, second_number())
    other = {"phone_number_id": "206540352242933", "display_phone_number": "15550783999"}
    harness.take({"messages": [text("wamid.1")]})
    harness.take({"messages": [text("wamid.2")], "metadata": other})
    for phone in (PHONE, "206540352242933"):
        api.change(api.conversations(phone=phone)[0]["key"], assignee="ada")

    assert {entry["phone"] for entry in api.conversations(assignee="ada")} == {
        PHONE,
        "206540352242933",
    }
    assert [entry["phone"] for entry in api.conversations(assignee="ada", phone=PHONE)] == [PHONE]
    assert api.conversations(assignee="bob") == []


def test_a_team_has_a_list_as_an_agent_has_and_someone_takes_its_conversation(
    harness: Harness, api: Api
) -> None:
    harness.take({"messages": [text("wamid.1")]})
    (shown,) = api.conversations(phone=PHONE)
    api.change(shown["key"], assignee="team:sales")
    assert [entry["key"] for entry in api.conversations(assignee="team:sales")] == [shown["key"]]

    api.change(shown["key"], assignee="user:ada")

    assert api.conversations(assignee="team:sales") == []
    assert [entry["key"] for entry in api.conversations(assignee="user:ada")] == [shown["key"]]


@pytest.mark.parametrize("of_assignee", [False, True])
def test_a_list_has_every_attribute_of_its_conversations_also_one_that_was_added_later(
    harness: Harness, of_assignee: bool
) -> None:
    """No index names attributes: a further one is in both lists without a change of the table."""
    stored = head(1, NOW, assignee="ada", unread_count=1).attributes()
    filled = {
        field.alias or Conversation.name_of(name)
        for name, field in Conversation.model_fields.items()
    }
    further = dict.fromkeys(filled - stored.keys(), "x") | {"addedLater": "x"}
    write(harness, [stored | further])
    listed = (
        store.conversation_lists.of_assignee("acme", "ada", ["open"], [True])
        if of_assignee
        else store.conversation_lists.of_number(PHONE, ["open"], [True])
    )

    [partition] = listed.partitions
    condition = Key(Conversation.name_of(listed.field)).eq(partition)
    [found], _ = harness.resources.table.query(listed.index, condition)

    assert found == stored | further


@pytest.mark.parametrize(
    "assignee", ["api-key:0123456789abcdef", "client:till", "Team:sales", "team:Sales", "USER:ada", "human:ada"]
)  # fmt: skip
def test_a_conversation_is_not_assigned_to_software_or_to_what_resembles_another_kind(
    harness: Harness, api: Api, assignee: str
) -> None:
    harness.take({"messages": [text("wamid.1")]})
    (shown,) = api.conversations(phone=PHONE)

    answer = api.send("PATCH /whatsapp/conversations/{key}", shown["key"], {"assignee": assignee})

    assert answer.status == 400
    assert answer.body["error"]["details"][0]["field"] == "assignee"
    assert api.conversations(assignee=assignee) == []


def test_a_label_is_compared_entry_by_entry_up_to_a_bound(
    harness: Harness, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation_lists, "ENTRIES_PER_CALL", 20)
    heads = [head(n, NOW + n, labels={"vip", "b"} if n < 3 else {"b"}) for n in range(50)]
    write(harness, [one.attributes() for one in heads])

    pages = [page["conversations"] for page in api.pages(label="vip", limit=10)]

    assert [len(page) for page in pages] == [0, 0, 3]
    assert {tuple(entry["labels"]) for entry in pages[-1]} == {("b", "vip")}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"unread": "yes"}, "unread"),
        ({"status": "closed"}, "status"),
        ({"assignee": "a#b"}, "assignee"),
        ({"label": ""}, "label"),
        ({"label": "x" * 51}, "label"),
    ],
)
def test_an_invalid_filter_is_refused_by_name(api: Api, query: Any, field: str) -> None:
    answer = api.get(**query)

    assert (answer.status, answer.error, answer.fields) == (400, "invalid_input", [field])


def test_a_cursor_belongs_to_all_filters(harness: Harness, api: Api) -> None:
    write(harness, [head(n, NOW + n).attributes() for n in range(3)])
    cursor = api.get(limit=1).body["cursor"]

    filters: list[dict[str, Any]] = [
        {"unread": "false"}, {"status": "open"}, {"label": "x"}, {"assignee": "ada"},
    ]  # fmt: skip
    for query in filters:
        assert api.get(limit=1, cursor=cursor, **query).error == "invalid_cursor"
