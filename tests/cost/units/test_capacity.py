"""Sizes and units of the meter, compared with values calculated by hand from AWS's rules."""

import pytest

from tests.cost.units.capacity import (
    Index,
    Item,
    index_units,
    read_units,
    size_of,
    tables,
    write_units,
)

INBOX = Index(("inbox", "at"), frozenset({"pk", "inbox", "at", "preview"}))
WHOLE = Index(("inbox",), None)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": "abc"}, 3),
        ({"S": "é🚲"}, 6),
        ({"B": b"\x00\x01"}, 2),
        ({"N": "0"}, 1),
        ({"N": "7"}, 2),
        ({"N": "1767225600"}, 5),  # eight significant digits
        ({"N": "-12.5"}, 4),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["ab", "cde"]}, 5),
        ({"NS": ["1", "22"]}, 4),
        ({"L": []}, 3),
        ({"L": [{"S": "ab"}, {"BOOL": True}]}, 8),
        ({"M": {"code": {"N": "131"}}}, 3 + 1 + 4 + 3),
        ({"M": {"a": {"L": [{"M": {}}]}}}, 3 + 1 + 1 + (3 + 1 + 3)),
    ],
)
def test_an_attribute_is_its_name_and_its_value(value: dict[str, object], size: int) -> None:
    assert size_of({"name": value}) == len("name") + size


@pytest.mark.parametrize(
    ("before", "after", "units"),
    [
        (None, 1, 1),
        (None, 1_024, 1),
        (None, 1_025, 2),
        (3_000, 10, 3),  # the larger of both
        (2_000, None, 2),
        (None, None, 1),  # a delete of a missing item
    ],
)
def test_a_write_costs_the_larger_of_old_and_new_item(
    before: int | None, after: int | None, units: int
) -> None:
    assert write_units(of_size(before), of_size(after)) == units


@pytest.mark.parametrize(
    ("before", "after", "units"),
    [
        (None, {"inbox": "i", "at": "1"}, 1),
        (None, {"inbox": "i"}, 0),  # part of the key is missing: no entry
        ({"inbox": "i", "at": "1"}, {"inbox": "i", "at": "1", "other": "x"}, 0),
        ({"inbox": "i", "at": "1"}, {"inbox": "i", "at": "1", "preview": "x"}, 1),
        ({"inbox": "i", "at": "1"}, {"inbox": "i", "at": "2"}, 2),
        ({"inbox": "i", "at": "1"}, {"inbox": "i"}, 1),
        ({"inbox": "i", "at": "1"}, None, 1),
        ({"inbox": "i", "at": "1", "preview": "x" * 2_000}, {"inbox": "i", "at": "2"}, 3),
    ],
)
def test_an_index_costs_what_changes_in_its_entry(
    before: dict[str, str] | None, after: dict[str, str] | None, units: int
) -> None:
    assert index_units(of_texts(before), of_texts(after), [INBOX]) == units


def test_an_index_of_all_attributes_costs_at_every_change() -> None:
    before, after = of_texts({"inbox": "i"}), of_texts({"inbox": "i", "other": "x" * 1_500})
    assert index_units(before, after, [WHOLE]) == 2


@pytest.mark.parametrize(
    ("sizes", "is_consistent", "units"),
    [
        ([0], True, 1),  # missing: as a small one
        ([4_096], True, 1),
        ([4_097], True, 2),
        ([4_097], False, 1),
        ([3_000, 3_000], False, 1),  # a page is rounded up as a whole
        ([], False, 0.5),
    ],
)
def test_a_read_costs_every_four_kilobytes(
    sizes: list[int], is_consistent: bool, units: float
) -> None:
    items = [of_size(size) or {} for size in sizes]
    assert read_units(items, is_consistent=is_consistent) == units


def test_indexes_and_projections_come_from_the_template() -> None:
    found = tables(Stage="local")
    assert found["parley-local-api-keys"] == []
    inbox = next(
        index for name in found for index in found[name] if index.key == ("inboxPk", "receivedAt")
    )
    assert inbox.carried is not None
    assert set(inbox.carried) == {
        "pk", "inboxPk", "receivedAt", "itemType", "direction", "from", "senderName", "unreadCount", "lastType",
        "lastPreview", "archived",
    }  # fmt: skip


def of_size(size: int | None) -> Item | None:
    """An item of so many bytes; an empty one for 0."""
    return None if size is None else {"pk": {"S": "x" * (size - 2)}} if size else {}


def of_texts(texts: dict[str, str] | None) -> Item | None:
    return None if texts is None else {name: {"S": text} for name, text in texts.items()}
