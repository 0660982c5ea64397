"""A conversation with a model begins with the newest memory of its person, over merges of contacts and their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from conversations.api.access import opened_for
from conversations.configuration.resources import People
from conversations.inbound import number_changes
from conversations.outbound.compose.content import memory
from conversations.store import erasures, routes
from conversations.store.annotations import memories
from conversations.store.inbox_heads import ConversationHeads
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.identifiers import REQUEST_PREFIX
from conversations.store.items.parts.memory import Memory
from shared.aws.dynamodb import Table
from shared.identity.contacts import merges, resolution
from shared.identity.contacts.history import Act
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime import clock
from tests.integration.console.test_conversations_feed import fed, inbox
from tests.integration.conversations.harness import (
    ANN,
    COMPANY,
    OTHER_PROJECT,
    OURS,
    SECOND_COMPANY,
    THEIRS,
    Harness,
    _behind,
    harness,
)

if TYPE_CHECKING:
    from shared.identity.contacts.items import Merge
    from tests.integration.console.system import Fed, InboxSystem

__all__ = ["_behind", "fed", "harness", "inbox"]  # fixtures
BEN, MAIL = "+447700900155", "ann@example.com"
EMAIL = ChannelMethod.EMAIL
CARRIES: dict[str, Any] = {"memory": {"summary": True, "carry_over": True}}


@pytest.fixture
def people(harness: Harness, inbox: InboxSystem, fed: Fed) -> Told:
    harness.set_up(**CARRIES)
    return Told(harness, inbox, fed)


class Told:
    """Conversations that customers begin, and what they tell."""

    def __init__(self, harness: Harness, inbox: InboxSystem, fed: Fed) -> None:
        self.harness, self.tables, self.fed = harness, inbox.tables, fed
        self.count, self.newest = 0, ""

    def begin(self, customer: str = ANN, *, begins: str = REQUEST_PREFIX, **facts: Any) -> str:
        self.count += 1
        if facts.get("channel") is EMAIL:
            facts = {"email_proven_at": clock.to_text(self.harness.now[0])} | facts
        ref = self.harness.begin(f"{begins}{self.count}", customer=customer, **facts)
        state = self.harness.state(ref)
        pair = identifiers.pair(state.channel_method, state.business_address, customer)
        routes.add(self.harness.resources.log, pair, state.created_at, ref, None)
        self.newest = ref
        return ref

    def tells(self, fact: str, customer: str = ANN, **facts: Any) -> str:
        """A conversation with a memory."""
        ref = self.begin(customer, **facts)
        told = Memory(by="ai", at=self.harness.later(), facts=[fact])
        memories.write(self.harness.resources.log, ref, told, seen=None)
        return ref

    def first_facts(self, customer: str = ANN, **facts: Any) -> list[str]:
        """The facts that a new conversation begins with."""
        who = THEIRS if facts.get("company") == SECOND_COMPANY else OURS
        opened = opened_for(self.harness.module.deps, who, self.begin(customer, **facts))
        self.harness.later()
        people = People(contacts=self.tables.contacts, inbox=self.tables.inbox)
        found = memory.remembered(self.harness.resources, people, opened)
        stored = memories.read(self.harness.resources.log, opened.ref)
        assert found is not None
        assert stored is not None
        assert (stored.facts, stored.contacts) == (found.facts, found.contacts)
        return found.facts

    def renew(self) -> None:
        """The model renews the memory of the newest conversation."""
        stored = memories.read(self.harness.resources.log, self.newest)
        assert stored is not None
        changed = stored.changed(at=self.harness.later())
        assert memories.write(self.harness.resources.log, self.newest, changed, seen=stored)

    def contact_of(self, ref: str) -> str:
        head = ConversationHeads(self.harness.resources.table, self.harness.resources.log).read(ref)
        assert head is not None
        return resolution.ids_of(COMPANY, head.claims[0].identifier)[0]

    def merge(self, one: str, other: str) -> Merge:
        """People merge the contacts of two conversations; returns the merge."""
        assert self.fed.take() == []
        ids = self.contact_of(one), self.contact_of(other)
        return merges.merge(self.tables.contacts, COMPANY, *ids, Act("cause", "user:1"))

    def undo(self, merge: Merge) -> None:
        merges.undo(self.tables.contacts, merge, Act("undo", "user:1"))


def test_after_a_merge_the_newest_memory_of_any_address_and_channel_is_carried_until_its_undo(
    people: Told,
) -> None:
    ann = people.tells("Ann has a dog.")
    mail = people.tells("Ann is allergic to nuts.", MAIL, channel=EMAIL)
    assert people.first_facts() == ["Ann has a dog."]

    merge = people.merge(ann, mail)
    assert people.first_facts() == ["Ann is allergic to nuts."]
    assert people.first_facts() == ["Ann is allergic to nuts."]  # of a copy, before the feed
    people.fed.take()
    people.tells("Ann works nights.", channel=ChannelMethod.WHATSAPP)
    people.fed.take()
    assert people.first_facts(MAIL, channel=EMAIL) == ["Ann works nights."]

    people.undo(merge)
    people.fed.take()
    assert people.first_facts() == ["Ann works nights."]
    assert people.first_facts(MAIL, channel=EMAIL) == ["Ann is allergic to nuts."]
    assert people.first_facts(BEN) == []


def test_a_memory_that_was_carried_during_a_merge_does_not_outlast_it(people: Told) -> None:
    ben = people.tells("Ben has a dog.", BEN)
    assert people.first_facts() == []  # an empty memory, newer than Ben's
    ann = people.begin()
    merge = people.merge(ann, ben)
    for _ in range(2):  # a copy, which is the newest one, and a copy of that
        assert people.first_facts() == ["Ben has a dog."]
        people.renew()
        people.fed.take()

    people.undo(merge)

    assert people.first_facts() == []
    assert people.first_facts(BEN) == ["Ben has a dog."]


def test_nothing_is_carried_from_another_project_or_company(people: Told) -> None:
    for place in ({"project": OTHER_PROJECT}, {"company": SECOND_COMPANY}):
        people.harness.set_up(**place, **CARRIES)
    people.tells("Ann has a dog.")
    people.tells("Ann is allergic to nuts.", project=OTHER_PROJECT)
    people.tells("Ann works nights.", company=SECOND_COMPANY)
    people.fed.take()

    assert people.first_facts() == ["Ann has a dog."]
    assert people.first_facts(project=OTHER_PROJECT) == ["Ann is allergic to nuts."]
    assert people.first_facts(company=SECOND_COMPANY) == ["Ann works nights."]


@pytest.mark.parametrize("is_late", [True, False], ids=["before the feed", "after it"])
def test_the_memory_of_an_erased_conversation_does_not_come_back(
    people: Told, *, is_late: bool
) -> None:
    """Its entry may be listed still, and its memory is removed after its state."""
    ann = people.tells("Ann has a dog.")
    people.merge(people.tells("Ann is allergic to nuts.", MAIL, channel=EMAIL), ann)
    erasures.fence_erased(people.harness.resources.log, ann, people.harness.later())
    if not is_late:
        people.fed.take()

    assert people.first_facts() == ["Ann is allergic to nuts."]


@pytest.mark.parametrize("is_late", [True, False], ids=["before the feed", "after it"])
@pytest.mark.parametrize("owner", [None, "US.1"], ids=["a notice", "a message"])
def test_the_next_owner_of_a_number_begins_with_no_memory_of_the_one_before(
    people: Told, owner: str | None, *, is_late: bool
) -> None:
    people.tells("Ann has a dog.")
    people.fed.take()
    change = Withdrawal.of(people.harness.later(), "notice", owner, None)
    number_changes.record(people.harness.resources, COMPANY, ANN, change)
    if not is_late:
        people.fed.take()

    assert people.first_facts() == []
    people.tells("Ben has a cat.")
    assert people.first_facts() == ["Ben has a cat."]


def test_conversations_that_prove_no_identifier_are_one_person_s_by_mail_and_never_by_number(
    people: Told,
) -> None:
    """Mails of an unproven author; requests of the company for a number of which a notice says it was given up."""
    unproven: dict[str, Any] = {"channel": EMAIL, "email_proven_at": None}
    people.tells("Ann has a dog.", MAIL, **unproven)
    change = Withdrawal.of(people.harness.later(), "notice", None, None)
    number_changes.record(people.harness.resources, COMPANY, ANN, change)
    requested: dict[str, Any] = {"begins": "req-", "recipient_email": None}
    people.tells("Ann works nights.", **requested)

    assert people.first_facts(MAIL, **unproven) == ["Ann has a dog."]
    assert people.first_facts(MAIL, channel=EMAIL) == []
    assert people.first_facts(**requested) == []


@pytest.mark.parametrize("fails", ["contacts", "inbox"])
def test_without_the_tables_of_contacts_the_conversations_of_the_same_addresses_count(
    people: Told, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = people.tells("Ann has a dog.")
    mail = people.tells("Ann is allergic to nuts.", MAIL, channel=EMAIL)
    assert people.first_facts() == ["Ann has a dog."]  # the contact is not known yet
    people.merge(ann, mail)

    def refuse(*_: Any, **__: Any) -> None:
        raise ClientError({"Error": {"Code": "ThrottlingException"}}, "Query")

    failing: Table = getattr(people.tables, fails)
    for operation in ("get", "query"):
        monkeypatch.setattr(failing, operation, refuse)

    assert people.first_facts() == ["Ann has a dog."]
