"""Item types against the data contract: keys, attribute names, `itemType`."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.delivery import Action
from whatsapp import items
from whatsapp.items.item import WhatsAppItem

CONTRACT = Path(__file__).parents[4] / "shared" / "contracts" / "whatsapp.yaml"
CONTRACTED: list[type[WhatsAppItem]] = [
    items.Message,
    items.Conversation,
    items.Media,
    items.WebhookEvent,
]
SUPPORT: list[type[WhatsAppItem]] = [
    items.Alias, items.Status, items.Reaction, items.Edit, items.Intent, items.PhoneList,
]  # fmt: skip
# Attributes by which the table is indexed: who has one is in that index.
INDEX_KEYS = {
    "direction", "fromPk", "inboxPk", "conversationPk", "deliveryStatus", "sentAt", "receivedAt", "wabaMetaId",
    "customerPhone", "createdAt", "groupId", "catalogId", "retailerId", "orderId", "tenantId", "paymentStatus",
    "wabaId", "templateStatus", "templateName", "templateLanguage", "campaignId", "webhookEventType",
}  # fmt: skip


def names_of(item: type[WhatsAppItem] | type[Action]) -> set[str]:
    return {str(field.alias) for field in item.model_fields.values()}


@pytest.mark.skipif(
    not CONTRACT.exists(), reason=f"the contract {CONTRACT.name} is not beside this checkout"
)
@pytest.mark.parametrize("item", CONTRACTED)
def test_each_item_has_the_keys_and_attributes_that_the_contract_prints(
    item: type[WhatsAppItem],
) -> None:
    contract: dict[str, Any] = yaml.safe_load(CONTRACT.read_text())["items"][item.item_type]

    assert item.pk_pattern == contract["pk"]
    assert set(contract["attributes"]) - {"itemType"} <= names_of(item)


@pytest.mark.parametrize(
    ("item", "parts", "key"),
    [
        (items.Message, ["wamid.1"], "MSG#wamid.1"),
        (items.Conversation, ["123", "447700900101"], "CONV#123#447700900101"),
        (items.Media, ["9"], "MEDIA#9"),
        (items.WebhookEvent, ["e"], "WEBHOOK#e"),
        (items.Status, ["wamid.1", "read"], "STATUS#wamid.1#read"),
        (items.Reaction, ["wamid.1", "447700900101"], "REACTION#wamid.1#447700900101"),
        (items.Edit, ["wamid.1"], "EDIT#wamid.1"),
        (items.Intent, ["a1"], "INTENT#a1"),
        (items.Phone, ["106"], "PHONE#106"),
    ],
)
def test_keys_are_made_from_the_pattern(
    item: type[WhatsAppItem], parts: list[str], key: str
) -> None:
    assert item.key(*parts) == key


@pytest.mark.parametrize("parts", [[], [""], ["a", "b"]])
def test_a_key_without_all_its_parts_is_refused(parts: list[str]) -> None:
    with pytest.raises(ValueError, match="MESSAGE needs"):
        items.Message.key(*parts)


def test_support_items_stay_out_of_the_indexes() -> None:
    everyone: list[type[WhatsAppItem] | type[Action]] = [*SUPPORT, Action]
    assert [item for item in everyone if names_of(item) & INDEX_KEYS] == []
    assert names_of(items.Phone) & INDEX_KEYS == {"wabaMetaId"}


def test_empty_values_are_not_stored() -> None:
    head = items.Conversation(pk="CONV#1#2", sender_name="", recent_keys=set(), archived=False)

    assert head.attributes() == {
        "pk": "CONV#1#2", "itemType": "CONVERSATION", "unreadCount": 0, "archived": False,
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
