"""Queries: conversations of a company or of one customer, and the log of a conversation; paged, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Key

from conversations.api import ended_conversations, open_conversations, presenters
from conversations.api.access import NotFound, Unusable, opened_for, recipient_of
from conversations.api.views import ConversationsView, ConversationView, MessagesView, SummaryView
from conversations.initiation import case_data
from conversations.initiation.context_object import as_json
from conversations.lifecycle.status import LISTED
from conversations.store import conversations, messages
from conversations.store.items import identifiers
from conversations.store.items.conversation import Conversation
from conversations.store.items.log import Message, of
from conversations.store.items.parts.due import DueKind
from conversations.store.recovery import due
from shared.api.cursors import Listing, Page
from shared.identity.addresses import all_spellings
from shared.policy.consent import unreachable
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conversations.api.access import ApiDependencies
    from conversations.api.inputs import ListQuery, MessagesQuery, SearchInput
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Attributes

# One call reads a bounded number of index entries, then returns a cursor even if few of them matched.
ENTRIES_PER_QUERY = 100
ENTRIES_PER_CALL = 1_000
CHANGES_SHOWN = 20


def of_company(deps: ApiDependencies, caller: Caller, query: ListQuery) -> Page[ConversationsView]:
    """
    List conversations of one project, or of all projects of the API key. Raises NotFound and InvalidCursor.

    Open ones are newest first per chunk (`open_conversations`), the others newest first within each project.
    """
    projects = _projects(deps, caller, query.project_id)
    parts = ("conversations", query.project_id or "", query.status or "", *projects)
    if query.status is not None and query.status not in LISTED:
        return _ended(deps, Listing(caller.company, "ENDED", parts), query, projects)
    listing = Listing(caller.company, "OPEN", parts)
    start = listing.position(deps.seal, query.cursor) if query.cursor else None
    criteria = open_conversations.Filter(caller.company, tuple(projects), query.status, query.limit)
    shown, last = open_conversations.newest_first(deps.resources.log, criteria, start)
    summaries = [presenters.summary_of_listed(project, opening) for project, opening in shown]
    return Page(_summaries(summaries), listing.cursor(deps.seal, last) if last else None)


def _ended(
    deps: ApiDependencies, listing: Listing, query: ListQuery, projects: Sequence[str]
) -> Page[ConversationsView]:
    """List conversations that are not open, one project after the other."""

    def read(
        limit: int, start: Attributes | None
    ) -> tuple[list[ended_conversations.Entry], Attributes | None]:
        return ended_conversations.page(deps.resources.log, listing.company, projects, limit, start)

    def fits(entry: ended_conversations.Entry) -> bool:
        return entry[1].conversation_status == query.status

    start = listing.position(deps.seal, query.cursor) if query.cursor else None
    found, last = gather(read, fits, ended_conversations.position_of, query.limit, start)
    shown = ended_conversations.not_open(deps.resources.log, listing.company, found)
    summaries = [presenters.summary_of_listed(project, ended) for project, ended in shown]
    return Page(_summaries(summaries), listing.cursor(deps.seal, last) if last else None)


def of_recipient(
    deps: ApiDependencies, caller: Caller, query: SearchInput
) -> Page[ConversationsView]:
    """List the company's conversations with one customer. Raises Unusable and InvalidCursor."""
    recipient = recipient_of(query.recipient)
    since, until = _text(query.from_), _text(query.to)
    if since and until and until < since:
        raise Unusable("to", "must not be before from")
    index, condition = _narrowest(query, since, until)

    def fits(item: Conversation) -> bool:
        return (
            caller.may_use(item.company_id, item.project_id)
            and query.status in {None, item.conversation_status}
            and query.channel_method in {None, item.channel_method}
            and query.task_complete in {None, bool(item.task_complete)}
            and (since or "") <= item.created_at
            and (until is None or item.created_at <= until)
        )

    def read(limit: int, start: Attributes | None) -> tuple[list[Conversation], Attributes | None]:
        return conversations.page_of_recipient(
            deps.resources.table,
            all_spellings(recipient),
            limit,
            start,
            index=index,
            condition=condition,
        )

    criteria = query.model_dump_json(exclude={"limit", "cursor", "recipient"}, by_alias=True)
    parts = ("search", recipient, criteria, *sorted(caller.projects))
    return _conversations(deps, Listing(caller.company, index, parts), query, read, fits)


