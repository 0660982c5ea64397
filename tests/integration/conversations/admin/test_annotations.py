"""Any agent labels a conversation, snoozes it and writes internal notes."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.lifecycle.status import Status
from conversations.store import conversations, states
from conversations.store.annotations import agent_changes
from conversations.store.annotations.agent_changes import Change
from conversations.store.items.conversation import ChannelMethod
from events.conversations import sample_data
from shared.aws.dynamodb.values import decoded
from shared.runtime import clock
from tests.integration.conversations.harness import CAROL, DAN, Harness

NOTES = "GET /conversations/{ref}/notes"


def ahead(harness: Harness, **units: int) -> str:
    """A time after now: `days`, `hours`."""
    hours = units.get("days", 0) * 24 + units.get("hours", 0)
    return clock.to_text(harness.now[0] + hours * clock.HOUR_MS)


def shown(harness: Harness, ref: str) -> tuple[list[str], str | None, int]:
    view = harness.look(ref)
    return view["labels"], view.get("snoozed_until"), view["revision"]


def snoozed(harness: Harness, ref: str, until: str) -> None:
    answer = harness.on(ref, "snooze", CAROL | {"snoozed_until": until})
    assert answer.status == 200, answer.body


def logged(harness: Harness) -> dict[tuple[str, str], dict[str, Any]]:
    """The items of the log by key."""
    log = harness.resources.log
    items = log._client.scan(TableName=log.name)["Items"]
    return {(str(row["pk"]), str(row["sk"])): row for row in map(decoded, items)}


def kept_until(harness: Harness, ref: str, ttl: int) -> None:
    """Set when a conversation is deleted (epoch seconds)."""
    item = harness.item(ref)
    table = harness.resources.table
    conversations.change(table, item.primary_channel, item.conversation_id, lambda _: {"ttl": ttl})


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


# Snooze


def test_a_snooze_ends_by_itself(harness: Harness) -> None:
    ref = harness.begin()
    until = ahead(harness, hours=3)

    snoozed(harness, ref, until)

    assert shown(harness, ref) == ([], until, 1)
    harness.later(3 * clock.HOUR_MS)
    assert shown(harness, ref) == ([], None, 1)


def test_a_snooze_is_given_in_any_time_zone(harness: Harness) -> None:
    ref = harness.begin()

    snoozed(harness, ref, "2026-06-01T14:00:00+02:00")

    assert shown(harness, ref)[1] == "2026-06-01T12:00:00.000Z"


def test_a_new_message_of_the_customer_wakes_a_conversation(harness: Harness) -> None:
    ref = harness.begin()
    snoozed(harness, ref, ahead(harness, days=2))

    harness.says(ref, "Hello?")

    assert shown(harness, ref)[1] is None


def test_a_message_that_came_while_another_was_sent_wakes_a_conversation(harness: Harness) -> None:
    """The sent message is newer, so only the time of the customer's message moves."""
    ref = harness.begin()
    at = harness.later()
    states.note(harness.resources.log, ref, last_message_at=harness.later())
    snoozed(harness, ref, ahead(harness, days=2))

    states.take_inbound(harness.resources.log, ref, at, window_until=None)

    assert shown(harness, ref)[1] is None


def test_a_message_that_is_delivered_again_does_not_end_a_later_snooze(harness: Harness) -> None:
    ref = harness.begin()
    message = harness.says(ref, "Hello?")
    until = ahead(harness, days=2)
    snoozed(harness, ref, until)

    states.take_inbound(harness.resources.log, ref, message.message_timestamp, window_until=None)

    assert shown(harness, ref)[1] == until


def test_an_answer_of_an_agent_leaves_a_conversation_snoozed(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_ACTIVE, owner="carol")
    until = ahead(harness, days=2)
    snoozed(harness, ref, until)

    harness.on(ref, "messages", CAROL | {"text": "I will ask."})
    harness.says(ref, "I will ask.", author="human:carol")

    assert shown(harness, ref)[1] == until


def test_an_agent_wakes_a_conversation_once(harness: Harness) -> None:
    ref = harness.begin()
    snoozed(harness, ref, ahead(harness, days=2))

    assert harness.on(ref, "wake", CAROL).result == {"ref": ref, "revision": 2}
    assert harness.on(ref, "wake", DAN).result == {"ref": ref, "revision": 2}
    assert shown(harness, ref) == ([], None, 2)


def test_the_later_of_two_snoozes_without_a_revision_wins(harness: Harness) -> None:
    ref = harness.begin()
    snoozed(harness, ref, ahead(harness, days=2))
    until = ahead(harness, hours=1)

    snoozed(harness, ref, until)

    assert shown(harness, ref)[1:] == (until, 2)


def test_a_snooze_based_on_an_older_revision_is_refused(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "labels", CAROL | {"labels": ["vip"], "revision": 0})

    body = DAN | {"snoozed_until": ahead(harness, days=1), "revision": 0}
    answer = harness.on(ref, "snooze", body)

    assert (answer.status, answer.error) == (409, "state_conflict")


@pytest.mark.parametrize("status", [Status.CLOSED, Status.OPTED_OUT])
def test_a_conversation_that_is_over_cannot_be_snoozed(harness: Harness, status: Status) -> None:
    ref = harness.begin(status=status)

    answer = harness.on(ref, "snooze", CAROL | {"snoozed_until": ahead(harness, days=1)})

    assert (answer.status, answer.error) == (409, "not_open")
    assert harness.state(ref).snoozed_until is None


def test_a_conversation_that_was_closed_is_not_snoozed_when_it_is_reopened(
    harness: Harness,
) -> None:
    ref = harness.begin()
    snoozed(harness, ref, ahead(harness, days=2))

    harness.on(ref, "close", CAROL)
    harness.on(ref, "reopen", CAROL)

    assert shown(harness, ref)[1] is None


def test_a_snooze_meets_a_close(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """The conversation is closed between the check and the write: it is not snoozed."""
    ref = harness.begin()
    change = agent_changes.change

    def closes_first(*arguments: Any) -> Any:
        monkeypatch.setattr(agent_changes, "change", change)
        harness.on(ref, "close", DAN)
        return change(*arguments)

    monkeypatch.setattr(agent_changes, "change", closes_first)
    answer = harness.on(ref, "snooze", CAROL | {"snoozed_until": ahead(harness, days=1)})

    assert (answer.status, answer.error) == (409, "not_open")
    assert harness.state(ref).snoozed_until is None


def test_labels_and_a_snooze_at_once_are_both_set(harness: Harness) -> None:
    ref = harness.begin()
    log, seen = harness.resources.log, harness.state(ref)
    labels = Change(fields={"labels": {"vip"}}, cause="1", by="carol")
    assert agent_changes.change(log, ref, seen, labels) is not None
    until = ahead(harness, days=1)

    stale = Change(fields={"snoozed_until": until}, cause="2", by="dan")
    assert agent_changes.change(log, ref, seen, stale) is None
    snoozed(harness, ref, until)

    assert shown(harness, ref) == (["vip"], until, 2)


def test_a_conversation_cannot_be_snoozed_beyond_its_deletion(harness: Harness) -> None:
    ref = harness.begin()
    kept_until(harness, ref, harness.now[0] // clock.SECOND_MS + clock.DAY_SECONDS)

    late = harness.on(ref, "snooze", CAROL | {"snoozed_until": ahead(harness, days=2)})

    assert list(late.problems) == ["snoozed_until"]
    assert "is deleted" in late.problems["snoozed_until"]
    snoozed(harness, ref, ahead(harness, hours=12))


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
