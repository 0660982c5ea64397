"""Exporting a person: everything of theirs, and nothing of others."""

from __future__ import annotations

import json
from typing import Any

from tests.simulation.email_threads.people import (
    ZOE,
    alone,
    finished,
    parked,
    shown,
    thread_of,
    together,
)
from tests.simulation.email_threads.system import ANN, BOB, COMPANY, System


def exported(system: System, job: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of an export."""
    name = f"exports/{COMPANY}/{job['id']}/{job['run']}/person.jsonl"
    return [json.loads(line) for line in system.objects()[name].splitlines()]


def test_an_export_has_every_mail_and_file_of_the_person_and_nothing_of_another_persons_thread(
    system: System,
) -> None:
    alone(system)
    together(system)
    parked(system)
    thread = thread_of(system, ANN)
    rows, objects = system.rows(), system.objects()

    job = finished(system, "export", ANN)

    lines = exported(system, job)
    keys = {one["item"]["conversation_id"] for one in lines if "item" in one}
    own = {key for key in rows if key.startswith(thread) and not key.endswith("#expiry")}
    assert own <= keys
    assert len([one for one in lines if one["kind"] == "mail"]) == 3
    assert not traces_in(lines, BOB, ZOE)
    files = {one["file"].removeprefix("files/") for one in lines if "file" in one}
    of_ann = {key for key, body in objects.items() if thread in key or ANN.encode() in body}
    alones = {key for key in of_ann if ZOE.encode() not in objects[key]}
    named = {f"{key}.eml" if key.startswith("raw/") else key: key for key in alones}
    assert files == named.keys()
    folder = f"exports/{COMPANY}/{job['id']}/1/"
    for name, key in named.items():
        assert system.object(f"{folder}files/{name}") == objects[key]
    after = system.rows()
    del after[f"privacy#{job['id']}"]
    assert {key: row for key, row in after.items() if not key.startswith("request#")} == {
        key: row for key, row in rows.items() if not key.startswith("request#")
    }


def traces_in(lines: list[dict[str, Any]], *words: str) -> list[dict[str, Any]]:
    return [one for one in lines if any(word in json.dumps(one) for word in words)]


def test_an_export_of_one_of_several_people_has_their_part_only(system: System) -> None:
    together(system)

    job = finished(system, "export", ZOE)

    lines = exported(system, job)
    mails = [one["item"] for one in lines if one["kind"] == "mail"]
    assert [one["message_id"] for one in mails] == ["y@x", "w@x", "z@x", "s@shop", "v@x"]
    assert not traces_in(lines, '"body": "of Bob"')
    (head,) = [one["item"] for one in lines if one["kind"] == "thread"]
    assert "participants" not in head
    assert len([one for one in lines if one["kind"] == "file"]) == 5


def test_an_export_has_links_until_an_erasure_deletes_it(system: System) -> None:
    alone(system)

    job = finished(system, "export", ANN)
    assert job["export"]["lines"].startswith("https://")
    assert len(job["export"]["files"]) == job["counts"]["file"] + job["counts"]["raw_mail"]
    finished(system, "erase", ANN)

    assert "export" not in shown(system, job["id"])
    assert not [key for key in system.objects() if key.startswith("exports/")]


def test_an_export_has_only_the_persons_part_of_an_expired_thread_too(system: System) -> None:
    together(system)
    system.clock.ms += 31 * 86_400_000

    job = finished(system, "export", ZOE)

    assert job["counts"]["mail"] == 5
    assert not traces_in(exported(system, job), '"body": "of Bob"')
