"""The help desk's client against the sandbox: shapes, refusals, limits, lost answers, and one wire request a reply."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.sandbox import Sandbox
from local.sandbox.help_desk import TicketSeed, tag_id
from local.sandbox.shop import OrderSeed
from richpanel.clients.calls import BadAnswer
from richpanel.clients.helpdesk import HelpDesk, UnknownTag
from richpanel.limiter import Throttled
from shared.channels.outcomes import InDoubt, NotSent, Refused
from shared.dynamodb import Table
from shared.failures import Permanent, Transient
from tests.integration.richpanel.conftest import NOW, Time

SEED: dict[str, Any] = {
    "id": "t-1",
    "subject": "Where is it?",
    "sender": "jane@shop.example",
    "profile_email": "jane@home.example",
    "tags": ["vip"],
    "assignee_id": "agent-7",
    "updated_at": "2026-03-02T12:30:00Z",
    "comments": [
        {
            "id": "m-2",
            "body": "<p>Hello</p>",
            "author_id": "agent-7",
            "is_operator": True,
            "created_at": "2026-03-02T12:20:00Z",
        },
        {
            "id": "m-1",
            "body": "<p>Where?</p>",
            "plain_body": "Where?",
            "created_at": "2026-03-02T12:00:00Z",
            "attachment_ids": ["f-1"],
        },
    ],
}


def seed(sandbox: Sandbox, **change: Any) -> None:
    sandbox.desk.seed(TicketSeed.model_validate(SEED | change), "2026-03-02T12:30:00Z")


def operations(sandbox: Sandbox) -> list[str]:
    return [sent.operation for sent in sandbox.sent]


@pytest.mark.parametrize("spelling", ["documented", "camel"])
@pytest.mark.parametrize("is_wrapped", [True, False])
def test_a_ticket_reads_the_same_in_every_spelling(
    desk: HelpDesk, sandbox: Sandbox, spelling: str, is_wrapped: bool
) -> None:
    seed(sandbox, spelling=spelling, is_wrapped=is_wrapped)

    ticket = desk.ticket("t-1")

    assert ticket is not None
    assert (ticket.id, ticket.channel, ticket.is_closed) == ("t-1", "email", False)
    assert (ticket.assignee_id, ticket.tags) == ("agent-7", ["vip"])
    assert ticket.updated_at == 1_772_454_600_000
    assert ticket.via is not None
    assert ticket.via.sender == "jane@shop.example"
    assert ticket.customer_profile is not None
    assert ticket.customer_profile.email == "jane@home.example"
    first, second = ticket.in_order
    assert (first.id, first.text, first.is_operator) == ("m-1", "Where?", False)
    assert (first.author_id, second.author_id) == ("customer-1", "agent-7")
    assert (second.id, second.text, second.is_operator) == ("m-2", "<p>Hello</p>", True)
    assert first.created_at == 1_772_452_800_000
    assert [attachment.id for attachment in first.attachments] == ["f-1"]


@pytest.mark.parametrize("ticket_id", ["<a.b@mail.example>", "a/b", "a b?c#d%", "\u00e9"])
def test_ids_are_encoded(desk: HelpDesk, sandbox: Sandbox, ticket_id: str) -> None:
    seed(sandbox, id=ticket_id)

    found = desk.ticket(ticket_id)
    desk.add_tags(ticket_id, {"vip"})

    assert found is not None
    assert found.id == ticket_id
    assert operations(sandbox) == ["get_ticket", "add_tags"]


@pytest.mark.parametrize("ticket_id", [".", ".."])
def test_an_id_that_is_a_step_in_a_path_calls_nothing(
    desk: HelpDesk, sandbox: Sandbox, ticket_id: str
) -> None:
    with pytest.raises(Permanent, match="bad_id"):
        desk.ticket(ticket_id)
    with pytest.raises(Permanent, match="bad_id"):
        desk.reply(ticket_id, "Hello", "bot-1", "send_message")
    assert sandbox.sent == []


def test_a_ticket_that_is_not_there_is_none(desk: HelpDesk, time: Time) -> None:
    assert desk.ticket("none") is None
    assert time.waits == []


def test_open_tickets_come_in_pages(desk: HelpDesk, sandbox: Sandbox) -> None:
    for number in range(101):
        seed(sandbox, id=f"t-{number}", updated_at=f"2026-03-02T12:{number // 60:02}:{number % 60:02}Z")  # fmt: skip
    seed(sandbox, id="closed", status="CLOSED")
    seed(sandbox, id="old", updated_at="2026-03-01T23:59:59Z")

    first, second = (desk.open_tickets(page, "2026-03-02") for page in (1, 2))

    assert (first.tickets[0].id, len(first.tickets), first.has_more) == ("t-100", 100, True)
    assert ([ticket.id for ticket in second.tickets], second.has_more) == (["t-0"], False)


def test_tags_are_named_in_one_request(desk: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox)
    sandbox.desk.know_tag("route-returns-admin")
    sandbox.desk.know_tag("mw-processed")

    desk.add_tags("t-1", {"route-returns-admin", "mw-processed"})
    desk.remove_tags("t-1", {"vip"})

    ticket = desk.ticket("t-1")
    assert ticket is not None
    assert desk.tag_names(ticket) == {"route-returns-admin", "mw-processed"}
    assert operations(sandbox) == ["add_tags", "remove_tags", "get_ticket"]


def test_tags_can_be_named_by_id(desk: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox)
    by_id = replace(desk, tag_ids={"vip": tag_id("vip")})

    by_id.remove_tags("t-1", {"vip"})

    body: Any = sandbox.sent[0].body
    assert body == {"tags": [tag_id("vip")]}
    with pytest.raises(UnknownTag):
        by_id.add_tags("t-1", {"unheard-of"})
    assert operations(sandbox) == ["remove_tags"]


def test_the_ids_on_a_ticket_become_names(desk: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox, tags=[tag_id("vip"), "9"])
    ticket = desk.ticket("t-1")

    assert ticket is not None
    assert replace(desk, tag_ids={"vip": tag_id("vip")}).tag_names(ticket) == {"vip", "9"}


def test_tags_and_teams_are_listed_whatever_the_list_is_called(
    desk: HelpDesk, sandbox: Sandbox
) -> None:
    desk.create_tag("mw-processed")

    assert [(tag.id, tag.name) for tag in desk.tags()] == [(tag_id("mw-processed"), "mw-processed")]
    assert "Returns Admin" in [team.name for team in desk.teams()]
    with pytest.raises(Permanent, match="richpanel_422"):
        desk.create_tag("mw-processed")


def test_a_ticket_is_assigned_and_closed(desk: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox)

    desk.assign("t-1", "agent-9")
    desk.close("t-1")

    ticket = desk.ticket("t-1")
    assert ticket is not None
    assert (ticket.assignee_id, ticket.is_closed) == ("agent-9", True)


@pytest.mark.parametrize(
    ("path", "operation", "author"),
    [("send_message", "send_message", "bot-1"), ("comment", "comment", "operator-of-the-key")],
)
def test_a_reply_is_seen_on_the_ticket(
    desk: HelpDesk, sandbox: Sandbox, path: Any, operation: str, author: str
) -> None:
    seed(sandbox)

    desk.reply("t-1", "On its way.", "bot-1", path)

    assert operations(sandbox) == [operation]
    ticket = desk.ticket("t-1")
    assert ticket is not None
    newest = ticket.comments[-1]
    assert (newest.text, newest.is_operator, newest.author_id) == ("On its way.", True, author)


def test_the_linked_order_is_two_ids_or_none(desk: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox, order={"order_id": "6001", "app_client_id": "shop/1"})
    seed(sandbox, id="t-2")
    sandbox.shop.orders["6001"] = OrderSeed(
        id="6001", name="#1001", email="jane@shop.example", created_at="2026-03-01T09:00:00Z"
    )

    link = desk.linked_order("t-1")

    assert link is not None
    assert (link.order_id, link.app_client_id) == ("6001", "shop/1")
    copy = desk.order(link)
    assert copy is not None
    assert (copy.name, copy.email) == ("#1001", "jane@shop.example")
    assert desk.linked_order("t-2") is None


# What fails


@pytest.mark.parametrize("kind", ["reset", "lost_answer"])
def test_a_read_that_fails_once_is_tried_again_after_a_pause(
    desk: HelpDesk, sandbox: Sandbox, time: Time, kind: str
) -> None:
    seed(sandbox)
    sandbox.faults.add(kind=kind)

    assert desk.ticket("t-1") is not None
    assert len(time.waits) == 1
    assert 500 <= time.waits[0] <= 2_000


@pytest.mark.parametrize("change", ["tags", "assign"])
def test_a_change_that_can_be_repeated_is_tried_again_once(
    desk: HelpDesk, sandbox: Sandbox, change: str
) -> None:
    seed(sandbox)
    sandbox.faults.add(kind="status", status=503)

    def act() -> None:
        if change == "tags":
            desk.add_tags("t-1", {"vip"})
        else:
            desk.assign("t-1", "agent-9")

    act()
    assert len(sandbox.sent) == 1

    sandbox.faults.add(kind="status", status=503, times=2)
    with pytest.raises(Transient, match="richpanel_503"):
        act()
    assert sandbox.faults.pending() == []


def test_no_second_attempt_where_no_time_is_left_for_it(
    desk: HelpDesk, sandbox: Sandbox, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed(sandbox)
    monkeypatch.setattr(random, "randint", lambda low, high: high)
    sandbox.faults.add(kind="status", status=500, times=2)
    late = replace(desk, deadline_ms=NOW + 4_499)

    with pytest.raises(Transient, match="richpanel_500"):
        late.ticket("t-1")
    assert (time.waits, len(sandbox.faults.pending())) == ([], 1)


def test_a_call_is_not_begun_that_could_not_end(desk: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox)
    late = replace(desk, deadline_ms=NOW + 2_400)

    with pytest.raises(Transient, match="no_time_left"):
        late.ticket("t-1")
    with pytest.raises(NotSent, match="no_time_left"):
        late.reply("t-1", "Hello", "bot-1", "send_message")
    assert sandbox.sent == []


def test_a_call_ends_before_the_invocation_does(desk: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox)
    sandbox.faults.add(kind="delay", seconds=30)

    with pytest.raises(InDoubt, match="no_answer"):
        replace(desk, deadline_ms=NOW + 2_600).reply("t-1", "Hello", "bot-1", "send_message")

    assert operations(sandbox) == ["send_message"]


@pytest.mark.parametrize("status", [400, 422])
def test_a_refusal_is_for_good_and_not_tried_again(
    desk: HelpDesk, sandbox: Sandbox, time: Time, status: int
) -> None:
    seed(sandbox)
    acts: list[Callable[[], object]] = [
        lambda: desk.ticket("t-1"),
        lambda: desk.add_tags("t-1", {"vip"}),
        lambda: desk.close("t-1"),
    ]
    for act in acts:
        sandbox.faults.add(kind="status", status=status)
        with pytest.raises(Permanent, match=f"richpanel_{status}"):
            act()
    assert time.waits == []


@pytest.mark.parametrize("kind", ["html", "empty"])
def test_an_answer_that_is_no_json_is_a_bad_one_and_may_pass(
    desk: HelpDesk, sandbox: Sandbox, kind: str
) -> None:
    seed(sandbox)
    acts: list[Callable[[], object]] = [
        lambda: desk.ticket("t-1"),
        lambda: desk.open_tickets(1, "2026-03-02"),
        lambda: desk.linked_order("t-1"),
        desk.tags,
        lambda: desk.add_tags("t-1", {"vip"}),
        lambda: desk.close("t-1"),
    ]
    for act in acts:
        sandbox.faults.add(kind=kind)
        with pytest.raises(BadAnswer) as failure:
            act()
        assert failure.value.reason == "bad_provider_answer"


# Replies: one request on the wire, and an outcome that the ledger can go by


@pytest.mark.parametrize(
    ("fault", "outcome", "code"),
    [
        ({"kind": "status", "status": 429}, NotSent, "richpanel_429"),
        ({"kind": "status", "status": 408}, NotSent, "richpanel_408"),
        ({"kind": "status", "status": 400}, Refused, "richpanel_400"),
        ({"kind": "status", "status": 401}, NotSent, "richpanel_401"),
        ({"kind": "status", "status": 404}, Refused, "richpanel_404"),
        ({"kind": "status", "status": 422}, Refused, "richpanel_422"),
        ({"kind": "status", "status": 500}, InDoubt, "richpanel_500"),
        ({"kind": "status", "status": 503}, InDoubt, "richpanel_503"),
        ({"kind": "reset"}, InDoubt, "no_answer"),
        ({"kind": "lost_answer"}, InDoubt, "no_answer"),
        ({"kind": "html"}, InDoubt, "bad_provider_answer"),
        ({"kind": "empty"}, InDoubt, "bad_provider_answer"),
    ],
)
def test_a_reply_that_fails_is_told_as_what_it_is_and_never_sent_again(
    desk: HelpDesk, sandbox: Sandbox, fault: dict[str, Any], outcome: Any, code: str
) -> None:
    seed(sandbox)
    sandbox.faults.add(**fault)

    with pytest.raises(outcome) as failure:
        desk.reply("t-1", "On its way.", "bot-1", "send_message")

    assert failure.value.code == code
    assert sandbox.faults.pending() == []
    assert len(sandbox.sent) == (1 if fault["kind"] == "lost_answer" else 0)


def test_a_reply_to_nobody_listening_was_certainly_not_sent(desk: HelpDesk) -> None:
    with pytest.raises(NotSent, match="no_connection"):
        replace(desk, base_url="http://127.0.0.1:1/v1").reply("t-1", "Hi", "bot-1", "send_message")


def test_a_reply_without_a_token_of_the_limit_was_certainly_not_sent(
    desk: HelpDesk, sandbox: Sandbox
) -> None:
    seed(sandbox)
    desk.limiter.close("100")

    with pytest.raises(NotSent, match="limiter"):
        desk.reply("t-1", "Hello", "bot-1", "send_message")
    assert sandbox.sent == []


def test_a_reply_that_cannot_ask_the_limiter_was_certainly_not_sent(
    desk: HelpDesk, sandbox: Sandbox, state_table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_: Any, **__: Any) -> None:
        raise ClientError({"Error": {"Code": "InternalServerError"}}, "GetItem")

    seed(sandbox)
    monkeypatch.setattr(state_table, "get", unavailable)

    with pytest.raises(NotSent, match="limiter"):
        desk.reply("t-1", "Hello", "bot-1", "send_message")
    assert sandbox.sent == []


# The limit


def test_a_429_is_waited_for_where_that_leaves_time_and_tried_again(
    desk: HelpDesk, sandbox: Sandbox, time: Time
) -> None:
    seed(sandbox)
    sandbox.faults.add(kind="status", status=429, retry_after="20")

    assert desk.ticket("t-1") is not None
    assert time.ms == NOW + 20_000


def test_a_429_that_names_a_late_date_sends_the_event_back(
    desk: HelpDesk, sandbox: Sandbox
) -> None:
    seed(sandbox)
    sandbox.faults.add(kind="status", status=429, retry_after="Mon, 02 Mar 2026 13:01:00 GMT")

    with pytest.raises(Throttled) as failure:
        desk.ticket("t-1")

    assert 57_000 <= (failure.value.wait_ms or 0) <= 63_000


def test_a_429_holds_for_everybody(desk: HelpDesk, sandbox: Sandbox, time: Time) -> None:
    seed(sandbox)
    sandbox.faults.add(kind="status", status=429, retry_after="20")
    with pytest.raises(NotSent):
        desk.reply("t-1", "Hello", "bot-1", "send_message")

    other = replace(desk, limiter=type(desk.limiter)(desk.limiter.table))
    other.ticket("t-1")

    assert time.ms == NOW + 20_000


def test_a_hundred_calls_never_meet_the_help_desks_limit(
    desk: HelpDesk, sandbox: Sandbox, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sandbox counts 50 in 30 s by itself, on a clock that goes on with ours."""
    start = sandbox.clock.now()
    monkeypatch.setattr(sandbox.clock, "now", lambda: start + (time.ms - NOW) / 1_000)
    for _ in range(100):
        replace(desk, deadline_ms=time.ms + 60_000).teams()

    assert len(sandbox.sent) == 100
    assert time.ms - NOW >= 65_000  # (100 - 8) / 1.4 s


# Secrets


def test_no_error_shows_the_key_the_text_or_what_the_provider_wrote(
    desk: HelpDesk, sandbox: Sandbox
) -> None:
    seed(sandbox, id="jane@shop.example")
    shown = []
    faults: list[dict[str, Any]] = [
        {"kind": "status", "status": 500, "times": 2},
        {"kind": "status", "status": 422},
        {"kind": "html"},
        {"kind": "reset", "times": 2},
    ]
    acts: list[Callable[[], object]] = [
        lambda: desk.ticket("jane@shop.example"),
        lambda: desk.reply("jane@shop.example", "Dear Jane", "bot-1", "comment"),
    ]
    for fault, act in product(faults, acts):
        sandbox.faults.clear()
        sandbox.faults.add(**fault)
        with pytest.raises((Transient, Permanent, InDoubt, Refused)) as failure:
            act()
        assert failure.value.__suppress_context__ or failure.value.__context__ is None
        shown.append("".join(traceback.format_exception_only(failure.value)))
    shown.append(repr(desk))

    assert len(shown) == 9
    for text in shown:
        assert "a-key" not in text
        assert "Please wait" not in text
        assert "jane" not in text.lower()
