"""`python -m operations identity`: an operator links contacts, undoes a link, and sees why it was made."""

import pytest

from operations.contexts.whatsapp import identity
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from whatsapp import store
from whatsapp.store.conversations.agent_changes import Change

P, USER = "447700900101", "GB.1"
T = NOW // 1000 - 1_000
NUMBER = f"CONV#{PHONE}#{P}"
PERSON = f"CONV#{PHONE}#{USER}"


def run(harness: Harness, *words: str) -> int:
    return identity.main([*words, "--phone", PHONE, "--table", harness.resources.table.name])


def two_contacts(harness: Harness) -> None:
    user = {"from": None, "from_user_id": USER}
    harness.take({"messages": [text("wamid.1", at=T, sender="") | user]})
    harness.take(
        {"messages": [text("wamid.2", at=T + 1, sender=P), text("wamid.3", at=T + 2, sender=P)]}
    )


def test_a_link_joins_two_conversations_and_says_who_made_it(
    harness: Harness, capsys: pytest.CaptureFixture[str]
) -> None:
    two_contacts(harness)

    for _ in range(2):
        code = run(harness, "link", P, USER, "--reason", "same person, by phone")

    assert code == 1, "the second time there is nothing to link"
    primary, linked = harness.item(PERSON), harness.item(NUMBER)
    assert (primary["unreadCount"], primary["lastMessagePk"]) == (3, "MSG#wamid.3")
    assert primary["linkedConversations"] == {NUMBER}
    assert (linked["linkedTo"], "inboxPk" in linked) == (PERSON, False)
    record = harness.item(f"LINK#{PHONE}#{P}#0001")
    assert (record["state"], record["reason"]) == ("linked", "same person, by phone")
    assert record["changedBy"].startswith("arn:aws:")
    capsys.readouterr()
    assert run(harness, "show", USER) == 0
    assert "same person, by phone" in capsys.readouterr().out


def test_an_undone_link_restores_both_conversations(harness: Harness) -> None:
    two_contacts(harness)
    before = {key: harness.item(key) for key in (PERSON, NUMBER)}
    run(harness, "link", P, USER, "--reason", "a guess")

    for _ in range(2):
        assert run(harness, "unlink", P, "--reason", "two people") == 0

    after = {key: harness.item(key) for key in (PERSON, NUMBER)}
    shown = (
        "unreadCount", "lastMessagePk", "lastPreview", "receivedAt", "inboxPk", "linkedTo", "listPk",
    )  # fmt: skip
    for key, head in after.items():
        assert {name: head.get(name) for name in shown} == {
            name: before[key].get(name) for name in shown
        }
    assert not after[PERSON].get("linkedConversations")
    assert harness.item(f"LINK#{PHONE}#{P}#0002")["state"] == "unlinked"
    assert harness.item(f"LINK#{PHONE}#{P}#0003") == {}


def test_a_linked_conversation_is_in_no_list_and_the_other_one_is_in_those_of_both(
    harness: Harness,
) -> None:
    two_contacts(harness)
    table = harness.resources.table
    for key, up_to in ((PERSON, "z"), (NUMBER, "")):
        head = store.heads.get(table, key)
        assert head is not None
        fields = {"assignee": "ada"}
        change = Change(fields=fields, revision=None, cause="c", by="k", at="t")
        head = store.agent_changes.apply(table, head, change)
        position = up_to and str(head.last_key)
        store.read_marks.mark_read(table, head, up_to=position, by="k", at="t")
    assert harness.item(PERSON)["listPk"] == f"{PHONE}#open#read"

    run(harness, "link", P, USER, "--reason", "same person")

    assert not harness.item(NUMBER).keys() & {"listPk", "assigneePk", "inboxPk"}
    assert harness.item(PERSON)["listPk"] == f"{PHONE}#open#unread"
    assert harness.item(PERSON)["assigneePk"] == "acme#ada#open#unread"

    run(harness, "unlink", P, "--reason", "two people")

    assert harness.item(NUMBER)["listPk"] == f"{PHONE}#open#unread"
    assert harness.item(NUMBER)["assigneePk"] == "acme#ada#open#unread"
    assert harness.item(PERSON)["listPk"] == f"{PHONE}#open#read"


def test_contacts_that_an_operator_unlinked_stay_apart(harness: Harness) -> None:
    two_contacts(harness)
    harness.take({"messages": [text("wamid.4", at=T + 3, sender=P, from_user_id=USER)]})
    assert harness.item(NUMBER)["linkedTo"] == PERSON

    run(harness, "unlink", P, "--reason", "two people")
    harness.take({"messages": [text("wamid.5", at=T + 4, sender=P, from_user_id=USER)]})
    harness.take({"messages": [text("wamid.6", at=T + 5, sender=P)]})

    assert harness.item("MSG#wamid.5")["conversationPk"] == PERSON
    assert harness.item("MSG#wamid.6")["conversationPk"] == NUMBER
    assert "linkedTo" not in harness.item(NUMBER)


def test_a_message_whose_worker_knew_no_link_is_counted_in_the_continued_conversation(
    harness: Harness,
) -> None:
    two_contacts(harness)
    run(harness, "link", P, USER, "--reason", "same person")
    # As if its worker had read the alias before the link.
    harness.resources.table.update({"pk": f"ALIAS#WAID#{PHONE}#{P}"}, drop=["linkedTo"])

    for _ in range(2):
        harness.take({"messages": [text("wamid.4", at=T + 3, sender=P)]})

    assert harness.item(PERSON)["unreadCount"] == 4
    assert harness.item(PERSON)["lastMessagePk"] == "MSG#wamid.4"
    assert "inboxPk" not in harness.item(NUMBER)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("link", P, "447700900777", "--reason", "x"), "447700900777: has no conversation"),
        (("unlink", P, "--reason", "x"), f"{P}: is not linked"),
        (("show", "GB.404"), "GB.404: has no conversation"),
    ],
)
def test_a_refusal_names_the_contact_and_the_rule(
    harness: Harness, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], problem: str
) -> None:
    two_contacts(harness)

    assert run(harness, *words) == 1
    assert problem in capsys.readouterr().err
