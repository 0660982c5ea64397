"""The question how satisfied the customer of a completed thread is: its send, its page, its answer and its counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from shared.runtime import clock
from tests.integration.email_threads.api.test_follow_up import pass_days
from tests.integration.email_threads.api.thread_calls import result
from tests.integration.email_threads.desk import changes
from tests.integration.email_threads.mailboxes.test_service_levels import REPORT, answered, receive
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, mail
from tests.simulation.invocations import Invocation

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.email_threads.system import System

HOURS = 24
PRIVACY = "email_threads:privacy"
GERMAN = "Guten Tag, ich habe eine Frage: wann kommt mein Paket, und wie kann ich es bei Ihnen umtauschen?"
type Answer = tuple[int, str]


@pytest.fixture
def asking(system: System) -> System:
    """A mailbox that asks a day after the end of a thread."""
    result(system.call("PUT", f"/email-mailboxes/{MAILBOX}", {"satisfaction_delay_hours": HOURS}))
    return system


def complete(system: System, path: str) -> None:
    result(system.call("PATCH", path, {"status": "completed"}))


def asked(system: System, **more: Any) -> str:
    """A customer was answered, the thread completed and the question sent. Returns the path of the thread."""
    path = receive(system, "a@x", **more)
    answered(system)
    complete(system, path)
    pass_days(system, 1.1)
    return path


def token(system: System) -> str:
    """The token in the newest mail."""
    text = str(system.sent()[-1]["Content"])
    found = re.search(r"/satisfaction/([0-9a-z.]+)\?score=5", text)
    assert found
    return found[1]


def page(system: System, method: str, name: str, form: dict[str, str] | None = None) -> Answer:
    """A browser, or the scanner of a provider of mail, requests the page. Browsers send empty fields, too."""
    event = {
        "resource": "/satisfaction/{token}",
        "httpMethod": method,
        "pathParameters": {"token": name},
        "queryStringParameters": {"score": "4"},
        "body": urlencode({"comment": "", **(form or {})}) if method == "POST" else None,
    }
    answer = system.api.handler(event, Invocation(system.clock, lasts_ms=29_000))
    assert answer["headers"]["Cache-Control"] == "no-store"
    return answer["statusCode"], answer["body"]


def shown(system: System, path: str) -> dict[str, Any]:
    found: dict[str, Any] = result(system.call("GET", path))["satisfaction"]
    return found


def scores(system: System) -> list[int]:
    """Questions and answers with one to five stars of all days."""
    names = ["questions_asked", *(f"score_{one}" for one in range(1, 6))]
    days = result(system.call("GET", REPORT, query={"from": "2026-01-01", "to": "2026-01-31"}))
    return [sum(day[name] for day in days["days"]) for name in names]


def test_the_customer_of_a_completed_thread_is_asked_once_in_their_language(
    asking: System,
) -> None:
    path = asked(asking, body=GERMAN)

    (sent,) = asking.sent()
    content = str(sent["Content"])
    assert sent["Destination"]["ToAddresses"] == [ANN]
    assert "Wie zufrieden sind Sie" in content
    assert 'href="https://' in content
    (thread,) = asking.threads()
    assert (thread["status"], thread["email_count"]) == ("completed", 3)
    assert "open_drafts" not in thread

    complete_again = [("reopened", "active"), ("closed", "completed")]
    for _, status in complete_again:
        result(asking.call("PATCH", path, {"status": status}))
    pass_days(asking, 3)
    assert len(asking.sent()) == 1
    assert scores(asking) == [1, 0, 0, 0, 0, 0]


def test_links_are_in_the_sent_mail_only(asking: System) -> None:
    path = asked(asking)

    name = token(asking)
    drafts, mails = asking.drafts(), result(asking.call("GET", path, query={"mails": "5"}))
    assert name not in str(drafts) + str(mails) + str(asking.rows())


def test_a_get_counts_for_nothing_and_a_post_records_the_answer(asking: System) -> None:
    path = asked(asking, body=GERMAN)
    name = token(asking)

    for _ in range(3):
        status, html = page(asking, "GET", name)
        assert (status, "score" in shown(asking, path)) == (200, False)
    assert 'value="4" required checked' in html
    assert '<html lang="de" dir="ltr">' in html
    answer = page(asking, "POST", name, {"score": "2", "comment": "Zu spät.\n<b>Ann</b>"})

    assert (answer[0], "Vielen Dank" in answer[1]) == (200, True)
    found = shown(asking, path)
    assert (found["score"], found["comment"]) == (2, "Zu spät.\n<b>Ann</b>")
    assert changes(asking)[-1] == ("customer", "satisfaction", "score=2")
    assert "Zu spät" not in str(changes(asking))
    assert scores(asking) == [1, 0, 1, 0, 0, 0]


def test_an_answer_is_repeated_without_effect_and_changed_at_most_four_times(
    asking: System,
) -> None:
    path = asked(asking)
    name = token(asking)
    for score in ("1", "1", "2", "3", "4", "5", "5"):
        assert page(asking, "POST", name, {"score": score})[0] == 200

    assert page(asking, "POST", name, {"score": "1"})[0] == 409
    assert shown(asking, path)["score"] == 5
    assert scores(asking) == [1, 0, 0, 0, 0, 1]


def test_an_answer_that_breaks_a_rule_shows_the_form_again(asking: System) -> None:
    path = asked(asking)
    name = token(asking)
    for form in (
        {},
        {"score": "0"},
        {"score": "6"},
        {"score": "five"},
        {"score": "5", "comment": "a" * 1_001},
        {"score": "5", "comment": "a\x00b"},
        {"score": "5", "comment": "a\x85b"},
    ):
        status, html = page(asking, "POST", name, form)

        assert (status, "<form" in html) == (422, True), form
        assert "score" not in shown(asking, path), form


def test_a_comment_is_as_long_as_the_form_allows_with_the_line_breaks_of_browsers(
    asking: System,
) -> None:
    path = asked(asking)
    name = token(asking)
    longest = "\n".join("a" * 9 for _ in range(100))
    for sent, kept in ((" \r\n", None), (longest.replace("\n", "\r\n"), longest)):
        assert page(asking, "POST", name, {"score": "4", "comment": sent})[0] == 200

        assert shown(asking, path).get("comment") == kept


def _other_thread(name: str) -> str:
    channel, _, *rest = name.split(".")
    return ".".join([channel, "0123456789abcdef", *rest])


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda name: "x", 404),
        (lambda name: name[:-1] + ("0" if name[-1] != "0" else "1"), 404),
        (_other_thread, 404),
        (lambda name: name.replace(".en.", ".de."), 404),
        (lambda name: name.replace("email.", "sms."), 404),
    ],
)
def test_a_changed_link_records_nothing(
    asking: System, change: Callable[[str], str], status: int
) -> None:
    path = asked(asking)

    for method in ("GET", "POST"):
        assert page(asking, method, change(token(asking)), {"score": "5"})[0] == status
    assert "score" not in shown(asking, path)


def test_a_link_ends_after_thirty_days_and_with_its_thread(asking: System) -> None:
    asked(asking)
    name = token(asking)
    asking.clock.ms += 29 * clock.DAY_SECONDS * clock.SECOND_MS
    assert page(asking, "GET", name)[0] == 200

    asking.clock.ms += 2 * clock.DAY_SECONDS * clock.SECOND_MS

    assert page(asking, "GET", name)[0] == 410
    assert page(asking, "POST", name, {"score": "5"})[0] == 410


def _opts_out(system: System) -> None:
    system.deliver(mail("stop@x", "STOP", subject="Other"), name="stop", address=MAILBOX)
    system.drain()


def _is_switched_off(system: System) -> None:
    body = {"satisfaction_delay_hours": None}
    result(system.call("PUT", f"/email-mailboxes/{MAILBOX}", body))


def _is_reopened(system: System) -> None:
    receive(system, "b@x", in_reply_to="a@x")


def _refuses_automation(system: System) -> None:
    path = f"/email-threads/{system.threads()[0]['conversation_id']}"
    result(system.call("PATCH", path, {"gdpr_consent": False}))


@pytest.mark.parametrize(
    "happens", [_opts_out, _is_switched_off, _is_reopened, _refuses_automation]
)
def test_what_happens_before_the_question_prevents_it(
    asking: System, happens: Callable[[System], None]
) -> None:
    path = receive(asking, "a@x")
    answered(asking)
    complete(asking, path)
    happens(asking)
    pass_days(asking, 2)

    assert asking.sent() == []
    assert [draft["draft_status"] for draft in asking.drafts()] in ([], ["superseded"])
    assert result(asking.call("GET", "/email-threads/drafts"))["drafts"] == []


@pytest.mark.parametrize(
    "more",
    [
        {"dmarc": "fail"},
        {"sender": "noreply@orchard.example"},
        {"more": "X-Auto-Response-Suppress: All"},
    ],
)
def test_robots_and_unproven_authors_are_not_asked(asking: System, more: dict[str, Any]) -> None:
    path = receive(asking, "a@x", **more)
    answered(asking)
    complete(asking, path)
    pass_days(asking, 2)

    assert asking.sent() == []


def test_a_thread_without_an_answer_and_one_of_another_mailbox_are_not_asked(
    asking: System,
) -> None:
    complete(asking, receive(asking, "a@x"))
    pass_days(asking, 2)

    assert asking.sent() == []
    assert changes(asking)[-1] == ("satisfaction", "satisfaction", "not_answered")


def test_an_answer_after_a_merge_is_kept_at_the_thread_that_is_left(asking: System) -> None:
    path = asked(asking)
    name = token(asking)
    asking.deliver(mail("c@x", sender=BOB, subject="Tables"), name="c", address=MAILBOX)
    asking.drain()
    (other,) = [t for t in asking.threads() if not path.endswith(t["conversation_id"])]
    into = {"into": other["conversation_id"]}
    assert asking.call("POST", f"{path}/merge", into)[0] == 202
    asking.drain()

    assert page(asking, "POST", name, {"score": "3"})[0] == 200

    found = shown(asking, f"/email-threads/{other['conversation_id']}")
    assert found["score"] == 3
    assert scores(asking) == [1, 0, 0, 1, 0, 0]


def test_an_erasure_removes_the_words_and_the_link_with_the_thread(asking: System) -> None:
    asked(asking)
    name = token(asking)
    assert page(asking, "POST", name, {"score": "3", "comment": "Ann was here"})[0] == 200
    erase = ("POST", "/email-threads/contacts/erase", {"address": ANN})
    assert asking.call(*erase, scopes=PRIVACY)[0] == 202
    asking.drain()

    assert "Ann was here" not in str(asking.rows())
    assert page(asking, "POST", name, {"score": "4"})[0] == 410
