"""Where the sets of scenarios of a project and their runs are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import ConditionBase, Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.parts import evaluation
from conversations.store.items.parts.evaluation import EvaluationSet
from shared.ai.evaluation.sets.stored import Evaluations

if TYPE_CHECKING:
    from pydantic import BaseModel

    from shared.aws.dynamodb import Attributes, Table


def of_project(log: Table, company_id: str, project_id: str) -> Evaluations:
    """Return the sets of a project."""
    return Evaluations(log, _Places(company_id, project_id))


@dataclass(frozen=True, slots=True)
class _Places:
    """See `Places`."""

    company_id: str
    project_id: str

    @property
    def listed_by(self) -> ConditionBase:
        """The sets of the project."""
        pk = EvaluationSet.partition(self.company_id, self.project_id)
        sets: ConditionBase = Key(PARTITION_KEY).eq(pk)
        return sets & Key(SORT_KEY).begins_with(EvaluationSet.first_sk)

    def key_of(self, kind: type[BaseModel], *parts: str) -> Attributes:
        """See `Places`."""
        return evaluation.key_of(kind, self.company_id, self.project_id, *parts)

    def item_of(self, kept: BaseModel, *parts: str) -> Attributes:
        """See `Places`."""
        return evaluation.item_of(kept, self.key_of(type(kept), *parts))
