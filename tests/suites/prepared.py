"""
States of moto that many tests begin with: built by real calls once in each process, then copied for each test.

A state is named. The builder of a name makes the same calls in each test, and the tests fix the clock, so that a copy
does not differ from a state that is built anew. `tests/integration/shared/harness/test_prepared.py` compares both.
"""

from __future__ import annotations

import pickle
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from tests.template import ACCOUNT, REGION

if TYPE_CHECKING:
    from collections.abc import Callable

# The dictionaries of moto that hold what a service stores, by service and attribute. Queues and objects are not copied:
# they have locks and files.
_STORED: Final = (
    ("dynamodb", "tables"),
    ("s3", "buckets"),
    ("secretsmanager", "secrets"),
    ("ssm", "_parameters"),
)
_kept: Final[
    dict[str, bytes]
] = {}  # pickled: a copy takes a quarter of the time of `copy.deepcopy`


def prepare(name: str, build: Callable[[], object]) -> bool:
    """Restore the state *name*, or build and keep it; returns whether it was built now. It must have no objects."""
    if name not in _kept:
        build()
        assert not any(bucket.keys for bucket in _stored("s3", "buckets").values())
        _kept[name] = pickle.dumps(_state(), pickle.HIGHEST_PROTOCOL)
        return True
    for place, kept in pickle.loads(_kept[name]).items():  # noqa: S301 - our own state
        stored = _stored(*place)
        stored.clear()
        stored.update(kept)
    return False


def forget(name: str) -> None:
    """Build the state *name* anew when it is next prepared."""
    _kept.pop(name, None)


def _state() -> dict[tuple[str, str], dict[str, Any]]:
    return {place: dict(_stored(*place)) for place in _STORED}


def _stored(service: str, attribute: str) -> Any:
    region = "aws" if service == "s3" else REGION
    backends = resolve_name(f"moto.{service}.models:{service}_backends")
    return getattr(backends[ACCOUNT][region], attribute)
