"""Matches a message to a conversation. Never relies on a global index alone, because it is eventually consistent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from conversations.configuration.resources import Resources
from conversations.inbound import legacy_import, number_changes
from conversations.store import conversations, messages, routes, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Mode
from conversations.store.items.parts.state import State
from conversations.store.items.records import ParkReason
from conversations.store.items.routes import BusinessAddress
from shared.events.exchange import FileStored, InboundMessage, NumberReleased
from shared.identity.addresses import other_spellings
from shared.identity.business_accounts import BusinessAccount
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime import clock
from shared.runtime.failures import Permanent

# A closed conversation without a message since then is not reopened; the new message is unmatched.
REOPENS_WITHIN_MS = 7 * clock.DAY_SECONDS * clock.SECOND_MS
MOST_OF_INDEX = 100  # one read of states; older conversations are inactive


def owners(
    resources: Resources, event: InboundMessage | FileStored | NumberReleased
) -> list[BusinessAddress]:
    """
    Return the projects that use the event's business address with the event's provider and account.

    Raises Permanent: `UNKNOWN_ADDRESS` if no project uses the address, `TENANT_MISMATCH` if none of its projects has
    this account.
    """
    owners_of_address = routes.owners(resources.log, event.channel_method, event.business_address)
    if not owners_of_address:
        raise Permanent(ParkReason.UNKNOWN_ADDRESS)
    trusted = [
        owner
        for owner in owners_of_address
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
    wanted = _Wanted(
        {(owner.company_id, owner.project_id) for owner in allowed},
        (customer, *other_spellings(customer)),
        event.customer_user_id or "",
        event.received_at,
    )
    ref = _find(resources, event, customer, wanted)
    if event.type != "human_reply":
        # Only what a customer writes proves whose number it is.
        for other, state in wanted.others.items():
            proven_at = max(state.number_proven_at or "", state.last_inbound_at or "")
            if event.received_at > proven_at:
                if state.has_number:
                    # Once: later messages of the next owner must not withdraw the number from their conversations.
                    record = Withdrawal.of(
                        event.received_at, event.provider_message_id,
                        event.customer_user_id, state.customer_user_id,
                    )  # fmt: skip
                    number_changes.record(resources, state.company_id, customer, record)
                states.note_withdrawal(resources.log, other, event.received_at)
    return ref


@dataclass(frozen=True, slots=True)
class _Wanted:
    """
    The projects, and the customer of a message: all spellings of the address, the user id, and the time of the message.

    `others`: conversations with another person who had the number, by `ref`, as the search finds them.
    """

    projects: set[tuple[str, str]]
    spellings: tuple[str, ...]
    user_id: str
    at: str
    others: dict[str, State] = field(default_factory=dict)

    def are_of(self, ref: str, state: State) -> bool:
        """Whether a conversation can be the customer's."""
        if (state.company_id, state.project_id) not in self.projects:
            return False
        if not state.may_be_of(self.user_id):
            if state.primary_channel in self.spellings:
                self.others[ref] = state
            return False
        is_proven = bool(self.user_id and state.customer_user_id)
        had_number = self.at <= (state.number_withdrawn_at or "")
        is_number = state.primary_channel in self.spellings
        return state.has_number or is_proven or had_number or not is_number


def _find(
    resources: Resources, event: InboundMessage, customer: str, wanted: _Wanted
) -> str | None:
    channel = ChannelMethod(event.channel_method)
    if event.reply_to:
        linked = messages.linked(resources.log, event.provider, event.reply_to)
        if linked is not None and _is_of(resources, linked.ref, channel, customer, wanted):
            return linked.ref
    for spelling in wanted.spellings:
        pairs = identifiers.pairs(channel, event.business_address, spelling)
        ref = (
            _best_stored(resources, routes.of_pair(resources.log, pairs), wanted)
            or _by_index(resources, event, spelling, wanted)
            or _by_alias(resources, event, spelling, wanted)
        )
        if ref is not None:
            return ref
    return None


def _is_of(
    resources: Resources, ref: str, channel: ChannelMethod, customer: str, wanted: _Wanted
) -> bool:
    """
    Whether a message that answers one of a conversation belongs to it.

    Anyone who has seen a Message-ID can name it in an e-mail, so that the author must be the customer of the
    conversation, also by an address from which agents attached messages to it.
    """
    if not _best_stored(resources, [ref], wanted):
        return False
    if channel is not ChannelMethod.EMAIL:
        return True
    state = states.read_many(resources.log, [ref])[ref]
    own = (state.primary_channel, state.email_as_given or "", *state.placed_from)
    return customer.casefold() in {address.casefold() for address in own}


def _by_index(
    resources: Resources, event: InboundMessage, customer: str, wanted: _Wanted
) -> str | None:
    """Look up the contract's index; items written by other systems have no route or state yet and get both."""
    channel = ChannelMethod(event.channel_method)
    indexed = conversations.of_pair(resources.table, channel, event.business_address, customer)
    newest = sorted(indexed, key=lambda item: item.created_at)[-MOST_OF_INDEX:]
    items_by_ref = {identifiers.ref_of_item(item): item for item in newest}
    stored = states.read_many(resources.log, list(items_by_ref)) if items_by_ref else {}
    imported = {
        ref: legacy_import.state_of(item, event.business_address)
        for ref, item in items_by_ref.items()
        if ref not in stored
    }
    best = _best(imported | stored, wanted)
    if best is None:
        return None
    # The index may lag behind the item, which holds the `ref`.
    item, ref = items_by_ref[best], best
    if best in imported:
        adopted = legacy_import.adopt(resources, item, event.business_address)
        if adopted is None:
            return None
        ref = adopted
    pair = identifiers.pair(channel, event.business_address, customer)
    routes.add(resources.log, pair, item.created_at, ref, item.ttl)
    return ref


def _by_alias(
    resources: Resources, event: InboundMessage, customer: str, wanted: _Wanted
) -> str | None:
    for address in {customer, event.customer_user_id or customer}:
        for company_id in sorted({company_id for company_id, _ in wanted.projects}):
            for alias in routes.aliases(resources.log, company_id, address):
                if alias == customer:
                    continue
                pairs = identifiers.pairs(event.channel_method, event.business_address, alias)
                ref = _best_stored(resources, routes.of_pair(resources.log, pairs), wanted)
                if ref is not None:
                    return ref
    return None


def _best_stored(resources: Resources, refs: list[str], wanted: _Wanted) -> str | None:
    """Apply `_best` to conversations that have a state."""
    return _best(states.read_many(resources.log, refs), wanted) if refs else None


def _best(states_by_ref: Mapping[str, State], wanted: _Wanted) -> str | None:
    """Return the open conversation with the newest outbound message; else a closed one within `REOPENS_WITHIN_MS`."""
    allowed = {ref: state for ref, state in states_by_ref.items() if wanted.are_of(ref, state)}
    open_refs = [ref for ref, state in allowed.items() if state.mode is not Mode.CLOSED]
    if open_refs:
        return max(open_refs, key=lambda ref: _last_outbound_at(allowed[ref]))
    since = clock.to_text(clock.now_ms() - REOPENS_WITHIN_MS)
    recent = [ref for ref, state in allowed.items() if (state.last_message_at or "") >= since]
    return max(recent, key=lambda ref: _last_outbound_at(allowed[ref]), default=None)


def _last_outbound_at(state: State) -> tuple[str, str]:
    return (state.last_outbound_at or "", state.created_at)
