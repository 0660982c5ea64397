"""A tombstone says until when a person was erased: the latest time counts, while the tombstone lives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.privacy import tombstones
from shared.privacy.tombstones import Tombstone
from shared.runtime import clock
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

JANUARY, FEBRUARY, MARCH = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"


class Stone(Tombstone):
    """A tombstone of this test."""

    pk: str


@pytest.fixture
def table() -> Iterator[Table]:
    with mock_aws():
        client = boto3.client("dynamodb")
        yield Table(client, create_table(client, "WhatsAppTable"))


def newest(table: Table, *names: str) -> str:
    return tombstones.newest(table, Stone, [{"pk": name} for name in names])


@pytest.mark.parametrize("order", [(JANUARY, FEBRUARY), (FEBRUARY, JANUARY), (FEBRUARY, FEBRUARY)])
def test_the_later_of_two_erasures_counts_in_any_order(
    table: Table, order: tuple[str, str]
) -> None:
    for until in order:
        tombstones.write(table, Stone(pk="ann", until=until, ttl=clock.expires_in(60)))

    assert newest(table, "ann") == FEBRUARY


def test_the_latest_time_of_all_subjects_counts(table: Table) -> None:
    tombstones.write(table, Stone(pk="number", until=JANUARY))
    tombstones.write(table, Stone(pk="user id", until=MARCH))

    assert newest(table, "number", "user id", "other") == MARCH


@pytest.mark.parametrize("names", [(), ("ben",)])
def test_a_person_who_was_not_erased_has_none(table: Table, names: tuple[str, ...]) -> None:
    tombstones.write(table, Stone(pk="ann", until=JANUARY))

    assert newest(table, *names) == ""


def test_a_tombstone_whose_lifetime_is_over_counts_for_nothing(table: Table) -> None:
    tombstones.write(table, Stone(pk="ann", until=JANUARY, ttl=clock.expires_in(-1)))

    assert newest(table, "ann") == ""
