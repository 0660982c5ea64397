"""The question how satisfied the customer of an ended conversation is: its send, its page, its answer, its counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from conversations.api.satisfaction import record
from conversations.lifecycle.closing_question import is_sampled
from conversations.lifecycle.records.commands import AskSatisfaction
from conversations.store import states
from conversations.store.lists.inbox_heads import ConversationHeads
from events.conversations import sample_data
from shared.inbox.satisfaction.answers import Answer, Outcome
from shared.inbox.satisfaction.links import CONVERSATIONS, VALID_DAYS, Link, token_of
from shared.runtime.failures import Transient
from tests.integration.conversations.inbound.test_intake import mail
from tests.integration.conversations.steps import (
    DAY_MS,
    HOUR_MS,
    at,
    enqueue,
    start_conversation,
    status_of,
    texts_by,
    write,
)
from tests.simulation.invocations import Invocation

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

QUESTION = "How satisfied are you with our help?"
RESOURCE = "/satisfaction/conversations/{token}"
ASKS: dict[str, Any] = {"after_minutes": 60}


def ended(system: System, channel: str = "sms", *, says: str = "Which shift is it?") -> str:
    """A conversation in which the customer was answered, and which an agent has closed."""
    system.change(satisfaction=ASKS)
    ref = system.begin(channel)
    system.advance(60_000)
    match channel:
        case "email":
            system.forward(mail(system, "m", says))
        case "whatsapp":
            system.whatsapp("m", says)
        case _:
            system.text("m", says)
    system.drain()
    close(system, ref)
    return ref


def close(system: System, ref: str, **body: bool) -> None:
    """Close a conversation; a call with the same body as before is a repeated one, which changes nothing."""
    system.call_admin_api("POST /conversations/{ref}/close", body, ref=ref)


def wait(system: System, milliseconds: int) -> None:
    system.advance(milliseconds)
    system.sweep()
    system.drain()


def questions(system: System, ref: str) -> list[str]:
    return texts_by(system, ref, "system")


def token(system: System) -> str:
    found = re.search(r"/satisfaction/conversations/([0-9a-z.]+)", str(system.sent()[-1]))
    assert found
    return found[1]


def page(
    system: System, method: str, name: str, form: dict[str, str] | None = None
) -> tuple[int, str]:
    event = {
        "resource": RESOURCE,
        "httpMethod": method,
        "pathParameters": {"token": name},
        "body": urlencode({"comment": "", **(form or {})}) if method == "POST" else None,
    }
    answer = system.functions["ConversationsAdmin"].handler(event, Invocation(system.clock))
    assert answer["headers"]["Cache-Control"] == "no-store"
    return answer["statusCode"], answer["body"]


def counted(system: System, ref: str) -> dict[str, int]:
    """What the inbox feed counts of a conversation."""
    resources = system.functions["ConversationsAdmin"].resources
    head = ConversationHeads(resources.table, resources.log).read(ref)
    assert head is not None
    return dict(head.ratings)


def shown(system: System, ref: str) -> dict[str, Any] | None:
    found: dict[str, Any] = system.call_admin_api("GET /conversations/{ref}", ref=ref)
    return found.get("satisfaction")


@pytest.mark.parametrize("channel", ["sms", "whatsapp", "email"])
def test_a_customer_is_asked_once_after_the_end_with_a_link_that_only_they_get(
    system: System, channel: str
) -> None:
    ref = ended(system, channel)
    wait(system, HOUR_MS - 60_000)
    assert questions(system, ref) == []

    wait(system, 61_000)
    assert questions(system, ref) == [QUESTION]
    assert status_of(system, ref)[0] == "closed"
    assert token(system) not in str(system.log(ref)) + str(system.state(ref))
    assert page(system, "GET", token(system))[0] == 200

    wait(system, 2 * DAY_MS)
    assert questions(system, ref) == [QUESTION]
    assert system.due_at() == []


def test_the_answer_is_shown_to_agents_and_counted_for_the_version_that_answered(
    system: System,
) -> None:
    ref = ended(system)
    wait(system, HOUR_MS)
    name = token(system)
    version = system.conversation(ref).get("ai_version", 0)
    assert counted(system, ref) == {f"asked|{version}": 1}

    assert [page(system, "GET", name)[0] for _ in range(3)] == [200] * 3
    assert shown(system, ref) is None
    assert page(system, "POST", name, {"score": "2", "comment": "Too slow.\r\nSorry."})[0] == 200
    assert page(system, "POST", name, {"score": "2", "comment": "Too slow.\nSorry."})[0] == 200
    given = shown(system, ref)

    assert given is not None
    assert (given["score"], given["comment"]) == (2, "Too slow.\nSorry.")
    assert counted(system, ref) == {f"asked|{version}": 1, f"scored:2|{version}": 1}
    page(system, "POST", name, {"score": "5"})
    assert counted(system, ref) == {f"asked|{version}": 1, f"scored:5|{version}": 1}


def test_the_question_and_its_page_are_in_the_language_that_the_customer_writes(
    system: System,
) -> None:
    ref = ended(system, says="Guten Tag, welche Schicht ist es denn bitte?")

    wait(system, HOUR_MS)

    assert questions(system, ref) == ["Wie zufrieden sind Sie mit unserer Hilfe?"]
    assert 'lang="de"' in page(system, "GET", token(system))[1]


def test_a_project_has_its_own_question(system: System) -> None:
    ref = ended(system)
    system.change(satisfaction=ASKS | {"text": {"en": "Happy?", "de": "Zufrieden?"}})

    wait(system, HOUR_MS)

    assert questions(system, ref) == ["Happy?"]


@pytest.mark.parametrize(
    "what", ["opt-out", "setting", "automation", "customer", "reopened", "silence", "no dialogue"]
)
def test_nothing_is_asked_after_anything_that_forbids_it(system: System, what: str) -> None:
    if what == "no dialogue":
        system.change(satisfaction=ASKS)
        ref = system.begin("sms")
        close(system, ref)
    else:
        ref = ended(system)
    match what:
        case "opt-out":
            elsewhere = {"recipient": sample_data.CANDIDATE, "channels": ["*"], "evidence": "form"}
            system.call_admin_api("POST /opt-outs", elsewhere)
        case "setting":
            system.change(satisfaction=None)
        case "automation":
            system.switch(automation_enabled="false")
        case "customer":
            write(system, "One more thing: who is my contact?", "m-2")
        case "reopened":
            system.call_admin_api("POST /conversations/{ref}/reopen", {}, ref=ref)
        case "silence":
            system.write("log", system.state(ref) | {"status_reason": "no_activity"})

    wait(system, HOUR_MS)

    assert questions(system, ref) == []
    assert system.due_at() == []


def test_whatsapp_asks_nothing_once_its_window_is_closed(system: System) -> None:
    """Only templates may be sent then."""
    ref = ended(system, "whatsapp")
    system.change(satisfaction={"after_minutes": 25 * 60})
    system.call_admin_api("POST /conversations/{ref}/reopen", {}, ref=ref)
    close(system, ref, force=True)

    wait(system, 25 * HOUR_MS)

    assert questions(system, ref) == []
    assert system.due_at() == []


def test_the_question_waits_for_the_end_of_quiet_hours(system: System) -> None:
    system.clock.ms = at("19:30")
    ref = ended(system)
    system.change(policy={"quiet_hours": ["20:00", "08:00"]}, timezone="UTC")

    wait(system, HOUR_MS)
    assert questions(system, ref) == []
    wait(system, 12 * HOUR_MS)

    assert questions(system, ref) == [QUESTION]


def test_a_person_is_asked_once_in_thirty_days_in_all_conversations(system: System) -> None:
    first = ended(system)
    wait(system, HOUR_MS)
    system.advance(60_000)
    second = start_conversation(system, request_id="req-2")
    write(system, "Is there parking?", "m-2")
    close(system, second)
    wait(system, HOUR_MS)
    assert (questions(system, first), questions(system, second)) == ([QUESTION], [])

    system.advance(30 * DAY_MS)
    third = start_conversation(system, request_id="req-3")
    write(system, "Is there a canteen?", "m-3")
    close(system, third)
    wait(system, HOUR_MS)
    assert questions(system, third) == [QUESTION]


@pytest.mark.parametrize("days", [31, 41])
def test_a_conversation_that_ends_again_does_not_ask_again(system: System, days: int) -> None:
    ref = ended(system)
    wait(system, HOUR_MS)
    system.advance(days * DAY_MS)
    system.call_admin_api("POST /conversations/{ref}/reopen", {}, ref=ref)
    assert status_of(system, ref)[0] != "closed"
    close(system, ref, force=True)
    assert status_of(system, ref)[0] == "closed"
    assert len(system.due_at()) == 1

    wait(system, HOUR_MS + 60_000)

    assert questions(system, ref) == [QUESTION]
    assert system.due_at() == []


def test_a_record_that_comes_twice_asks_once(system: System) -> None:
    ref = ended(system)
    wait(system, HOUR_MS)

    enqueue(system, AskSatisfaction(ref=ref), ref, "again")
    system.drain()

    assert questions(system, ref) == [QUESTION]
    assert len([one for one in system.sent() if QUESTION in str(one)]) == 1


@pytest.mark.parametrize("percent", [1, 30, 100])
def test_so_many_of_a_hundred_conversations_are_asked(percent: int) -> None:
    refs = [f"ref-{number}" for number in range(2_000)]

    asked = [ref for ref in refs if is_sampled(ref, percent)]

    assert asked == [ref for ref in refs if is_sampled(ref, percent)]
    assert abs(len(asked) / len(refs) * 100 - percent) <= 3


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({}, 422),
        ({"score": "0"}, 422),
        ({"score": "6"}, 422),
        ({"score": "five"}, 422),
        ({"score": "5", "comment": "x" * 1_001}, 422),
        ({"score": "5", "comment": "a\x00b"}, 422),
    ],
)
def test_a_form_that_breaks_a_rule_records_nothing_and_shows_the_rule(
    system: System, form: dict[str, str], status: int
) -> None:
    ref = ended(system)
    wait(system, HOUR_MS)

    refused, html = page(system, "POST", token(system), form)

    assert (refused, 'role="alert"' in html) == (status, True)
    assert shown(system, ref) is None


def test_links_of_others_links_that_were_changed_and_old_links_record_nothing(
    system: System,
) -> None:
    ref = ended(system)
    wait(system, HOUR_MS)
    name = token(system)
    ends_at = system.clock.ms // 1_000 + 60
    of_mail = Link(channel="email", conversation_id=ref, language="en", expires_at=ends_at)
    for changed in (name[:-1], name.replace(ref, "a" * len(ref)), token_of(of_mail), "x", ""):
        assert page(system, "POST", changed, {"score": "1"})[0] == 404
    system.advance((VALID_DAYS + 1) * DAY_MS)

    assert page(system, "POST", name, {"score": "1"})[0] == 410
    assert shown(system, ref) is None


def test_a_customer_answers_five_times_at_most(system: System) -> None:
    ref = ended(system)
    wait(system, HOUR_MS)
    name = token(system)

    found = [page(system, "POST", name, {"score": score})[0] for score in "123451"]

    assert found == [200] * 5 + [409]
    given = shown(system, ref)
    assert given is not None
    assert given["score"] == 5


def test_answers_that_are_written_at_the_same_time_are_counted_one_after_the_other(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = ended(system)
    log = system.functions["ConversationsAdmin"].resources.log
    link = Link(channel=CONVERSATIONS, conversation_id=ref, language="en", expires_at=1)
    read, late = states.read, [Answer(score=1)]

    def slow(table: Any, name: str) -> Any:
        found = read(table, name)
        while late:
            record(table, link, late.pop())
        return found

    monkeypatch.setattr(states, "read", slow)
    assert record(log, link, Answer(score=4)) is Outcome.THANKS
    state = read(log, ref)
    assert state is not None
    assert state.satisfaction is not None
    assert (state.satisfaction.score, state.satisfaction.answers) == (4, 2)

    monkeypatch.setattr(states, "note_satisfaction", lambda *_: False)
    with pytest.raises(Transient):
        record(log, link, Answer(score=2))
    gone = Link(channel=CONVERSATIONS, conversation_id="gone", language="en", expires_at=1)
    assert record(log, gone, Answer(score=2)) is Outcome.EXPIRED
