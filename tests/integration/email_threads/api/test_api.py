"""The HTTP API of e-mail threads, over threads that the worker has stored."""

from __future__ import annotations

from urllib.parse import urlparse

import pytest

from email_threads.store import parked as stored_parked
from shared.events.recovery.parked_events import ENTRIES_PER_CALL, ENTRIES_PER_QUERY
from tests.integration.email_threads.api.thread_calls import (
    THREADS,
    refused,
    result,
    subjects_of,
    thread_of,
)
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System, mail


def test_a_thread_is_assigned_to_a_team_and_then_to_someone(system: System) -> None:
    path = thread_of(system, mail("a@x", "A red chair.", subject="One"))
    result(system.call("PATCH", path, {"assigned_to": "team:sales"}))
    assert subjects_of(system, assigned_to="team:sales") == ["One"]

    result(system.call("PATCH", path, {"assigned_to": "user:ada"}))

    assert subjects_of(system, assigned_to="user:ada") == ["One"]
    assert subjects_of(system, assigned_to="team:sales") == []


@pytest.mark.parametrize("assignee", ["user:auth0|5f7c8ec7c33c6c004bbafe82", f"user:{'a' * 120}"])
def test_a_thread_is_assigned_to_a_person_of_any_provider(system: System, assignee: str) -> None:
    path = thread_of(system, mail("a@x", "A red chair.", subject="One"))

    result(system.call("PATCH", path, {"assigned_to": assignee}))

    assert subjects_of(system, assigned_to=assignee) == ["One"]


@pytest.mark.parametrize(
    "assignee", ["api-key:0123456789abcdef", "client:till", "Team:sales", "team:Sales", "USER:ada", "human:ada"]
)  # fmt: skip
def test_a_thread_is_not_assigned_to_software_or_to_what_resembles_another_kind(
    system: System, assignee: str
) -> None:
    path = thread_of(system, mail("a@x", "A red chair.", subject="One"))

    status, body = system.call("PATCH", path, {"assigned_to": assignee})

    assert status == 400
    assert body["error"]["details"][0]["field"] == "assigned_to"


def test_a_thread_is_shown_with_its_mails_newest_first(system: System) -> None:
    path = thread_of(
        system,
        mail("a@x", "First."),
        mail("b@x", "Second.", in_reply_to="a@x"),
        mail("c@x", "Third.", in_reply_to="b@x"),
    )

    shown = result(system.call("GET", path))
    assert shown["email_count"] == 3
    assert shown["thread_references"] == ["a@x", "b@x", "c@x"]
    assert shown["participants"] == [ANN, MAILBOX]
    first = result(system.call("GET", f"{path}/emails", query={"limit": "2"}))
    assert [one["body"] for one in first["mails"]] == ["Third.", "Second."]
    rest = result(system.call("GET", f"{path}/emails", query={"before": str(first["next_before"])}))
    assert [one["body"] for one in rest["mails"]] == ["First."]
    assert "next_before" not in rest


def test_a_thread_is_opened_with_its_mails_notes_and_drafts_in_one_call(system: System) -> None:
    path = thread_of(system, mail("a@x", "First."), mail("b@x", "Second.", in_reply_to="a@x"))
    result(system.call("POST", f"{path}/notes", {"text": "a regular"}))

    shown = result(system.call("GET", path, query={"mails": "1", "notes": "5", "drafts": "1"}))

    assert [one["body"] for one in shown["mails"]["mails"]] == ["Second."]
    assert shown["mails"]["next_before"] == 2
    assert [one["text"] for one in shown["notes"]["notes"]] == ["a regular"]
    assert shown["drafts"] == {"drafts": []}
    assert not {"mails", "notes", "drafts"} & result(system.call("GET", path)).keys()


def test_a_whole_mail_has_its_long_text_and_its_html_with_links_to_its_own_images(
    system: System,
) -> None:
    path = thread_of(system, verified(with_files()))

    shown = result(system.call("GET", f"{path}/emails/1", query={"html": "1"}))

    assert len(shown["body"]) > 8_000
    assert f"https://{system.bucket}" in shown["html"]
    assert "response-content-type=image" in shown["html"]
    assert "cid:" not in shown["html"]


