"""JSON objects in untrusted text."""

import pytest

from shared.runtime.json_objects import json_object
from tests.cases import each


@pytest.mark.parametrize("text", ['{"a": [1, null]}', b'\n{"a": [1, null]} '])
def test_an_object_is_parsed(text: str | bytes) -> None:
    assert json_object(text) == {"a": [1, None]}


@each(
    "text", ["", "no JSON", '{"a": 1', "[1]", "null", '"a"', b"\xff", "[" * 200_000, '{"a":' * 200_000]
)  # fmt: skip
def test_any_other_text_is_no_object(text: str | bytes) -> None:
    assert json_object(text) is None
