"""Input models of sets of scenarios and their runs, for the API of each context."""

import re
from typing import Any, Final

from pydantic import Field, model_validator

from shared.ai.evaluation.sets.items import MOST_SCENARIOS
from shared.ai.spending.bounds import LEAST_DOLLARS
from shared.ai.versions.inputs import Number
from shared.api.errors import InvalidInput
from shared.api.models.inputs import Input

LARGEST_SET_BYTES: Final = 300_000
MOST_CALLS: Final = 5_000
MOST_DOLLARS: Final = 100
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


class SetsQuery(Input):
    """Position in the list of sets of scenarios."""

    limit: int = Field(default=25, ge=1, le=100)
    cursor: str | None = None


class RunQuery(SetsQuery):
    """Position in the results of a run."""


class SetInput(Input):
    """
    The scenarios of a set, as docs/evaluation.md describes them; absent, they stay. With *gate* a version goes live
    only after it has passed the set. *seen* is the revision that the caller has seen, 0 for no set: another one is not
    replaced.
    """

    scenarios: list[dict[str, Any]] | None = Field(
        default=None, min_length=1, max_length=MOST_SCENARIOS
    )
    gate: bool | None = None
    seen: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _changes_something(self) -> "SetInput":
        if self.scenarios is None and self.gate is None:
            raise ValueError("scenarios or gate must be given")
        return self


class RunInput(Input):
    """
    A run of a set with *version*, by default the live one, and *against* another one. It ends before a call of a model
    that may exceed *most_calls* or *most_dollars*; *recorded* asks no model.
    """

    version: Number | None = None
    against: Number | None = None
    recorded: bool = False
    most_calls: int = Field(default=1_000, ge=1, le=MOST_CALLS)
    most_dollars: float = Field(default=5, ge=LEAST_DOLLARS, le=MOST_DOLLARS)

    @model_validator(mode="after")
    def _compares_two_versions(self) -> "RunInput":
        if self.against is not None and self.against == self.version:
            raise ValueError("against must be another version than version")
        return self


def set_name_of(text: str) -> str:
    """Return the name of a set in a path. Raises InvalidInput."""
    if _NAME.fullmatch(text) is None:
        rule = "must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at the start"
        raise InvalidInput([{"field": "set_name", "problem": rule}])
    return text
