"""The row of a conversation in the inbox over all contexts: facts of its item and of its state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from conversations.store import conversations, states
from conversations.store.items import identifiers
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.conversation import PARTITION_KEY as CHANNEL_KEY
from conversations.store.items.conversation import SORT_KEY as ID_KEY
from conversations.store.items.conversation import ChannelMethod, Conversation
from conversations.store.items.conversation import key as key_of_item
from conversations.store.items.log import OfConversation
from conversations.store.items.parts.state import State, holder_of, state_key
from conversations.store.items.parts.trial import TrialCounts
from shared.ai.trials.items import Arm, part_of
from shared.aws.tables.prefetched import PrefetchedTable
from shared.identity.contacts.claims import Proof, claimed
from shared.identity.identifiers import IdentifierKind, of_later_owner
from shared.inbox import items as inbox
from shared.inbox.reports.outcomes import ASKED, SCORED
from shared.inbox.tallies import Tally
from shared.policy.consent import withdrawals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table
    from shared.identity.contacts.claims import Claim
    from shared.policy.consent.withdrawals import Change

_FIRST = OfConversation.pk_pattern.partition("{")[0]
# Values of `conversation_status` of conversations that are over (`conversations.lifecycle.status`).
_OVER = frozenset({"closed", "opted_out"})
TAKEN_OVER = "taken_over"
_WITH_PEOPLE = frozenset({"handoff_pending", "handoff_active"})


@dataclass(frozen=True, slots=True)
class ConversationHeads:
    """
    The conversations of the two tables. A reference is a `ref`, which the API takes as it is.

    Uses the identifier keys (`keyed_hashes.configure`).
    """

    table: Table
    log: Table
    consents: Table | None = None  # the log, after a batch read of the changes of numbers
    context: inbox.Context = inbox.Context.CONVERSATIONS

    def reference_of(self, key: Attributes) -> str | None:
        """Return the `ref` of the conversation whose item or state has this key."""
        if CHANNEL_KEY in key:
            return self._ref_of_item(str(key[CHANNEL_KEY]), str(key[ID_KEY]))
        pk = str(key[PARTITION_KEY])
        is_state = pk.startswith(_FIRST) and key[SORT_KEY] == State.sk()
        return pk.removeprefix(_FIRST) if is_state else None

    def read(self, reference: str) -> inbox.Head | None:
        """Return the present head (strongly consistent reads); None if it does not exist or was erased."""
        state = states.read(self.log, reference)
        if state is None:
            return None
        item = conversations.read(self.table, state.primary_channel, state.conversation_id)
        if item is None:
            return None
        head = shown(reference, item, state, changes_of(self.consents or self.log, item))
        return head.model_copy(update={"tally": _tally(self.log.name, reference, state)})

    def for_keys(self, keys: Sequence[Attributes]) -> Self:
        """Return the same heads, after a batch read of the items with these keys, whose `ref` is stored in them."""
        own = [key for key in keys if CHANNEL_KEY in key]
        return replace(self, table=PrefetchedTable(self.table, own)) if own else self

    def prefetched(self, references: Sequence[str]) -> Self:
        """Return the same heads, after batch reads of their states and of the items that these name."""
        log = PrefetchedTable(self.log, [state_key(ref) for ref in references])
        names = (State.attr("primary_channel").name, State.attr("conversation_id").name)
        found = [tuple(map(item.get, names)) for item in log.items]
        items = [key_of_item(str(channel), str(id_)) for channel, id_ in found if channel and id_]
        table = PrefetchedTable(self.table, items)
        consents = PrefetchedTable(
            self.log,
            [key for one in map(Conversation.read, table.items) for key in _keys_of_changes(one)],
        )
        return replace(self, log=log, table=table, consents=consents)

    def _ref_of_item(self, primary_channel: str, conversation_id: str) -> str:
        """Return the `ref` of an item. A deleted one has the `ref` of the first key that leads to a state."""
        item = conversations.read(self.table, primary_channel, conversation_id)
        if item is not None:
            return identifiers.ref_of_item(item)
        refs = identifiers.refs_of(conversation_id)
        return next((ref for ref in refs if states.read(self.log, ref) is not None), refs[0])


def changes_of(log: Table, item: Conversation) -> list[Change]:
    """Return the changes of the owner of the number in an item."""
    records = [log.get(key) for key in _keys_of_changes(item)]
    return withdrawals.changes_in(filter(None, records))


def _keys_of_changes(item: Conversation) -> list[Attributes]:
    """Return the keys of the records of changes of the number in an item."""
    return withdrawals.keys_of(item.company_id, item.recipient_tel) if item.recipient_tel else []


def shown(ref: str, item: Conversation, state: State, changes: Sequence[Change]) -> inbox.Head:
    """
    Return what the inbox shows of a conversation; *changes*: of the owner of its number.

    It is unread, and waits, while it is with people and the customer's newest message has no answer. An earlier one
    without an answer is not in the state.
    """
    status = item.conversation_status
    waits = (state.last_inbound_at or "") > (state.last_outbound_at or "")
    waits = waits and status in _WITH_PEOPLE
    name = " ".join(filter(None, (item.recipient_first_name, item.recipient_last_name)))
    is_mail = item.channel_method is ChannelMethod.EMAIL
    mail, tel = state.email_as_given or item.recipient_email, item.recipient_tel
    handle = mail if is_mail else tel or state.customer_user_id
    newest = item.messages[-1] if item.messages else None
    return inbox.Head(
        company_id=item.company_id,
        context=inbox.Context.CONVERSATIONS,
        reference=ref,
        channel=inbox.Channel(item.channel_method.value),
        address=state.business_address,
        project_id=item.project_id,
        last_activity_at=state.last_message_at or state.created_at,
        answered_at=state.last_outbound_at,
        received=state.last_inbound_at,
        ended_at=item.updated_at if status in _OVER else None,
        status=_status_of(status, state),
        snoozed_until=state.snoozed_until,
        context_status=status,
        assignee=holder_of(state),
        assigned_by=state.moved_principal or None,
        labels=state.labels,
        unread_count=1 if waits else 0,
        waiting_since=state.last_inbound_at if waits else None,
        contact=inbox.shortened(name, inbox.LONGEST_NAME),
        handle=inbox.shortened(handle, inbox.LONGEST_NAME),
        preview=inbox.shortened(newest.content, inbox.LONGEST_PREVIEW) if newest else None,
        ttl=item.ttl,
        claims=claims_of(item, state, changes),
        ai_version=item.ai_version,
        language=state.language,
        handed_off_for=_handed_off_for(item),
        ratings=_ratings_of(state),
    )


def _tally(log: str, ref: str, state: State) -> Tally | None:
    """Return the counts of the trial that a conversation has joined."""
    if state.trial is None:
        return None
    arm = Arm.LIVE if state.trial_version is None else Arm.TRIAL
    where = TrialCounts.key_of(state.company_id, state.project_id, state.trial, part_of(ref))
    return Tally(log, str(where[PARTITION_KEY]), str(where[SORT_KEY]), arm)


def _ratings_of(state: State) -> dict[str, int]:
    """Return how often people rated answers, whether the customer was asked, and what they answered."""
    found = dict(state.ratings)
    if state.satisfaction_asked is not None:
        found[f"{ASKED}|{state.satisfaction_asked}"] = 1
    if state.satisfaction is not None:
        found[f"{SCORED}:{state.satisfaction.score}|{state.satisfaction_asked or 0}"] = 1
    return found


def _handed_off_for(item: Conversation) -> str | None:
    """Return the code for which people have a conversation: its hand-off's, or that an agent took it over."""
    return item.hand_off_cause if item.hand_off_to_human else TAKEN_OVER


