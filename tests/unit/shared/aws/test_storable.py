"""Values that DynamoDB can store."""

from typing import Any

from boto3.dynamodb.types import TypeSerializer
from hypothesis import given
from hypothesis import strategies as st

from shared.aws.dynamodb.values import storable as as_decimals
from shared.aws.tables.dynamodb_json import storable
from tests.cases import each

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec=None)), inner, max_size=3)
    ),
    max_leaves=20,
)


@given(json_values)
def test_any_json_value_can_be_stored(value: Any) -> None:
    made = storable(value)

    TypeSerializer().serialize(as_decimals(made))
    str(made).encode()


@each(
    ("value", "expected"),
    [
        ("a\x00b\ud800c\nd\te 😀", "a\ufffdb\ufffdc\nd\te 😀"),
        ({"": 1}, {"_": 1}),
        (10**38, "1" + "0" * 38),
        (10**38 - 1, 10**38 - 1),
        (float("inf"), "inf"),
        (1e-300, "1e-300"),
        (52.520008, 52.520008),
        (True, True),
    ],
)
def test_only_values_that_cannot_be_stored_are_changed(value: Any, expected: Any) -> None:
    assert storable(value) == expected


def test_a_part_that_is_nested_too_deep_becomes_json_text() -> None:
    deep: Any = "bottom"
    for _ in range(100):
        deep = {"a": deep}

    made, levels = storable(deep), 0
    while isinstance(made, dict):
        made, levels = made["a"], levels + 1
    assert levels == 16
    assert '"bottom"' in made
