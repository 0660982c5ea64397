"""Any agent labels a conversation, snoozes it and writes internal notes."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.lifecycle.status import Status
from conversations.store import states
from conversations.store.annotations import agent_changes
from conversations.store.annotations.agent_changes import Change
from conversations.store.items.conversation import ChannelMethod
from events.conversations import sample_data
from shared.aws.dynamodb.values import decoded
from shared.runtime import clock
from tests.integration.conversations.admin.agents.annotations import kept_until, shown
from tests.integration.conversations.harness import CAROL, DAN, Harness

NOTES = "GET /conversations/{ref}/notes"


def logged(harness: Harness) -> dict[tuple[str, str], dict[str, Any]]:
    """The items of the log by key."""
    log = harness.resources.log
    items = log._client.scan(TableName=log.name)["Items"]
    return {(str(row["pk"]), str(row["sk"])): row for row in map(decoded, items)}


def test_a_conversation_is_opened_with_messages_and_notes_in_one_call(harness: Harness) -> None:
    ref = harness.begin()
    for words in ("Hello?", "Anyone?"):
        harness.later()
        harness.says(ref, words)
    harness.on(ref, "notes", CAROL | {"text": "a regular"})

    asked = {"messages": 1, "notes": 5}
    opened = harness.call("GET /conversations/{ref}", ref=ref, query=asked).result

    assert [one["content"] for one in opened["messages"]["messages"]] == ["Anyone?"]
    before = {"before": opened["messages"]["before"]}
    older = harness.call("GET /conversations/{ref}/messages", ref=ref, query=before).result
    assert "Hello?" in [one["content"] for one in older["messages"]]
    assert [one["text"] for one in opened["notes"]["notes"]] == ["a regular"]
    assert not {"messages", "notes", "consent"} & harness.look(ref).keys()


def test_a_conversation_is_opened_with_the_consent_of_its_customer_on_its_channel(
    harness: Harness,
) -> None:
    ref = harness.begin()
    asked = {"consent": "true"}
    line = "GET /conversations/{ref}"
    assert harness.call(line, ref=ref, query=asked).result["consent"]["state"] == "unknown"

    stated = {"recipient": sample_data.CANDIDATE, "channels": ["*"], "evidence": "a call"}
    harness.call("POST /opt-outs", stated)

    found = harness.call(line, ref=ref, query=asked).result["consent"]
    assert (found["state"], found["channel"]) == ("opted_out", harness.look(ref)["channel_method"])


# Labels


def test_labels_are_replaced_as_a_whole(harness: Harness) -> None:
    ref = harness.begin()
    assert shown(harness, ref) == ([], None, 0)

    first = harness.on(ref, "labels", CAROL | {"labels": ["vip", "bikes", "vip"], "revision": 0})
    assert first.result == {"ref": ref, "revision": 1}
    assert shown(harness, ref) == (["bikes", "vip"], None, 1)

    harness.on(ref, "labels", CAROL | {"labels": ["bikes"], "revision": 1})
    assert shown(harness, ref) == (["bikes"], None, 2)

    harness.on(ref, "labels", CAROL | {"labels": [], "revision": 2})
    assert shown(harness, ref) == ([], None, 3)
    assert harness.state(ref).revised_by == "carol"


def test_labels_based_on_an_older_revision_are_refused(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "labels", CAROL | {"labels": ["vip"], "revision": 0})

    answer = harness.on(ref, "labels", DAN | {"labels": ["bikes"], "revision": 0})

    assert (answer.status, answer.error) == (409, "state_conflict")
    assert shown(harness, ref) == (["vip"], None, 1)


def test_labels_that_are_set_already_change_nothing(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "labels", CAROL | {"labels": ["vip"], "revision": 0})
    before = harness.state(ref)

    again = harness.on(ref, "labels", DAN | {"labels": ["vip"], "revision": 1})

    assert again.result["revision"] == 1
    assert harness.state(ref) == before


def test_a_conversation_that_is_closed_or_held_by_a_colleague_may_be_labelled(
    harness: Harness,
) -> None:
    closed = harness.begin(status=Status.CLOSED)
    held = harness.begin("held", status=Status.HANDOFF_ACTIVE, owner="dan")

    for ref in (closed, held):
        harness.on(ref, "labels", CAROL | {"labels": ["vip"], "revision": 0})
        assert shown(harness, ref)[0] == ["vip"]


def test_neither_messages_nor_a_take_over_change_labels_or_their_revision(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "labels", CAROL | {"labels": ["vip"], "revision": 0})

    harness.says(ref, "Hello?")
    harness.on(ref, "take-over", DAN)
    harness.on(ref, "close", DAN)
    harness.on(ref, "reopen", DAN)

    assert shown(harness, ref) == (["vip"], None, 1)


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("labels", {"labels": ["vip"], "revision": 0}),
        ("snooze", {"snoozed_until": "2026-06-01T12:00:00Z", "revision": 0}),
        ("notes", {"text": "Prefers nights"}),
    ],
)
def test_a_repeated_change_is_made_once_even_if_its_answer_was_not_stored(
    harness: Harness, what: str, body: dict[str, Any]
) -> None:
    ref = harness.begin()
    first = harness.on(ref, what, CAROL | body, key="the-same-key")
    before = logged(harness)
    answers = [key for key in before if key[0].startswith("IDEMPOTENCY#")]
    for pk, sk in answers:
        harness.resources.log.delete({"pk": pk, "sk": sk})
    harness.later()

    again = harness.on(ref, what, CAROL | body, key="the-same-key")

    assert len(answers) == 1
    assert (again.status, again.result) == (first.status, first.result)
    after = logged(harness)
    assert {key: row for key, row in after.items() if key not in answers} == {
        key: row for key, row in before.items() if key not in answers
    }


def test_no_stored_answer_has_a_label_or_a_note(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "labels", CAROL | {"labels": ["knows Ann"], "revision": 0})
    harness.on(ref, "notes", CAROL | {"text": "ring the bell"})

    rows = logged(harness).items()
    answers = [str(row) for key, row in rows if key[0].startswith("IDEMPOTENCY#")]
    assert len(answers) == 2
    assert not any("knows Ann" in one or "ring the bell" in one for one in answers)


# Notes


def test_notes_are_listed_newest_first_and_are_no_messages(harness: Harness) -> None:
    ref = harness.begin()
    harness.says(ref, "Hello?")
    before = harness.state(ref)
    for number in range(3):
        harness.later()
        assert harness.on(ref, "notes", CAROL | {"text": f"note {number} @dan"}).status == 201

    first = harness.call(NOTES, ref=ref, query={"limit": 2}).result
    rest = harness.call(NOTES, ref=ref, query={"limit": 2, "before": first["before"]}).result

    assert [note["text"] for note in first["notes"]] == ["note 2 @dan", "note 1 @dan"]
    assert [note["text"] for note in rest["notes"]] == ["note 0 @dan"]
    assert "before" not in rest
    assert first["notes"][0]["by"] == "carol"
    messages = harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]
    assert [message["content"] for message in messages] == ["Hello?"]
    assert harness.state(ref) == before


def test_the_same_words_in_two_calls_are_two_notes(harness: Harness) -> None:
    ref = harness.begin()

    for _ in range(2):
        harness.on(ref, "notes", CAROL | {"text": "called, no answer"})

    assert len(harness.call(NOTES, ref=ref).result["notes"]) == 2


def test_notes_belong_to_one_conversation(harness: Harness) -> None:
    one = harness.begin("one")
    other = harness.begin("other", channel=ChannelMethod.WHATSAPP)
    harness.on(one, "notes", CAROL | {"text": "about one"})

    assert harness.call(NOTES, ref=other).result["notes"] == []


def test_a_note_is_kept_as_long_as_its_conversation(harness: Harness) -> None:
    ref = harness.begin()
    ttl = harness.now[0] // clock.SECOND_MS + clock.DAY_SECONDS
    kept_until(harness, ref, ttl)

    harness.on(ref, "notes", CAROL | {"text": "soon gone"})

    (note,) = [row for key, row in logged(harness).items() if key[1].startswith("NOTE#")]
    assert note["ttl"] == ttl


def test_an_erased_conversation_takes_no_label_and_no_note(harness: Harness) -> None:
    ref = harness.begin()
    opened_by_then = harness.state(ref)
    harness.resources.log.update(
        {"pk": f"CONV#{ref}", "sk": "STATE"}, put={"erased_at": harness.later()}
    )

    made = Change(fields={"labels": {"vip"}}, cause="1", by="carol")
    with pytest.raises(states.Gone):
        agent_changes.change(harness.resources.log, ref, opened_by_then, made)
    assert harness.on(ref, "notes", CAROL | {"text": "late"}).status == 404
