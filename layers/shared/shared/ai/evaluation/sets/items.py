"""What is stored of sets of scenarios and of their runs; each context has an item class with a key for each."""

from typing import Any, Final

from pydantic import BaseModel, Field

MOST_SETS: Final = 50  # of an owner
MOST_SCENARIOS: Final = 300  # of a set
MOST_PASSED: Final = 1_000  # versions that have passed a set as it is: the newest ones


class StoredSet(BaseModel):
    """
    A set: `revision` changes with its scenarios, of which there are `scenarios`. With `gate` a version goes live only
    if it is one of `passed`: the model of these has passed all scenarios.
    """

    name: str
    revision: int
    scenarios: int
    gate: bool = False
    passed: set[int] = Field(default_factory=set)
    newest_run: str | None = None
    by: str
    at: str


class StoredScenarios(BaseModel):
    """The scenarios of a set at a `revision`, as JSON."""

    revision: int
    content: list[str] = Field(default_factory=list, repr=False)


class SetNames(BaseModel):
    """The names of an owner's sets, in tables that cannot list them by their keys."""

    names: set[str] = Field(default_factory=set)


class StoredRun(BaseModel):
    """
    A run of a set with a version, and `against` another one: `done` of `total` scenarios, those that have `passed` with
    each version, and what it has used of its bounds. `recorded`: no model is asked.
    """

    run_id: str
    set_name: str
    revision: int
    version: int
    against: int | None = None
    recorded: bool = False
    total: int
    done: int = 0
    passed: int = 0
    passed_against: int = 0
    most_calls: int
    most_micros: int
    used_calls: int = 0
    used_micros: int = 0
    by: str
    at: str

    @property
    def versions(self) -> list[int]:
        """The versions that are evaluated."""
        return [self.version, *([self.against] if self.against is not None else [])]


class StoredResult(BaseModel):
    """The results of one scenario of a run, one for each version."""

    position: int
    name: str = Field(repr=False)
    results: list[dict[str, Any]] = Field(default_factory=list, repr=False)
