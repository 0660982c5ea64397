"""Handlers as separate simulated processes: imports under an environment, without warnings."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest import mock

from shared.identity import keyed_hashes
from tests import keyring

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from shared.policy.kill_switches import KillSwitches


def imported(module: str, environment: dict[str, str]) -> ModuleType:
    """Import a handler module again under its own environment: other tests may have imported it under theirs."""
    before = sys.modules.pop(module, None)
    try:
        with mock.patch.dict(os.environ, environment), keyring.held(None):
            found = importlib.import_module(module)
            keyring.with_own_keyring(found, keyed_hashes._secret)
            return found
    finally:
        sys.modules.pop(module, None)
        if before is not None:
            sys.modules[module] = before


def forget_switches(switches: KillSwitches) -> None:
    """The switches of a new process: none is cached or held."""
    switches.provider().clear_cache()  # type: ignore[no-untyped-call] # the library's
    switches._last = None


@contextmanager
def quiet() -> Iterator[None]:
    """Powertools warns if a killed run has no metrics."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No application metrics", UserWarning)
        yield
