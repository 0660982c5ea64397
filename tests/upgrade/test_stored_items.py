"""Today's item classes read items of earlier versions and store them again unchanged."""

from __future__ import annotations

from tests.cases import each
from tests.upgrade import recordings
from tests.upgrade.recordings import COMMAND, UNRELEASED
from tests.upgrade.stored_items import from_wire, item_classes, to_wire

CLASSES = item_classes()
ITEMS = recordings.items()
recorded = each(
    ("version", "name"), [(version, name) for version, items in ITEMS.items() for name in items]
)


@recorded
def test_a_recorded_item_is_read_and_stored_again_unchanged(version: str, name: str) -> None:
    assert name in CLASSES, f"tables of version {version} hold {name}: later versions must read it"
    for item in ITEMS[version][name]["items"]:
        assert to_wire(CLASSES[name].rewritten(from_wire(item))) == item, UNRELEASED


@recorded
def test_the_keys_of_recorded_items_are_still_used(version: str, name: str) -> None:
    assert set(ITEMS[version][name]["keys"]) <= set(CLASSES[name].keys), UNRELEASED


@recorded
def test_attributes_that_this_version_does_not_know_are_kept(version: str, name: str) -> None:
    is_replaced = name != "ApiKeysTable/ApiKey"  # operators change single attributes of a key
    for item in ITEMS[version][name]["items"] if is_replaced else []:
        newer = item | {"attribute_of_a_newer_version": {"S": "value"}}

        assert to_wire(CLASSES[name].rewritten(from_wire(newer))) == newer


def test_every_item_class_is_recorded() -> None:
    missing = sorted(CLASSES.keys() - {name for items in ITEMS.values() for name in items})

    assert missing == [], f"{missing} are stored but not recorded: {COMMAND}"
