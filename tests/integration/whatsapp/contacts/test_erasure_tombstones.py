"""After an erasure no event of the contact from before it is stored, whenever it arrives and whether it was known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.providers.action_ledger import Action, OnDoubt, State
from shared.runtime import clock
from shared.runtime.failures import Permanent
from tests.integration.whatsapp.conftest import PHONE, T0, Harness, text
from tests.integration.whatsapp.contacts.test_privacy_jobs import NEW_NUMBER, NUMBER, erase, sent
from tests.integration.whatsapp.updates.test_groups import CREATED, participants_joined
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.privacy import erasure
from whatsapp.recovery import parking
from whatsapp.store.items import Intent, Message
from whatsapp.worker.messages import sent_messages

WORDS = "canary-words"
AFTER = 7_200  # seconds after T0: later than the erasure
USER = "GB.1"


@pytest.fixture
def erased(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Harness:
    """A customer with a number and a user id wrote and was erased."""
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    harness.take({"messages": [sent("first", 0, NUMBER, USER)]})
    erase(harness, NUMBER)
    return harness


def of_person(name: str, at: int = 60, **ids: str) -> dict[str, Any]:
    message = text(f"wamid.{name}", WORDS, at=T0 + at)
    return {**message, "from": NUMBER} | ids


def status(message_id: str, **more: Any) -> dict[str, Any]:
    facts = {"id": message_id, "status": "sent", "timestamp": str(T0 + 60)}
    return {"statuses": [facts | {"recipient_id": NUMBER} | more]}


def change(kind: str, **part: Any) -> dict[str, Any]:
    facts = {"id": f"wamid.{kind}", "from": NUMBER, "timestamp": str(T0 + 60), "type": kind}
    return {"messages": [facts | {kind: part}]}


def stored(harness: Harness) -> dict[str, Any]:
    return {key: harness.item(key) for key in harness.keys()}


def later(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """The person writes again after the erasure."""
    now = clock.now_ms() + 2 * AFTER * 1_000
    monkeypatch.setattr(clock, "now_ms", lambda: now)
    harness.take({"messages": [text("wamid.new", "hello again", at=T0 + AFTER) | {"from": NUMBER}]})


def saved() -> dict[str, Any]:
    """An entry of the address book of the business's app."""
    return {
        "type": "contact",
        "action": "add",
        "contact": {"full_name": WORDS, "phone_number": NUMBER},
        "metadata": {"timestamp": str(T0 + 60)},
    }


EARLIER = [
    {"messages": [of_person("late")]},
    {"messages": [of_person("late", from_user_id=USER)]},
    {"messages": [{**of_person("late", from_user_id=USER), "from": ""}]},
    {"messages": [{**of_person("late"), "group_id": "g-1"}]},
    change("edit", original_message_id="wamid.never", message={"type": "text", "text": {"body": WORDS}}),
    change("revoke", original_message_id="wamid.never"),
    change("reaction", message_id="wamid.never", emoji="👍"),
    status("wamid.never"),
    status("wamid.never", recipient_type="group", recipient_id="g-1", recipient_participant_id=NUMBER),
    {"field": "smb_app_state_sync", "state_sync": [saved()]},
    {"messages": [change("system", type="user_changed_number", wa_id=NEW_NUMBER)["messages"][0]]},
]  # fmt: skip


@pytest.mark.parametrize("value", EARLIER)
def test_an_event_that_was_never_stored_is_dropped_after_the_erasure(
    erased: Harness, value: dict[str, Any]
) -> None:
    before = stored(erased)

    assert erased.outcomes(value) == [Outcome.DUPLICATE]
    assert stored(erased) == before


@pytest.mark.parametrize("value", EARLIER)
def test_it_is_dropped_also_when_the_person_has_written_again(
    erased: Harness, monkeypatch: pytest.MonkeyPatch, value: dict[str, Any]
) -> None:
    later(erased, monkeypatch)
    assert erased.item("MSG#wamid.new")["textBody"] == "hello again"
    before = stored(erased)

    assert erased.outcomes(value) == [Outcome.DUPLICATE]
    assert stored(erased) == before


def test_an_event_of_an_erased_contact_is_not_parked(erased: Harness) -> None:
    before = stored(erased)
    (body,) = erased.bodies({"messages": [of_person("bad")]})
    parking.park(erased.resources, body, Permanent("conflict"))

    assert stored(erased) == before


