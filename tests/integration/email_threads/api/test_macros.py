"""Macros: several steps with a thread by one call, made together or refused together, and once."""

from __future__ import annotations

from typing import Any

import pytest

from email_threads.store.configuration import macros
from shared.aws.dynamodb import Table
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.drafting import asked, changes_of, shown, text_of
from tests.integration.email_threads.drafts.test_canned_replies import save
from tests.simulation.email_threads.system import COMPANY, MAILBOX, SCOPES, System
from tests.simulation.interceptor import Died, When

MACROS = "/email-threads/macros"
READY = "Hello {{name}}, it is ready."
WITHOUT_APPROVAL = SCOPES.replace(" email_threads:approve", "")
ALL_STEPS = {
    "name": "ready",
    "canned_reply": "ready",
    "sends": True,
    "add_tags": ["done"],
    "status": "completed",
    "priority": "low",
    "assigned_to": "team:sales",
}


def saved(system: System, **steps: Any) -> dict[str, Any]:
    """A macro of the company, and its canned reply."""
    save(system, "ready", READY)
    given = {"name": "ready", **steps}
    assert result(system.call("POST", MACROS, given)) == {"name": "ready", "exists": True}
    return given


def run(system: System, path: str, **more: Any) -> tuple[int, dict[str, Any]]:
    """A person runs the macro with the value of its variable."""
    options = {name: more.pop(name) for name in ("key", "scopes", "company") if name in more}
    body = {"variables": {"name": "Ann"}, **more}
    return system.call("POST", f"{path}/macros/ready", body, **options)


def forget_answers(system: System) -> None:
    """The answers of the calls were lost with their processes."""
    for key in system.rows():
        if key.startswith("request#"):
            Table(system.dynamodb, system.table).delete({"conversation_id": key})


def steps_of(answer: tuple[int, dict[str, Any]]) -> dict[str, str]:
    """The state of each step, or the reason why it failed."""
    return {one["step"]: one.get("reason", one["state"]) for one in result(answer)["steps"]}


def test_a_macro_answers_labels_closes_and_assigns_by_one_call(system: System) -> None:
    saved(system, **ALL_STEPS)
    path = asked(system)

    answer = run(system, path)
    system.drain()

    assert steps_of(answer) == dict.fromkeys(
        ("answer", "tags", "status", "priority", "assignee", "send"), "done"
    )
    thread = result(system.call("GET", path))
    assert (thread["status"], thread["tags"], thread["priority"]) == ("completed", ["done"], "low")
    assert thread["assigned_to"] == "team:sales"
    (sent,) = system.sent()
    assert text_of(sent).startswith("Hello Ann, it is ready.")
    assert [(action, detail) for _, action, detail in changes_of(system, path)][:2] == [
        ("macro", "ready"),
        ("approve", f"{result(answer)['reply_id']} version=1 attempt=1"),
    ]


def test_of_two_people_who_change_one_macro_the_second_is_refused_and_replaces_nothing(
    system: System,
) -> None:
    saved(system, add_tags=["one"], seen=None)
    [made] = result(system.call("GET", MACROS))["macros"]
    system.clock.ms += 1

    first = system.call(
        "POST", MACROS, {"name": "ready", "add_tags": ["two"], "seen": made["updated_at"]}
    )
    second = system.call(
        "POST", MACROS, {"name": "ready", "add_tags": ["three"], "seen": made["updated_at"]}
    )

    assert (first[0], second[0], second[1]["error"]["code"]) == (200, 409, "version_conflict")
    [kept] = result(system.call("GET", MACROS))["macros"]
    assert kept["add_tags"] == ["two"]


