"""Matches a message to a conversation. Never relies on a global index alone, because it is eventually consistent."""

from collections.abc import Iterable, Mapping

from conversations.inbound import legacy_import
from conversations.resources import Resources
from conversations.store import conversations, messages, routes, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Mode, State
from conversations.store.items.records import ParkReason
from conversations.store.items.routes import BusinessAddress
from shared import clock
from shared.addresses import other_spellings
from shared.events import FileStored, InboundMessage
from shared.failures import Permanent
from shared.tenancy.business_accounts import BusinessAccount

# A closed conversation without a message since then is not reopened; the new message is unmatched.
REOPENS_WITHIN_MS = 7 * clock.DAY_SECONDS * clock.SECOND_MS
MOST_OF_INDEX = 100  # one read of states; older conversations are inactive


def owners(resources: Resources, event: InboundMessage | FileStored) -> list[BusinessAddress]:
    """
    Return the projects that use the event's business address with the event's provider and account.

    Raises Permanent: `UNKNOWN_ADDRESS` if no project uses the address, `TENANT_MISMATCH` if none of its projects has
    this account.
    """
    known = routes.owners(resources.log, event.channel_method, event.business_address)
    if not known:
        raise Permanent(ParkReason.UNKNOWN_ADDRESS)
    trusted = [
        owner
        for owner in known
        if BusinessAccount(provider=owner.provider, account=owner.account).covers(event)
    ]
    if not trusted:
        raise Permanent(ParkReason.TENANT_MISMATCH)
    return trusted


def find(
    resources: Resources, event: InboundMessage, customer: str, allowed: Iterable[BusinessAddress]
) -> str | None:
    """
    Return the `ref` of the conversation that a message of *customer* belongs to, or None.

    Tries in order: the message it replies to; the address pair's conversation with the newest outbound message; the
    contract's index; the customer's aliases; then the last three for other spellings of the number.
    """
    projects = {(owner.company_id, owner.project_id) for owner in allowed}
    channel = ChannelMethod(event.channel_method)
    if event.reply_to:
        linked = messages.linked(resources.log, event.provider, event.reply_to)
        if linked is not None and _chosen(resources, [linked.ref], projects):
            return linked.ref
    for spelling in (customer, *other_spellings(customer)):
        pairs = identifiers.pairs(channel, event.business_address, spelling)
        found = (
            _chosen(resources, routes.of_pair(resources.log, pairs), projects)
            or _by_index(resources, event, spelling, projects)
            or _by_alias(resources, event, spelling, projects)
        )
        if found is not None:
            return found
    return None


def _by_index(
    resources: Resources, event: InboundMessage, customer: str, projects: set[tuple[str, str]]
) -> str | None:
    """Look up the contract's index; items written by other systems have no route or state yet and get both."""
    channel = ChannelMethod(event.channel_method)
    found_there = conversations.of_pair(resources.table, channel, event.business_address, customer)
    newest = sorted(found_there, key=lambda item: item.created_at)[-MOST_OF_INDEX:]
    known = {identifiers.ref_of_item(item): item for item in newest}
    ours = states.read_many(resources.log, list(known)) if known else {}
    theirs = {
        ref: legacy_import.state_of(item, event.business_address)
        for ref, item in known.items()
        if ref not in ours
    }
    found = _best(theirs | ours, projects)
    if found is None:
        return None
    # The index may lag behind the item, which holds the `ref`.
    item, ref = known[found], found
    if found in theirs:
        adopted = legacy_import.adopt(resources, item, event.business_address)
        if adopted is None:
            return None
        ref = adopted
    pair = identifiers.pair(channel, event.business_address, customer)
    routes.add(resources.log, pair, item.created_at, ref, item.ttl)
    return ref


def _by_alias(
    resources: Resources, event: InboundMessage, customer: str, projects: set[tuple[str, str]]
) -> str | None:
    for address in {customer, event.customer_user_id or customer}:
        for company_id in sorted({company_id for company_id, _ in projects}):
            for other in routes.aliases(resources.log, company_id, address):
                if other == customer:
                    continue
                pairs = identifiers.pairs(event.channel_method, event.business_address, other)
                found = _chosen(resources, routes.of_pair(resources.log, pairs), projects)
                if found is not None:
                    return found
    return None


def _chosen(resources: Resources, refs: list[str], projects: set[tuple[str, str]]) -> str | None:
    """Apply `_best` to conversations that have a state."""
    return _best(states.read_many(resources.log, refs), projects) if refs else None


def _best(known: Mapping[str, State], projects: set[tuple[str, str]]) -> str | None:
    """Return the open conversation with the newest outbound message; else a closed one within `REOPENS_WITHIN_MS`."""
    ours = {
        ref: state
        for ref, state in known.items()
        if (state.company_id, state.project_id) in projects
    }
    open_ones = [ref for ref, state in ours.items() if state.mode is not Mode.CLOSED]
    if open_ones:
        return max(open_ones, key=lambda ref: _spoken(ours[ref]))
    since = clock.to_text(clock.now_ms() - REOPENS_WITHIN_MS)
    lately = [ref for ref, state in ours.items() if (state.last_message_at or "") >= since]
    return max(lately, key=lambda ref: _spoken(ours[ref]), default=None)


def _spoken(state: State) -> tuple[str, str]:
    return (state.last_outbound_at or "", state.created_at)
