"""Erasing one of several people of a thread: their part goes, and nothing of others is touched."""

from __future__ import annotations

import pytest

from email_threads.privacy import jobs
from tests.simulation.email_threads.people import (
    CANARY,
    ZOE,
    alone,
    arrive,
    finished,
    requested,
    shown,
    thread_of,
    together,
    traces,
)
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System, mail


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
    assert head["thread_references"] == ["t@x", "v@x"]
    assert not [key for key in system.objects() if key.startswith(("bodies/", "attachments/"))]
    assert job["counts"] == {"mail": 5, "raw_mail": 5, "file": 5, "participant": 1, "thread": 1}


def test_a_primary_correspondent_is_replaced_by_another_participant(system: System) -> None:
    together(system)

    finished(system, "erase", BOB)

    (head,) = system.threads()
    assert head["participant"] == ZOE
    assert head["participants"] == {ZOE, MAILBOX}
    assert traces(system, BOB, "of Bob") == []


def test_the_reply_to_of_anothers_mail_is_erased_with_its_person(system: System) -> None:
    together(system)
    more = f"Reply-To: {ZOE}"
    arrive(
        system, mail("r@x", "Hi", sender=BOB, subject="Re: Tables", in_reply_to="t@x", more=more)
    )

    finished(system, "erase", ZOE)

    assert not any(one.get("other_reply_to") for one in system.mails())


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


@pytest.mark.parametrize("writes_again", [False, True])
def test_no_name_of_the_person_stays_in_threads_that_were_merged(
    system: System, writes_again: bool
) -> None:
    named = f"{CANARY} Byrne <{ANN}>"
    arrive(
        system,
        mail("t@x", "of Bob", sender=BOB, subject="Tables"),
        mail("a@x", sender=named),
        mail("b@x", sender=named, subject="Lamps"),
        mail("c@x", "of Bob", sender=BOB, subject="Re: Lamps", in_reply_to="b@x"),
    )
    into = thread_of(system, BOB)
    for merged in {one["conversation_id"] for one in system.threads()} - {into}:
        assert system.call("POST", f"/email-threads/{merged}/merge", {"into": into})[0] == 202
        system.drain()
    job = requested(system, "erase", ANN)
    if writes_again:
        arrive(system, mail("d@x", "again", sender=ANN, subject="Re: Tables", in_reply_to="a@x"))
    system.drain()

    assert shown(system, job["id"])["state"] == "done"
    assert traces(system, CANARY) == []


def test_drafts_go_with_the_thread_or_if_they_are_addressed_to_the_person(system: System) -> None:
    alone(system)
    together(system)
    for address, to in ((ANN, ANN), (BOB, ZOE), (BOB, BOB)):
        draft(system, thread_of(system, address), to)

    finished(system, "erase", ANN)
    finished(system, "erase", ZOE)

    (left,) = system.drafts()
    assert left["to"] == [BOB]
    (head,) = system.threads()
    assert head["open_drafts"] == {left["reply_id"]}


def draft(system: System, thread: str, to: str) -> None:
    """A person drafts an answer."""
    given = {"to": [to], "body_text": CANARY if to != BOB else "to Bob"}
    status, body = system.call("POST", f"/email-threads/{thread}/replies", given)
    assert status == 201, body


def test_a_mail_of_others_that_arrives_during_an_erasure_is_kept(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "TURN_MS", 0)
    together(system)
    thread = thread_of(system, BOB)
    job = requested(system, "erase", ZOE)
    came: list[str] = []

    def bob_writes() -> None:
        row = system.rows()[f"privacy#{job['id']}"]
        place = row.get("start", {}).get("place", {})
        if row["step"] == "pages" and place.get("source") == 2 and not came:
            came.append("now")
            raw = mail("u@x", "meanwhile", sender=BOB, subject="Tables", in_reply_to="v@x")
            system.deliver(raw, name="meanwhile", address=MAILBOX)

    system.drain(bob_writes)

    assert came
    assert shown(system, job["id"])["state"] == "done"
    assert system.mails(thread)[-1]["body"] == "meanwhile"
    assert traces(system, ZOE, CANARY) == []


def test_a_thread_that_gets_a_colleague_after_the_request_stays_with_the_colleague(
    system: System,
) -> None:
    together(system)
    requested(system, "erase", BOB)
    arrive(system, mail("u@x", "new", sender=BOB, subject="Re: Tables", in_reply_to="v@x"))

    # A colleague's domain lets him join again, on weak evidence and with his new mail only.
    assert traces(system, "of Bob") == []
    (mine,) = [one for one in system.mails() if one.get("from") == BOB]
    assert mine["body"] == "new"
    rows = [row for key, row in system.rows().items() if "#participant#" in key]
    # By this row a later request finds the mail; it makes him no participant.
    assert [row["is_weak"] for row in rows if BOB in row["company_status"]] == [True]


def test_the_person_among_the_recipients_of_others_is_removed_from_their_mails(
    system: System,
) -> None:
    together(system)
    last = system.mails()[-1]["conversation_id"]
    assert ZOE in system.rows()[last]["cc"]

    finished(system, "erase", ZOE)

    left = system.rows()[last]
    assert (left["body"], left.get("cc", []), "erased" in left) == ("of Bob again", [], False)


def test_attributes_that_are_derived_from_the_mails_go_with_the_persons_part(
    system: System,
) -> None:
    together(system)
    thread = thread_of(system, BOB)
    system.dynamodb.update_item(
        TableName=system.table,
        Key={"conversation_id": {"S": thread}},
        UpdateExpression="SET requirements = :x, ai_analysis = :x",
        ExpressionAttributeValues={
            ":x": {"M": {"state": {"S": "done"}, "summary": {"S": CANARY}}},
        },
    )

    finished(system, "erase", ZOE)

    (head,) = system.threads()
    assert not {"requirements", "ai_analysis"} & head.keys()
