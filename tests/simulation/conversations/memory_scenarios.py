"""Scenarios in which conversations begin with a memory of a person whose contacts were merged: on each channel."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from unittest import mock

import boto3

from conversations.store.annotations import memories
from conversations.store.items.parts.memory import Memory
from conversations.store.lists.inbox_heads import ConversationHeads
from events.conversations import sample_data
from shared.aws.dynamodb import Table
from shared.events.exchange import InboundMessage
from shared.identity.contacts import merges, resolution
from shared.identity.contacts.claims import Proof, claimed
from shared.identity.contacts.history import Act
from shared.identity.identifiers import IdentifierKind
from shared.inbox import entries
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.identity.contacts.items import Merge
    from tests.simulation.conversations.scenarios import Steps
    from tests.simulation.conversations.system import System

FACT = "Ann is allergic to nuts."


def carried_memory(system: System, channel: str) -> None:
    """
    The first message of a new conversation reads the memory of an earlier one, and so does a reply without it, until
    the merge ends; people see the same.
    """
    system.reset()
    earlier = system.begin(channel)
    # The feeds, and people who merge contacts, are not among these functions.
    with mock.patch.object(system.interceptor, "observer"):
        merged = merge(system, earlier)
    system.change(memory={"carry_over": True})
    system.clock.sleep(60)
    ref = str(system.request(sample_data.request(channel, "req-2"))["conversation_ref"])
    system.drain()
    assert facts(system, ref) == [FACT]
    system.remove("log", f"CONV#{ref}", Memory.sk())
    write(system, ref)
    assert facts(system, ref) == [FACT]
    assert shown(system, ref) == [FACT]
    with mock.patch.object(system.interceptor, "observer"):
        merges.undo(tables_of(system)["contacts"], merged, Act("undo", "user:1"))
    assert shown(system, ref) == []
    write(system, ref)
    assert facts(system, ref) == []


def shown(system: System, ref: str) -> list[str]:
    """The facts that people see."""
    answer = system.call_admin_api("GET /conversations/{ref}/memory", ref=ref)
    return list(answer["facts"])


def write(system: System, ref: str) -> None:
    """The customer of a conversation writes, and the workers run."""
    state = system.state(ref)
    config = sample_data.project()["channel_config"][state["channel_method"]]
    system.clock.sleep(60)
    message = InboundMessage(
        provider=config["provider"],
        provider_message_id=f"in-{system.clock.ms}",
        account=config.get("account", "us-east-1"),
        company=state["company_id"],
        channel_method=state["channel_method"],
        business_address=state["business_address"],
        customer_address=state["primary_channel"],
        received_at=clock.to_text(system.clock.ms),
        kind="text",
        text="Which shift is it?",
        extra={"trust": "verified"},
    )
    system.forward(message)
    system.drain()


def facts(system: System, ref: str) -> list[str]:
    """The facts in the memory of a conversation."""
    found = system.row("log", f"CONV#{ref}", Memory.sk())
    assert found is not None
    return list(found.get("facts", []))


def tables_of(system: System) -> dict[str, Table]:
    """The tables, by their use."""
    client = boto3.Session().client("dynamodb", region_name="us-east-1")
    return {use: Table(client, name) for use, name in system.tables.items()}


def merge(system: System, ref: str) -> Merge:
    """Show a conversation in the inbox, and merge its contact with another one, of which its memory has something."""
    tables = tables_of(system)
    contacts = tables["contacts"]
    heads = ConversationHeads(tables["conversations"], tables["log"])
    entries.refresh(entries.Tables(inbox=tables["inbox"], contacts=contacts), heads, ref)
    head = heads.read(ref)
    assert head is not None
    known = resolution.resolve(contacts, sample_data.COMPANY, head.claims, system.clock.ms)
    number = claimed(IdentifierKind.PHONE, "+447700900199", Proof.COMPANY)
    added = resolution.resolve(contacts, sample_data.COMPANY, number, system.clock.ms)
    merged = merges.merge(contacts, sample_data.COMPANY, known, added, Act("cause", "user:1"))
    at = clock.to_text(system.clock.ms)
    memory = Memory(by="ai", at=at, facts=[FACT], contacts=[added])
    memories.write(tables["log"], ref, memory, seen=None)
    return merged


MEMORY_SCENARIOS: tuple[Steps, ...] = tuple(
    partial(carried_memory, channel=channel) for channel in ("whatsapp", "sms", "email")
)
