"""
A pool of boto3 clients that tests reuse: creating one takes longer than the calls of most tests.

Within a test, each call of `boto3.client` returns a client of its own, as boto3 does. After the test its clients return
to the pool, except those on which the test registered a hook. Clients of fixtures that outlive a test are not pooled,
and neither are clients of other sessions or endpoints.
"""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

import boto3

if TYPE_CHECKING:
    from collections.abc import Iterator

_aliaser: Any = resolve_name("botocore.hooks:EventAliaser")
_boto3: Any = boto3
_make: Final[Any] = boto3.client
# As the process has them, encoded: `os.environ` decodes every name and value for each client.
_variables: Any = os.environ
_variables = _variables._data
_AWS: Final = os.environ.encodekey("AWS_")
_REGISTRATIONS: Final = ("register", "register_first", "register_last")

type Key = tuple[Any, ...]
_free: Final[defaultdict[Key, list[Any]]] = defaultdict(list)
_lent: Final[list[tuple[Key, Any]]] = []
_hooked: Final[set[int]] = set()  # ids of the hooks of lent clients
_pausing = 0


def install() -> None:
    """Make `boto3.client` use the pool in this process."""
    _boto3.client = _client
    for name in _REGISTRATIONS:
        setattr(_aliaser, name, _noted(getattr(_aliaser, name)))


@contextmanager
def paused() -> Iterator[None]:
    """Make clients that are not pooled, while a fixture is set up that outlives a test."""
    global _pausing  # noqa: PLW0603 - fixtures nest
    _pausing += 1
    try:
        yield
    finally:
        _pausing -= 1


def take_back() -> None:
    """Return the clients of a finished test to the pool, except those with hooks."""
    for key, client in _lent:
        if id(client.meta.events) not in _hooked:
            _free[key].append(client)
    _lent.clear()
    _hooked.clear()


def _client(service: str, *values: Any, **options: Any) -> Any:
    if values or _pausing or "AWS_ENDPOINT_URL" in os.environ or options.keys() - {"config"}:
        return _make(service, *values, **options)
    config = options.get("config")
    chosen = repr(sorted(config._user_provided_options.items())) if config else ""
    aws = tuple((name, value) for name, value in _variables.items() if name.startswith(_AWS))
    # A session's hooks are copied into its clients: the key holds the session, so that its id stays its own.
    key = (service, chosen, aws, boto3.DEFAULT_SESSION)
    client = _free[key].pop() if _free[key] else _make(service, **options)
    _hooked.discard(id(client.meta.events))
    _lent.append((key, client))
    return client


def _noted(register: Any) -> Any:
    def noting(self: Any, event: str, handler: Any, *values: Any, **options: Any) -> Any:
        if not handler.__module__.startswith("shared."):  # every user of the client registers those
            _hooked.add(id(self))
        return register(self, event, handler, *values, **options)

    return noting
