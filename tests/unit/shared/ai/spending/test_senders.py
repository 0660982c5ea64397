"""The bounds by sender count one person once: by mailbox and by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shared.ai.spending.senders import sender_hash
from shared.identity import addresses
from tests.keyring import Keys, held

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _keys() -> Iterator[None]:
    with held(Keys("a key")):
        yield


@pytest.mark.parametrize(
    "number",
    ["+5511987654321", "+551187654321", "+5215512345678", "+525512345678", "+5491123456789"],
)
def test_all_spellings_of_a_number_are_one_sender(number: str) -> None:
    spellings = addresses.all_spellings(number)

    assert len(spellings) > 1
    assert len({sender_hash("acme", one) for one in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+5511987654321", "+5511987654322"),
        ("+447700900101", "+447700900102"),
        ("+551133334444", "+5511933334444"),  # a landline has no ninth digit
        ("ann@host.example", "ben@host.example"),
        ("bsuid:BR.11", "bsuid:BR.12"),
    ],
)
def test_others_are_other_senders(one: str, other: str) -> None:
    assert sender_hash("acme", one) != sender_hash("acme", other)


def test_labels_of_a_mailbox_are_one_sender() -> None:
    assert sender_hash("acme", "ann+1@host.example") == sender_hash("acme", "ann@host.example")
