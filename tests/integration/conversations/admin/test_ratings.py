"""Agents rate answers of the model; the counts in the state equal the messages' ratings."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from conversations.lifecycle import transitions
from conversations.lifecycle.conversation import load
from conversations.lifecycle.status import Status
from conversations.store import states
from conversations.store.annotations import ratings
from conversations.store.lists.inbox_heads import ConversationHeads
from shared.api.auth import Scope
from shared.aws.dynamodb import Table
from tests.integration.conversations.harness import (
    CAROL,
    COMPANY,
    SECOND_COMPANY,
    Harness,
    caller,
)

if TYPE_CHECKING:
    from tests.integration.answers import Answer

LINE = "POST /conversations/{ref}/ratings"
AGENTS = [replace(caller(COMPANY), principal=f"user:{name}") for name in ("ada", "ben")]


def messages(harness: Harness, ref: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = harness.call(
        "GET /conversations/{ref}/messages", ref=ref, who=AGENTS[0]
    ).result["messages"]
    return found


def answer_of_model(harness: Harness, ref: str) -> dict[str, Any]:
    return next(one for one in messages(harness, ref) if one["author"] == "ai")


def begun(harness: Harness) -> str:
    """A conversation that the model has answered with version 7 of the settings."""
    ref = harness.begin()
    harness.says(ref, "We are open.", "ai", ai_version=7)
    return ref


def rate(harness: Harness, ref: str, who: Any = AGENTS[0], **given: Any) -> Answer:
    entry_id = given.pop("entry_id", None) or answer_of_model(harness, ref)["entry_id"]
    return harness.call(LINE, {"entry_id": entry_id, **given}, ref=ref, who=who)


def counts(harness: Harness, ref: str) -> dict[str, int]:
    state = states.read(harness.resources.log, ref)
    assert state is not None
    return state.ratings


def test_a_rating_is_shown_at_the_message_and_counted_in_the_state(harness: Harness) -> None:
    ref = begun(harness)

    rated = rate(harness, ref, rating="down", reason="tone").result
    rate(harness, ref, AGENTS[1], rating="up")

    assert rated["rating"] == "down"
    message = answer_of_model(harness, ref)
    assert message["ratings"] == {"user:ada": "rated_down:tone", "user:ben": "rated_up"}
    assert counts(harness, ref) == {"rated_down:tone|7": 1, "rated_up|7": 1}


def test_another_rating_replaces_the_own_one_and_null_takes_it_back(harness: Harness) -> None:
    ref = begun(harness)
    for given in ({"rating": "up"}, {"rating": "up"}, {"rating": "down"}):
        assert rate(harness, ref, **given).status == 200
    assert answer_of_model(harness, ref)["ratings"] == {"user:ada": "rated_down:other"}
    assert sum(counts(harness, ref).values()) == 1

    rate(harness, ref, rating=None)
    rate(harness, ref, rating=None)

    assert answer_of_model(harness, ref)["ratings"] == {}
    assert counts(harness, ref) == {}


def test_a_rating_beside_another_one_counts_both(harness: Harness) -> None:
    ref = begun(harness)
    transact, meanwhile = Table.transact, iter([AGENTS[1]])

    def slow(table: Table, *writes: Any) -> None:
        for agent in meanwhile:
            rate(harness, ref, agent, rating="up")
        transact(table, *writes)

    with mock.patch.object(Table, "transact", slow):
        assert rate(harness, ref, rating="up").status == 200

    shown = Counter(answer_of_model(harness, ref)["ratings"].values())
    assert shown == {"rated_up": 2}
    assert sum(counts(harness, ref).values()) == 2


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"rating": "best"}, "rating"),
        ({"rating": "up", "reason": "tone"}, "body"),
        ({"rating": "down", "reason": "It was rude."}, "reason"),
        ({"rating": "up", "entry_id": "x"}, "entry_id"),
        ({}, "rating"),
    ],
)
def test_a_rating_that_breaks_a_rule_is_refused_with_its_field(
    harness: Harness, given: dict[str, Any], field: str
) -> None:
    ref = begun(harness)

    refused = rate(harness, ref, **given)

    assert (refused.status, [one["field"] for one in refused.body["error"]["details"]]) == (
        400, [field],
    )  # fmt: skip
    assert counts(harness, ref) == {}


def test_only_messages_of_the_model_are_rated(harness: Harness) -> None:
    ref = begun(harness)
    harness.later()
    harness.says(ref, "Hello?")
    theirs = next(one for one in messages(harness, ref) if one["author"] == "customer")

    assert rate(harness, ref, rating="up", entry_id=theirs["entry_id"]).status == 400
    unknown = "00000000-0000-0000-0000-000000000000"
    assert rate(harness, ref, rating="up", entry_id=unknown).status == 404


def test_as_many_people_rate_a_message_as_it_may_have(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conversations.api.agents.ratings.MOST_OF_MESSAGE", 1)
    assert ratings.MOST_OF_MESSAGE == 20
    ref = begun(harness)
    rate(harness, ref, rating="up")

    assert rate(harness, ref, AGENTS[1], rating="up").status == 409
    assert rate(harness, ref, rating="down").status == 200


def test_another_company_rates_nothing(harness: Harness) -> None:
    ref = begun(harness)
    entry_id = answer_of_model(harness, ref)["entry_id"]
    outsider = caller(SECOND_COMPANY, Scope.CONVERSATIONS_REPLY)

    assert rate(harness, ref, outsider, rating="up", entry_id=entry_id).status == 404
    assert counts(harness, ref) == {}


def test_the_inbox_feed_reads_version_cause_and_ratings_from_the_conversation(
    harness: Harness,
) -> None:
    ref = begun(harness)
    rate(harness, ref, rating="up")
    resources = harness.resources
    heads = ConversationHeads(resources.table, resources.log)
    opened = load(resources, ref)
    version = opened.company.ai_version
    cause = transitions.Cause(who="parley", what="test", reason="outside_hours")

    transitions.change_status(resources, opened, Status.HANDOFF_PENDING, cause)
    handed_off = heads.read(ref)
    harness.on(ref, "take-over", CAROL)
    harness.on(ref, "hand-back", CAROL)
    harness.on(ref, "take-over", CAROL)
    taken_over = heads.read(ref)

    assert handed_off is not None
    assert taken_over is not None
    assert (handed_off.handed_off_for, handed_off.ai_version) == ("outside_hours", version)
    assert handed_off.ratings == {"rated_up|7": 1}
    assert taken_over.handed_off_for == "taken_over"
