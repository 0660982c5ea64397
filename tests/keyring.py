"""The identifier keys of the tests: fixed ones, so that a test computes the same hashes as a handler."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

from events.conversations import sample_data
from shared.aws.secrets import JsonSecret
from shared.identity import keyed_hashes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

KEY = sample_data.IDENTIFIER_KEYS["identifier_key"]
SECRET = sample_data.IDENTIFIER_KEYS
TEXT = json.dumps(SECRET)


class Keys(JsonSecret):
    """A secret with these identifier keys, the writing key first; nothing is read from AWS."""

    def __init__(self, *texts: str) -> None:
        super().__init__(_no_client, "identifier-keys")
        self.texts = list(texts)

    def value(self) -> dict[str, Any]:
        return {"identifier_key": self.texts}

    def refreshed(self, at_most_every_ms: int = 0) -> bool:
        return False


def _no_client() -> Any:
    raise AssertionError("the keys of the tests are read from no secret")


@contextmanager
def held(secret: JsonSecret | None) -> Iterator[None]:
    """Inside the context manager the process uses the keyring of *secret*; None: no keyring is configured."""
    before = keyed_hashes._secret
    keyed_hashes._secret = secret
    try:
        yield
    finally:
        keyed_hashes._secret = before


def with_own_keyring(module: ModuleType, secret: JsonSecret | None) -> None:
    """Run a handler with the keyring that its import configured, as in a separate process."""
    handler = module.handler

    @wraps(handler)
    def handle(*arguments: Any) -> Any:
        with held(secret):
            return handler(*arguments)

    module.identifier_keys = secret  # type: ignore[attr-defined] # for tests that rotate the keys
    module.handler = handle  # type: ignore[attr-defined] # a module has any attribute that is set on it