def test_a_refused_change_of_a_removed_macro_takes_no_place_among_the_macros(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(macros, "MOST", 1)
    saved(system, add_tags=["one"])
    [made] = result(system.call("GET", MACROS))["macros"]
    system.call("POST", f"{MACROS}/ready/remove", {})

    late = {"name": "ready", "add_tags": ["two"], "seen": made["updated_at"]}
    refused = system.call("POST", MACROS, late)
    other = system.call("POST", MACROS, {"name": "other", "add_tags": ["three"]})

    assert (refused[0], refused[1]["error"]["code"]) == (409, "version_conflict")
    assert other[0] == 200, other
    assert [one["name"] for one in result(system.call("GET", MACROS))["macros"]] == ["other"]


def test_without_the_right_to_approve_the_answer_waits_and_the_macro_says_so(
    system: System,
) -> None:
    saved(system, **ALL_STEPS)
    path = asked(system)

    answer = run(system, path, scopes=WITHOUT_APPROVAL)
    system.drain()

    assert steps_of(answer)["send"] == "not_permitted"
    assert steps_of(answer)["status"] == "done"
    draft = shown(system, f"{path}/replies/{result(answer)['reply_id']}")
    assert (draft["draft_status"], draft["body_text"]) == ("pending", "Hello Ann, it is ready.")
    assert system.sent() == []


@pytest.mark.parametrize(
    ("steps", "given", "code"),
    [
        ({}, {"variables": {}}, "invalid_input"),
        ({"canned_reply": "gone"}, {}, "invalid_input"),
        ({"status": "pending_info"}, {}, "invalid_transition"),
        ({"add_tags": [f"tag-{n}" for n in range(20)]}, {}, "invalid_input"),
        ({}, {"n": 9}, "invalid_input"),
        ({}, {"expected_seq": 99}, "conflict"),
    ],
)
def test_a_step_that_is_refused_refuses_the_whole_macro(
    system: System, steps: dict[str, Any], given: dict[str, Any], code: str
) -> None:
    saved(system, **{**ALL_STEPS, **steps})
    path = asked(system)
    result(system.call("PATCH", path, {"status": "completed", "add_tags": ["of-before"]}))
    if "status" not in steps:
        result(system.call("PATCH", path, {"status": "active"}))
    before = system.rows()[path.rpartition("/")[2]]

    answer = run(system, path, **given)

    assert refused(answer)[1] == code
    assert system.rows()[path.rpartition("/")[2]] == before
    assert (system.drafts(), system.sent()) == ([], [])


def test_a_macro_is_refused_while_another_person_has_just_answered(system: System) -> None:
    saved(system, **ALL_STEPS)
    path = asked(system)
    reply = result(system.call("POST", f"{path}/replies", {"body_text": "Mine."}))["reply_id"]
    approval = f"{path}/replies/{reply}/approve"
    result(system.call("POST", approval, {"version": 1}, principal="user:zoe"))

    assert refused(run(system, path))[1] == "stale_draft"
    assert result(system.call("GET", path))["status"] == "active"
    assert steps_of(run(system, path, confirm_stale=True))["send"] == "done"


@pytest.mark.parametrize("when", When)
def test_a_run_that_was_killed_at_any_call_is_completed_once_by_its_repeat(
    system: System, when: When
) -> None:
    saved(system, **ALL_STEPS)
    path = asked(system)
    start = system.snapshot()
    system.interceptor.rewind()
    run(system, path, key="the-same-key")
    calls = len(system.interceptor.calls)
    assert calls > 10

    for number in range(1, calls + 1):
        system.restore(start)
        system.interceptor.die_at = (number, when)
        with pytest.raises(Died):
            run(system, path, key="the-same-key")
        system.interceptor.rewind()
        system.clock.ms += 60_000
        # A colleague works on, so that the macro is no longer the newest change.
        result(system.call("PATCH", path, {"add_tags": ["of-a-colleague"]}))

        answer = run(system, path, key="the-same-key")
        system.drain()

        assert steps_of(answer)["send"] == "done", number
        assert len(system.sent()) == 1, number
        made = [action for _, action, _ in changes_of(system, path)]
        assert (made.count("macro"), made.count("approve")) == (1, 1), number


def test_a_repeat_does_not_undo_what_a_colleague_did_after_the_macro(system: System) -> None:
    saved(system, status="completed")
    path = asked(system)
    body: dict[str, Any] = {"variables": {}}
    first = result(system.call("POST", f"{path}/macros/ready", body, key="the-same-key"))
    forget_answers(system)
    result(system.call("PATCH", path, {"status": "active"}))

    again = result(system.call("POST", f"{path}/macros/ready", body, key="the-same-key"))

    assert (first["status"], again["status"]) == ("completed", "active")


def test_an_undone_send_of_a_macro_is_not_sent_by_the_repeat_of_the_call(system: System) -> None:
    saved(system, **ALL_STEPS)
    system.register(MAILBOX, undo_seconds=60)
    path = asked(system)
    reply = result(run(system, path, key="the-same-key"))["reply_id"]
    result(system.call("POST", f"{path}/replies/{reply}/undo", {"version": 1}))
    forget_answers(system)

    again = run(system, path, key="the-same-key")
    system.drain()

    assert steps_of(again)["send"] == "draft_changed"
    assert system.sent() == []


def test_a_thread_is_assigned_to_the_person_who_runs_the_macro(system: System) -> None:
    saved(system, assigned_to="me")
    path = asked(system)

    by_a_person = system.call("POST", f"{path}/macros/ready", {}, principal="user:zoe")
    by_a_key = system.call("POST", f"{path}/macros/ready", {}, principal="api-key:robot")

    assert steps_of(by_a_person) == {"assignee": "done"}
    assert result(system.call("GET", path))["assigned_to"] == "user:zoe"
    assert refused(by_a_key)[0] == 400


def test_macros_are_listed_replaced_and_removed_by_company(system: System) -> None:
    saved(system, status="completed")
    saved(system, add_tags=["done"])
    [listed] = result(system.call("GET", MACROS))["macros"]

    assert system.threads() == []  # Only threads are in the index by status.
    assert (listed["add_tags"], listed.get("status"), listed["sends"]) == (["done"], None, False)
    assert result(system.call("GET", MACROS, company="globex")) == {"macros": []}
    assert refused(run(system, asked(system), company="globex"))[0] == 404
    gone = result(system.call("POST", f"{MACROS}/ready/remove", {}))
    assert gone == {"name": "ready", "exists": False}
    assert result(system.call("GET", MACROS)) == {"macros": []}
    assert refused(run(system, asked(system)))[0] == 404


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": "Ready", "status": "active"}, "name"),
        ({"name": "ready"}, "body"),
        ({"name": "ready", "sends": True, "status": "active"}, "body"),
        ({"name": "ready", "add_tags": ["a"], "remove_tags": ["a"]}, "body"),
        ({"name": "ready", "status": "gone"}, "status"),
        ({"name": "ready", "assigned_to": "api-key:robot"}, "assigned_to"),
        ({"name": "ready", "canned_reply": "No name"}, "canned_reply"),
    ],
)
def test_a_bad_macro_is_refused_by_its_field(
    system: System, given: dict[str, Any], field: str
) -> None:
    assert refused(system.call("POST", MACROS, given)) == (400, "invalid_input", [field])


def test_only_administrators_change_macros(system: System) -> None:
    given = {"name": "ready", "status": "completed"}
    scopes = SCOPES.replace(" email_threads:admin", "")

    assert system.call("POST", MACROS, given, scopes=scopes)[0] == 403
    assert system.call("POST", f"{MACROS}/ready/remove", {}, scopes=scopes)[0] == 403


def test_a_company_has_a_bounded_number_of_macros(system: System) -> None:
    item = {
        "conversation_id": f"macros#{COMPANY}",
        "names": {f"macro-{n}" for n in range(100)},
    }
    Table(system.dynamodb, system.table).put(item)

    answer = system.call("POST", MACROS, {"name": "new", "status": "active"})

    assert refused(answer)[:2] == (409, "list_full")
    assert system.call("POST", MACROS, {"name": "macro-1", "status": "active"})[0] == 200
