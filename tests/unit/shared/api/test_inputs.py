"""Errors of an input: the field and the rule, in words for the caller."""

import pytest
from pydantic import field_validator

from shared.api.errors import InvalidInput
from shared.api.models.inputs import Input, body


class _Order(Input):
    size: int

    @field_validator("size")
    @classmethod
    def _is_even(cls, size: int) -> int:
        if size % 2:
            raise ValueError("size must be even")
        return size


def test_the_rule_of_a_validator_is_shown_without_the_words_of_the_library() -> None:
    with pytest.raises(InvalidInput) as refused:
        body('{"size": 3}', _Order)

    assert refused.value.problems == [{"field": "size", "problem": "size must be even"}]
