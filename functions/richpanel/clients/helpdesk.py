"""
Richpanel's API: tickets, tags, replies, teams, and the order beside a ticket.

Every request takes a token of the account-wide limit first. Reads, tags and assignments are tried again once; a reply
is one attempt on the wire, and its outcome goes to the ledger. Comments are seen by the customer: nothing here writes
an internal note.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlencode

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from richpanel.clients.calls import BadAnswer, attempt, content, refusal, repeatable, single
from richpanel.clients.shapes import one, several
from richpanel.clients.tickets import DeskOrder, OrderLink, Tag, Team, Ticket, TicketPage
from richpanel.store.rate_limit import Throttled
from shared.failures import Permanent
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from richpanel.store.rate_limit import Lane, Limiter
    from shared.providers import http

PAGE_SIZE = 100
_NOT_FOUND = "richpanel_404"
_TOO_MANY = 429


class UnknownTag(Permanent):
    """The account has no tag of this name: people have to make it, or configuration to name another."""

    def __init__(self) -> None:
        super().__init__("unknown_tag")


@dataclass(frozen=True, slots=True)
class HelpDesk:
    """
    The account behind one API key, for one event: *deadline_ms* is when the invocation ends (ms since 1970).

    *tag_ids*: names of tags to their ids, for accounts whose tickets and calls name tags by id; None where names do.
    """

    base_url: str
    key: str = field(repr=False)
    limiter: Limiter
    lane: Lane
    deadline_ms: int
    tag_ids: Mapping[str, str] | None = None

    # Reads

    def ticket(self, ticket_id: str) -> Ticket | None:
        """A ticket with its comments; None when the help desk has none of this id, which may change in seconds."""
        payload = self._read(f"/tickets/{_in_path(ticket_id)}")
        return None if payload is None else one(Ticket, payload, "ticket")

    def open_tickets(self, page: int, updated_on_or_after: str) -> TicketPage:
        """One page (from 1) of open tickets, last changed first. *updated_on_or_after* is a day, YYYY-MM-DD, in UTC."""
        payload = self._read(f"/tickets?{_list_query(page, updated_on_or_after)}")
        tickets = several(Ticket, payload, "tickets", "ticket")
        says_more = isinstance(payload, dict) and payload.get("next_page")
        return TicketPage(tickets=tickets, has_more=bool(says_more or len(tickets) >= PAGE_SIZE))

    def linked_order(self, ticket_id: str) -> OrderLink | None:
        """The order that the help desk shows beside a ticket; None when there is none."""
        payload = self._read(f"/order/{_in_path(ticket_id)}")
        link = one(OrderLink, {} if payload is None else payload, "order")
        return link if link.order_id else None

    def order(self, link: OrderLink) -> DeskOrder | None:
        """The help desk's copy of a linked order; None when it has none."""
        if not (link.order_id and link.app_client_id):
            return None
        payload = self._read(f"/order/{_in_path(link.app_client_id)}/{_in_path(link.order_id)}")
        return None if payload is None else one(DeskOrder, payload, "order")

    def tags(self) -> list[Tag]:
        """All tags of the account."""
        return several(Tag, self._read("/tags"), "tags", "tag")

    def teams(self) -> list[Team]:
        """All teams of the account."""
        return several(Team, self._read("/teams"), "teams", "team")

    def tag_names(self, ticket: Ticket) -> frozenset[str]:
        """The names of a ticket's tags; an id that nobody named stays an id."""
        names = {tag_id: name for name, tag_id in (self.tag_ids or {}).items()}
        return frozenset(names.get(tag, tag) for tag in ticket.tags)

    # Changes that may come twice: the ticket looks the same after the second

    def create_tag(self, name: str) -> None:
        """Make a tag. Raises Permanent when the help desk does not want it, as when there is one of this name."""
        # Not tried again: whether a second tag of the same name can be made is not documented (check).
        self._done(single(lambda: self._once("POST", "/tags", {"name": name})))

    def add_tags(self, ticket_id: str, names: Collection[str]) -> None:
        """Put tags on a ticket, in one request. Raises UnknownTag before any request."""
        self._change("PUT", f"/tickets/{_in_path(ticket_id)}/add-tags", self._tagged(names))

    def remove_tags(self, ticket_id: str, names: Collection[str]) -> None:
        """Take tags off a ticket, in one request. Raises UnknownTag before any request."""
        self._change("PUT", f"/tickets/{_in_path(ticket_id)}/remove-tags", self._tagged(names))

    def assign(self, ticket_id: str, assignee_id: str) -> None:
        """Give a ticket to a person; whether the id of a team is taken too is not documented (check)."""
        self._change("PUT", f"/tickets/{_in_path(ticket_id)}", {"ticket": {"assignee_id": assignee_id}})  # fmt: skip

    def close(self, ticket_id: str) -> None:
        """Close a ticket. One attempt: between two somebody may have opened it again."""
        body = {"ticket": {"state": "closed", "status": "CLOSED"}}
        self._done(single(lambda: self._once("PUT", f"/tickets/{_in_path(ticket_id)}", body)))

    def reopen(self, ticket_id: str) -> None:
        """Open a ticket that we closed; check: whether the help desk takes these words is not documented."""
        self._change(
            "PUT",
            f"/tickets/{_in_path(ticket_id)}",
            {"ticket": {"state": "open", "status": "OPEN"}},
        )

    # Replies

    def reply(
        self, ticket_id: str, text: str, author_id: str, path: Literal["send_message", "comment"]
    ) -> None:
        """
        Say something to the customer: one attempt on the wire. Raises Refused, NotSent or InDoubt.

        *path*: `send_message` mails it, `comment` shows it in the chat. The help desk knows no idempotency key: only
        the ledger may call this.
        """
        url, body = _reply_request(ticket_id, text, author_id, path)
        try:
            answer = self._once("PUT", url, body)
        except (Throttled, BotoCoreError, ClientError):
            # The limiter, which is asked before the request and told of a 429: certainly not sent, either way.
            raise NotSent("limiter") from None
        try:
            content(answer)
        except BadAnswer as bad:
            # Somebody answered in the help desk's place, or it broke while it answered.
            raise InDoubt(bad.reason) from None

    # The wire

    def _read(self, path: str) -> Any:  # noqa: ANN401 - any JSON value; None for what is not there
        try:
            return content(repeatable(lambda: self._once("GET", path), self.deadline_ms))
        except Permanent as refused:
            if refused.reason == _NOT_FOUND:
                return None
            raise

    def _change(self, method: str, path: str, body: Mapping[str, Any]) -> None:
        self._done(repeatable(lambda: self._once(method, path, body), self.deadline_ms))

    def _done(self, answer: http.Answer) -> None:
        content(answer)  # a page of somebody else's, with 200, is no proof of a change

    def _once(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> http.Answer:
        """One attempt. Raises Refused, NotSent or InDoubt; Throttled before the wire."""
        self.limiter.take(self.lane, self.deadline_ms)
        answer = attempt(
            method,
            f"{self.base_url}{path}",
            headers={"x-richpanel-key": self.key},
            deadline_ms=self.deadline_ms,
            body=body,
        )
        metrics.add_metric("HelpDeskCalls", MetricUnit.Count, 1)
        if answer.status == _TOO_MANY:
            metrics.add_metric("HelpDeskRefused", MetricUnit.Count, 1)
            self.limiter.close(answer.headers.get("retry-after"))
        failure = refusal("richpanel", answer.status)
        if failure:
            raise failure
        return answer

    def _tagged(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The body that names tags. The documentation has ids, names were seen to work (check): a setting decides."""
        if self.tag_ids is None:
            return {"tags": sorted(names)}
        ids = {name: self.tag_ids.get(name) for name in sorted(names)}
        if not all(ids.values()):
            raise UnknownTag
        return {"tags": [tag_id for tag_id in ids.values() if tag_id]}


def _in_path(identity: str) -> str:
    """An id as one segment of a path: some are mail message ids, with `<`, `@` and `/` in them."""
    if identity in {".", ".."}:
        raise Permanent(
            "bad_id"
        )  # Servers resolve these, encoded or not, and another address is called.
    return quote(identity, safe="")


def _list_query(page: int, updated_on_or_after: str) -> str:
    """How a list is asked for. Sorting and the filter by day are not documented well (check)."""
    return urlencode(
        {
            "status": "OPEN",
            "per_page": PAGE_SIZE,
            "page": page,
            "order": "DESC",
            "sortKey": "updatedAt",
            "updated_at": updated_on_or_after,
        }
    )


def _reply_request(
    ticket_id: str, text: str, author_id: str, path: Literal["send_message", "comment"]
) -> tuple[str, dict[str, Any]]:
    """Path and body of a reply. Whether the text is taken as plain or as HTML is not documented (check)."""
    ticket = f"/tickets/{_in_path(ticket_id)}"
    if path == "send_message":
        return f"{ticket}/send-message", {"body": text, "author_id": author_id, "attachments": []}
    # The author is whoever the key belongs to: no field for another is documented (check).
    return ticket, {"ticket": {"comment": {"body": text, "sender_type": "operator"}}}
