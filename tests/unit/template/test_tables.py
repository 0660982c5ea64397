"""template.yaml: the tables match the data contracts, and their indexes project the attributes that lists need."""

import re
import subprocess
import sys
from typing import Any

import pytest

from tests.cases import each
from tests.template import ROOT, properties, resources

CONTRACTS = ROOT.parent / "shared" / "contracts"
KEYS_ONLY: list[str] = []
OURS = ("gsi_inbox_list", "gsi_inbox_assignee")
WHOLE_ITEM: list[str] = ["*"]

# Index: partition key, sort key, projected attributes. The keys of the contract, and the projections chosen for them.
WHATSAPP_INDEXES = {
    "gsi_direction": ("direction", "receivedAt", ["company", "phone", "adSource", "replyOf"]),
    "gsi_from": ("fromPk", "receivedAt", ["company"]),
    "gsi_inbox": (
        "inboxPk",
        "receivedAt",
        [
            "itemType",
            "direction",
            "from",
            "senderName",
            "unreadCount",
            "lastType",
            "lastPreview",
            "archived",
        ],
    ),
    "gsi_conversation": ("conversationPk", "receivedAt", ["itemType", "direction"]),
    "gsi_status": (
        "deliveryStatus",
        "sentAt",
        ["company", "phone", "template", "campaignId", "priceCategory"],
    ),
    "gsi_waba_itemtype": ("wabaMetaId", "itemType", KEYS_ONLY),
    "gsi_customer_phone": ("customerPhone", "createdAt", ["company", "itemType"]),
    "gsi_group": ("groupId", "sentAt", KEYS_ONLY),
    "gsi_catalog": (
        "catalogId",
        "retailerId",
        ["name", "price", "currency", "availability", "imageUrl"],
    ),
    "gsi_order": ("orderId", "createdAt", ["company", "itemType"]),
    "gsi_tenant": ("tenantId", "itemType", KEYS_ONLY),
    "gsi_payment_status": ("paymentStatus", "createdAt", ["company", "itemType"]),
    "gsi_template_waba": (
        "wabaId",
        "templateStatus",
        ["templateName", "templateLanguage", "templateCategory", "qualityScore", "metaTemplateId"],
    ),
    "gsi_template_name": (
        "templateName",
        "templateLanguage",
        ["company", "templateStatus", "templateCategory", "wabaId"],
    ),
    "gsi_campaign": ("campaignId", "sentAt", KEYS_ONLY),
    "gsi_webhook_event": ("webhookEventType", "receivedAt", ["company", "eventType"]),
    # Ours: only conversations.
    "gsi_inbox_list": ("listPk", "receivedAt", WHOLE_ITEM),
    "gsi_inbox_assignee": ("assigneePk", "receivedAt", WHOLE_ITEM),
}


def keys(schema: list[dict[str, str]]) -> tuple[str, ...]:
    return tuple(entry["AttributeName"] for entry in sorted(schema, key=lambda e: e["KeyType"]))


def whatsapp_indexes() -> dict[str, dict[str, Any]]:
    indexes = properties("WhatsAppTable")["GlobalSecondaryIndexes"]
    return {index["IndexName"]: index for index in indexes}


def test_the_whatsapp_table_has_one_string_key_and_a_ttl() -> None:
    table = properties("WhatsAppTable")

    assert keys(table["KeySchema"]) == ("pk",)
    assert {entry["AttributeType"] for entry in table["AttributeDefinitions"]} == {"S"}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert table["BillingMode"] == "PAY_PER_REQUEST"


def test_the_whatsapp_table_has_the_indexes_of_its_contract_and_two_lists_of_conversations() -> (
    None
):
    found = {name: keys(index["KeySchema"]) for name, index in whatsapp_indexes().items()}

    assert found == {name: (first, second) for name, (first, second, _) in WHATSAPP_INDEXES.items()}


