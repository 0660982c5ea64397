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
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.identifiers import REQUEST_PREFIX
from conversations.store.items.parts.memory import Memory
from conversations.store.lists.inbox_heads import ConversationHeads
from shared.ai import port as ai
from shared.aws.dynamodb import Table
from shared.identity.contacts import merges, resolution
from shared.identity.contacts.history import Act
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime import clock
from tests.integration.console.feeds.conversations_feed import fed, inbox
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
    from conversations.ai.prompt.memory import Remembered
    from conversations.lifecycle.conversation import OpenConversation
    from shared.api.auth import Caller
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
        return self.facts_in(self.begin(customer, **facts), who)

    def facts_in(self, ref: str, who: Caller = OURS) -> list[str]:
        """The facts that a turn of a conversation gives to the model: those that are stored then."""
        self.harness.later()
        found = memory.remembered(self.harness.resources, self.people, self.opened(ref, who))
        stored = memories.read(self.harness.resources.log, ref)
        assert found is not None
        assert stored is not None
        assert (stored.facts, stored.contacts) == (found.facts, found.contacts)
        return found.facts

    def opened(self, ref: str, who: Caller = OURS) -> OpenConversation:
        return opened_for(self.harness.module.deps, who, ref)

    @property
    def people(self) -> People:
        return People(contacts=self.tables.contacts, inbox=self.tables.inbox)

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


def refuse(*_: Any, **__: Any) -> None:
    raise ClientError({"Error": {"Code": "ThrottlingException"}}, "Query")


@pytest.fixture
def merged(people: Told) -> tuple[Told, str, Merge]:
    """A conversation of Ann that began with the memory of Ben, whom people had merged with Ann."""
    ben = people.tells("Ben has a dog.", BEN)
    merge = people.merge(people.begin(), ben)
    assert people.first_facts() == ["Ben has a dog."]
    return people, people.newest, merge


@pytest.mark.parametrize("carries", [True, False], ids=["carries over", "does not any more"])
def test_a_conversation_that_began_during_a_merge_forgets_at_its_next_turn_after_the_undo(
    merged: tuple[Told, str, Merge], *, carries: bool
) -> None:
    people, ref, merge = merged
    people.renew()
    assert people.facts_in(ref) == ["Ben has a dog."]
    people.harness.set_up(memory={"summary": True, "carry_over": carries})

    people.undo(merge)

    assert people.facts_in(ref) == []
    assert people.facts_in(ref) == []
    stored = memories.read(people.harness.resources.log, ref)
    assert stored is not None
    assert (stored.revision, stored.contacts, stored.up_to) == (3, [], None)


def test_after_the_undo_a_conversation_goes_on_with_an_earlier_memory_of_its_own_person(
    people: Told,
) -> None:
    ann = people.tells("Ann works nights.")
    merge = people.merge(ann, people.tells("Ben has a dog.", BEN))
    assert people.first_facts() == ["Ben has a dog."]
    ref = people.newest

    people.undo(merge)

    assert people.facts_in(ref) == ["Ann works nights."]


def test_people_see_no_memory_of_another_person_after_the_undo_and_what_they_write_then_stays(
    merged: tuple[Told, str, Merge],
) -> None:
    people, ref, merge = merged
    one = "GET /conversations/{ref}/memory"
    seen = people.harness.call(one, ref=ref).result
    assert (seen["facts"], seen["revision"]) == (["Ben has a dog."], 1)
    people.undo(merge)

    seen = people.harness.call(one, ref=ref).result
    assert (seen["summary"], seen["facts"], seen["revision"]) == ("", [], 1)
    body = {"summary": "", "facts": ["Ann works nights."], "revision": 1}
    assert people.harness.on(ref, "memory", body).status == 200

    assert people.facts_in(ref) == ["Ann works nights."]


@pytest.mark.parametrize("is_undone", [True, False])
def test_a_memory_is_not_renewed_with_what_is_of_another_person(
    merged: tuple[Told, str, Merge], *, is_undone: bool
) -> None:
    """The undo comes while the model answers."""
    people, ref, merge = merged
    asked: list[ai.Request] = []

    def ask(request: ai.Request) -> Remembered:
        asked.append(request)
        raise ai.Unavailable("the model does not answer")

    if is_undone:
        people.undo(merge)
    for _ in range(memory.WINDOW):
        people.harness.says(ref, "I work nights.")
        people.harness.later()
    memory.renew(people.harness.resources, people.people, people.opened(ref), ask)

    assert len(asked) == (0 if is_undone else 1)


def test_a_memory_over_a_merge_is_not_used_while_contacts_cannot_be_read_and_no_other_one_needs_them(
    merged: tuple[Told, str, Merge], monkeypatch: pytest.MonkeyPatch
) -> None:
    people, ref, _ = merged
    people.tells("Carol has a cat.", MAIL, channel=EMAIL)
    assert people.first_facts(MAIL, channel=EMAIL) == ["Carol has a cat."]
    of_carol = people.newest
    with monkeypatch.context() as patch:
        for operation in ("get", "get_many", "query"):
            patch.setattr(people.tables.contacts, operation, refuse)
        opened = people.opened(ref)

        assert people.facts_in(of_carol) == ["Carol has a cat."]
        assert memory.remembered(people.harness.resources, people.people, opened) is None
    assert people.facts_in(ref) == ["Ben has a dog."]


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

    failing: Table = getattr(people.tables, fails)
    for operation in ("get", "query"):
        monkeypatch.setattr(failing, operation, refuse)

    assert people.first_facts() == ["Ann has a dog."]
