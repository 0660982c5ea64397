"""Sets of scenarios of a mailbox's model, and their runs."""

from typing import ClassVar, Final

from pydantic import BaseModel

from email_threads.store.items.item import ThreadItem
from shared.ai.evaluation.sets.items import (
    SetNames,
    StoredResult,
    StoredRun,
    StoredScenarios,
    StoredSet,
)
from shared.aws.audited import audited
from shared.aws.dynamodb import Attributes
from shared.runtime import clock

_A_YEAR: Final = 365 * clock.DAY_SECONDS


class DraftSetList(ThreadItem, SetNames):
    """The names of a mailbox's sets of scenarios; kept after the mailbox, as they are."""

    pattern: ClassVar[str] = "sets#{company_id}#{address}"

    conversation_id: str = ""  # the item's key


@audited("name")
class DraftSet(ThreadItem, StoredSet):
    """A set: with `gate` a version of the mailbox goes live only if it is one of `passed`."""

    pattern: ClassVar[str] = "set#{company_id}#{address}#{name}"

    conversation_id: str = ""


class DraftScenarios(ThreadItem, StoredScenarios):
    """The made-up mails of a set at a `revision`, as JSON."""

    pattern: ClassVar[str] = "scenarios#{company_id}#{address}#{name}"

    conversation_id: str = ""


class DraftRun(ThreadItem, StoredRun):
    """A run of a set with a version, and `against` another one."""

    pattern: ClassVar[str] = "run#{company_id}#{address}#{run_id}"

    conversation_id: str = ""
    ttl: int | None = None


class DraftResult(ThreadItem, StoredResult):
    """The results of one scenario of a run, one for each version."""

    pattern: ClassVar[str] = "result#{company_id}#{address}#{run_id}#{position}"

    conversation_id: str = ""
    ttl: int | None = None


_CLASSES: Final[dict[type[BaseModel], type[ThreadItem]]] = {
    SetNames: DraftSetList,
    StoredSet: DraftSet,
    StoredScenarios: DraftScenarios,
    StoredRun: DraftRun,
    StoredResult: DraftResult,
}


def key_of(kind: type[BaseModel], company_id: str, address: str, *parts: str) -> Attributes:
    """Return the key of an item of a mailbox of a company."""
    return _CLASSES[kind].key(company_id, address, *parts)


def item_of(kept: BaseModel, where: Attributes) -> Attributes:
    """Return what is stored under a key. Runs and their results expire after a year."""
    own = _CLASSES[type(kept)]
    more = {"ttl": clock.expires_in(_A_YEAR)} if "ttl" in own.model_fields else {}
    return own(**where, **kept.model_dump(), **more).attributes()