def test_a_file_is_downloaded_by_a_link_that_expires(system: System) -> None:
    path = thread_of(system, verified(with_files()))
    files = result(system.call("GET", f"{path}/emails/1"))["attachments"]
    assert [file["available"] for file in files] == [True, True, False]
    assert [file["inline"] for file in files] == [True, False, False]

    link = result(system.call("GET", f"{path}/emails/1/attachments/1"))

    url = urlparse(link["url"])
    assert url.path.endswith("/order.pdf")
    assert "X-Amz-Expires=300" in url.query
    assert "response-content-disposition=attachment" in url.query


def test_a_thread_of_another_company_is_not_found(system: System) -> None:
    path = thread_of(system, mail("a@x"))

    assert refused(system.call("GET", path, company="globex"))[:2] == (404, "not_found")
    assert result(system.call("GET", THREADS, company="globex")) == {"threads": []}


def test_a_change_is_made_once_under_its_key_and_recorded_with_its_author(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    given = {"status": "pending_info", "assigned_to": "ada", "add_tags": ["a", "b"]}

    answers = [result(system.call("PATCH", path, given, key="key-00001")) for _ in range(2)]

    assert answers[0] == answers[1]
    assert answers[0]["last_seq"] == 1
    shown = result(system.call("GET", path))
    assert (shown["status"], shown["assigned_to"], shown["tags"]) == (
        "pending_info",
        "ada",
        ["a", "b"],
    )
    (change,) = result(system.call("GET", f"{path}/changes"))["changes"]
    assert change["actor"] == "key-1"
    assert change["detail"] == "add_tags assigned_to status=pending_info"
    assert subjects_of(system, status="pending_info") == ["Chairs"]
    assert subjects_of(system) == []


def test_a_change_that_died_before_its_answer_was_stored_is_not_made_twice(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    given = {"priority": "low", "expected_seq": 0}
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.UpdateItem request#")
    status, _ = system.call("PATCH", path, given, key="key-00001")
    assert status >= 500

    system.interceptor.rewind()
    system.clock.ms += 60_000  # the lease of the first call
    assert result(system.call("PATCH", path, given, key="key-00001"))["last_seq"] == 1
    assert len(result(system.call("GET", f"{path}/changes"))["changes"]) == 1


def test_values_can_be_removed(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    result(
        system.call("PATCH", path, {"assigned_to": "ada", "add_tags": ["a"], "gdpr_consent": True})
    )

    result(
        system.call(
            "PATCH", path, {"assigned_to": None, "remove_tags": ["a"], "gdpr_consent": None}
        )
    )

    shown = result(system.call("GET", path))
    assert "assigned_to" not in shown
    assert "gdpr_consent" not in shown
    assert shown["tags"] == []


def test_the_time_to_a_resolution_is_kept_until_the_thread_is_reopened(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    system.clock.ms += 90_000
    result(system.call("PATCH", path, {"status": "completed"}))
    assert result(system.call("GET", path))["resolution_time"] == 90

    thread_of(system, mail("b@x", in_reply_to="a@x"))

    shown = result(system.call("GET", path))
    assert shown["status"] == "active"
    assert "resolution_time" not in shown


@pytest.mark.parametrize(
    ("first", "then"), [("completed", "pending_info"), ("archived", "completed")]
)
def test_a_status_that_cannot_follow_is_refused(system: System, first: str, then: str) -> None:
    path = thread_of(system, mail("a@x"))
    result(system.call("PATCH", path, {"status": first}))

    assert refused(system.call("PATCH", path, {"status": then}))[:2] == (409, "invalid_transition")


def test_a_change_of_an_older_state_is_refused(system: System) -> None:
    path = thread_of(system, mail("a@x"), mail("b@x", in_reply_to="a@x"))

    answer = system.call("PATCH", path, {"priority": "high", "expected_seq": 0})

    assert refused(answer)[:2] == (409, "conflict")


def test_notes_are_numbered_and_only_the_newest_are_in_the_head(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    for number in range(5):
        result(system.call("POST", f"{path}/notes", {"text": f"note {number} " + "x" * 300}))

    shown = result(system.call("GET", f"{path}/notes", query={"limit": "4"}))
    assert [note["k"] for note in shown["notes"]] == [5, 4, 3, 2]
    assert len(shown["notes"][0]["text"]) == 307
    assert shown["next_before"] == 2
    head = system.threads()[0]
    assert [len(note["text"]) for note in head["metadata"]["notes"]] == [200] * 3


def test_an_archived_thread_comes_back_with_the_next_mail(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    result(system.call("POST", f"{path}/archive"))
    assert subjects_of(system, status="archived") == ["Chairs"]

    thread_of(system, mail("b@x", in_reply_to="a@x"))

    assert subjects_of(system) == ["Chairs"]


def test_a_person_merges_two_threads_and_the_old_address_leads_to_the_other(
    system: System,
) -> None:
    first = thread_of(system, mail("a@x", subject="One"))
    second = thread_of(system, mail("b@x", subject="Two", sender=BOB))
    into = first.rpartition("/")[2]

    assert system.call("POST", f"{second}/merge", {"into": into})[0] == 202
    system.drain()

    assert result(system.call("GET", second))["conversation_id"] == into
    shown = result(system.call("GET", f"{second}/emails"))
    assert [one["from"] for one in shown["mails"]] == [BOB, ANN]
    assert subjects_of(system, participant=BOB) == ["One"]


def test_a_merge_keeps_what_people_noted_about_both_threads(system: System) -> None:
    first = thread_of(system, mail("a@x", subject="One"))
    second = thread_of(system, mail("b@x", subject="Two", sender=BOB))
    result(system.call("PATCH", first, {"add_tags": ["one"], "priority": "low"}))
    theirs = {"add_tags": ["two"], "priority": "high", "assigned_to": "ada"}
    result(system.call("PATCH", second, theirs))
    result(system.call("POST", f"{second}/notes", {"text": "Prefers oak."}))

    system.call("POST", f"{second}/merge", {"into": first.rpartition("/")[2]})
    system.drain()

    shown = result(system.call("GET", first))
    assert sorted(shown["tags"]) == ["one", "two"]
    assert (shown["priority"], shown["assigned_to"]) == ("low", "ada")
    changes = result(system.call("GET", f"{first}/changes"))["changes"]
    assert (changes[0]["actor"], changes[0]["action"]) == ("merge", "metadata")
    (note,) = result(system.call("GET", f"{second}/notes"))["notes"]
    assert note["text"] == "Prefers oak."
    kept = result(system.call("GET", f"{second}/changes"))["changes"]
    assert "add_tags assigned_to priority=high" in [one.get("detail") for one in kept]


def test_parked_events_are_listed_for_their_company_and_for_operators(system: System) -> None:
    system.deliver(b"no mail", name="1", address=MAILBOX)
    system.deliver(mail("a@x", to="x@nowhere.example"), name="2")
    system.drain()
    parked = f"{THREADS}/parked"

    own = result(system.call("GET", parked))["events"]
    assert [event["reason"] for event in own] == ["unreadable"]
    every = result(system.call("GET", parked, scopes="operator"))["events"]
    assert sorted(event["reason"] for event in every) == ["unknown_mailbox", "unreadable"]
    first = system.call("GET", parked, scopes="operator", query={"limit": "1"})[1]
    rest = system.call(
        "GET", parked, scopes="operator", query={"limit": "1", "cursor": first["cursor"]}
    )[1]
    assert first["result"] != rest["result"]


def test_a_list_of_all_companies_parked_events_ends_before_it_has_read_all_threads(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_parked, "MOST_QUERIES", 1)
    thread_of(system, mail("a@x"))
    system.interceptor.rewind()

    answer = system.call("GET", f"{THREADS}/parked", scopes="operator")[1]

    queries = [name for name in system.interceptor.calls if name.startswith("dynamodb.Query")]
    assert answer["result"] == {"events": []}
    assert len(queries) == ENTRIES_PER_CALL // ENTRIES_PER_QUERY
    assert "cursor" in answer
