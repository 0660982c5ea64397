"""Reactions of the business."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import GLOBEX, Actions
from tests.integration.whatsapp.conftest import NOW, PHONE, text

MESSAGES = "/{Version}/{Phone-Number-ID}/messages"
TARGET = {"messageId": "wamid.ada.1"}
KEY = f"REACTION#{PHONE}#wamid.ada.1#15550783881"
BIKE = "\N{BICYCLE}"


def reactions(actions: Actions) -> Any:
    return actions.item("MSG#wamid.ada.1").get("reactions", {})


def test_a_reaction_is_sent_and_shown_on_its_message(actions: Actions) -> None:
    answer = actions.send("send_reaction", {**TARGET, "emoji": BIKE})

    assert (answer.status, answer.result["state"]) == (200, "sent")
    assert answer.result["messagePk"] == "MSG#wamid.ada.1"
    [sent] = actions.wire
    assert wire.problems(sent, "POST", MESSAGES) == []
    assert sent.body["reaction"] == {"message_id": "wamid.ada.1", "emoji": BIKE}  # type: ignore[index] # JSON
    assert actions.item(KEY)["emoji"] == BIKE
    assert reactions(actions)["15550783881"]["emoji"] == BIKE


@pytest.mark.parametrize("removal", [("remove_reaction", {}), ("send_reaction", {"emoji": ""})])
def test_a_later_reaction_replaces_the_earlier_one_and_a_removal_removes_it(
    actions: Actions, monkeypatch: pytest.MonkeyPatch, removal: tuple[str, dict[str, str]]
) -> None:
    for minute, (action, more) in enumerate(
        [("send_reaction", {}), ("send_reaction", {"emoji": BIKE}), removal]
    ):
        monkeypatch.setattr("shared.runtime.clock.now_ms", lambda at=minute: NOW + at * 60_000)
        actions.send(action, {**TARGET, **more})
        shown = reactions(actions)["15550783881"].get("emoji")
        assert shown == ["\N{THUMBS UP SIGN}", BIKE, None][minute]

    assert actions.wire[-1].body["reaction"]["emoji"] == ""  # type: ignore[index] # JSON
    assert wire.problems(actions.wire[-1], "POST", MESSAGES) == []
    assert "emoji" not in actions.item(KEY)


@pytest.mark.parametrize("keys", ["ab", "ba", "cd", "dc"])
def test_of_two_reactions_in_one_millisecond_the_later_call_is_shown(
    actions: Actions, keys: str
) -> None:
    first, second = (f"key-of-reaction-{letter}" for letter in keys)
    actions.send("send_reaction", {**TARGET, "emoji": BIKE}, key=first)
    for _ in range(2):
        actions.send("send_reaction", {**TARGET, "emoji": ""}, key=second)
        # The repetition of the first call changes nothing any more.
        actions.send("send_reaction", {**TARGET, "emoji": BIKE}, key=first)

    assert "emoji" not in reactions(actions)["15550783881"]
    assert "emoji" not in actions.item(KEY)


def test_the_same_key_reacts_once(actions: Actions) -> None:
    first = actions.send("send_reaction", TARGET, key="key-react-1")
    again = actions.send("send_reaction", TARGET, key="key-react-1")

    assert again.result == first.result
    assert len(actions.wire) == 1


def test_a_lost_answer_is_followed_by_one_repetition(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    answer = actions.send("send_reaction", TARGET)

    assert (answer.status, len(actions.wire)) == (200, 2)
    assert reactions(actions)


def test_a_reaction_in_doubt_is_not_shown_and_can_be_repeated(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    answer = actions.send("send_reaction", TARGET, key="key-react-2")
    assert (answer.status, answer.result["state"]) == (202, "in_doubt")
    assert reactions(actions) == {}

    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: NOW + 10 * 60_000)
    again = actions.send("send_reaction", TARGET, key="key-react-2")
    assert (again.status, again.result["state"]) == (200, "sent")
    assert reactions(actions)


def test_a_refused_reaction_is_not_shown(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="status", status=400)
    answer = actions.send("send_reaction", TARGET)

    assert (answer.status, answer.error) == (422, "provider_rejected")
    assert reactions(actions) == {}
    assert actions.item(KEY) == {}


def test_a_dry_run_shows_the_reaction_and_changes_nothing(actions: Actions) -> None:
    before = actions.harness.keys()
    answer = actions.send("send_reaction", {**TARGET, "dryRun": True})

    assert answer.result["payload"]["type"] == "reaction"
    assert (actions.harness.keys(), actions.wire) == (before, [])


@pytest.mark.parametrize("emoji", ["ok", "\N{BICYCLE}\N{BICYCLE}", "7", " ", "\N{BICYCLE}!"])
def test_a_text_that_is_not_one_emoji_is_refused(actions: Actions, emoji: str) -> None:
    answer = actions.send("send_reaction", {**TARGET, "emoji": emoji})

    assert (answer.status, answer.fields, actions.wire) == (400, ["emoji"], [])


def test_an_old_message_another_conversations_or_a_deleted_one_takes_no_reaction(
    actions: Actions,
) -> None:
    day = 24 * 3_600
    actions.harness.take(
        {
            "messages": [
                text("wamid.old", at=NOW // 1000 - 31 * day),
                text("wamid.bob", sender="447700900102"),
                text("wamid.gone"),
            ]
        },
        {
            "messages": [
                {
                    "id": "wamid.revoke",
                    "from": "447700900101",
                    "timestamp": str(NOW // 1000 - 30),
                    "type": "revoke",
                    "revoke": {"original_message_id": "wamid.gone"},
                }
            ]
        },
    )
    answers = [
        actions.send("send_reaction", {"messageId": f"wamid.{name}"})
        for name in ("old", "bob", "gone", "none")
    ]
    assert [answer.status for answer in answers] == [400, 400, 409, 404]
    assert actions.wire == []


def test_a_closed_window_and_another_company_forbid_a_reaction(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert actions.send("send_reaction", TARGET, caller=GLOBEX).status == 404
    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: NOW + 25 * 3_600_000)
    answer = actions.send("send_reaction", TARGET)

    assert (answer.status, answer.error) == (422, "policy_refused")
    assert answer.body["error"]["reason"] == "window_closed"
