"""
Access patterns of sign-ups: requested by a form, mailed by a worker, confirmed by the mail's link, joined by a worker.

Each change has a condition on the state before it, so a repetition changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr, Key

from newsletters.store.items import ReaderQuota, Signup, SignupPace, SignupState
from newsletters.store.items.item import (
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    SORT_KEY,
)
from newsletters.store.items.jobs import OPEN_WORK, due_key
from newsletters.store.items.readers import SIGNUP_PREFIX
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.aws.tables.rate_limits.limit import Limit
from shared.runtime import clock

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from newsletters.store.items import ConsentEvidence
    from shared.aws.dynamodb import Attributes, Table

LOOK_AFTER_MS: Final = 6 * 60 * clock.SECOND_MS  # a lost message is sent again
OF_ADDRESS: Final = (Limit(1, 15 * 60), Limit(3, clock.DAY_SECONDS))
OF_NETWORK: Final = (Limit(20, 3_600), Limit(60, clock.DAY_SECONDS))
OF_COMPANY: Final = (Limit(500, 3_600), Limit(5_000, clock.DAY_SECONDS))
MOST_OF_READER: Final = 102  # one for each list of a company, and the two other requests
_DUE: Final = (INDEX_PARTITION_KEY, INDEX_SORT_KEY)
_OPEN: Final = (
    SignupState.REQUESTED,
    SignupState.SENDING,
    SignupState.MAILED,
    SignupState.UNKNOWN,
    SignupState.FAILED,
    SignupState.REFUSED,
    SignupState.JOINED,
    SignupState.WELCOMING,
)


def may_sign_up(table: Table, company_id: str, network: str) -> bool:
    """
    Count a sign-up to a company from a network address, by its hash; False above one of the limits.

    The network address is counted first, so that one of them does not use up what the company has.
    """
    quotas = Quotas(table, lambda subject: ReaderQuota.key(company_id, subject))
    return (
        quotas.take(f"network.{network}", OF_NETWORK) is None
        and quotas.take("all", OF_COMPANY) is None
    )


def get(table: Table, company_id: str, recipient: str, name: str) -> Signup | None:
    """Return the sign-up of an address to a list, or its other request, by the *name*."""
    item = table.get(Signup.key(company_id, recipient, name))
    found = Signup.read(item) if item else None
    return found if found is not None and not clock.is_over(found.ttl) else None


def of_reader(table: Table, company_id: str, recipient: str) -> dict[str, Signup]:
    """Return all sign-ups and other requests of an address, by their names. One strongly consistent query."""
    partition = Key(PARTITION_KEY).eq(Signup.partition_of(company_id, recipient))
    condition = partition & Key(SORT_KEY).begins_with(SIGNUP_PREFIX)
    rows, _ = table.query(None, condition, limit=MOST_OF_READER)
    found = map(Signup.read, rows)
    return {one.name: one for one in found if not clock.is_over(one.ttl)}


def _key_of(signup: Signup) -> Attributes:
    return Signup.key(signup.company_id, signup.recipient, signup.name)


def request(table: Table, signup: Signup, evidence: ConsentEvidence) -> Signup | None:
    """
    Store a sign-up that is due at once, its evidence, and the time of the address, in one transaction.

    None if the address was signed up a short time ago, or another request is just being stored.
    """
    now = clock.now_ms()
    pace_key = SignupPace.key(signup.company_id, signup.recipient)
    item = table.get(pace_key)
    times = SignupPace.read(item).times_ms if item else []
    if any(limit.free_at(times, now) is not None for limit in OF_ADDRESS):
        return None
    earlier = get(table, signup.company_id, signup.recipient, signup.list_id)
    made = signup.model_copy(
        update={
            "requests": earlier.requests + 1 if earlier else 1,
            "turn": earlier.turn + 1 if earlier else 0,
        }
    )
    oldest = now - max(limit.within_ms for limit in OF_ADDRESS)
    pace = SignupPace(
        **pace_key,
        times_ms=[*(one for one in times if one > oldest), now],
        ttl=clock.expires_in(SignupPace.ttl_days * clock.DAY_SECONDS),
    )
    free = _is_absent()
    as_read = SignupPace.attr("times_ms").eq(times) if item else free
    unchanged = free if earlier is None else _is_at(earlier, *_OPEN)
    try:
        table.transact(
            table.to_put({**made.attributes(), **_due_at(made)}, when=unchanged),
            table.to_put(pace.attributes(), when=as_read),
            table.to_put(evidence.attributes()),
        )
    except TransactionRefused:
        return None
    return made


def ask(table: Table, asked: Signup) -> Signup | None:
    """
    Store another request of a reader, which is due at once; None as for `request`. It has times of its own: who has
    just signed up may ask for the link.
    """
    now = clock.now_ms()
    earlier = get(table, asked.company_id, asked.recipient, asked.name)
    times = (earlier.times_ms or []) if earlier else []
    if any(limit.free_at(times, now) is not None for limit in OF_ADDRESS):
        return None
    made = asked.model_copy(
        update={
            "requests": earlier.requests + 1 if earlier else 1,
            "turn": earlier.turn + 1 if earlier else 0,
            "times_ms": [*times, now][-OF_ADDRESS[-1].most :],
        }
    )
    unchanged = _is_absent() if earlier is None else _is_at(earlier, *_OPEN)
    try:
        table.put({**made.attributes(), **_due_at(made)}, when=unchanged)
    except ConditionFailed:
        return None
    return made


def reserve(table: Table, signup: Signup, owner: str, deadline_ms: int) -> Signup | None:
    """Note the wire attempt before it is made; None if another worker has made it."""
    put = Signup.named(state=SignupState.SENDING.value, owner=owner, deadline_ms=deadline_ms)
    try:
        return _changed(table, signup, put, when=(SignupState.REQUESTED,))
    except ConditionFailed as refusal:
        stored = Signup.read(refusal.existing) if refusal.existing else signup
        is_ours = (stored.state, stored.owner) == (SignupState.SENDING, owner)
        return stored if is_ours and stored.requests == signup.requests else None


def give_back(table: Table, signup: Signup) -> None:
    """Make a sign-up requested again whose mail the provider certainly has not taken. Safe to repeat."""
    _move(table, signup, SignupState.REQUESTED, (SignupState.SENDING,), is_open=True)


def settle(
    table: Table,
    signup: Signup,
    state: SignupState,
    **facts: Any,  # noqa: ANN401 - fields of the item
) -> None:
    """End the mail of a sign-up: nothing more is due. Safe to repeat."""
    _move(table, signup, state, (SignupState.REQUESTED, SignupState.SENDING), **facts)


def confirm(table: Table, signup: Signup, evidence: ConsentEvidence | None) -> Signup | None:
    """
    Note that the reader has confirmed, with the evidence: the contact is due to join, or the erasure to start.

    None if the sign-up has changed meanwhile. A reader who has joined before joins again, and may have left meanwhile.
    """
    now = evidence.at if evidence else clock.to_text(clock.now_ms())
    put = Signup.named(state=SignupState.CONFIRMED.value, confirmed_at=now, turn=signup.turn + 1)
    try:
        table.transact(
            table.to_update(
                _key_of(signup),
                put={**put, **_due_at(signup)},
                when=_is_at(signup, *_OPEN),
            ),
            *([table.to_put(evidence.attributes())] if evidence else []),
        )
    except TransactionRefused:
        return None
    return signup.model_copy(
        update={
            "state": SignupState.CONFIRMED,
            "confirmed_at": now,
            "turn": signup.turn + 1,
        }
    )


def finish(table: Table, signup: Signup, state: SignupState) -> None:
    """
    Note that the contact has joined the list and is welcomed, or cannot join, or that the erasure has started.
    Repeatable.
    """
    _move(table, signup, state, (SignupState.CONFIRMED, SignupState.WELCOMING))


def begin_welcome(table: Table, signup: Signup) -> None:
    """Note that the contact has joined the list, and that the welcome mail is due. Safe to repeat."""
    _move(table, signup, SignupState.WELCOMING, (SignupState.CONFIRMED,), is_open=True)


def next_turn(table: Table, signup: Signup, due_ms: int) -> Signup | None:
    """Move open work to its next turn, due at *due_ms*; None if another run has moved it, or it is done."""
    states = (
        SignupState.REQUESTED,
        SignupState.SENDING,
        SignupState.CONFIRMED,
        SignupState.WELCOMING,
    )
    put = {**Signup.named(turn=signup.turn + 1), **_due_at(signup, due_ms)}
    try:
        return _changed(table, signup, put, when=states)
    except ConditionFailed:
        return None


def _move(
    table: Table,
    signup: Signup,
    state: SignupState,
    before: tuple[SignupState, ...],
    *,
    is_open: bool = False,
    **facts: Any,  # noqa: ANN401 - fields of the item
) -> None:
    put = Signup.named(state=state.value, **facts)
    drop = [Signup.name_of("owner"), Signup.name_of("deadline_ms"), *(() if is_open else _DUE)]
    try:
        _changed(table, signup, put, when=before, drop=drop)
    except ConditionFailed:
        return  # by our own first write, or the reader has confirmed or signed up again


def _changed(
    table: Table,
    signup: Signup,
    put: Attributes,
    *,
    when: tuple[SignupState, ...],
    drop: list[str] | None = None,
) -> Signup:
    is_as_read = _is_at(signup, *when)
    return Signup.read(table.update(_key_of(signup), put=put, drop=drop or [], when=is_as_read))


def _is_at(signup: Signup, *states: SignupState) -> ConditionBase:
    is_as_read: ConditionBase = Signup.attr("turn").eq(signup.turn)
    return is_as_read & Signup.attr("state").is_in([one.value for one in states])


def _is_absent() -> ConditionBase:
    # An expired item may still be stored for two days.
    is_over = Signup.attr("ttl").lte(clock.now_ms() // clock.SECOND_MS)
    return Attr(PARTITION_KEY).not_exists() | is_over


def _due_at(signup: Signup, due_ms: int | None = None) -> dict[str, str]:
    due = clock.now_ms() + LOOK_AFTER_MS if due_ms is None else due_ms
    name = f"{signup.company_id}#{signup.recipient}"
    return {INDEX_PARTITION_KEY: OPEN_WORK, INDEX_SORT_KEY: due_key(due, name, signup.name)}
