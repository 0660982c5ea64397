"""Order numbers in the form in which they are compared."""

import pytest

from richpanel.guards.order_records import normal_number
from tests.cases import each


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1001", "1001"),
        ("#1001", "1001"),
        (" # 10 01\n", "1001"),
        ("en-1001", "EN-1001"),
        ("EN1001", "EN1001"),
        ("1001-2", "1001-2"),
        ("SHOPPE-123456789012-1234", "SHOPPE-123456789012-1234"),
    ],
)
def test_case_spaces_and_the_hash_sign_are_ignored(text: str, number: str) -> None:
    assert normal_number(text) == number


def test_zeros_and_hyphens_are_significant() -> None:
    assert len({normal_number(text) for text in ("1001", "01001", "10010", "EN1001", "EN-1001")}) == 5  # fmt: skip


@each(
    "text",
    [
        None, "", "#", "##1001", "12", "1" * 13, "TOOLONG1001", "1001-", "1001-12345", "1001A", "10.01", "1001;", "-",
        "\u0131N-1001",  # upper case would make an I of it
        "\u017fH-1001",  # and an S
        "\ufb00-1001",  # and two letters
        "\uff11\uff10\uff10\uff11", "\u0661\u0660\u0660\u0661", "1001\u200b", "1001\u0301",
    ],
)  # fmt: skip
def test_a_text_without_an_order_number_gives_none(text: str | None) -> None:
    assert normal_number(text) is None
