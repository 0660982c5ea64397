"""Sets of scenarios of a company's settings, and their runs."""

from typing import ClassVar, Final

from pydantic import BaseModel

from newsletters.store.items.item import TableItem
from shared.ai.evaluation.sets.items import StoredResult, StoredRun, StoredScenarios, StoredSet
from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes
from shared.runtime import clock

_COMPANY: Final = "NLCOMPANY#{company_id}"
_A_YEAR: Final = 365


@audited("name")
class SettingsSet(TableItem, StoredSet):
    """A set: with `gate` a version of the company's settings goes live only if it is one of `passed`."""

    partition: ClassVar[str] = _COMPANY
    sort: ClassVar[str] = "SET#{name}"
    first_sort: ClassVar[str] = "SET#"

    def attributes(self) -> Attributes:
        """Return the item as it is stored; a table has no empty sets."""
        stored = super().attributes()
        return stored if self.passed else {n: v for n, v in stored.items() if n != "passed"}


class SettingsScenarios(TableItem, StoredScenarios):
    """The made-up newsletters of a set at a `revision`, as JSON."""

    partition: ClassVar[str] = _COMPANY
    sort: ClassVar[str] = "SCENARIOS#{name}"


class SettingsRun(TableItem, StoredRun):
    """A run of a set with a version, and `against` another one."""

    partition: ClassVar[str] = _COMPANY
    sort: ClassVar[str] = "RUN#{run_id}"
    first_sort: ClassVar[str] = "RUN#"
    ttl_days: ClassVar[int] = _A_YEAR

    ttl: int


class SettingsResult(TableItem, StoredResult):
    """The results of one scenario of a run, one for each version."""

    partition: ClassVar[str] = _COMPANY
    sort: ClassVar[str] = "RESULT#{run_id}#{position}"
    ttl_days: ClassVar[int] = _A_YEAR

    ttl: int


_CLASSES: Final[dict[type[BaseModel], type[TableItem]]] = {
    StoredSet: SettingsSet,
    StoredScenarios: SettingsScenarios,
    StoredRun: SettingsRun,
    StoredResult: SettingsResult,
}


def evaluation_key(kind: type[BaseModel], company_id: str, *parts: str) -> Attributes:
    """Return the key of an item of a company."""
    return _CLASSES[kind].key(company_id, *parts)


def evaluation_item(kept: BaseModel, where: Attributes) -> Attributes:
    """Return what is stored under a key. Runs and their results expire after a year."""
    own = _CLASSES[type(kept)]
    more = {"ttl": clock.expires_in(own.ttl_days * clock.DAY_SECONDS)} if own.ttl_days else {}
    return own(**where, **kept.model_dump(), **more).attributes()
