"""The entries of all contexts lead to the contacts of their customers, in whichever order their heads are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.identity.contacts import resolution
from shared.identity.contacts.claims import Claim, Proof
from shared.inbox import entries
from shared.inbox.items import Context, Entry
from shared.runtime.failures import Transient
from tests.integration.console.contacts.test_contacts_api import ACME as READER
from tests.integration.console.feeds.test_whatsapp_feed import ADA, BEN, receive
from tests.integration.shared.contacts.people import cleared, contacts, email, event, phone
from tests.integration.whatsapp.conftest import PHONE, Harness
from tests.keyring import Keys, held
from whatsapp.store.items import Conversation

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.integration.console.system import Fed, InboxSystem, Listed

ANN_PHONE, ANN = phone(1), email("ann")
WRITES = ("PutItem", "UpdateItem")


def entry(inbox: InboxSystem, reference: str, context: Context = Context.WHATSAPP) -> Entry:
    found = entries.get(inbox.table, Entry.key(context, reference))
    assert found is not None
    return found


def contact(inbox: InboxSystem, reference: str, context: Context = Context.WHATSAPP) -> str | None:
    """The present contact of an entry."""
    shown = entry(inbox, reference, context)
    if shown.contact_id is None:
        return None
    found = resolution.current(inbox.tables.contacts, shown.company_id, shown.contact_id)
    assert found is not None
    return found.contact_id


def test_messages_of_one_person_lead_to_one_contact_and_of_others_to_others(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1")
    receive(harness, "wamid.2", sender=BEN)
    whatsapp.take()
    ada, ben = (contact(inbox, Conversation.key(PHONE, each)) for each in (ADA, BEN))
    receive(harness, "wamid.3", at=30)
    whatsapp.take()

    assert None not in {ada, ben}
    assert ada != ben
    assert contact(inbox, Conversation.key(PHONE, ADA)) == ada


def test_a_conversation_whose_customer_is_not_proven_has_no_contact(
    inbox: InboxSystem, listed: Listed
) -> None:
    listed.show("one", claims=())

    assert entry(inbox, "one").contact_id is None


def test_conversations_of_two_contexts_are_one_persons_once_an_event_joins_them(
    inbox: InboxSystem, listed: Listed
) -> None:
    listed.show("chat", claims=event(Proof.PROVIDER, ANN_PHONE))
    listed.show("mail", context=Context.EMAIL_THREADS, claims=event(Proof.PROVIDER, ANN))
    assert contact(inbox, "chat") != contact(inbox, "mail", Context.EMAIL_THREADS)

    request = event(Proof.COMPANY, ANN_PHONE, ANN)
    listed.show("request", context=Context.CONVERSATIONS, claims=request)

    found = {
        contact(inbox, "chat"),
        contact(inbox, "mail", Context.EMAIL_THREADS),
        contact(inbox, "request", Context.CONVERSATIONS),
    }
    assert len(found) == 1


def test_companies_share_no_contact_of_a_number(inbox: InboxSystem, listed: Listed) -> None:
    claims = event(Proof.PROVIDER, ANN_PHONE)
    listed.show("ours", claims=claims)
    listed.show("theirs", claims=claims, company_id="globex")

    assert contact(inbox, "ours") != contact(inbox, "theirs")


@pytest.mark.parametrize(
    ("claims", "first"),
    [
        # Each profile and each token is one unit, and the index of the week one more.
        (event(Proof.PROVIDER, ANN_PHONE), 1 + 1),
        (event(Proof.COMPANY, ANN_PHONE, ANN), 2 + 3),
    ],
)
def test_a_further_message_neither_reads_nor_writes_contacts(
    inbox: InboxSystem, listed: Listed, claims: tuple[Claim, ...], first: int
) -> None:
    calls: list[str] = []

    def count(params: dict[str, Any], model: Any, **_: object) -> None:
        if inbox.tables.contacts.name in str(params["body"]):
            calls.append(model.name)

    events = inbox.tables.contacts._client.meta.events
    events.register("before-call.dynamodb", count, unique_id="calls")
    try:
        listed.show("one", claims=claims)
        assert [one for one in calls if one in WRITES] == ["PutItem"] * first
        calls.clear()
        listed.show("one", minute=1, claims=claims)
        assert calls == []
    finally:
        events.unregister("before-call.dynamodb", unique_id="calls")


def test_the_last_contact_is_that_of_the_newest_message_and_the_order_of_contacts_stays(
    inbox: InboxSystem, listed: Listed
) -> None:
    table = inbox.tables.contacts
    claims = event(Proof.PROVIDER, ANN_PHONE)
    listed.show("one", handle="447700900101", claims=claims)
    before = table._client.scan(TableName=table.name)["Items"]
    listed.show("one", minute=59, handle="447700900101", claims=claims)

    (person,) = inbox.get(READER, "/contacts", q="900101").result["contacts"]
    assert person["lastActivityAt"] == "2026-01-01T12:59:00.000Z"
    assert table._client.scan(TableName=table.name)["Items"] == before


def test_claims_are_resolved_again_when_the_keys_rotate(inbox: InboxSystem, listed: Listed) -> None:
    claims = event(Proof.PROVIDER, ANN_PHONE)
    with held(Keys("the old key")):
        listed.show("one", claims=claims)
        before = entry(inbox, "one")
    with held(Keys("the new key", "the old key")):
        listed.show("one", minute=1, claims=claims)
        after = entry(inbox, "one")

    assert after.contact_id == before.contact_id
    assert after.claims_mark != before.claims_mark


def test_a_head_whose_contact_cannot_be_resolved_now_is_retried(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive(harness, "wamid.1")
    records = whatsapp.pending()

    def contended(*_: object, **__: object) -> None:
        raise Transient("contact_contended")

    monkeypatch.setattr(resolution, "resolve", contended)
    assert whatsapp.take(records) != []
    monkeypatch.undo()

    assert whatsapp.take(records) == []
    assert contact(inbox, Conversation.key(PHONE, ADA)) is not None


PEOPLE = [phone(1), phone(2), email("ann"), email("ben")]
HEADS = st.lists(
    st.tuples(
        st.sampled_from([Proof.PROVIDER, Proof.COMPANY]),
        st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=2, unique=True),
        st.sampled_from(list(Context)),
    ),
    min_size=2,
    max_size=5,
)


def shown_in(
    listed: Listed, heads: list[Any], order: list[int]
) -> Callable[[InboxSystem], set[frozenset[int]]]:
    """Show heads in an order; return what groups them by the contact of their entries."""
    for number in order:
        proof, identifiers, context = heads[number]
        listed.show(f"head {number}", context=context, claims=event(proof, *identifiers))

    def grouped(inbox: InboxSystem) -> set[frozenset[int]]:
        found: dict[str | None, set[int]] = {}
        for number in set(order):
            name = contact(inbox, f"head {number}", heads[number][2])
            found.setdefault(name, set()).add(number)
        return set(map(frozenset, found.values()))

    return grouped


def emptied(inbox: InboxSystem) -> None:
    for table in (inbox.tables.inbox, inbox.tables.contacts):
        cleared(table)


@pytest.mark.long
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(HEADS, st.randoms())
def test_entries_lead_to_the_same_people_in_any_order_and_so_they_do_when_contacts_are_lost(
    inbox: InboxSystem, listed: Listed, heads: list[Any], random: Random
) -> None:
    emptied(inbox)
    order = list(range(len(heads)))
    expected = shown_in(listed, heads, order)(inbox)
    emptied(inbox)
    shuffled = [*order, *order]
    random.shuffle(shuffled)

    grouped = shown_in(listed, heads, shuffled)
    assert grouped(inbox) == expected

    people = contacts(inbox.tables.contacts._client, inbox.tables.contacts)
    cleared(inbox.tables.contacts)
    random.shuffle(shuffled)
    for number in shuffled:
        listed.context = heads[number][2]
        entries.refresh(inbox.tables, listed, f"head {number}", resolves_again=True)
    assert contacts(inbox.tables.contacts._client, inbox.tables.contacts) == people
    assert grouped(inbox) == expected
