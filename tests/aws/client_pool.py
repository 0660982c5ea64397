"""
A pool of boto3 clients that tests reuse: creating one takes longer than the calls of most tests.

Within a test, each call of `boto3.client` returns a client of its own, as boto3 does. After the test its clients return
to the pool, without the hooks that the test registered. Clients of fixtures that outlive a test are not pooled, and
neither are clients of other sessions or endpoints.

The clients of a simulated system, whose session has hooks, return when the system ends (`hooked`).
"""

from __future__ import annotations

import copy
import os
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

import boto3

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_aliaser: Any = resolve_name("botocore.hooks:EventAliaser")
_boto3: Any = boto3
_make: Final[Any] = boto3.client
# As the process has them, encoded: `os.environ` decodes every name and value for each client.
_variables: Any = os.environ
_variables = _variables._data
_AWS: Final = os.environ.encodekey("AWS_")
_REGISTRATIONS: Final = ("register", "register_first", "register_last")
_ADDRESS: Final = b"AWS_ENDPOINT_URL_"
# The variables with the addresses of the services that moto answers for. The addresses of others have a new port for
# each sandbox.
_ADDRESSES: Final = {
    "dynamodb": b"DYNAMODB",
    "s3": b"S3",
    "secretsmanager": b"SECRETS_MANAGER",
    "sqs": b"SQS",
    "ssm": b"SSM",
}

type Key = tuple[Any, ...]


@dataclass(slots=True)
class _Pooled:
    """A client, and its hooks when it was made."""

    client: Any
    hooks: Any
    named: dict[str, dict[str, Any]]

    @property
    def _emitter(self) -> Any:
        return self.client.meta.events._emitter

    def restore(self) -> None:
        """Remove the hooks of its users, and forget how often the SDK repeated calls."""
        emitter = self._emitter
        emitter._handlers = copy.copy(self.hooks)
        emitter._unique_id_handlers = {name: dict(one) for name, one in self.named.items()}
        emitter._lookup_cache = {}
        service = self.client.meta.service_model.service_id.hyphenize()
        for handler in emitter._handlers.prefix_search(f"after-call.{service}"):
            quota = getattr(getattr(handler, "__self__", None), "_quota", None)
            if quota is not None:
                quota.release(quota._max_capacity)


type Free = defaultdict[Key, list[_Pooled]]


@dataclass(slots=True)
class _Hooked:
    """The clients of a session with hooks: the free ones, and all."""

    hook_into: Callable[[Any], None]
    free: Free = field(default_factory=lambda: defaultdict(list))
    taken: list[tuple[Key, _Pooled]] = field(default_factory=list)

    def client(self, key: Key, service: str, options: dict[str, Any]) -> _Pooled:
        """Return a client with the hooks."""
        if self.free[key]:
            return self.free[key].pop()
        bare = _bare[key].pop() if _bare[key] else _pooled(_session().client(service, **options))
        self.hook_into(bare.client.meta.events)
        self.taken.append((key, bare))
        return bare


_free: Final[Free] = defaultdict(list)
_bare: Final[Free] = defaultdict(list)
_lent: Final[list[tuple[Free, Key, _Pooled]]] = []
_shared: Final[list[_Pooled]] = []
_of_sessions: Final[dict[Any, _Hooked]] = {}
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


@contextmanager
def hooked(hook_into: Callable[[Any], None]) -> Iterator[boto3.Session]:
    """
    A session on whose events *hook_into* registers hooks. While it is boto3's default session, `boto3.client` returns
    clients with these hooks, which are removed at the end: then no client of the session may be used any more.
    """
    session = boto3.Session()
    hook_into(session.events)
    own = _of_sessions[session] = _Hooked(hook_into)
    try:
        yield session
    finally:
        del _of_sessions[session]
        for key, bare in own.taken:
            if key[0] in _ADDRESSES:
                bare.restore()
                _bare[key].append(bare)


def direct(service: str) -> Any:
    """A client of tests, which each process makes once; the hooks that a test registers end with the test."""
    return _direct(service, _settings(service)).client


def take_back() -> None:
    """
    Return the clients of a finished test to the pool, a system's only if it registered no hooks; those that all
    tests share lose the hooks of this one.
    """
    for shared in _shared:
        if id(shared.client.meta.events) in _hooked:
            shared.restore()
    for free, key, one in _lent:
        is_hooked = id(one.client.meta.events) in _hooked
        if is_hooked and free is _free:
            one.restore()
        if free is _free or not is_hooked:
            free[key].append(one)
    _lent.clear()
    _hooked.clear()


def _client(service: str, *values: Any, **options: Any) -> Any:
    of_system = _of_sessions.get(boto3.DEFAULT_SESSION)
    is_pooled = of_system is not None or not _pausing
    if values or not is_pooled or "AWS_ENDPOINT_URL" in os.environ or options.keys() - {"config"}:
        return _make(service, *values, **options)
    config = options.get("config")
    chosen = repr(sorted(config._user_provided_options.items())) if config else ""
    if of_system is not None:
        key: Key = (service, chosen, _settings(service))
        free, one = of_system.free, of_system.client(key, service, options)
    else:
        # A session's hooks are copied into its clients: the key holds the session, so that its id stays its own.
        key = (service, chosen, _settings(service), boto3.DEFAULT_SESSION)
        free = _free
        one = _free[key].pop() if _free[key] else _pooled(_make(service, **options))
    _hooked.discard(id(one.client.meta.events))
    if not _pausing:
        _lent.append((free, key, one))
    return one.client


def _settings(service: str) -> tuple[tuple[bytes, bytes], ...]:
    """The variables that a client of a service reads when it is made."""
    own = _ADDRESSES.get(service)
    return tuple(
        (name, value)
        for name, value in _variables.items()
        if name.startswith(_AWS)
        and not (own and name.startswith(_ADDRESS) and name != _ADDRESS + own)
    )


def _pooled(client: Any) -> _Pooled:
    emitter = client.meta.events._emitter
    named = {name: dict(one) for name, one in emitter._unique_id_handlers.items()}
    return _Pooled(client, copy.copy(emitter._handlers), named)


@cache
def _direct(service: str, _: tuple[tuple[bytes, bytes], ...]) -> _Pooled:
    made: Any = _session()
    _shared.append(_pooled(made.client(service)))
    return _shared[-1]


@cache
def _session() -> Any:
    """A session without hooks."""
    return boto3.Session()


def _noted(register: Any) -> Any:
    def noting(self: Any, event: str, handler: Any, *values: Any, **options: Any) -> Any:
        if not handler.__module__.startswith("shared."):  # every user of the client registers those
            _hooked.add(id(self))
        return register(self, event, handler, *values, **options)

    return noting
