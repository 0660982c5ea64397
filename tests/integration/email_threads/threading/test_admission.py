"""A person admits a mail that counts for nothing, and undoes it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from email_threads.store.items import ReplyMode
from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import result
from tests.integration.email_threads.threading.test_weak_evidence import (
    CODE,
    NOTE,
    SERVICE,
    deliver,
    prompts,
    third_party,
    third_partys,
)
from tests.simulation.email_threads.system import ANN, ASSISTED, AUTOMATED, COMPANY, System, mail
from tests.simulation.interceptor import Fault
from tests.simulation.processes import quiet

HELD = "Your verification code is 481516"


def path_of(system: System, n: int = 2, step: str = "admit") -> str:
    found = next(one for one in system.threads() if one["email_count"] > 1)
    return f"/email-threads/{found['conversation_id']}/emails/{n}/{step}"


def step(system: System, n: int = 2, name: str = "admit", **more: Any) -> dict[str, Any]:
    system.clock.ms += 1_000
    answer = result(system.call("POST", path_of(system, n, name), **more))
    system.drain()
    return answer


def joined(system: System, body: str = NOTE, **more: Any) -> None:
    """Ann's mail, then one of a third party to the token of its thread."""
    desk.receive(system, "a@x")
    third_party(system, body, **more)


def test_an_admitted_mail_counts_as_any_other(system: System) -> None:
    joined(system)
    path = path_of(system).partition("/emails")[0]
    result(system.call("PATCH", path, {"status": "completed"}))

    assert step(system) == {
        "conversation_id": desk.thread(system)["conversation_id"],
        "n": 2,
        "admitted": True,
    }

    thread, stored = desk.thread(system), third_partys(system)
    assert (thread["status"], int(thread["last_inbound_n"])) == ("active", 2)
    assert SERVICE in thread["participants"]
    assert (stored["evidence"], stored["admitted_by"]) == ("admitted", "key-1")
    assert not thread.get("withheld_mails")
    assert NOTE in prompts(system)
    assert int(desk.analysis(system)["analysed_n"]) == 2
    drafts = {(int(one["in_reply_to_n"]), one["draft_status"]) for one in system.drafts()}
    assert drafts == {(1, "superseded"), (2, "pending")}
    assert ("key-1", "admit", "n=2") in desk.changes(system)


def test_the_next_mail_of_an_admitted_author_counts_at_once(system: System) -> None:
    joined(system)
    step(system)
    third_party(system, "It is open now.", name="u@x", in_reply_to="t@x")

    assert third_partys(system, "u@x").get("evidence") is None
    assert "It is open now." in prompts(system)


def test_an_older_mail_that_is_admitted_lets_the_newest_one_be_read_again(system: System) -> None:
    desk.set_up(system, reply_mode=ReplyMode.MANUAL)
    joined(system)
    desk.receive(system, "c@x", "Which code is it?", in_reply_to="a@x")
    asked, first = desk.asked(system), system.drafts()[-1]
    assert NOTE not in prompts(system)

    desk.answers(system, desk.answer(f"It is {CODE}."))
    step(system)

    assert desk.asked(system) == asked + 1
    assert NOTE in prompts(system)
    assert [(one["draft_status"], one["body_text"]) for one in system.drafts()][-2:] == [
        ("superseded", first["body_text"]),
        ("pending", f"It is {CODE}."),
    ]
    assert int(desk.thread(system)["last_inbound_n"]) == 3


def test_after_the_admission_the_code_is_known_text(system: System) -> None:
    desk.set_up(system, reply_mode=ReplyMode.AUTO)
    joined(system)
    n = int(third_partys(system)["n"])
    step(system, n)
    desk.answers(system, desk.answer(f"It is {CODE}."))
    desk.receive(system, "c@x", "Which code is it?", in_reply_to="a@x")

    assert CODE in json.dumps(system.sent()[-1])


def test_an_admission_twice_changes_nothing_more(system: System) -> None:
    joined(system)
    step(system)
    before, asked = system.rows(), desk.asked(system)
    step(system)

    after = system.rows()
    assert {key: row for key, row in after.items() if key in before} == before
    assert {key.partition("#")[0] for key in after.keys() - before.keys()} <= {"request"}
    assert desk.asked(system) == asked


def test_a_verification_mail_that_is_none_is_admitted(system: System) -> None:
    desk.receive(system, "a@x")
    desk.receive(system, "t@x", HELD, in_reply_to="a@x", subject="Re: Chairs")
    assert third_partys(system)["hold_reason"] == "verification"
    step(system)

    assert third_partys(system)["kind"] == "mail"
    assert HELD in prompts(system)


def test_a_held_code_of_a_third_party_is_admitted_and_withheld_again(system: System) -> None:
    joined(system, HELD, sender="no-reply@service.example")
    assert third_partys(system)["kind"] == "held"
    step(system)
    assert HELD in prompts(system)

    step(system, name="withhold")

    stored = third_partys(system)
    assert (stored["kind"], stored["evidence"]) == ("held", "weak")


def test_an_admission_is_undone(system: System) -> None:
    joined(system)
    before = desk.thread(system)
    step(system)
    assert step(system, name="withhold")["admitted"] is False

    thread, stored = desk.thread(system), third_partys(system)
    same = ("participants", "last_inbound_n", "withheld_mails")
    assert {one: thread[one] for one in same} == {one: before[one] for one in same}
    assert (stored["evidence"], stored.get("admitted_by")) == ("weak", None)
    assert int(desk.analysis(system)["analysed_n"]) == 1
    rows = [row for row in system.rows().values() if row.get("participant") == SERVICE]
    assert [row["is_weak"] for row in rows] == [True]
    assert ("key-1", "withhold", "n=2") in desk.changes(system)
    waiting = [one for one in system.drafts() if one["draft_status"] == "pending"]
    assert [int(one["in_reply_to_n"]) for one in waiting] == [1]


