"""Project data in stored objects: no request can read another object, and damage to an object is shown to agents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from conversations.configuration.folders import folder_of
from conversations.store.items import identifiers
from events.conversations import sample_data
from tests.integration.conversations.booking import start_booking, write
from tests.integration.conversations.steps import direct_resources, function_call, status_of

if TYPE_CHECKING:
    from tests.integration.conversations.harness import Harness
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

SECRET = b'{"salary": "of another company"}'
LARGE = {"about": "x" * 2_000, "jobRole": "Nurse"}
DAMAGES: dict[str, dict[str, Any]] = {
    "another conversation": {"key": "conversations/aaaaaaaaaaaaaaaaaaaaaaaaaa/project-data.json"},
    "a relative part": {"key": "../parked/x.json"},
    "missing": {"key": "none.json"},
    "size": {"bytes": 5},
    "hash": {"sha256": "0" * 64},
    "no pointer": {"key": 7},
}


def test_project_data_with_the_keys_of_a_pointer_read_no_object(harness: Harness) -> None:
    """Another system may have written such an item; requests with these keys are refused."""
    bucket = harness.resources.bucket
    bucket.put("conversations/x/project-data.json", SECRET)
    forged = {
        "s3_bucket": bucket.name,
        "s3_key": "conversations/x/project-data.json",
        "sha256": "0" * 64,
        "bytes": len(SECRET),
    }
    ref = harness.begin(project_data=forged)

    assert harness.look(ref)["project_data"] == forged


def test_a_request_with_the_keys_of_a_pointer_is_refused_with_its_field(system: System) -> None:
    status, answer = system.ask(sample_data.request("sms", project_data={"s3_key": "claims/x"}))

    assert status == 400
    assert "project_data.s3_key" in json.dumps(answer)
    assert "reserved" in json.dumps(answer)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_an_invalid_pointer_is_shown_as_unreadable_and_the_rest_is_shown(
    harness: Harness, damage: dict[str, Any]
) -> None:
    harness.resources.bucket.put(
        "conversations/aaaaaaaaaaaaaaaaaaaaaaaaaa/project-data.json", SECRET
    )

    shown = harness.look(_with_own_pointer(harness, damage))

    assert (shown["project_data"], shown["unreadable"]) == ({}, ["project_data"])
    assert shown["recipient"]["first_name"] == "Ann"


def test_project_data_in_an_object_are_shown_completely(harness: Harness) -> None:
    shown = harness.look(_with_own_pointer(harness, {}))

    assert (shown["project_data"], shown["unreadable"]) == (LARGE, [])


def test_a_model_is_not_called_with_partial_project_data(system: System) -> None:
    ref = system.begin("sms", project_data=LARGE)
    _replace_object(system, system.conversation(ref)["project_data_object"]["key"])

    system.text("m", "Which shift is it?")
    system.drain()

    assert status_of(system, ref) == ("handoff_pending", "case_data_unreadable")
    assert system.fifo_queues.dead_letters == []


def test_answers_are_stored_while_the_object_of_older_ones_is_damaged(
    system: System, booking_service: Receiver
) -> None:
    questions = [f"question {n}" for n in range(4)]
    points = [{"point": question} for question in questions]
    records = [
        function_call("record_answer", "Noted.", answers=[{"key": question, "value": "x" * 400}])
        for question in questions
    ]
    ref = start_booking(system, booking_service, *records, data={"clarificationPoints": points})
    for number in range(3):
        write(system, "Yes", f"m{number}")
    item = system.conversation(ref)

    _replace_object(system, item["recorded_answers_object"]["key"])

    write(system, "Yes", "last")
    assert status_of(system, ref) == ("handoff_pending", "case_data_unreadable")
    shown = system.call_admin_api("GET /conversations/{ref}", ref=ref)
    assert shown["unreadable"] == ["recorded_answers"]
    assert system.conversation(ref)["recorded_answers"] == item["recorded_answers"]


def test_no_link_gives_access_to_a_file_or_text_of_another_conversation(harness: Harness) -> None:
    ref, other = harness.begin(), harness.begin("req-2")
    foreign = f"conversations/{other}/text-1"
    files = [
        {"name": "a", "key": foreign},
        {"name": "b", "key": "media/ci-bbb-002/1/77/file.jpg"},
        {"name": "c", "key": "conversations/parked/x.json"},
    ]
    harness.says(ref, "Long", content_key=foreign, media=files)

    (shown,) = harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]

    assert shown.get("whole_text") is None
    assert [file.get("download") for file in shown["media"]] == [None, None, None]


def _with_own_pointer(harness: Harness, damage: dict[str, Any]) -> str:
    """A conversation with project data in an object; *damage* changes its pointer."""
    own = folder_of(harness.resources.bucket, _ref_to_be())
    pointer = own.put("project-data", json.dumps(LARGE).encode()).attributes() | damage
    key = pointer["key"]
    if isinstance(key, str) and not key.startswith("conversations/"):
        pointer["key"] = f"{own.prefix}{key}"
    return harness.begin(project_data=None, project_data_object=pointer)


def _ref_to_be() -> str:
    """The `ref` that the harness's first conversation will have."""
    parts = (sample_data.COMPANY, sample_data.PROJECT, "req-1", sample_data.CANDIDATE.lstrip("+"))
    return identifiers.ref_of(identifiers.conversation_id(*parts))


def _replace_object(system: System, key: str) -> None:
    """Overwrite an object with other content."""
    direct_resources(system).bucket.put(key, SECRET)
