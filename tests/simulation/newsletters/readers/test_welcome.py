"""Readers who confirm a sign-up get the welcome mail of the list: once, by the action ledger."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.simulation.crashes.recorded_run import RecordedRun
from tests.simulation.newsletters.final_state import state_of
from tests.simulation.newsletters.scenarios import settled
from tests.simulation.newsletters.steps.issues import (
    addressed,
    headers,
    mails,
    opened,
    opted,
    reader,
    reported,
    unsubscribe_url,
)
from tests.simulation.newsletters.steps.readers import (
    DORA,
    confirmed,
    is_member,
    joined,
    published,
    rows_of_readers,
    signed_up,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.newsletters.system import System

WELCOME: Final = {
    "subject": "Welcome, {{first_name|there}}",
    "text": "Nice to have you <here>.\n\nThe first issue comes on Friday.",
}
LATER: Final = 24 * 3_600_000


def welcomes(system: System) -> list[dict[str, Any]]:
    found = [
        one for one in mails(system) if {"Name": "action", "Value": action_of(system)} in one["EmailTags"]
    ]  # fmt: skip
    return [one["Content"]["Simple"] for one in found]


def action_of(system: System) -> str:
    (row,) = rows_of_readers(system, "SIGNUP")
    return f"wl-{row['recipient'][:32]}-{row['list_id']}"


def states(system: System) -> list[str]:
    return [row["state"] for row in rows_of_readers(system, "WELCOME")]


def signup_state(system: System) -> str:
    (row,) = rows_of_readers(system, "SIGNUP")
    return str(row["state"])


def asked(system: System, **fields: Any) -> str:
    """A person has signed up to a list with a welcome mail, and has the mail that asks to confirm."""
    list_id = published(system, **{"welcome": WELCOME, **fields})
    assert signed_up(system, list_id).status == 202
    system.settle()
    return list_id


def confirm(system: System) -> None:
    assert confirmed(system, mails(system)[0]).status == 200


def test_a_reader_who_confirms_gets_the_welcome_mail_once(system: System) -> None:
    list_id = asked(system)
    assert welcomes(system) == []
    confirm(system)
    system.settle()

    (mail,) = welcomes(system)
    assert mail["Subject"]["Data"] == "Welcome, Dora"
    assert "Nice to have you <here>." in mail["Body"]["Text"]["Data"]
    assert "Nice to have you &lt;here&gt;." in mail["Body"]["Html"]["Data"]
    assert "1 Mill Lane, Leeds" in mail["Body"]["Text"]["Data"]
    assert is_member(system, list_id)
    assert (states(system), signup_state(system)) == (["sent"], "joined")

    system.clock.ms += LATER
    assert signed_up(system, list_id).status == 202
    system.settle()
    assert confirmed(system, mails(system)[-1]).status == 200
    system.settle()
    assert len(welcomes(system)) == 1


def test_the_welcome_mail_has_one_click_headers_by_which_the_reader_leaves_the_list(
    system: System,
) -> None:
    list_id = asked(system, language="de")
    confirm(system)
    system.settle()
    mail = mails(system)[-1]

    assert headers(mail)["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert headers(mail)["List-Id"] == f"<{list_id}.shop.example>"
    url = unsubscribe_url(mail)
    assert "abbestellen" in opened(system, url).text
    system.clock.ms += 1_000
    assert opened(system, url, "POST", "List-Unsubscribe=One-Click").status == 200
    rows = system.plain("log").items()
    consents = [row["state"] for (_, sk), row in rows if sk == f"list:{list_id}"]
    assert consents == ["opted_out"]


def test_people_who_come_into_the_list_otherwise_get_no_welcome_mail(system: System) -> None:
    list_id = published(system, welcome=WELCOME)
    reader(system, list_id, DORA)  # as an import, or a colleague, adds them
    opted(system, DORA)
    system.settle()
    assert addressed(system) == []


def test_a_list_without_a_welcome_mail_sends_none(system: System) -> None:
    list_id = published(system)
    joined(system, list_id)
    assert len(mails(system)) == 1
    assert rows_of_readers(system, "WELCOME") == []


def test_a_reader_who_leaves_before_the_welcome_mail_gets_none(system: System) -> None:
    asked(system)
    system.switch(safe_mode="true")
    confirm(system)
    system.drain()
    assert signup_state(system) == "welcoming"
    system.clock.ms += 1_000
    opted(system, DORA, out=True)
    system.switch(safe_mode="false")
    system.settle()

    assert welcomes(system) == []
    assert (states(system), signup_state(system)) == ([], "joined")


def test_the_welcome_mail_waits_while_mail_is_off_or_the_provider_in_trouble(
    system: System,
) -> None:
    list_id = asked(system)
    system.switch(safe_mode="true")
    confirm(system)
    system.drain()
    assert is_member(system, list_id)
    assert welcomes(system) == []
    system.switch(safe_mode="false")
    for status in (429, 403):  # throttled; an operator has to act
        system.sandbox.faults.add(
            provider="ses", operation="SendEmail", times=1, kind="status", status=status
        )
    system.settle()
    assert len(welcomes(system)) == 1
    assert (states(system), signup_state(system)) == (["sent"], "joined")


def test_a_welcome_mail_without_an_answer_is_not_sent_again(system: System) -> None:
    asked(system)
    system.sandbox.faults.add(provider="ses", operation="SendEmail", times=1, kind="lost_answer")
    confirm(system)
    system.settle()
    assert len(welcomes(system)) == 1  # SES has taken it
    assert (states(system), signup_state(system)) == (["unknown"], "joined")


def test_a_bounce_of_the_welcome_mail_is_about_the_address(system: System) -> None:
    list_id = asked(system)
    confirm(system)
    system.settle()
    reported(system, mails(system)[-1], "Bounce", bounceType="Permanent", bounceSubType="General")
    system.settle()
    system.clock.ms += LATER
    before = len(mails(system))
    signed_up(system, list_id)
    system.settle()
    assert len(mails(system)) == before


@pytest.mark.parametrize(
    ("welcome", "field"),
    [
        ({"subject": "Hello"}, "welcome.text"),
        ({"subject": "", "text": "Hello"}, "welcome.subject"),
        ({"subject": "Hello", "text": "a" * 5_001}, "welcome.text"),
        ({"subject": "Hello", "text": "a\x00"}, "welcome.text"),
    ],
)
def test_a_welcome_mail_that_cannot_be_sent_is_refused(
    system: System, welcome: dict[str, str], field: str
) -> None:
    path = f"/newsletters/lists/{published(system)}"
    status, answer = system.call("PUT", path, {"version": 1, "welcome": welcome})
    assert (status, answer["error"]["details"][0]["field"]) == (400, field)
    assert system.call("PUT", path, {"version": 1, "welcome": WELCOME})[0] == 200
    assert system.call("PUT", path, {"version": 2, "welcome": None})[0] == 200
    assert "welcome" not in system.read(path)


def goes_on(system: System, *, is_over: Callable[[], bool] = lambda: False) -> None:
    system.settle(is_over=is_over)


@pytest.mark.long
def test_a_confirmation_that_is_killed_at_any_call_sends_at_most_one_welcome_mail(
    system: System,
) -> None:
    settled(asked)(system)
    run = RecordedRun(system, state_of, partial(goes_on, system), [confirm])
    run.record()
    assert len(welcomes(system)) == 1
    for _ in run.kills():
        assert signup_state(system) == "joined"
        (state,) = states(system)
        assert (state, len(welcomes(system))) in {("sent", 1), ("unknown", 1), ("unknown", 0)}
        assert not system.open_work()
        assert not system.fifo_queues.dead_letters
