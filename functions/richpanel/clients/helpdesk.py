"""
Client of Richpanel's API: tickets, tags, replies, teams, and the order linked to a ticket.

Every request first takes a token of the account-wide rate limit. Reads, tags and assignments are retried once; a reply
is sent in one attempt, and its outcome is recorded in the ledger. Comments are visible to the customer: this client
never writes an internal note.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlencode

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from richpanel.clients.calls import BadAnswer, attempt, content, refusal, repeatable, single
from richpanel.clients.shapes import parse_list, parse_object
from richpanel.clients.tickets import HelpDeskOrder, OrderLink, Tag, Team, Ticket, TicketPage
from richpanel.store.rate_limit import Throttled
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime.failures import Permanent
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from richpanel.store.rate_limit import Limiter, Priority
    from shared.providers import http

PAGE_SIZE = 100
_NOT_FOUND = "richpanel_404"
_TOO_MANY = 429


class UnknownTag(Permanent):
    """The account has no tag of this name: an operator must create it, or the configuration must use another name."""

    def __init__(self) -> None:
        super().__init__("unknown_tag")


@dataclass(slots=True, eq=False)
class HelpDesk:
    """
    Client for the account of one API key, created per event. *deadline_ms*: end of the invocation (ms since 1970).

    *tag_ids* maps tag names to ids, for accounts whose API identifies tags by id; None if it uses names.
    """

    base_url: str
    key: str = field(repr=False)
    limiter: Limiter
    priority: Priority
    deadline_ms: int
    tag_ids: Mapping[str, str] | None = None

    # Reads

    def ticket(self, ticket_id: str) -> Ticket | None:
        """Return a ticket with its comments; None if none has this id, which may change within seconds."""
        payload = self._read(f"/tickets/{_in_path(ticket_id)}")
        return None if payload is None else parse_object(Ticket, payload, "ticket")

    def tickets(
        self, page: int, updated_on_or_after: str, status: Literal["OPEN", "CLOSED"] = "OPEN"
    ) -> TicketPage:
        """Return a page (from 1) of tickets, last changed first. *updated_on_or_after*: a UTC day, YYYY-MM-DD."""
        payload = self._read(f"/tickets?{_list_query(page, updated_on_or_after, status)}")
        tickets = parse_list(Ticket, payload, "tickets", "ticket")
        has_next_page = isinstance(payload, dict) and payload.get("next_page")
        return TicketPage(
            tickets=tickets, has_more=bool(has_next_page or len(tickets) >= PAGE_SIZE)
        )

    def linked_order(self, ticket_id: str) -> OrderLink | None:
        """Return the link to the order of a ticket; None if it has none."""
        payload = self._read(f"/order/{_in_path(ticket_id)}")
        link = parse_object(OrderLink, {} if payload is None else payload, "order")
        return link if link.order_id else None

    def order(self, link: OrderLink) -> HelpDeskOrder | None:
        """Return the help desk's copy of a linked order; None if it has none."""
        if not (link.order_id and link.app_client_id):
            return None
        payload = self._read(f"/order/{_in_path(link.app_client_id)}/{_in_path(link.order_id)}")
        return None if payload is None else parse_object(HelpDeskOrder, payload, "order")

    def tags(self) -> list[Tag]:
        """Return all tags of the account."""
        return parse_list(Tag, self._read("/tags"), "tags", "tag")

    def teams(self) -> list[Team]:
        """Return all teams of the account."""
        return parse_list(Team, self._read("/teams"), "teams", "team")

    def tag_names(self, ticket: Ticket) -> frozenset[str]:
        """Return the names of a ticket's tags; an id without a known name is returned as it is."""
        names = {tag_id: name for name, tag_id in (self.tag_ids or {}).items()}
        return frozenset(names.get(tag, tag) for tag in ticket.tags)

    # Changes (idempotent, except create_tag and close)

    def create_tag(self, name: str) -> None:
        """Create a tag. Raises Permanent if the help desk refuses it, for example if the name exists."""
        # Not retried: whether a second tag of the same name can be created is not documented (check).
        self._require_json(single(lambda: self._once("POST", "/tags", {"name": name})))

    def add_tags(self, ticket_id: str, names: Collection[str]) -> None:
        """Add tags to a ticket in one request. Raises UnknownTag before any request."""
        self._change("PUT", f"/tickets/{_in_path(ticket_id)}/add-tags", self._tagged(names))

    def remove_tags(self, ticket_id: str, names: Collection[str]) -> None:
        """Remove tags from a ticket in one request. Raises UnknownTag before any request."""
        self._change("PUT", f"/tickets/{_in_path(ticket_id)}/remove-tags", self._tagged(names))

    def assign(self, ticket_id: str, assignee_id: str) -> None:
        """Assign a ticket to an agent; whether a team's id is accepted too is not documented (check)."""
        self._change("PUT", f"/tickets/{_in_path(ticket_id)}", {"ticket": {"assignee_id": assignee_id}})  # fmt: skip

    def close(self, ticket_id: str) -> None:
        """Close a ticket. Not retried: the ticket may be reopened between two attempts."""
        body = {"ticket": {"state": "closed", "status": "CLOSED"}}
        self._require_json(
            single(lambda: self._once("PUT", f"/tickets/{_in_path(ticket_id)}", body))
        )

    def reopen(self, ticket_id: str) -> None:
        """Reopen a ticket that we closed; check: whether the help desk accepts these values is not documented."""
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
        Send a reply to the customer, in one attempt. Raises Refused, NotSent or InDoubt.

        *path*: `send_message` sends an e-mail, `comment` writes to the chat. The help desk supports no idempotency
        key: only the ledger may call this method.
        """
        url, body = _reply_request(ticket_id, text, author_id, path)
        try:
            answer = self._once("PUT", url, body)
        except (Throttled, BotoCoreError, ClientError):
            # Raised by the limiter, either before the request or after a 429: certainly not sent.
            raise NotSent("limiter") from None
        try:
            content(answer)
        except BadAnswer as failure:
            # A proxy answered instead of the help desk, or the response is broken.
            raise InDoubt(failure.reason) from None

    # HTTP

    def _read(self, path: str) -> Any:  # noqa: ANN401 - any JSON value; None if not found
        try:
            return content(repeatable(lambda: self._once("GET", path), self.deadline_ms))
        except Permanent as refused:
            if refused.reason == _NOT_FOUND:
                return None
            raise

    def _change(self, method: str, path: str, body: Mapping[str, Any]) -> None:
        self._require_json(repeatable(lambda: self._once(method, path, body), self.deadline_ms))

    def _require_json(self, answer: http.Answer) -> None:
        content(answer)  # a page of a proxy with status 200 does not prove the change

    def _once(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> http.Answer:
        """Send one request. Raises Refused, NotSent or InDoubt; Throttled before the request is sent."""
        self.limiter.take(self.priority, self.deadline_ms)
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
        """
        Return the request body with tag ids or names, as the setting decides: ids are documented, names were observed
        to work (check).
        """
        if self.tag_ids is None:
            return {"tags": sorted(names)}
        ids = {name: self.tag_ids.get(name) for name in sorted(names)}
        if not all(ids.values()):
            raise UnknownTag
        return {"tags": [tag_id for tag_id in ids.values() if tag_id]}


def _in_path(identity: str) -> str:
    """Encode an id as one path segment: some are mail message ids that contain `<`, `@` and `/`."""
    if identity in {".", ".."}:
        raise Permanent(
            "bad_id"
        )  # Servers resolve these segments, encoded or not, to another path.
    return quote(identity, safe="")


def _list_query(page: int, updated_on_or_after: str, status: str) -> str:
    """Return the query of a ticket list. Sorting and the filters by day and status are poorly documented (check)."""
    return urlencode(
        {
            "status": status,
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
    """Return path and body of a reply. Whether the text is read as plain text or HTML is not documented (check)."""
    ticket = f"/tickets/{_in_path(ticket_id)}"
    if path == "send_message":
        return f"{ticket}/send-message", {"body": text, "author_id": author_id, "attachments": []}
    # The author is the owner of the key: no field for another author is documented (check).
    return ticket, {"ticket": {"comment": {"body": text, "sender_type": "operator"}}}
