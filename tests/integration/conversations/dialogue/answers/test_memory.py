"""The memory of a conversation: a rolling summary that the model reads, and that agents see and change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import sample_data
from shared.runtime import clock
from tests.integration.conversations.content.model_input import requests
from tests.integration.conversations.steps import (
    model_answer,
    model_says,
    texts_by,
    with_model,
    write,
)
from tests.simulation.conversations.erasure import erase
from tests.simulation.conversations.invocations import Refused

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

TOPICS = [
    "the shift",
    "the pay",
    "a uniform",
    "parking",
    "the canteen",
    "holidays",
    "training",
    "a bus",
]
MEMORY = {
    "summary": "Ann asked about work. She starts on 99 May.",
    "facts": ["Ann is allergic to nuts.", "Her order is 4711."],
}
ONE = "/conversations/{ref}/memory"


def talk(system: System, *remembers: Any, **memory: Any) -> str:
    """A conversation with so many messages that the first ones are summarised; returns the `ref`."""
    system.change(memory={"summary": True} | memory)
    ref = system.begin("sms")
    with_model(system)
    for number, topic in enumerate(TOPICS):
        model_says(system, model_answer(f"We tell you more about {topic}, Ann."))
        if number == len(TOPICS) - 1:
            model_says(system, *map(json.dumps, remembers or [MEMORY]))
        write(system, f"Please tell me about {topic}.", f"m{number}")
    return ref


def test_messages_that_the_memory_lacks_are_read_and_summarised_up_to_a_bound(
    system: System,
) -> None:
    system.change(memory={"summary": True})
    ref = system.begin("sms")
    (first,) = system.log(ref)
    for number in range(60):
        at = clock.to_text(clock.from_text(str(first["message_timestamp"])) - (60 - number) * 1_000)
        old = {"sk": f"MSG#{at}#old-{number}", "message_timestamp": at, "entry_id": f"old-{number}"}
        system.write("log", {**first, **old, "content": f"Old {number}."})
    with_model(system)
    model_says(system, model_answer("It is the night shift."), json.dumps(MEMORY))

    write(system, "Which shift is it?")

    for request in map(json.dumps, requests(system)[-2:]):  # the answer, and the memory after it
        assert "Old 13." not in request
        assert "Old 16." in request
    assert shown(system, ref)["summary"].startswith("Ann asked about work.")


def shown(system: System, ref: str) -> dict[str, Any]:
    return system.call_admin_api(f"GET {ONE}", ref=ref)


def answer(system: System, name: str = "next") -> str:
    """The customer writes, and the model answers; returns its instructions."""
    model_says(system, model_answer("Yes, of course we have that."))
    write(system, "And is there coffee?", name)
    return str(requests(system)[-1]["instructions"])


def test_messages_that_the_model_no_longer_reads_are_summarised_and_given_to_it(
    system: System,
) -> None:
    ref = talk(system)

    (data,) = requests(system)[-1]["input"]
    told = json.loads(data["content"])
    assert told["memory"] is None
    assert told["messages"][1] == {"by": "person", "text": "Please tell me about the shift."}
    assert len(told["messages"]) == 2 * len(TOPICS) + 1 - 8  # all but the newest eight
    memory = shown(system, ref)
    # Numbers that no message has are not kept.
    assert memory["summary"] == "Ann asked about work."
    assert memory["facts"] == ["Ann is allergic to nuts."]
    assert (memory["revision"], memory["by"]) == (1, "ai")
    instructions = answer(system)
    assert (
        '"memory": {"summary": "Ann asked about work.", '
        '"customer_stated": ["Ann is allergic to nuts."]}' in instructions
    )
    assert len(texts_by(system, ref)) == len(TOPICS) + 2


def test_agents_change_the_memory_and_the_model_reads_theirs(system: System) -> None:
    ref = talk(system)
    mine = {"summary": "Ann wants nights.", "facts": ["Ann has a dog."], "revision": 1}

    assert system.call_admin_api(f"POST {ONE}", mine, ref=ref) == {"ref": ref, "revision": 2}

    memory = shown(system, ref)
    assert (memory["summary"], memory["facts"]) == ("Ann wants nights.", ["Ann has a dog."])
    assert memory["by"].startswith("api-key:") or memory["by"].startswith("user:")
    assert "Ann has a dog." in answer(system)
    with pytest.raises(Refused) as refusal:
        system.call_admin_api(f"POST {ONE}", mine | {"summary": "Another."}, ref=ref)
    assert refusal.value.status == 409


def test_an_answer_that_cannot_be_read_is_asked_for_again_after_the_next_reply(
    system: System,
) -> None:
    ref = talk(system, "no memory", "none again")
    assert shown(system, ref)["revision"] == 0

    model_says(system, model_answer("Yes, of course we have that."), json.dumps(MEMORY))
    write(system, "And is there coffee?", "next")

    assert shown(system, ref)["facts"] == ["Ann is allergic to nuts."]


def test_the_memory_is_erased_with_the_person(system: System) -> None:
    talk(system)

    erase(system)

    assert not any("nuts" in repr(row) for row in system.rows().values())


@pytest.mark.parametrize("carries", [True, False])
def test_a_new_conversation_of_the_person_begins_with_it_if_the_project_says_so(
    system: System, *, carries: bool
) -> None:
    first = talk(system, carry_over=carries)
    system.call_admin_api("POST /conversations/{ref}/close", {}, ref=first)
    system.clock.ms += clock.HOUR_MS
    model_says(system, model_answer("Hello Ann, can you start in May?"))
    second = str(system.request(sample_data.request("sms", "req-2"))["conversation_ref"])
    system.drain()

    assert ("allergic to nuts" in str(requests(system)[-1]["instructions"])) is carries
    assert (shown(system, second)["facts"] == ["Ann is allergic to nuts."]) is carries


def test_without_the_setting_nothing_is_summarised(system: System) -> None:
    ref = talk(system, summary=False)

    assert shown(system, ref)["revision"] == 0
    assert all("# Rules\nYou write" in sent["instructions"] for sent in requests(system))
