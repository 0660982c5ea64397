"""Keys and indexes of the last release stay; an index may be added."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tests.cases import each
from tests.upgrade import recordings, tables

INDEX = {"keys": {"HASH": "company"}, "projection": {"ProjectionType": "ALL"}}
BEFORE: tables.Tables = {
    "Messages": {
        "name": "messages-dev",
        "keys": {"HASH": "pk", "RANGE": "sk"},
        "attribute_types": {"pk": "S", "sk": "S", "company": "S"},
        "indexes": {"by_company": INDEX},
        "ttl_attribute": "ttl",
    }
}


def test_the_tables_keep_the_keys_and_indexes_of_the_last_release() -> None:
    before = recordings.read("tables")[recordings.last_released()]

    assert list(tables.harmful(before, tables.declared())) == []


def test_the_next_recording_contains_the_declared_tables() -> None:
    newest = recordings.read("tables")[recordings.versions()[-1]]

    missing = tables.declared().keys() - newest.keys()

    assert not missing, f"{sorted(missing)} are declared but not recorded: {recordings.COMMAND}"


def changed(change: Callable[[dict[str, Any]], object]) -> list[str]:
    now = copy.deepcopy(BEFORE)
    change(now["Messages"])
    return list(tables.harmful(BEFORE, now))


def test_an_added_table_index_or_attribute_is_harmless() -> None:
    now = BEFORE | {"More": BEFORE["Messages"]}

    assert list(tables.harmful(BEFORE, now)) == []
    assert changed(lambda table: table["indexes"].update(by_day=INDEX)) == []
    assert changed(lambda table: table["attribute_types"].update(day="S")) == []


@each(
    ("change", "expected"),
    [
        (lambda table: table.update(name="other-dev"), "Messages.name"),
        (lambda table: table["keys"].update(RANGE="time"), "Messages.keys"),
        (lambda table: table.update(ttl_attribute=None), "Messages.ttl_attribute"),
        (lambda table: table["attribute_types"].update(sk="N"), "Messages.attribute_types: sk"),
        (lambda table: table["indexes"].clear(), "Messages.indexes: by_company is gone"),
        (
            lambda table: table["indexes"]["by_company"].update(keys={"HASH": "day"}),
            "Messages.indexes: by_company",
        ),
        (
            lambda table: table["indexes"]["by_company"].update(
                projection={"ProjectionType": "KEYS_ONLY"}
            ),
            "Messages.indexes: by_company",
        ),
        (
            lambda table: table["indexes"].update(by_day=INDEX, by_hour=INDEX),
            "Messages.indexes: by_day, by_hour are new",
        ),
    ],
)
def test_a_changed_key_index_or_type_is_harmful(
    change: Callable[[dict[str, Any]], object], expected: str
) -> None:
    (found,) = changed(change)

    assert found.startswith(expected)


def test_a_removed_table_is_harmful() -> None:
    assert list(tables.harmful(BEFORE, {})) == ["Messages: the table is gone"]
