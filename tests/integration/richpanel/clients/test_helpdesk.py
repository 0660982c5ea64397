"""The help desk's client against the sandbox: reads and writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local.sandbox import Sandbox
from local.sandbox.accounts.shop import OrderSeed
from local.sandbox.accounts.tickets import tag_id
from richpanel.clients.helpdesk import HelpDesk, UnknownTag
from shared.runtime.failures import Permanent
from tests.integration.richpanel.clients.helpdesk import operations, seed
from tests.integration.richpanel.conftest import Time


@pytest.mark.parametrize("spelling", ["documented", "camel"])
@pytest.mark.parametrize("is_wrapped", [True, False])
def test_a_ticket_reads_the_same_in_every_spelling(
    help_desk_client: HelpDesk, sandbox: Sandbox, spelling: str, is_wrapped: bool
) -> None:
    seed(sandbox, spelling=spelling, is_wrapped=is_wrapped)

    ticket = help_desk_client.ticket("t-1")

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
def test_ids_are_encoded(help_desk_client: HelpDesk, sandbox: Sandbox, ticket_id: str) -> None:
    seed(sandbox, id=ticket_id)

    found = help_desk_client.ticket(ticket_id)
    help_desk_client.add_tags(ticket_id, {"vip"})

    assert found is not None
    assert found.id == ticket_id
    assert operations(sandbox) == ["get_ticket", "add_tags"]


@pytest.mark.parametrize("ticket_id", [".", ".."])
def test_an_id_of_dots_is_refused_without_a_request(
    help_desk_client: HelpDesk, sandbox: Sandbox, ticket_id: str
) -> None:
    with pytest.raises(Permanent, match="bad_id"):
        help_desk_client.ticket(ticket_id)
    with pytest.raises(Permanent, match="bad_id"):
        help_desk_client.reply(ticket_id, "Hello", "bot-1", "send_message")
    assert sandbox.sent == []


def test_a_missing_ticket_is_none(help_desk_client: HelpDesk, time: Time) -> None:
    assert help_desk_client.ticket("none") is None
    assert time.waits == []


def test_open_tickets_come_in_pages(help_desk_client: HelpDesk, sandbox: Sandbox) -> None:
    for number in range(101):
        seed(sandbox, id=f"t-{number}", updated_at=f"2026-03-02T12:{number // 60:02}:{number % 60:02}Z")  # fmt: skip
    seed(sandbox, id="closed", status="CLOSED")
    seed(sandbox, id="old", updated_at="2026-03-01T23:59:59Z")

    first, second = (help_desk_client.tickets(page, "2026-03-02") for page in (1, 2))

    assert (first.tickets[0].id, len(first.tickets), first.has_more) == ("t-100", 100, True)
    assert ([ticket.id for ticket in second.tickets], second.has_more) == (["t-0"], False)


def test_tags_are_named_in_one_request(help_desk_client: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox)
    sandbox.help_desk.add_tag("route-returns-admin")
    sandbox.help_desk.add_tag("mw-processed")

    help_desk_client.add_tags("t-1", {"route-returns-admin", "mw-processed"})
    help_desk_client.remove_tags("t-1", {"vip"})

    ticket = help_desk_client.ticket("t-1")
    assert ticket is not None
    assert help_desk_client.tag_names(ticket) == {"route-returns-admin", "mw-processed"}
    assert operations(sandbox) == ["add_tags", "remove_tags", "get_ticket"]


def test_tags_can_be_named_by_id(help_desk_client: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox)
    by_id = replace(help_desk_client, tag_ids={"vip": tag_id("vip")})

    by_id.remove_tags("t-1", {"vip"})

    body: Any = sandbox.sent[0].body
    assert body == {"tags": [tag_id("vip")]}
    with pytest.raises(UnknownTag):
        by_id.add_tags("t-1", {"unheard-of"})
    assert operations(sandbox) == ["remove_tags"]


def test_the_tag_ids_of_a_ticket_are_mapped_to_names(
    help_desk_client: HelpDesk, sandbox: Sandbox
) -> None:
    seed(sandbox, tags=[tag_id("vip"), "9"])
    ticket = help_desk_client.ticket("t-1")

    assert ticket is not None
    assert replace(help_desk_client, tag_ids={"vip": tag_id("vip")}).tag_names(ticket) == {
        "vip",
        "9",
    }


def test_tags_and_teams_are_listed_under_any_documented_field_name(
    help_desk_client: HelpDesk, sandbox: Sandbox
) -> None:
    help_desk_client.create_tag("mw-processed")

    assert [(tag.id, tag.name) for tag in help_desk_client.tags()] == [
        (tag_id("mw-processed"), "mw-processed")
    ]
    assert "Returns Admin" in [team.name for team in help_desk_client.teams()]
    with pytest.raises(Permanent, match="richpanel_422"):
        help_desk_client.create_tag("mw-processed")


def test_a_ticket_is_assigned_and_closed(help_desk_client: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox)

    help_desk_client.assign("t-1", "agent-9")
    help_desk_client.close("t-1")

    ticket = help_desk_client.ticket("t-1")
    assert ticket is not None
    assert (ticket.assignee_id, ticket.is_closed) == ("agent-9", True)


@pytest.mark.parametrize(
    ("path", "operation", "author"),
    [("send_message", "send_message", "bot-1"), ("comment", "comment", "operator-of-the-key")],
)
def test_a_reply_is_seen_on_the_ticket(
    help_desk_client: HelpDesk, sandbox: Sandbox, path: Any, operation: str, author: str
) -> None:
    seed(sandbox)

    help_desk_client.reply("t-1", "On its way.", "bot-1", path)

    assert operations(sandbox) == [operation]
    ticket = help_desk_client.ticket("t-1")
    assert ticket is not None
    newest = ticket.comments[-1]
    assert (newest.text, newest.is_operator, newest.author_id) == ("On its way.", True, author)


def test_the_linked_order_is_two_ids_or_none(help_desk_client: HelpDesk, sandbox: Sandbox) -> None:
    seed(sandbox, order={"order_id": "6001", "app_client_id": "shop/1"})
    seed(sandbox, id="t-2")
    sandbox.shop.orders["6001"] = OrderSeed(
        id="6001", name="#1001", email="jane@shop.example", created_at="2026-03-01T09:00:00Z"
    )

    link = help_desk_client.linked_order("t-1")

    assert link is not None
    assert (link.order_id, link.app_client_id) == ("6001", "shop/1")
    copy = help_desk_client.order(link)
    assert copy is not None
    assert (copy.name, copy.email) == ("#1001", "jane@shop.example")
    assert help_desk_client.linked_order("t-2") is None
