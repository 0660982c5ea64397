"""Every item type of the log is declared once, and the declarations match the contract's table."""

import inspect
from pathlib import Path
from typing import Any

import pytest
import yaml

from conversations.store.items import conversation, log, records, routes
from conversations.store.items.base import LogItem
from conversations.store.items.catalogue import OF_THE_LOG
from conversations.store.items.conversation import ChannelMethod, Conversation, Role
from conversations.store.items.parts import (
    due,
    evaluation,
    function_result,
    knowledge_question,
    memory,
    note,
    project_version,
    state,
    trial,
    unanswered,
)
from tests import template

CONTRACT = Path(__file__).parents[4] / "shared" / "contracts" / "conversations.yaml"
beside_the_contract = pytest.mark.skipif(
    not CONTRACT.exists(), reason="the contract is not beside this checkout"
)


def contract() -> dict[str, Any]:
    facts: dict[str, Any] = yaml.safe_load(CONTRACT.read_text())
    return facts


def test_every_item_type_is_registered() -> None:
    declared = {
        item
        for module in (
            log,
            due,
            evaluation,
            function_result,
            knowledge_question,
            memory,
            note,
            project_version,
            routes,
            records,
            state,
            trial,
            unanswered,
        )
        for _, item in inspect.getmembers(module, inspect.isclass)
        if issubclass(item, LogItem) and "item_type" in vars(item)
    }

    assert declared == set(OF_THE_LOG)


def test_names_of_item_types_are_unique() -> None:
    names = [item.item_type for item in OF_THE_LOG]

    assert len(set(names)) == len(names)


def test_every_item_declares_its_lifetime_or_that_of_its_conversation() -> None:
    """An item that declares neither would have an undefined lifetime."""
    of_conversation = {
        "MESSAGE", "CHANGE", "MEMORY", "NOTE", "STATE", "ROUTE", "OPEN", "ENDED", "PLACEMENT",
    }  # fmt: skip

    for item in OF_THE_LOG:
        is_said = bool(item.ttl_days or item.ttl_note)
        assert is_said == (item.item_type not in of_conversation), item.item_type


@beside_the_contract
def test_the_key_and_the_indexes_are_those_of_the_contract() -> None:
    table, found = contract()["table"], template.properties("ConversationsTable")
    keys = [key["AttributeName"] for key in found["KeySchema"]]
    pairs = {
        (index["name"], index["partition"], index["sort"]) for index in contract()["indexes"]
    } - {("company-id-project-id-index", "company_id", "project_id")}  # no code reads it
    own = {index["name"] for index in contract()["local_indexes"]}

    assert keys == [conversation.PARTITION_KEY, conversation.SORT_KEY]
    assert keys == [table["key"]["partition"]["name"], table["key"]["sort"]["name"]]
    assert set(Conversation.by_pair.values()) == pairs
    assert own == {
        Conversation.by_created,
        Conversation.by_task_complete,
        Conversation.by_status,
        Conversation.by_channel,
    }
    assert found["TimeToLiveSpecification"]["AttributeName"] == table["ttl_attribute"]


@beside_the_contract
def test_values_are_those_of_the_contract() -> None:
    attributes, message = contract()["attributes"], contract()["message"]
    filled = contract()["primary_channel"]

    assert {method.value for method in ChannelMethod} == set(attributes["channel_method"]["enum"])
    assert {role.value for role in Role} == set(message["role"]["enum"])
    assert attributes["task_complete"]["enum"] == [0, 1]
    assert set(filled) == {method.value for method in ChannelMethod}