def test_an_admitted_mail_is_forwarded_to_the_ai_conversations(system: System) -> None:
    deliver(system, mail("a@x", to=AUTOMATED), "a", AUTOMATED)
    raw = mail("t@x", NOTE, to=AUTOMATED, in_reply_to="a@x", is_checked=False)
    deliver(system, raw, "t", AUTOMATED)
    step(system)

    event = system.forwarded()[-1]
    assert event["text"] == NOTE
    facts = {name: event["extra"][name] for name in ("trust", "admitted", "auto_answer_allowed")}
    assert facts == {"trust": "unverified", "admitted": True, "auto_answer_allowed": False}


def test_the_admission_of_a_stop_opts_out_its_proven_author_only(system: System) -> None:
    joined(system, "STOP")
    consents = system.worker.resources.consents
    assert not consents.standing(COMPANY, [SERVICE], "email").is_opted_out
    step(system)

    assert consents.standing(COMPANY, [SERVICE], "email").is_opted_out
    assert not consents.standing(COMPANY, [ANN], "email").is_opted_out


def test_the_admission_of_an_unproven_stop_opts_nobody_out(system: System) -> None:
    desk.receive(system, "a@x")
    raw = mail("t@x", "STOP", to=ASSISTED, in_reply_to="a@x", is_checked=False)
    deliver(system, raw, "t")
    step(system)

    consents = system.worker.resources.consents
    assert not consents.standing(COMPANY, [ANN], "email").is_opted_out


@pytest.mark.parametrize("name", ["admit", "withhold"])
@pytest.mark.parametrize("n", [1, 2])
def test_a_mail_that_counts_or_failed_a_check_cannot_be_admitted(
    system: System, n: int, name: str
) -> None:
    desk.receive(system, "a@x")
    desk.receive(system, "t@x", NOTE, in_reply_to="a@x", dmarc="fail")

    status, body = system.call("POST", path_of(system, n, name))

    assert (status, body["error"]["details"][0]["field"]) == (400, "n")


@pytest.mark.parametrize("name", ["admit", "withhold"])
def test_an_admission_needs_the_scope_of_approvals_and_the_own_company(
    system: System, name: str
) -> None:
    joined(system)
    path = path_of(system, 2, name)

    assert system.call("POST", path, scopes="email_threads:write")[0] == 403
    assert system.call("POST", path, company="globex")[0] == 404
    assert system.call("POST", path.replace("/2/", "/9/"))[0] == 404
    assert third_partys(system)["evidence"] == "weak"


@pytest.mark.long
@pytest.mark.parametrize("name", ["admit", "withhold"])
def test_a_call_that_fails_anywhere_is_repeated_to_the_same_end(system: System, name: str) -> None:
    joined(system)
    if name == "withhold":
        step(system)
    start = system.snapshot()
    system.interceptor.rewind()
    path = path_of(system, 2, name)
    result(system.call("POST", path))
    calls = len(system.interceptor.calls)
    system.drain()
    wanted = facts_of(system)
    assert calls > 5

    for number in range(1, calls + 1):
        for fault in (Fault.LOST_ANSWER, Fault.UNAVAILABLE):
            system.restore(start)
            system.interceptor.fault_at = (number, fault)
            with quiet():
                system.call("POST", path)
            system.interceptor.rewind()
            system.clock.ms += 60_000
            result(system.call("POST", path))
            system.drain()
            assert facts_of(system) == wanted, (number, fault)


def facts_of(system: System) -> list[object]:
    """What an admission decides, without times."""
    thread, stored = desk.thread(system), third_partys(system)
    names = ("status", "participants", "last_inbound_n", "withheld_mails", "evidence_seq")
    drafts = [(int(one["in_reply_to_n"]), one["draft_status"]) for one in system.drafts()]
    rows = [
        row.get("is_weak") for row in system.rows().values() if row.get("participant") == SERVICE
    ]
    return [
        *(thread.get(name) for name in names),
        (stored["kind"], stored["evidence"], stored.get("admitted_by")),
        int(desk.analysis(system)["analysed_n"]),
        sorted(drafts),
        rows,
        desk.changes(system),
    ]


def test_a_mail_that_was_merged_keeps_its_evidence(system: System) -> None:
    joined(system)
    first = desk.thread(system)["conversation_id"]
    desk.receive(system, "z@x", "A table.", subject="Tables")
    second = next(
        one["conversation_id"] for one in system.threads() if one["conversation_id"] != first
    )
    result(system.call("POST", f"/email-threads/{first}/merge", {"into": second}))
    system.drain()

    moved = third_partys(system)
    assert (moved["conversation_id"].partition("#")[0], moved["evidence"]) == (second, "weak")
    head = next(one for one in system.threads() if one["conversation_id"] == second)
    assert [int(n) for n in head["withheld_mails"]] == [int(moved["n"])]
    assert SERVICE not in head["participants"]
    rows = [key for key, row in system.rows().items() if row.get("participant") == SERVICE]
    assert [key.partition("#")[0] for key in rows] == [second]
