"""Item types against the data contract: keys, attribute names, types, values, indexes, lifetimes, bounds."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from local.docs.declarations import allowed, bounds_of
from local.docs.item_tables import TABLE_TYPES
from shared.providers.action_ledger import Action
from tests import template
from tests.cases import each
from whatsapp.store.items import WhatsAppItem
from whatsapp.store.items import register as items
from whatsapp.store.items.register import CONTRACTED, SUPPORT

CONTRACT = Path(__file__).parents[4] / "shared" / "contracts" / "whatsapp.yaml"
beside_the_contract = pytest.mark.skipif(
    not CONTRACT.exists(), reason=f"the contract {CONTRACT.name} is not beside this checkout"
)
EVERY = (*CONTRACTED, *SUPPORT)
# The items of each index, by the access patterns; other items are not in it and cost nothing there.
MEMBERS = {
    "gsi_direction": {"Message"},
    "gsi_from": {"Message", "Call"},
    "gsi_inbox": {"Message", "Conversation", "Call"},
    "gsi_conversation": {"Message", "Call", "Note"},
    "gsi_status": {"Message"},
    "gsi_waba_itemtype": {
        "Conversation", "BusinessProfile", "TemplateMeta", "Media", "Group", "Catalog", "Campaign", "WebhookEvent",
        "WebhookConfig", "Call", "Analytics", "QualityRating", "FlowResponse", "Phone",
    },
    "gsi_customer_phone": {
        "PaymentOrder", "Refund", "Address", "FlowResponse", "Alias", "WebhookEvent", "Status", "Reaction", "Edit",
        "FlowToken", "EditAuthor",
    },
    "gsi_group": {"Message"},
    "gsi_catalog": {"Product"},
    "gsi_order": {"PaymentOrder", "Refund"},
    "gsi_tenant": {"Tenant", "PaymentConfig", "PaymentOrder", "Refund"},
    "gsi_payment_status": {"PaymentOrder"},
    "gsi_template_waba": {"TemplateEum"},
    "gsi_template_name": {"TemplateEum"},
    "gsi_campaign": {"Message"},
    "gsi_webhook_event": {"Message", "UnknownSend", "Intent", "ParkedEntry", "WebhookEvent"},
    "gsi_inbox_list": {"Conversation"},
    "gsi_inbox_assignee": {"Conversation"},
}  # fmt: skip


def names_of(item: type[WhatsAppItem] | type[Action]) -> set[str]:
    return {str(field.alias) for field in item.model_fields.values()}


def keys_of_indexes() -> dict[str, set[str]]:
    table = template.properties("WhatsAppTable")
    return {
        index["IndexName"]: {key["AttributeName"] for key in index["KeySchema"]}
        for index in table["GlobalSecondaryIndexes"]
    }


def contract() -> dict[str, Any]:
    facts: dict[str, Any] = yaml.safe_load(CONTRACT.read_text())
    return facts


@beside_the_contract
def test_every_item_type_of_the_contract_is_declared_once() -> None:
    printed = [(entry["itemType"], entry["pk"]) for entry in contract()["items"].values()]

    assert [(item.item_type, item.pk_pattern) for item in CONTRACTED] == printed
    assert len(printed) == 25


@beside_the_contract
@pytest.mark.parametrize("item", CONTRACTED, ids=lambda item: item.__name__)
def test_attributes_have_the_names_types_and_values_that_the_contract_prints(
    item: type[WhatsAppItem],
) -> None:
    printed = next(e for e in contract()["items"].values() if e["pk"] == item.pk_pattern)
    fields = {str(field.alias): field for field in item.model_fields.values()}
    for name, attribute in printed["attributes"].items():
        if name == "itemType":
            continue
        values = set(allowed(fields[name].annotation))
        if "enum" in attribute:
            assert values == set(attribute["enum"]), name
        else:
            kinds = {kind if isinstance(kind, type) else type(kind) for kind in values}
            assert {TABLE_TYPES[kind] for kind in kinds} == {attribute["type"]}, name


@beside_the_contract
def test_lifetimes_are_those_of_the_contract() -> None:
    assert contract()["ttl"] == {
        "IDEMPOTENCY": "24h",
        "MEDIA (temporary references)": "7d",
        "WEBHOOK_EVENT": "30d",
    }
    assert (items.Idempotency.ttl_days, items.Media.ttl_days, items.WebhookEvent.ttl_days) == (1, 7, 30)  # fmt: skip


@each("item", EVERY, ids=lambda item: item.__name__)
def test_an_item_is_in_the_indexes_that_it_declares_and_in_no_other(
    item: type[WhatsAppItem],
) -> None:
    names = names_of(item) | {"itemType"}

    entered = {index for index, keys in keys_of_indexes().items() if keys <= names}
    assert set(item.indexes) == entered
    assert entered == {index for index, members in MEMBERS.items() if item.__name__ in members}


def test_ledger_items_are_in_no_index() -> None:
    assert not any(keys <= names_of(Action) | {"itemType"} for keys in keys_of_indexes().values())


@each("item", EVERY, ids=lambda item: item.__name__)
def test_nothing_in_an_item_grows_without_a_bound(item: type[WhatsAppItem]) -> None:
    for name, field in item.model_fields.items():
        several = set(allowed(field.annotation)) & {list, dict, set}
        assert len(bounds_of(field)) == bool(several), f"{item.__name__}.{name}"


@each(
    ("item", "parts", "key"),
    [
        (items.Message, ["wamid.1"], "MSG#wamid.1"),
        (items.Conversation, ["123", "447700900101"], "CONV#123#447700900101"),
        (items.PaymentConfig, ["t1", "razorpay"], "TENANT#t1#PAYCFG#razorpay"),
        (items.TemplateEum, ["waba-1", "hello", "en_US"], "TEMPLATE_EUM#waba-1#hello#en_US"),
        (items.Media, ["9"], "MEDIA#9"),
        (items.WebhookEvent, ["e"], "WEBHOOK#e"),
        (items.Analytics, ["102", "2026-01-01"], "ANALYTICS#102#2026-01-01"),
        (items.Status, ["1", "wamid.1", "read"], "STATUS#1#wamid.1#read"),
        (items.Reaction, ["1", "wamid.1", "447700900101"], "REACTION#1#wamid.1#447700900101"),
        (items.Edit, ["1", "wamid.1"], "EDIT#1#wamid.1"),
        (items.Intent, ["a1"], "INTENT#a1"),
        (items.Phone, ["106"], "PHONE#106"),
        (items.GroupParticipant, ["g1", "447700900101"], "GROUP#g1#PARTICIPANT#447700900101"),
        (items.Note, ["n1"], "NOTE#n1"),
        (items.ConversationChange, ["h1", "00000001"], "CHANGE#h1#00000001"),
        (items.AddressDefault, ["447700900101", "acme"], "ADDRESS#447700900101#DEFAULT#acme"),
    ],
)
def test_keys_are_made_from_the_pattern(
    item: type[WhatsAppItem], parts: list[str], key: str
) -> None:
    assert item.key(*parts) == key


def test_numbered_keys_sort_by_their_number() -> None:
    assert items.QualityEntry.of("106", 7) == "QUALITY#106#00000007"
    assert items.CampaignPage.of("c1", 12) == "CAMPAIGN#c1#PAGE#000012"


@pytest.mark.parametrize("parts", [[], [""], ["a", "b"]])
def test_a_key_without_all_its_parts_is_refused(parts: list[str]) -> None:
    with pytest.raises(ValueError, match="needs non-empty"):
        items.Message.key(*parts)


def test_empty_values_are_not_stored() -> None:
    head = items.Conversation(pk="CONV#1#2", sender_name="", recent_keys=set(), archived=False)

    assert head.attributes() == {
        "pk": "CONV#1#2", "itemType": "CONVERSATION", "unreadCount": 0, "archived": False, "revision": 0,
    }  # fmt: skip


def test_attributes_of_a_newer_version_survive_a_read_and_a_write() -> None:
    stored = {
        "pk": "ALIAS#MSG#1",
        "itemType": "ALIAS",
        "target": "MSG#2",
        "createdAtMs": 1,
        "ofTomorrow": "x",
    }

    assert items.Alias.read(stored).attributes() == stored