def claims_of(item: Conversation, state: State, changes: Sequence[Change]) -> tuple[Claim, ...]:
    """
    Return the identifiers of a conversation's customer, the one of its channel first.

    The request of a company proves both. A conversation that the customer began is proven by their messages: of mails,
    by one whose author is.
    """
    begun_by_customer = item.request_id.startswith(identifiers.REQUEST_PREFIX)
    proof = Proof.PROVIDER if begun_by_customer else Proof.COMPANY
    has_email = not begun_by_customer or state.email_proven_at is not None
    tel = _of_number(item, state, changes, proof)
    email = claimed(IdentifierKind.EMAIL, item.recipient_email if has_email else None, proof)
    return (*email, *tel) if item.channel_method is ChannelMethod.EMAIL else (*tel, *email)


def _of_number(
    item: Conversation, state: State, changes: Sequence[Change], proof: Proof
) -> tuple[Claim, ...]:
    """
    Return the number, or the WhatsApp user id of a customer who hides it or has it after another person.

    A later owner without a user id is named by the number since the change. After a notice alone the company may mean
    the owner before: its request names no one until a message comes from the number.
    """
    user_id = f"{state.customer_account}:{state.customer_user_id}"
    of_user = claimed(IdentifierKind.USER_ID, user_id, Proof.PROVIDER)
    number = item.recipient_tel
    if number is None:
        return of_user
    at = state.began_at or item.created_at
    change = withdrawals.change_before(changes, at, state.customer_user_id)
    if change is None:
        return claimed(IdentifierKind.PHONE, number, proof)
    if of_user:
        return of_user
    is_known = proof is Proof.PROVIDER or change.owner or change.at < (state.last_inbound_at or "")
    later = of_later_owner(number, change.at) if is_known else None
    return claimed(IdentifierKind.PHONE, later, proof)


def _status_of(status: str, state: State) -> inbox.Status:
    if status in _OVER:
        return "resolved"
    return inbox.SNOOZED if state.snoozed_until else inbox.OPEN
