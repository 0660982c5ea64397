"""The rows of the three tables against the data contract: keys, attribute names, types, values, lifetimes, bounds."""

from decimal import Decimal
from enum import EnumType
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from local.docs.declarations import allowed
from richpanel.store import items
from richpanel.store.items import (
    ROWS,
    Action,
    AtMost,
    AuditAction,
    ConversationState,
    CustomerState,
    Event,
    Row,
    TokenBucket,
)
from shared.runtime import clock
from tests.cases import each

CONTRACT = Path(__file__).parents[4] / "shared" / "contracts" / "richpanel.yaml"
beside_the_contract = pytest.mark.skipif(
    not CONTRACT.exists(), reason=f"the contract {CONTRACT.name} is not beside this checkout"
)
EVERY = [row for rows in ROWS.values() for row in rows]
TYPES = {str: "S", int: "N", float: "N", Decimal: "N", bool: "BOOL", list: "L", dict: "M", set: "SS"}  # fmt: skip
# The rows whose attributes the contract lists; other rows of a table are internal, with the same key.
CONTRACTED = [
    (table, row)
    for table, rows in (
        ("idempotency", (Event, Action)),
        ("conversation_state", (ConversationState,)),
        ("audit_actions", (AuditAction,)),
    )
    for row in rows
]


def contract() -> dict[str, Any]:
    facts: dict[str, Any] = yaml.safe_load(CONTRACT.read_text())
    return facts


def stored_fields(row: type[Row | Action]) -> dict[str, FieldInfo]:
    """The fields of a row, by the names of their attributes."""
    return {field.alias or name: field for name, field in row.model_fields.items()}


def type_of(annotation: Any) -> str:
    """The DynamoDB type of a field."""
    (kind,) = {
        "M"
        if isinstance(part, type) and issubclass(part, BaseModel)
        else "S"
        if isinstance(part, EnumType | str)
        else TYPES[part]
        for part in allowed(annotation)
    }
    return kind


@beside_the_contract
@pytest.mark.parametrize(("table", "row"), CONTRACTED)
def test_attributes_have_the_names_types_and_values_that_the_contract_prints(
    table: str, row: type[Row | Action]
) -> None:
    printed = contract()["tables"][table]["attributes"]
    assert printed
    for name, attribute in printed.items():
        field = stored_fields(row)[name]
        assert type_of(field.annotation) in attribute["type"].split(" or "), name
        if attribute["required"] is True:
            assert field.is_required(), name
        if "enum" in attribute:
            assert {str(word) for word in field.annotation} == set(attribute["enum"]), name  # type: ignore[union-attr] # an enum
        if "keys" in attribute:
            (model,) = allowed(field.annotation)
            assert list(model.model_fields) == attribute["keys"], name


@beside_the_contract
def test_the_contracts_values_are_among_the_declared_ones() -> None:
    tables = contract()["tables"]

    assert set(tables["idempotency"]["attributes"]["status"]["enum_includes"]) <= set(
        items.EventStatus
    )
    ours = get_args(AuditAction.model_fields["action_type"].annotation)
    assert set(tables["audit_actions"]["attributes"]["action_type"]["enum_includes"]) <= set(ours)


@beside_the_contract
@pytest.mark.parametrize("table", ROWS)
def test_keys_and_lifetimes_are_those_of_the_contract(table: str) -> None:
    printed = contract()["tables"][table]

    assert {row.partition_key for row in ROWS[table]} == {printed["key"]["partition"]["name"]}
    assert printed["ttl_attribute"] == items.TTL_ATTRIBUTE
    assert ROWS[table][0].ttl_days == printed["ttl_days"]


@beside_the_contract
def test_every_key_pattern_of_the_contract_is_declared() -> None:
    """With our placeholders: a message is a message id or the hash that replaces one."""
    ours = {
        "evt:rp:{conversation_id}:{customer_message_id}": Event.patterns[0],
        "evt:rp:{conversation_id}:{sha256(normalized_text + created_at_bucket)}": Event.patterns[0],
        "act:rp_reply:{conversation_id}:{customer_message_id or hash}": Action.REPLY,
        "act:rp_tag:{conversation_id}:{tag_name}:{customer_message_id or hash}": Action.TAG,
        "act:rp_assign:{conversation_id}:{team_or_assignee}:{customer_message_id or hash}": Action.ASSIGN,
        "act:shopify_lookup:{conversation_id}:{order_id}": Action.LOOKUP,
    }
    assert set(contract()["tables"]["idempotency"]["keys"]) == set(ours)
    for printed, pattern in ours.items():
        assert printed.count(":") == pattern.count(":")
        assert printed.split("{")[0] == pattern.split("{")[0]


