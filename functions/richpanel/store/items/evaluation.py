"""Rows of sets of scenarios and of their runs, in `rp_mw_conversation_state`."""

from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, Field

from richpanel.store.items.row import AtMost, Row
from shared.ai.evaluation.sets.items import (
    MOST_PASSED,
    MOST_SCENARIOS,
    MOST_SETS,
    SetNames,
    StoredResult,
    StoredRun,
    StoredScenarios,
    StoredSet,
)
from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import filled

_NEVER: Final = 0
_A_YEAR: Final = 365
_VERSIONS: Final = 2  # of a run


class _EvaluationRow(Row):
    """A row of an evaluation; the help desk belongs to one company."""

    partition_key: ClassVar[str] = "conversation_id"
    ttl_days: ClassVar[int] = _NEVER

    conversation_id: str
    expires_at: int | None = None  # type: ignore[assignment] # sets stay until they are replaced


class DecisionSetList(_EvaluationRow, SetNames):
    """The names of the sets of scenarios."""

    patterns: ClassVar[tuple[str, ...]] = ("sys:sets",)

    names: Annotated[set[str], AtMost(MOST_SETS)] = Field(default_factory=set)


@audited("name")
class DecisionSet(_EvaluationRow, StoredSet):
    """A set: with `gate` a version of the settings goes in force only if it is one of `passed`."""

    patterns: ClassVar[tuple[str, ...]] = ("sys:set#{name}",)

    passed: Annotated[set[int], AtMost(MOST_PASSED)] = Field(default_factory=set)


class DecisionScenarios(_EvaluationRow, StoredScenarios):
    """The made-up tickets of a set at a `revision`, as JSON."""

    patterns: ClassVar[tuple[str, ...]] = ("sys:scenarios#{name}",)

    content: Annotated[list[str], AtMost(MOST_SCENARIOS)] = Field(default_factory=list, repr=False)


class DecisionRun(_EvaluationRow, StoredRun):
    """A run of a set with a version, and `against` another one."""

    patterns: ClassVar[tuple[str, ...]] = ("sys:run#{run_id}",)
    ttl_days: ClassVar[int] = _A_YEAR


class DecisionResult(_EvaluationRow, StoredResult):
    """The results of one scenario of a run, one for each version."""

    patterns: ClassVar[tuple[str, ...]] = ("sys:result#{run_id}#{position}",)
    ttl_days: ClassVar[int] = _A_YEAR

    results: Annotated[list[dict[str, Any]], AtMost(_VERSIONS)] = Field(
        default_factory=list, repr=False
    )


_CLASSES: Final[dict[type[BaseModel], type[_EvaluationRow]]] = {
    SetNames: DecisionSetList,
    StoredSet: DecisionSet,
    StoredScenarios: DecisionScenarios,
    StoredRun: DecisionRun,
    StoredResult: DecisionResult,
}


def evaluation_key(kind: type[BaseModel], *parts: str) -> Attributes:
    """Return the key of a row."""
    own = _CLASSES[kind]
    return {own.partition_key: filled(own.patterns[0], *parts)}


def evaluation_row(kept: BaseModel, where: Attributes) -> Attributes:
    """Return what is stored under a key."""
    own = _CLASSES[type(kept)]
    expires_at = own.time_to_live() if own.ttl_days else None
    return own(**where, **kept.model_dump(), expires_at=expires_at).attributes()
