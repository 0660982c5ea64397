"""Erasing and exporting a person: nothing of theirs is left, nothing comes back, and nothing of others is touched."""

from __future__ import annotations

import json
from typing import Any

import pytest

from email_threads.privacy import shared_threads, whole_threads
from email_threads.store import thread_lists
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.people import (
    CANARY,
    SCOPES,
    ZOE,
    alone,
    arrive,
    finished,
    parked,
    requested,
    run_once,
    shown,
    thread_of,
    together,
    traces,
)
from tests.simulation.email_threads.system import ANN, BOB, COMPANY, MAILBOX, System, mail


def exported(system: System, job: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of an export."""
    name = f"exports/{COMPANY}/{job['id']}/{job['run']}/person.jsonl"
    return [json.loads(line) for line in system.objects()[name].splitlines()]


def test_a_thread_with_one_person_is_removed_with_everything_of_it(system: System) -> None:
    alone(system)
    arrive(system, mail("bob@x", "of Bob", sender=BOB))
    thread = thread_of(system, ANN)
    assert traces(system, ANN, CANARY)

    job = finished(system, "erase", ANN)

    assert traces(system, ANN, CANARY) == []
    assert [key for key in system.rows() if key.startswith(thread)] == []
    assert [key for key in system.objects() if thread in key] == []
    assert job["counts"] == job["receipts"][0]["counts"]
    assert job["counts"] == {
        "mail": 3, "raw_mail": 3, "file": 5, "note": 1, "change": 1, "participant": 1, "thread": 1,
    }  # fmt: skip
    assert [one["participant"] for one in system.threads()] == [BOB]


def test_the_ids_of_erased_mails_become_tombstones_for_ninety_days(system: System) -> None:
    alone(system)
    ids = {one["email_id"] for one in system.mails()}

    finished(system, "erase", ANN)

    stones = [row for key, row in system.rows().items() if key.startswith("mid#")]
    assert {one["email_id"] for one in stones} == ids
    assert {one["kind"] for one in stones} == {"erased"}
    assert all("n" not in one for one in stones)


def test_a_redelivery_after_the_erasure_stores_nothing_and_is_acknowledged(system: System) -> None:
    alone(system)
    again = verified(with_files()).replace(b"Chairs", CANARY.encode())
    finished(system, "erase", ANN)
    before = system.rows(), system.objects()

    arrive(system, again, mail("b@shop", CANARY, sender=MAILBOX, to=ANN, in_reply_to="files@x"))

    assert (system.rows(), system.objects()) == before
    assert not system.fifo_queues.dead_letters


def test_another_mail_with_the_id_of_an_erased_one_is_parked_and_not_lost(system: System) -> None:
    alone(system)
    finished(system, "erase", ANN)

    arrive(system, mail("c@x", "Another text.", sender=BOB))

    assert [one["reason"] for one in system.parked()] == ["message_id_reused"]


def test_a_later_mail_that_names_an_erased_one_begins_a_thread_of_its_own(system: System) -> None:
    alone(system)
    thread = thread_of(system, ANN)
    finished(system, "erase", ANN)

    arrive(system, mail("d@x", "new", in_reply_to="c@x", references="files@x b@shop c@x"))

    (head,) = system.threads()
    assert head["conversation_id"] != thread
    assert head["email_count"] == 1
    assert not head["metadata"]["client_info"].keys() & {"related", "continues"}


def test_a_mail_of_the_person_that_arrives_after_the_request_begins_a_new_thread(
    system: System,
) -> None:
    alone(system)
    thread = thread_of(system, ANN)
    job = requested(system, "erase", ANN)
    run_once(system)

    arrive(system, mail("d@x", "new", in_reply_to="c@x"))

    assert shown(system, job["id"])["state"] == "done"
    (head,) = system.threads()
    assert head["conversation_id"] != thread
    assert [one["body"] for one in system.mails()] == ["new"]
    assert traces(system, CANARY) == []
    (row,) = [row for key, row in system.rows().items() if "#participant#" in key]
    assert ANN in row["company_status"]


def test_a_mail_that_reaches_a_thread_before_the_job_keeps_it_open(system: System) -> None:
    alone(system)
    thread = thread_of(system, ANN)
    held = system.clock.ms
    job = requested(system, "erase", ANN)
    system.clock.ms = held + 1_000
    system.deliver(mail("d@x", "new", in_reply_to="c@x"), name="d", address=MAILBOX)
    waiting = system.fifo_queues.queues[system.queue]
    events, waiting.messages = list(waiting.messages), []
    system.drain()
    waiting.messages += events
    system.drain()

    assert shown(system, job["id"])["state"] == "done"
    (head,) = system.threads()
    assert (head["conversation_id"], head["participant"]) == (thread, ANN)
    assert [one.get("body") for one in system.mails()] == [None, None, None, "new"]
    assert not [key for key in traces(system, CANARY) if "#note#" not in key and key != thread]


def test_of_a_thread_with_several_people_only_the_persons_part_goes(system: System) -> None:
    together(system)
    thread = thread_of(system, BOB)
    assert len(system.mails(thread)) == 6
    (before,) = system.threads()
    assert ZOE in before["participants"]

    job = finished(system, "erase", ZOE)

    assert traces(system, ZOE, CANARY) == []
    mails = system.mails(thread)
    assert [one["n"] for one in mails] == [1, 2, 3, 4, 5, 6]
    assert [bool(one.get("erased")) for one in mails] == [False, True, True, True, True, False]
    assert [one.get("body", "") for one in mails] == ["of Bob", "", "", "", "", "of Bob again"]
    # A subject that others use stays.
    subjects = [one.get("subject", "") for one in mails]
    assert subjects == ["Tables", "Re: Tables", "", "Re: Tables", "Tables", "Tables"]
    (head,) = system.threads()
    assert (head["subject"], head["participant"]) == ("Tables", BOB)
    assert head["participants"] == {BOB, MAILBOX}
    history = [one.get("body", "") for one in head["email_history"]]
    assert history == ["of Bob", "", "", "", "", "of Bob again"]
    assert not [key for key in system.objects() if key.startswith(("bodies/", "attachments/"))]
    assert job["counts"] == {"mail": 5, "raw_mail": 5, "file": 5, "participant": 1, "thread": 1}


def test_a_primary_correspondent_is_replaced_by_another_participant(system: System) -> None:
    together(system)

    finished(system, "erase", BOB)

    (head,) = system.threads()
    assert head["participant"] == ZOE
    assert head["participants"] == {ZOE, MAILBOX}
    assert traces(system, BOB, "of Bob") == []


def test_a_redelivery_of_a_blanked_mail_stores_nothing(system: System) -> None:
    together(system)
    finished(system, "erase", ZOE)
    before = system.rows(), system.objects()

    arrive(system, mail("y@x", CANARY, sender=ZOE, subject="Re: Tables", in_reply_to="t@x"))

    assert (system.rows(), system.objects()) == before


def test_others_go_on_in_a_thread_from_which_a_person_was_erased(system: System) -> None:
    together(system)
    thread = thread_of(system, BOB)
    finished(system, "erase", ZOE)

    arrive(system, mail("u@x", "next", sender=BOB, subject="Tables", in_reply_to="v@x"))

    assert system.mails(thread)[-1]["body"] == "next"
    status, body = system.call("GET", f"/email-threads/{thread}/emails/2")
    assert (status, body["result"]["erased"]) == (200, True)


def test_a_blanked_mail_keeps_its_tombstone_when_its_thread_is_merged(system: System) -> None:
    together(system)
    loser = thread_of(system, BOB)
    finished(system, "erase", ZOE)
    arrive(system, mail("other@x", "other", sender=BOB, subject="Other"))
    winner = next(
        one["conversation_id"] for one in system.threads() if one["conversation_id"] != loser
    )
    assert system.call("POST", f"/email-threads/{loser}/merge", {"into": winner})[0] == 202
    system.drain()
    before = system.rows(), system.objects()

    arrive(system, mail("y@x", CANARY, sender=ZOE, subject="Re: Tables", in_reply_to="t@x"))

    assert (system.rows(), system.objects()) == before


def test_a_merged_thread_is_erased_with_the_one_that_it_became_part_of(system: System) -> None:
    arrive(
        system,
        mail("a@x", CANARY, subject="a"),
        verified(with_files("b@x")),
        mail("c@x", CANARY, references="a@x b@x"),
    )
    assert len([one for one in system.threads() if "merged_into" in one]) == 1

    job = finished(system, "erase", ANN)

    assert system.threads() == []
    assert traces(system, ANN, CANARY, "Chairs") == []
    assert not [key for key in system.objects() if not key.startswith("exports/")]
    assert (job["counts"]["thread"], job["counts"]["mail"]) == (2, 3)


def test_drafts_go_with_the_thread_or_if_they_are_addressed_to_the_person(system: System) -> None:
    alone(system)
    together(system)
    for address, to in ((ANN, ANN), (BOB, ZOE), (BOB, BOB)):
        draft(system, thread_of(system, address), to)

    finished(system, "erase", ANN)
    finished(system, "erase", ZOE)

    left = [row for key, row in system.rows().items() if "#draft#" in key]
    assert [one["to"] for one in left] == [[BOB]]
    (head,) = system.threads()
    assert head["open_drafts"] == [one["conversation_id"].rpartition("#")[2] for one in left]


def draft(system: System, thread: str, to: str) -> None:
    """A draft as the item class of drafts stores it."""
    name = f"{len(system.rows()):016d}"
    key = {"conversation_id": {"S": thread}}
    system.dynamodb.put_item(
        TableName=system.table,
        Item={
            "conversation_id": {"S": f"{thread}#draft#{name}"},
            "to": {"L": [{"S": to}]},
            "body_text": {"S": CANARY if to != BOB else "to Bob"},
        },
    )
    system.dynamodb.update_item(
        TableName=system.table,
        Key=key,
        UpdateExpression="SET open_drafts = list_append(if_not_exists(open_drafts, :none), :new)",
        ExpressionAttributeValues={":none": {"L": []}, ":new": {"L": [{"S": name}]}},
    )


def test_parked_mails_of_the_person_are_deleted_with_their_events(system: System) -> None:
    parked(system)
    assert len(system.parked()) == 3

    job = finished(system, "erase", ANN)

    (left,) = system.parked()
    assert [key for key in system.objects() if key.startswith("raw/")] == [
        json.loads(left["body"])["key"]
    ]
    assert traces(system, ANN, CANARY) == []
    assert job["counts"] == {"parked_event": 2, "parked_mail": 1}


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
    assert files == alones
    folder = f"exports/{COMPANY}/{job['id']}/1/"
    for key in files:
        assert system.object(f"{folder}files/{key}") == objects[key]
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


def test_a_repeated_request_returns_the_same_job_and_after_its_end_starts_the_next_run(
    system: System,
) -> None:
    alone(system)
    first = requested(system, "erase", ANN)
    second = requested(system, "erase", f"  {ANN.upper()} ")
    assert (second["id"], second["run"], second["state"]) == (first["id"], 1, "queued")
    system.drain()

    third = finished(system, "erase", ANN)

    assert (third["id"], third["run"]) == (first["id"], 2)
    assert [one["run"] for one in third["receipts"]] == [2, 1]
    assert third["counts"] == {}


def test_a_finished_job_does_not_hold_the_address(system: System) -> None:
    alone(system)
    job = finished(system, "erase", ANN)

    assert ANN not in json.dumps(system.rows()[f"privacy#{job['id']}"], default=str)


@pytest.mark.parametrize("body", [{}, {"address": "no address"}, {"address": ANN, "other": 1}])
def test_a_bad_request_names_the_field(system: System, body: dict[str, Any]) -> None:
    status, answer = system.call("POST", "/email-threads/contacts/erase", body, scopes=SCOPES)

    assert (status, answer["error"]["code"]) == (400, "invalid_input")
    assert answer["error"]["details"][0]["field"] in {"address", "other"}


def test_the_routes_need_their_scope_and_hide_jobs_of_other_companies(system: System) -> None:
    alone(system)
    status, _ = system.call("POST", "/email-threads/contacts/erase", {"address": ANN})
    assert status == 403
    job = requested(system, "export", ANN)

    path = f"/email-threads/privacy-jobs/{job['id']}"
    assert system.call("GET", path, scopes=SCOPES, company="globex")[0] == 404


def test_an_erasure_leaves_the_threads_of_another_company(system: System) -> None:
    system.register("info@globex.example", company="globex")
    alone(system)
    arrive(
        system, mail("g@x", "of Globex", to="info@globex.example"), address="info@globex.example"
    )

    finished(system, "erase", ANN)

    assert [one["company_id"] for one in system.threads()] == ["globex"]
    assert [one["body"] for one in system.mails()] == ["of Globex"]


def test_many_threads_and_mails_are_erased_page_by_page(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in (
        (thread_lists, "ROWS"),
        (whole_threads, "MAILS_A_PAGE"),
        (whole_threads, "OBJECTS_A_PAGE"),
        (shared_threads, "MAILS_A_PAGE"),
        (shared_threads, "MAILS_AT_ONCE"),
    ):
        monkeypatch.setattr(module, name, 2)
    alone(system)
    together(system)
    for number in range(5):
        arrive(system, mail(f"m{number}@x", CANARY, sender=ZOE, subject=f"s{number}"))

    finished(system, "erase", ANN)
    job = finished(system, "erase", ZOE)

    assert traces(system, ANN, ZOE, CANARY) == []
    assert job["counts"]["mail"] == 10
    assert len(system.threads()) == 1
