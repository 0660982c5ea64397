"""Where the sets of scenarios of the help desk and their runs are."""

from dataclasses import dataclass

from pydantic import BaseModel

from richpanel.store.items.evaluation import evaluation_key, evaluation_row
from shared.ai.evaluation.sets.stored import Evaluations
from shared.aws.dynamodb import Attributes, Table


def of_help_desk(state: Table) -> Evaluations:
    """Return the sets of the help desk."""
    return Evaluations(state, _Places())


@dataclass(frozen=True, slots=True)
class _Places:
    """See `Places`."""

    listed_by: None = None

    def key_of(self, kind: type[BaseModel], *parts: str) -> Attributes:
        """See `Places`."""
        return evaluation_key(kind, *parts)

    def item_of(self, kept: BaseModel, *parts: str) -> Attributes:
        """See `Places`."""
        return evaluation_row(kept, evaluation_key(type(kept), *parts))
