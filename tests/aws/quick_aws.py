"""
Faster implementations of parts of botocore and moto with the same calls and results, which most of the suites' time was
spent in.

No behaviour of AWS is implemented here. Replaced are the loading of service models in botocore, and the routing in
moto. `tests/integration/shared/harness/test_quick_aws.py` compares both implementations. The items of tables are in
`tests.tables`.
"""

from __future__ import annotations

import functools
import json
import string
from contextlib import contextmanager
from inspect import getattr_static
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from moto.core.utils import unix_time_millis

from tests.aws import quick_calls
from tests.tables import calls

if TYPE_CHECKING:
    from collections.abc import Iterator

# Looked up by name: neither library types its internals.
_aliaser: Any = resolve_name("botocore.hooks:EventAliaser")
_trie: Any = resolve_name("botocore.hooks:_PrefixTrie")
_node_list: Any = resolve_name("botocore.hooks:NodeList")
_endpoints: Any = resolve_name("botocore.endpoint_provider")
_mocks: Any = resolve_name("moto.core.models")
_session: Any = resolve_name("botocore.session")
_useragent: Any = resolve_name("botocore.useragent")
_backend: Any = resolve_name("moto.core.base_backend:BaseBackend")
_responses: Any = resolve_name("moto.core.responses")
_sqs: Any = resolve_name("moto.sqs.models")
_queue: Any = resolve_name("moto.sqs.models:Queue")
_queues: Any = resolve_name("moto.sqs.models:SQSBackend")
_client: Any = resolve_name("botocore.client:BaseClient")
_key: Any = resolve_name("joserfc.jwk:RSAKey")
_utils: Any = resolve_name("botocore.utils")
_agent: Any = resolve_name("botocore.useragent:UserAgentString")
_auth: Any = resolve_name("botocore.auth")
_random: Any = resolve_name("moto.moto_api._internal.moto_random:MotoRandom")
_mock: Any = resolve_name("moto.core.models:MockAWS")
_backends: Any = resolve_name("moto.core.base_backend:BackendDict")
_model: Any = resolve_name("moto.core.common_models:BaseModel")
_handlers: Any = resolve_name("botocore.handlers")

_LETTERS: Final = string.ascii_letters

# Signatures


_add_auth = _auth.SigV4Auth.add_auth


def _sign(self: Any, request: Any) -> None:
    """moto reads the account, region and service of a signature, and checks none. Of S3 it reads more."""
    if type(self) is not _auth.SigV4Auth or self.credentials is None:
        _add_auth(self, request)
        return
    scope = f"{self.credentials.access_key}/20260101/{self._region_name}/{self._service_name}"
    request.headers["X-Amz-Date"] = "20260101T000000Z"
    request.headers["Authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={scope}/aws4_request, SignedHeaders=host, Signature=0"
    )


# Event names of botocore


_alias = _aliaser._alias_event_name
_known_aliases: Final = _aliaser(None)


def _aliased(_: Any, event_name: str) -> str:
    """One cache of event names for all clients: each client would have its own."""
    alias: str = _alias(_known_aliases, event_name)
    return alias


# Creation of clients in botocore


def _copied_trie(self: Any, node: dict[str, Any]) -> dict[str, Any]:
    """A client's copy of the session's hooks: the structure is copied, the handlers are not."""
    copied = dict(node)
    for key, value in node.items():
        if type(value) is dict:
            copied[key] = _copied_trie(self, value)
        elif type(value) is _node_list:
            copied[key] = _node_list(*map(list, value))
    return copied


_rule_set = _endpoints.RuleSet
_known_rules: Final[dict[int, tuple[Any, Any]]] = {}


def _rules(*, partitions: Any, **rules: Any) -> Any:
    """The parsed rules of a service's endpoint: they are not changed after they are parsed."""
    key = id(rules["rules"])
    if key not in _known_rules:
        # Cached with its source: while the source exists, no other object has its id.
        _known_rules[key] = rules["rules"], _rule_set(partitions=partitions, **rules)
    return _known_rules[key][1]


# Requests in botocore

_resolve_address = _client._resolve_endpoint_ruleset
# Services whose address depends on the client, and not on the parameters of a call.
_SAME_ADDRESS: Final = frozenset({"dynamodb", "secretsmanager", "sqs", "ssm"})


def _address(self: Any, model: Any, params: Any, context: Any, *more: Any, **named: Any) -> Any:
    """The address of a client's calls, resolved once."""
    if more or named or model.service_model.service_name not in _SAME_ADDRESS:
        return _resolve_address(self, model, params, context, *more, **named)
    if not hasattr(self, "_known_address"):
        self._known_address = _resolve_address(self, model, params, context)
    return self._known_address


def _user_agent(_: Any) -> str:
    """A constant: moto does not read it."""
    return "tests"


# Routing of calls in moto


_urls = _backend.urls.fget
_known_urls: Final[dict[type, Any]] = {}


def _addresses(self: Any) -> Any:
    """The URL patterns of a service, cached: moto compiles them for each call, for S3 from a reloaded module."""
    kind = type(self)
    if kind not in _known_urls:
        _known_urls[kind] = _urls(self)
    return _known_urls[kind]


_backends_of = _backends.__getitem__


def _of_account(self: Any, account: str) -> Any:
    """The backends of an account that has some: moto takes a lock, and compares all backends, at each access."""
    found = dict.get(self, account)
    return _backends_of(self, account) if found is None else found


