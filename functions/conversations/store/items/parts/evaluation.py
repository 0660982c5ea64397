"""Sets of scenarios of a project, and their runs."""

from typing import ClassVar, Final

from pydantic import BaseModel

from conversations.store.items.base import LogItem, key, sort_key
from shared.ai.evaluation.sets.items import StoredResult, StoredRun, StoredScenarios, StoredSet
from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes

_PROJECT = "PROJECT#{company_id}#{project_id}"
_UNTIL_REPLACED = "none; the test data of a company, without data of persons"


@audited("name")
class EvaluationSet(LogItem, StoredSet):
    """
    A set: `revision` changes with its scenarios, of which there are `scenarios`. With `gate` a version goes live only
    if it is one of `passed`: the model of these has passed all scenarios.
    """

    item_type: ClassVar[str] = "EVALUATION_SET"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "SET#{name}"
    first_sk: ClassVar[str] = "SET#"
    ttl_note: ClassVar[str] = _UNTIL_REPLACED


class EvaluationScenarios(LogItem, StoredScenarios):
    """The scenarios of a set at a `revision`, as JSON."""

    item_type: ClassVar[str] = "EVALUATION_SCENARIOS"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "SCENARIOS#{name}"
    ttl_note: ClassVar[str] = _UNTIL_REPLACED


class EvaluationRun(LogItem, StoredRun):
    """
    A run of a set with a version, and `against` another one: `done` of `total` scenarios, those that have `passed` with
    each version, and what it has used of its bounds. `recorded`: no model is asked.
    """

    item_type: ClassVar[str] = "EVALUATION_RUN"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "RUN#{run_id}"
    ttl_days: ClassVar[int | None] = 365


class EvaluationResult(LogItem, StoredResult):
    """The results of one scenario of a run, one for each version."""

    item_type: ClassVar[str] = "EVALUATION_RESULT"
    pk_pattern: ClassVar[str] = _PROJECT
    sk_pattern: ClassVar[str] = "RESULT#{run_id}#{position}"
    ttl_days: ClassVar[int | None] = 365


_CLASSES: Final[dict[type[BaseModel], type[LogItem]]] = {
    StoredSet: EvaluationSet,
    StoredScenarios: EvaluationScenarios,
    StoredRun: EvaluationRun,
    StoredResult: EvaluationResult,
}


def key_of(kind: type[BaseModel], company_id: str, project_id: str, *parts: str) -> Attributes:
    """Return the whole key of an item of a project."""
    own = _CLASSES[kind]
    return key(own.partition(company_id, project_id), sort_key(own.sk_pattern, *parts))


def item_of(kept: BaseModel, where: Attributes) -> Attributes:
    """Return what is stored under a key."""
    own = _CLASSES[type(kept)]
    return own(**kept.model_dump(), ttl=own.time_to_live()).attributes(where)
