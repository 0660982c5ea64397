"""A head is large: what an event changes there is one write, which no other write at the same time gets lost in."""

from __future__ import annotations

from typing import Any

from tests.simulation.email_threads.system import ASSISTED, MODEL, System, mail

FRIDAY = "Do you sell chairs? We need them by Friday."
SCHEMA = {
    "type": "object",
    "properties": {"deadline": {"type": "string", "description": "when it must be done"}},
    "required": ["deadline"],
}
MONDAY = "Sorry, we need them by Monday."


def arrives(system: System, message_id: str, body: str, **more: Any) -> None:
    system.clock.ms += 60_000
    raw = mail(message_id, body, to=ASSISTED, **more)
    system.deliver(raw, name=message_id, address=ASSISTED)


def writes_of_head(system: System) -> list[str]:
    """The names of the writes of the only thread's head since the last rewind."""
    key = head(system)["conversation_id"]
    calls = [call.partition(" ") for call in system.interceptor.calls]
    wanted = {"dynamodb.PutItem", "dynamodb.UpdateItem", "dynamodb.TransactWriteItems"}
    return [name for name, _, item in calls if item == key and name in wanted]


def head(system: System) -> dict[str, Any]:
    (found,) = system.threads()
    return found


def approves(system: System) -> None:
    (draft,) = [one for one in system.drafts() if one["draft_status"] == "pending"]
    path = draft["conversation_id"].replace("#draft#", "/replies/")
    assert system.call("POST", f"/email-threads/{path}/approve", {"version": 1})[0] == 202


def test_an_analysis_names_its_draft_and_removes_the_superseded_one_in_one_write(
    system: System,
) -> None:
    arrives(system, "a@x", FRIDAY)
    system.drain()
    arrives(system, "b@x", FRIDAY, in_reply_to="a@x")
    system.interceptor.rewind()
    system.drain()

    new, old = sorted(system.drafts(), key=lambda one: str(one["draft_status"]))
    assert (new["draft_status"], old["draft_status"]) == ("pending", "superseded")
    assert head(system)["open_drafts"] == {new["reply_id"]}
    assert writes_of_head(system) == ["dynamodb.TransactWriteItems", "dynamodb.UpdateItem"]


def test_an_analysis_that_changes_a_value_writes_its_audit_entry_with_it(system: System) -> None:
    arrives(system, "a@x", FRIDAY)
    system.drain()
    arrives(system, "b@x", MONDAY, in_reply_to="a@x")
    system.interceptor.rewind()
    system.drain()

    (entry,) = head(system)["audit_log"]
    assert (entry["actor"], entry["detail"]) == ("analysis", "mail 2: changed=deadline")
    assert writes_of_head(system) == ["dynamodb.TransactWriteItems"] * 2
    assert f"{head(system)['conversation_id']}#audit#00000001" in system.rows()


def test_a_draft_that_a_person_composes_during_an_analysis_stays_listed(system: System) -> None:
    arrives(system, "a@x", FRIDAY)
    system.drain()
    arrives(system, "b@x", FRIDAY, in_reply_to="a@x")
    thread = head(system)["conversation_id"]

    def compose(operation: str, parameters: dict[str, Any]) -> None:
        if operation != "dynamodb.PutItem" or "#draft#" not in str(parameters["Item"]):
            return
        system.interceptor.observer = lambda *_: None
        path = f"/email-threads/{thread}/replies"
        assert system.call("POST", path, {"body_text": "I will call you."})[0] == 201

    system.interceptor.observer = compose
    system.drain()

    waiting = {one["reply_id"] for one in system.drafts() if one["draft_status"] == "pending"}
    assert len(waiting) == 2
    assert head(system)["open_drafts"] == waiting


def test_a_send_writes_the_head_once(system: System) -> None:
    system.register(ASSISTED, automation="email_threads", ai=MODEL, requirements_schema=SCHEMA)
    arrives(system, "a@x", "Hello.")
    system.drain()
    (draft,) = system.drafts()
    approves(system)
    system.interceptor.rewind()
    system.drain()

    (draft,) = system.drafts()
    assert draft["draft_status"] == "sent"
    assert "open_drafts" not in head(system)
    asked = {
        one["field"] for one in head(system)["ai_analysis"]["pending_info"] if one.get("asked_n")
    }
    assert asked == set(draft["questions"]) != set()
    assert writes_of_head(system) == ["dynamodb.TransactWriteItems"]


def test_a_text_without_quotes_is_stored_once_and_shown_twice(system: System) -> None:
    arrives(system, "a@x", "Hello.")
    arrives(system, "b@x", "Bye.\n\nAm 2.11. schrieb Desk:\n> Hello.", in_reply_to="a@x")
    system.drain()

    plain, quoting = system.mails()
    assert "new_text" not in plain
    assert quoting["new_text"] == "Bye."
    status, body = system.call("GET", f"/email-threads/{head(system)['conversation_id']}/emails")
    assert status == 200
    newest, first = body["result"]["mails"]
    assert (first["body"], first["new_text"]) == ("Hello.", "Hello.")
    assert newest["new_text"] == "Bye."
