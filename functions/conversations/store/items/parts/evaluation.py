"""Sets of scenarios of a project, and their runs."""

from typing import Any, ClassVar

from pydantic import Field

from conversations.store.items.base import LogItem, key, sort_key
from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes

_PROJECT = "PROJECT#{company_id}#{project_id}"
_UNTIL_REPLACED = "none; the test data of a company, without data of persons"


@audited("name")
class EvaluationSet(LogItem):
    """
    A set: `revision` changes with its scenarios, of which there are `scenarios`. With `gate` a version goes live only
    if it is one of `passed`: the model of these has passed all scenarios.
    """

    item_type: ClassVar[str] = "EVALUATION_SET"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "SET#{name}"
    first_sk: ClassVar[str] = "SET#"
    ttl_note: ClassVar[str] = _UNTIL_REPLACED

    name: str
    revision: int
    scenarios: int
    gate: bool = False
    passed: set[int] = Field(default_factory=set)
    newest_run: str | None = None
    by: str
    at: str

    @classmethod
    def key_of(cls, company_id: str, project_id: str, name: str) -> Attributes:
        """Return the whole key of a set."""
        return key(cls.partition(company_id, project_id), sort_key(cls.sk_pattern, name))


class EvaluationScenarios(LogItem):
    """The scenarios of a set at a `revision`, as JSON."""

    item_type: ClassVar[str] = "EVALUATION_SCENARIOS"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "SCENARIOS#{name}"
    ttl_note: ClassVar[str] = _UNTIL_REPLACED

    revision: int
    content: list[str] = Field(default_factory=list, repr=False)

    @classmethod
    def key_of(cls, company_id: str, project_id: str, name: str) -> Attributes:
        """Return the whole key of the scenarios of a set."""
        return key(cls.partition(company_id, project_id), sort_key(cls.sk_pattern, name))


class EvaluationRun(LogItem):
    """
    A run of a set with a version, and `against` another one: `done` of `total` scenarios, those that have `passed` with
    each version, and what it has used of its bounds. `recorded`: no model is asked.
    """

    item_type: ClassVar[str] = "EVALUATION_RUN"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "RUN#{run_id}"
    ttl_days: ClassVar[int | None] = 365

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
        return [self.version, *([self.against] if self.against else [])]

    @classmethod
    def key_of(cls, company_id: str, project_id: str, run_id: str) -> Attributes:
        """Return the whole key of a run."""
        return key(cls.partition(company_id, project_id), sort_key(cls.sk_pattern, run_id))


class EvaluationResult(LogItem):
    """The results of one scenario of a run, one for each version."""

    item_type: ClassVar[str] = "EVALUATION_RESULT"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "RESULT#{run_id}#{position}"
    ttl_days: ClassVar[int | None] = 365

    position: int
    name: str = Field(repr=False)
    results: list[dict[str, Any]] = Field(default_factory=list, repr=False)

    @classmethod
    def key_of(cls, company_id: str, project_id: str, run_id: str, position: int) -> Attributes:
        """Return the whole key of a result; text order is the order of the scenarios."""
        sk = sort_key(cls.sk_pattern, run_id, f"{position:04d}")
        return key(cls.partition(company_id, project_id), sk)