@each("index", sorted(WHATSAPP_INDEXES))
def test_an_index_projects_the_attributes_that_its_lists_filter_or_show(index: str) -> None:
    projection = whatsapp_indexes()[index]["Projection"]

    _, _, carried = WHATSAPP_INDEXES[index]
    if carried is WHOLE_ITEM:
        assert projection == {"ProjectionType": "ALL"}
        return
    assert projection.get("NonKeyAttributes", []) == carried
    assert projection["ProjectionType"] == ("INCLUDE" if carried else "KEYS_ONLY")


@each("table", sorted(resources("AWS::DynamoDB::Table")))
def test_an_index_has_room_for_a_further_attribute(table: str) -> None:
    """
    DynamoDB allows 20 named attributes in an index and 100 in all indexes of a table; keys are projected anyway.

    An index cannot be changed: another attribute needs a new index beside the old one, so half of both limits is free.
    """
    most_of_an_index, most_of_a_table = 20, 100
    named: dict[str, list[str]] = {}
    for index in properties(table).get("GlobalSecondaryIndexes", []):
        named[index["IndexName"]] = index["Projection"].get("NonKeyAttributes", [])
        key_names = {*keys(properties(table)["KeySchema"]), *keys(index["KeySchema"])}
        assert not key_names & set(named[index["IndexName"]]), index["IndexName"]

    assert all(len(names) <= most_of_an_index // 2 for names in named.values()), named
    assert sum(map(len, named.values())) <= most_of_a_table // 2


def test_only_key_attributes_are_declared() -> None:
    table = properties("WhatsAppTable")
    used = {key for first, second, _ in WHATSAPP_INDEXES.values() for key in (first, second)}

    assert {entry["AttributeName"] for entry in table["AttributeDefinitions"]} == used | {"pk"}


@pytest.mark.parametrize(
    ("table", "name", "key"),
    [
        ("RichpanelIdempotencyTable", "rp_mw_idempotency_dev", ("event_id",)),
        ("RichpanelConversationStateTable", "rp_mw_conversation_state_dev", ("conversation_id",)),
        (
            "RichpanelAuditActionsTable",
            "rp_mw_audit_actions_dev",
            ("conversation_id", "ts_action_id"),
        ),
    ],
)
def test_the_help_desks_tables_have_the_names_and_keys_of_their_contract(
    table: str, name: str, key: tuple[str, ...]
) -> None:
    wanted = properties(table)

    assert (wanted["TableName"], keys(wanted["KeySchema"])) == (name, key)
    assert {entry["AttributeType"] for entry in wanted["AttributeDefinitions"]} == {"S"}
    assert wanted["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert wanted["BillingMode"] == "PAY_PER_REQUEST"


@pytest.mark.long
@pytest.mark.parametrize(
    ("context", "fewest"),
    [
        ("whatsapp", 4 + len(WHATSAPP_INDEXES) - len(OURS)),
        ("richpanel", 3 * 4),
        ("email_threads", 4 + 3),
    ],
)
def test_the_tables_match_the_data_contract(context: str, fewest: int) -> None:
    checker = CONTRACTS / "check_template.py"
    if not checker.is_file():
        pytest.skip(f"no data contracts at {CONTRACTS}; the facts above stand in for them")

    run = subprocess.run(  # noqa: S603 - our own interpreter, a file of the contracts
        [sys.executable, str(checker), *map(str, sorted((ROOT / "stacks").glob("*.yaml")))],
        capture_output=True,
        text=True,
        check=False,
    )

    about_it = re.compile(rf"(ok|FAIL) +{context}\b")
    lines = [line for line in run.stdout.splitlines() if about_it.match(line)]
    assert len(lines) >= fewest, run.stderr
    assert [line for line in lines if not line.startswith("ok")] == []


def test_api_keys_are_found_by_their_id() -> None:
    assert keys(properties("ApiKeysTable")["KeySchema"]) == ("key_id",)