def view_of(resources: Resources, opened: OpenConversation) -> ConversationView:
    """Return the view of one conversation."""
    ref = opened.ref
    waiting = due.get(resources.log, ref, DueKind.RESUME)
    function_sk = opened.state.undecided
    return presenters.conversation_view(
        opened,
        case_data.read(opened.conversation, resources.bucket),
        messages.dated_changes(resources.log, ref, CHANGES_SHOWN),
        waiting.at if waiting else None,
        unreachable=unreachable.of_address(
            resources.log,
            opened.company.company_id,
            opened.customer,
            opened.conversation.channel_method,
        ),
        waiting=messages.get(resources.log, ref, function_sk) if function_sk else None,
    )


def log_of(deps: ApiDependencies, caller: Caller, ref: str, query: MessagesQuery) -> MessagesView:
    """List messages of one conversation, newest first. Raises NotFound."""
    return messages_of(deps.resources, opened_for(deps, caller, ref), query)


def messages_of(
    resources: Resources, opened: OpenConversation, query: MessagesQuery
) -> MessagesView:
    """Return a page of the messages of one conversation, newest first."""
    ref = opened.ref
    start = of(ref, Message.sk(*query.before.split("~"))) if query.before else None
    log_entries, last = messages.page(resources.log, ref, query.limit, start)
    shown = [presenters.message_view(resources.bucket, opened, message) for message in log_entries]
    before = (
        f"{log_entries[-1].message_timestamp}~{log_entries[-1].entry_id}"
        if last and log_entries
        else None
    )
    return MessagesView(messages=shown, before=before)


def gather[T](
    read: Callable[[int, Attributes | None], tuple[list[T], Attributes | None]],
    fits: Callable[[T], bool],
    position_of: Callable[[T], Attributes],
    limit: int,
    start: Attributes | None,
) -> tuple[list[T], Attributes | None]:
    """Return matching entries from *start* and the next position; fewer than *limit* if matches are sparse."""
    matches: list[T] = []
    for _ in range(ENTRIES_PER_CALL // ENTRIES_PER_QUERY):
        entries, start = read(ENTRIES_PER_QUERY, start)
        fitting = [entry for entry in entries if fits(entry)]
        room = limit - len(matches)
        matches += fitting[:room]
        if len(fitting) > room:
            # The last returned entry, not the end of the read: the remaining matches are on the next page.
            return matches, position_of(matches[-1])
        if start is None or len(matches) == limit:
            break
    return matches, start


def _conversations(
    deps: ApiDependencies,
    listing: Listing,
    query: SearchInput,
    read: Callable[[int, Attributes | None], tuple[list[Conversation], Attributes | None]],
    fits: Callable[[Conversation], bool],
) -> Page[ConversationsView]:
    seal, index = deps.seal, listing.index
    start = listing.position(seal, query.cursor) if query.cursor else None
    items, last = gather(
        read, fits, lambda item: conversations.position(index, item), query.limit, start
    )
    items.sort(key=lambda item: (item.created_at, item.conversation_id), reverse=True)
    # A conversation without its key has no `ref`.
    result = _summaries(
        [presenters.summary_of(item) for item in items if identifiers.has_key(item)]
    )
    return Page(result, listing.cursor(seal, as_json(last)) if last else None)


def _projects(deps: ApiDependencies, caller: Caller, project_id: str | None) -> list[str]:
    """Return the requested projects in order. Raises NotFound for one that is unknown or not the API key's."""
    companies = deps.resources.companies
    if project_id is None:
        project_ids = companies.projects(caller.company)
        return sorted(project for project in project_ids if caller.may_use(caller.company, project))
    if (
        not caller.may_use(caller.company, project_id)
        or companies.item(caller.company, project_id) is None
    ):
        raise NotFound("project_id: project not found")
    return [project_id]


def _narrowest(query: SearchInput, since: str | None, until: str | None) -> tuple[str, Any]:
    """Return the most selective local index and its condition; the other criteria are filtered after the read."""
    if query.status is not None:
        return Conversation.by_status, Key("conversation_status").eq(query.status.value)
    created = Key("created_at")
    if since and until:
        return Conversation.by_created, created.between(since, until)
    if since or until:
        bound = created.gte(since) if since else created.lte(until)
        return Conversation.by_created, bound
    if query.task_complete is not None:
        return Conversation.by_task_complete, Key("task_complete").eq(int(query.task_complete))
    if query.channel_method is not None:
        return Conversation.by_channel, Key("channel_method").eq(query.channel_method.value)
    return Conversation.by_created, None


def _summaries(summaries: list[SummaryView]) -> ConversationsView:
    return ConversationsView(conversations=summaries)


def _text(moment: Any) -> str | None:  # noqa: ANN401 - a datetime with a zone, or None
    return clock.to_text(int(moment.timestamp() * clock.SECOND_MS)) if moment else None
