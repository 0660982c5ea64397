"""A rebuild makes the entries that the feeds make, removes stale ones and goes on after an interruption."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import Barrier
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from operations.command_line import arguments
from operations.contexts.inbox import cli, rebuild
from operations.contexts.inbox import contacts as command
from operations.contexts.inbox.rebuild import Run, Source
from shared.identity import keyed_hashes
from shared.inbox import entries
from shared.inbox.items import Context
from tests.integration.console.system import Fed, InboxSystem, Listed
from tests.integration.shared.contacts.people import cleared, contacts
from tests.integration.whatsapp.api.conftest import writes_to_globex
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, text
from whatsapp.store.items import Conversation, pk

if TYPE_CHECKING:
    from shared.inbox.entries import Heads


class Interrupted(Exception):
    """The command was stopped."""


def a_run(inbox: InboxSystem) -> Run:
    return Run(client=boto3.client("dynamodb"), tables=inbox.tables, report=lambda *_: None)


def source_of(harness: Harness, whatsapp: Fed) -> Source:
    return Source(heads=whatsapp.heads, table=harness.resources.table.name)


def receive(harness: Harness, customers: int) -> None:
    for n in range(customers):
        sender = f"4477009001{n:02}"
        harness.take(
            {"messages": [text(f"wamid.{n}", f"text {n}", sender=sender, at=NOW // 1000 - n)]}
        )
    writes_to_globex(harness)


def test_the_entries_of_a_rebuild_equal_those_of_the_feed(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, 12)
    whatsapp.take()
    fed = inbox.entries()
    for key in fed:
        inbox.table.delete(pk(key))

    run = a_run(inbox)
    run.rebuild(source_of(harness, whatsapp))

    assert len(fed) == 13
    assert inbox.entries() == fed
    assert run.counts == Counter({rebuild.SHOWN: 13, rebuild.UNCHANGED: 13})


def test_a_rebuild_of_complete_entries_writes_nothing(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, 3)
    whatsapp.take()
    versions = [row["version"] for row in inbox.rows()]

    run = a_run(inbox)
    run.rebuild(source_of(harness, whatsapp))

    assert set(run.counts) == {rebuild.UNCHANGED}
    assert [row["version"] for row in inbox.rows()] == versions


def test_a_rebuild_corrects_outdated_entries_and_removes_stale_ones(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, 2)
    whatsapp.take()
    wanted = inbox.entries()
    Listed(inbox.tables).show(Conversation.key(PHONE, "447700900199"), assignee="kim")
    outdated = next(iter(wanted))
    inbox.table.update(pk(outdated), put={"preview": "outdated"}, add={"version": 1})

    a_run(inbox).rebuild(source_of(harness, whatsapp))

    assert inbox.entries() == wanted


def test_a_rebuild_leaves_the_entries_of_other_contexts(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    Listed(inbox.tables).show("0123456789abcdef", context=Context.EMAIL_THREADS)

    a_run(inbox).rebuild(source_of(harness, whatsapp))

    assert [row["context"] for row in inbox.rows()] == ["email_threads"]


def without_entries(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, customers: int
) -> dict[str, Any]:
    """Receive messages, remove their entries, and return the removed ones."""
    receive(harness, customers)
    whatsapp.take()
    wanted = inbox.entries()
    for key in wanted:
        inbox.table.delete(pk(key))
    return wanted


def test_lost_contacts_are_made_again_from_the_conversations(
    harness: Harness,
    inbox: InboxSystem,
    whatsapp: Fed,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    receive(harness, 3)
    whatsapp.take()
    wanted, people = inbox.entries(), contacts(boto3.client("dynamodb"), inbox.tables.contacts)
    cleared(inbox.tables.contacts)
    monkeypatch.setattr(keyed_hashes, "configure", lambda _: None)
    tables = {cli.INBOX: inbox.table, cli.CONTACTS: inbox.tables.contacts}
    names = {name: table.name for name, table in tables.items()}
    names[cli.WHATSAPP] = harness.resources.table.name
    monkeypatch.setattr(
        arguments, "outputs_of", lambda _, *asked: {n: names.get(n, "not used") for n in asked}
    )

    assert command.main(["rebuild", "--stack", "parley-dev", "--context", "whatsapp"]) == 0

    assert len(people) == 4
    assert contacts(boto3.client("dynamodb"), inbox.tables.contacts) == people
    assert inbox.entries() == wanted  # also no progress of the run
    assert "4 unchanged" in capsys.readouterr().out


@dataclass
class Watched:
    """The heads of WhatsApp, noting which keys of their table a rebuild has read."""

    heads: Heads
    read_keys: list[str] = field(default_factory=list)
    context: Context = Context.WHATSAPP

    def reference_of(self, key: dict[str, Any]) -> str | None:
        self.read_keys.append(str(key["pk"]))
        return self.heads.reference_of(key)

    def read(self, reference: str) -> Any:
        return self.heads.read(reference)


def test_a_rebuild_reads_each_item_in_one_of_its_segments_which_run_in_parallel(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = without_entries(harness, inbox, whatsapp, 8)
    heads = Watched(whatsapp.heads)
    client = boto3.client("dynamodb")
    scanned: set[tuple[str, int, int]] = set()
    both = Barrier(2)

    def scans(params: dict[str, Any], **_: object) -> None:
        scanned.add((params["TableName"], params["Segment"], params["TotalSegments"]))
        if params["Segment"] < both.parties:
            both.wait(timeout=10)  # for the other one

    client.meta.events.register("provide-client-params.dynamodb.Scan", scans)
    run = Run(client=client, tables=inbox.tables, report=lambda *_: None)
    run.rebuild(Source(heads=heads, table=harness.resources.table.name))

    assert len(heads.read_keys) == len(set(heads.read_keys))
    assert inbox.entries() == wanted
    tables = (harness.resources.table.name, inbox.table.name)
    assert scanned == {
        (name, segment, rebuild.SEGMENTS) for name in tables for segment in range(rebuild.SEGMENTS)
    }


@pytest.mark.parametrize("page", [1, 4, 9])
def test_a_rebuild_that_is_interrupted_after_any_page_goes_on_in_each_segment(
    harness: Harness,
    inbox: InboxSystem,
    whatsapp: Fed,
    monkeypatch: pytest.MonkeyPatch,
    page: int,
) -> None:
    monkeypatch.setattr(rebuild, "ITEMS_PER_PAGE", 3)
    monkeypatch.setattr(rebuild, "SEGMENTS", 3)
    wanted = without_entries(harness, inbox, whatsapp, 6)
    heads = Watched(whatsapp.heads)
    source = Source(heads=heads, table=harness.resources.table.name)
    pages: list[int] = []

    def stop(*_: object) -> None:
        pages.append(1)
        if len(pages) == page:
            raise Interrupted

    first = a_run(inbox)
    first.report = stop
    with pytest.raises(Interrupted):
        first.rebuild(source)
    done = list(heads.read_keys)
    heads.read_keys.clear()

    a_run(inbox).rebuild(source)

    assert set(done).isdisjoint(heads.read_keys)
    assert inbox.entries() == wanted


def test_a_restarted_rebuild_reads_all_items_again(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "ITEMS_PER_PAGE", 3)
    without_entries(harness, inbox, whatsapp, 6)
    heads = Watched(whatsapp.heads)
    source = Source(heads=heads, table=harness.resources.table.name)
    a_run(inbox).rebuild(source)
    complete = sorted(heads.read_keys)

    def stop(*_: object) -> None:
        raise Interrupted

    interrupted = a_run(inbox)
    interrupted.report = stop
    with pytest.raises(Interrupted):
        interrupted.rebuild(source)
    heads.read_keys.clear()
    a_run(inbox).rebuild(source, restart=True)

    assert sorted(heads.read_keys) == complete


def test_a_head_that_cannot_be_shown_is_parked_and_forgotten_once_it_is_shown(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, 1)
    broken = Conversation.key(PHONE, "447700900198")
    harness.resources.table.put({"pk": broken, "unreadCount": "many"})
    run = a_run(inbox)

    run.rebuild(source_of(harness, whatsapp))

    assert run.counts[rebuild.FAILED] >= 1
    assert [one.reference for one in entries.parked(inbox.table, Context.WHATSAPP)] == [broken]

    harness.resources.table.delete(pk(broken))
    a_run(inbox).rebuild(source_of(harness, whatsapp))

    assert list(entries.parked(inbox.table, Context.WHATSAPP)) == []
    assert len(inbox.entries()) == 2