def test_a_join_from_before_the_erasure_does_not_restore_the_participant(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    join = participants_joined(10, NUMBER)
    harness.take({"messages": [sent("first", 0, NUMBER, USER)]}, CREATED, join)
    erase(harness, NUMBER)
    harness.take(join)

    assert f"GROUP#g-1#PARTICIPANT#{NUMBER}" not in harness.keys()
    assert "participants" not in harness.item("GROUP#g-1")


def test_a_message_that_arrives_between_the_fence_and_the_end_is_dropped(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.take({"messages": [sent("first", 0, NUMBER, USER)]})
    monkeypatch.setattr(erasure, "SETTLES_MS", 60_000)
    with pytest.raises(Exception, match="privacy_job_settles"):
        erase(harness, NUMBER)

    assert harness.outcomes({"messages": [of_person("late")]}) == [Outcome.DUPLICATE]
    assert "MSG#wamid.late" not in harness.keys()


def test_a_tombstone_has_no_id_in_clear(erased: Harness) -> None:
    stones = {key: item for key, item in stored(erased).items() if key.startswith("ERASED#")}

    assert len(stones) == 2
    assert not any(each in json.dumps(stones, default=str) for each in (NUMBER, USER))


def test_a_number_that_changed_hands_loses_the_erased_owner(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    # The person's key is the first number; the second one was theirs, too, and has a new owner.
    harness.take({"messages": [sent("first", 0, NUMBER, USER)]})
    harness.take({"messages": [sent("second", 10, NEW_NUMBER, USER)]})
    harness.take({"messages": [sent("other", 20, NEW_NUMBER, "GB.9")]})
    erase(harness, NUMBER)

    number = harness.item(f"ALIAS#WAID#{PHONE}#{NEW_NUMBER}")
    assert number["target"] == "GB.9"
    assert NUMBER not in json.dumps(number, default=str)
    assert not [key for key in harness.keys() if key.startswith("ALIAS#OWNER#")]
    late = text("wamid.late", WORDS, at=T0 + 12) | {"from": NEW_NUMBER}
    assert harness.outcomes({"messages": [late]}) == [Outcome.DUPLICATE]
    assert "MSG#wamid.late" not in harness.keys()
    assert harness.outcomes({"messages": [sent("next", 30, NEW_NUMBER, "GB.9")]}) == [
        Outcome.PERSISTED
    ]


@pytest.mark.parametrize("value", EARLIER[4:9])
def test_a_change_or_status_whose_message_never_came_is_erased(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, value: dict[str, Any]
) -> None:
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    harness.take({"messages": [sent("first", 0, NUMBER, USER)]})
    before = set(harness.keys())
    harness.take(value)
    added = set(harness.keys()) - before
    assert added
    erase(harness, NUMBER)

    assert added.isdisjoint(harness.keys())


def test_a_send_in_doubt_loses_its_content_and_its_outcome_is_a_stub(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    harness.take({"messages": [sent("first", 0, NUMBER, USER)]})
    conversation = harness.item("MSG#wamid.first")["conversationPk"]
    at = clock.to_text(clock.now_ms() - 60_000)
    message = Message(
        pk="MSG#x", direction="OUTBOUND", received_at=at, type="text", text_body=WORDS, preview=WORDS,
        to=NUMBER, conversation_pk=conversation, phone=PHONE, payload_hash="h",
    ).attributes()  # fmt: skip
    del message["pk"]
    intent = Intent(
        pk=Intent.key("action"), company="acme", message=message, phone=PHONE, received_at=at,
        webhook_event_type=Intent.list_of("action"),
    )  # fmt: skip
    store.intents.put(harness.resources.table, intent)
    erase(harness, NUMBER)

    left = harness.item("INTENT#action")
    assert WORDS not in json.dumps(left, default=str)
    assert NUMBER not in json.dumps(left, default=str)
    action = Action(
        action_id="action", company="acme", channel="whatsapp", provider="meta", state=State.UNKNOWN,
        on_doubt=OnDoubt.AT_MOST_ONCE, message_pk="MSG#action",
    )  # fmt: skip
    phone = store.phones.get(harness.resources.table, PHONE)
    assert phone is not None
    made = sent_messages.from_intent(harness.resources, action, phone)
    assert made is not None
    assert made.erased
    assert WORDS not in json.dumps(harness.item("MSG#action"), default=str)
    assert f"CONV#{PHONE}#{NUMBER}" not in harness.keys()