def test_keys_are_made_from_their_patterns() -> None:
    assert Event.key("t-1", "m-9") == "evt:rp:t-1:m-9"
    assert Action.key(Action.REPLY, "t-1", "m-9") == "act:rp_reply:t-1:m-9"
    assert Action.key(Action.TAG, "t-1", "mw-x", "m-9") == "act:rp_tag:t-1:mw-x:m-9"
    assert Action.key(Action.ASSIGN, "t-1", "u-2", "m-9") == "act:rp_assign:t-1:u-2:m-9"
    assert Action.key(Action.CLOSE, "t-1", "m-9") == "act:rp_close:t-1:m-9"
    assert Action.key(Action.LOOKUP, "t-1", "6001") == "act:shopify_lookup:t-1:6001"
    assert CustomerState.key("ab12") == "cust:ab12"
    assert AuditAction.sort_key("2026-03-02T13:00:00.000Z", "route") == (
        "2026-03-02T13:00:00.000Z#route"
    )
    assert items.key_of(Event, "evt:rp:t-1:m-9") == {"event_id": "evt:rp:t-1:m-9"}


def test_a_part_that_looks_like_a_pattern_stays_as_it_is() -> None:
    assert Event.key("{message}", "{0}") == "evt:rp:{message}:{0}"


@pytest.mark.parametrize("parts", [(), ("t-1",), ("t-1", ""), ("", "m-9"), ("a", "b", "c")])
def test_a_key_without_all_its_parts_is_refused(parts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="act:rp_reply"):
        Action.key(Action.REPLY, *parts)


def test_an_action_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no action has the key"):
        Action.key("act:rp_refund:{conversation_id}", "t-1")


def test_internal_rows_use_ids_that_no_conversation_can_have() -> None:
    rows: list[type[Row]] = [
        *(CustomerState, TokenBucket, items.Sweep, items.SettingsVersion, items.PrivacyJob),
    ]
    ours = [row.patterns[0] for row in rows] + [AuditAction.SWITCHES]

    assert all(pattern.startswith(items.RESERVED_PREFIXES) for pattern in ours)
    assert len(set(ours)) == 6


@each("row", EVERY, ids=lambda row: row.__name__)
def test_nothing_in_a_row_grows_without_a_bound(row: type[Row | Action]) -> None:
    for name, field in row.model_fields.items():
        several = set(allowed(field.annotation)) & {list, dict, set}
        metadata = [
            *field.metadata,
            *(m for p in get_args(field.annotation) for m in getattr(p, "__metadata__", ())),
        ]
        assert sum(isinstance(entry, AtMost) for entry in metadata) == bool(several), name


def test_an_undeclared_field_is_not_an_attribute() -> None:
    with pytest.raises(KeyError, match="TokenBucket has no token"):
        TokenBucket.named(token=1)
    with pytest.raises(KeyError, match="TokenBucket has no token"):
        TokenBucket.attr("token")


def test_empty_values_are_not_stored_and_attributes_of_a_newer_version_are_kept() -> None:
    stored = {
        "conversation_id": "t-1",
        "updated_at": "2026-03-02T13:00:00.000Z",
        "expires_at": 1_780_000_000,
        "version": 3,
        "pending_flow": {"type": "need_order_number", "requested_at": "x", "attempts": 1, "new": 1},
        "of_tomorrow": "x",
    }
    read = ConversationState.read({**stored, "risk_flags": set(), "last_intent": ""})

    assert read.attributes() == stored


def test_a_row_lives_as_many_days_as_its_class_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: 1_772_456_400_000)

    assert CustomerState.time_to_live() == 1_772_456_400 + 7 * 86_400


def test_the_text_of_a_broken_row_is_not_in_the_error() -> None:
    row = {"conversation_id": "t-1", "updated_at": "", "expires_at": 1, "version": "jane@x.example"}
    with pytest.raises(ValueError, match="version") as error:
        ConversationState.read(row)

    assert "jane" not in str(error.value)