def _reset(cls: Any) -> None:
    """
    Reset all services, then remove their accounts: while a service resets, it may use the account of another one. moto
    would make that again after its removal, and registers it at the next access, which `_of_account` does not.
    """
    used = cls._instances
    for service in used:  # a service that is first used meanwhile is added to the list
        for account in service.values():
            account.reset()
    for service in used:
        service.clear()
    used.clear()


# moto's lists of all objects of its models


_FILES: Final = (
    resolve_name("moto.s3.models:FakeKey"),
    resolve_name("moto.s3.models:FakeMultipart"),
)


def _new(cls: Any, *_: Any, **__: Any) -> Any:
    """An object of a model; one with a file is listed: a reset of S3 closes it. Only a dashboard lists the others."""
    instance = super(_model, cls).__new__(cls)
    if cls in _FILES:
        cls.instances_tracked.append(instance)
    return instance


def _reset_model_data() -> None:
    for kind in _FILES:
        kind.instances_tracked = []


# Mocks of `requests` in moto


_enable_patching = _mock._enable_patching
_known_responses: Final[dict[str, list[Any]]] = {}


def _patched(self: Any, reset: bool = True) -> None:
    """The answers to `requests`, which moto registers one by one at each start: the same 1,288 each time."""
    mock = _mocks.responses_mock
    if not reset or not _known_responses:
        _enable_patching(self, reset)
        _known_responses.update(
            {method: [*found] for method, found in mock._registry._registered.items()}
        )
        return
    _mocks.botocore_stubber.enabled = True
    self.reset()
    mock.start()
    mock._registry._registered.update(
        {method: [*found] for method, found in _known_responses.items()}
    )


# moto's queues: every access to a queue reads the clock for each of its messages.


def _visible(self: Any) -> list[Any]:
    now = unix_time_millis()
    return [m for m in self._messages if now > m.visible_at and not now < m.delayed_until]


def _count_visible(self: Any) -> int:
    return len(_visible(self))


def _count_delayed(self: Any) -> int:
    now = unix_time_millis()
    return sum(now < message.delayed_until for message in self._messages)


def _count_in_flight(self: Any) -> int:
    now = unix_time_millis()
    return sum(not now > message.visible_at for message in self._messages)


_receive = _queues.receive_message


def _receive_at_once(self: Any, queue_name: str, count: int, _: int, *more: Any) -> Any:
    """Without waiting for messages: no test sends one while it waits."""
    return _receive(self, queue_name, count, 0, *more)


# moto's user pools


_import_key = _key.import_key


def _imported(value: Any) -> Any:
    """The key of user pools, which is the same constant for all of them: an import takes 100 ms."""
    return _imported_text(json.dumps(value))


@functools.cache
def _imported_text(text: str) -> Any:
    return _import_key(json.loads(text))


def _random_text(
    self: Any, length: int = 20, include_digits: bool = True, lower_case: bool = False
) -> str:
    text = "".join(self.choices(_LETTERS + string.digits * include_digits, k=length))
    return text.lower() if lower_case else text


def _remembered(place: Any, name: str) -> tuple[Any, str, Any]:
    return place, name, functools.cache(getattr(place, name))


_SHORTER_HANDLERS: Final = [
    one
    for one in _handlers.BUILTIN_HANDLERS
    if one[1] is not _handlers.add_recursion_detection_header
]
_SHORTER: Final = (
    # Service descriptions: constant files that take 60 ms for a session's first client of each service.
    _remembered(_session, "create_loader"),
    _remembered(_useragent, "sanitize_user_agent_string_component"),
    (_agent, "to_string", _user_agent),
    (_client, "_resolve_endpoint_ruleset", _address),
    (_aliaser, "_alias_event_name", _aliased),
    (_trie, "_recursive_copy", _copied_trie),
    (_endpoints, "RuleSet", _rules),
    _remembered(_utils, "_parse_timestamp_with_tzinfo"),
    (_mock, "_enable_patching", _patched),
    (_backend, "urls", property(_addresses)),
    (_backends, "__getitem__", _of_account),
    (_backends, "reset", classmethod(_reset)),
    (_model, "__new__", staticmethod(_new)),
    (_mocks, "reset_model_data", _reset_model_data),
    # moto does not read the header of a call by a function.
    (_handlers, "BUILTIN_HANDLERS", _SHORTER_HANDLERS),
    _remembered(_responses, "method_names_from_class"),
    _remembered(_responses, "camelcase_to_underscores"),
    _remembered(_sqs, "camelcase_to_underscores"),
    (_queues, "receive_message", _receive_at_once),
    (_queue, "messages", property(_visible)),
    (_queue, "approximate_number_of_messages", property(_count_visible)),
    (_queue, "approximate_number_of_messages_delayed", property(_count_delayed)),
    (_queue, "approximate_number_of_messages_not_visible", property(_count_in_flight)),
    (_key, "import_key", staticmethod(_imported)),
    (_random, "get_random_string", _random_text),
    (_auth.SigV4Auth, "add_auth", _sign),
    *quick_calls.REPLACED,
)
_OWN: Final = tuple((place, name, getattr_static(place, name, None)) for place, name, _ in _SHORTER)


def hasten() -> None:
    """Install the faster implementations in this process."""
    for place, name, shorter in _SHORTER:
        setattr(place, name, shorter)


@contextmanager
def not_hastened() -> Iterator[None]:
    """Use the unmodified libraries inside the context manager."""
    for place, name, own in _OWN:
        if own is None:
            delattr(place, name)
        else:
            setattr(place, name, own)
    try:
        with calls.left_to_moto():
            yield
    finally:
        hasten()
