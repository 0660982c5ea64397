"""
Faster implementations of parts of botocore and moto with the same calls and results, which most of the suites' time was
spent in.

No behaviour of AWS or of tables is implemented here. Replaced are the loading of service models in botocore, and the
routing, traversal of parsed expressions and serialisation in moto. `tests/integration/shared/test_quick_aws.py`
compares both implementations.
"""

from __future__ import annotations

import copy
import functools
import json
import pickle
import string
from contextlib import contextmanager
from inspect import getattr_static
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from moto.core.utils import unix_time_millis

from tests.template import ACCOUNT, REGION

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
_stubber: Any = resolve_name("moto.core.botocore_stubber:BotocoreStubber")
_responses: Any = resolve_name("moto.core.responses")
_serializer: Any = resolve_name("moto.core.serialize:ResponseSerializer")
_json_serializer: Any = resolve_name("moto.core.serialize:BaseJSONSerializer")
_nodes: Any = resolve_name("moto.dynamodb.parsing.ast_nodes")
_parser: Any = resolve_name("moto.dynamodb.parsing.expressions:UpdateExpressionParser")
_validators: Any = resolve_name("moto.dynamodb.parsing.validators")
_tables: Any = resolve_name("moto.dynamodb.responses:DynamoHandler")
_queue: Any = resolve_name("moto.sqs.models:Queue")
_queues: Any = resolve_name("moto.sqs.models:SQSBackend")
_signature: Any = resolve_name("botocore.auth:SigV4Auth")
_agent: Any = resolve_name("botocore.useragent:UserAgentString")
_attributes: Any = resolve_name("moto.dynamodb.models.dynamo_type:LimitedSizeDict")
_value: Any = resolve_name("moto.dynamodb.models.dynamo_type:DynamoType")
_item: Any = resolve_name("moto.dynamodb.models.dynamo_type:Item")
_too_large: Any = resolve_name("moto.dynamodb.exceptions:ItemSizeTooLarge")
_table: Any = resolve_name("moto.dynamodb.models.table:Table")
_random: Any = resolve_name("moto.moto_api._internal.moto_random:MotoRandom")

_TABLES_ADDRESS: Final = f"https://dynamodb.{REGION}.amazonaws.com/"
# Types of attributes that moto stores as their JSON. Bytes are not among them: they are converted to base64 and back.
_MOST_BYTES: Final = 405_000  # of an item, as moto checks it
_LETTERS: Final = string.ascii_letters
_PLAIN: Final = frozenset({"S", "N", "BOOL", "NULL", "SS", "NS"})
_BRANCHES: Final = (_nodes.Expression, _nodes.UpdateExpressionFunction)
# They change nothing and check the whole subtree of a node: at the root they find every error.
_OF_THE_WHOLE: Final = (_validators.ActionCountValidator, _validators.OverlappingPathsValidator)

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

_add_auth = _signature.add_auth


def _sign(self: Any, request: Any) -> None:
    """No signature for tables: moto reads the account and region of other services from it, but checks none."""
    if request.url != _TABLES_ADDRESS:
        _add_auth(self, request)


def _user_agent(_: Any) -> str:
    """A constant: moto does not read it."""
    return "tests"


# Routing of calls in moto


_process_request = _stubber.process_request
_urls = _backend.urls.fget
_known_urls: Final[dict[type, Any]] = {}


def _to_the_tables(self: Any, request: Any) -> Any:
    """
    Calls moto's handler of tables directly: a header names the operation, and the body has its parameters.

    moto compares the address with those of all services, and makes a WSGI request of it.
    """
    body = request.body
    is_known = request.url == _TABLES_ADDRESS and isinstance(body, bytes)
    if not is_known or b'"B":' in body or b'"BS":' in body:
        return _process_request(self, request)
    handler = _tables()
    handler.headers = {
        name: request.headers[name].decode() for name in ("X-Amz-Target", "Content-Type")
    }
    handler.querystring = {}
    handler.response_headers = {"server": "amazon.com"}
    handler.region, handler.current_account = REGION, ACCOUNT
    handler.params = json.loads(body)
    return handler.call_action()


def _addresses(self: Any) -> Any:
    """The URL patterns of a service, cached: moto compiles them for each call, for S3 from a reloaded module."""
    kind = type(self)
    if kind not in _known_urls:
        _known_urls[kind] = _urls(self)
    return _known_urls[kind]


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


# How moto serialises results


_serialize = _json_serializer._serialize
_get_value = _serializer.get_value


def _write_plain(self: Any, serialized: dict[str, Any], value: Any, shape: Any, key: str) -> None:
    """An attribute's value unchanged: moto searches for each of its ten types under each of six names."""
    if shape.name == "AttributeValue" and key and _is_plain(value):
        self._default_serialize(serialized, value, shape, key)
    else:
        _serialize(self, serialized, value, shape, key)


def _is_plain(value: Any) -> bool:
    if type(value) is not dict or len(value) != 1:
        return False
    ((kind, content),) = value.items()
    if kind == "M":
        return all(map(_is_plain, content.values()))
    if kind == "L":
        return all(map(_is_plain, content))
    return kind in _PLAIN


def _get_named(self: Any, value: Any, key: str, shape: Any) -> Any:
    """The value of a dict under exactly this name, the first one that moto tries."""
    if type(value) is dict and key in value and not self._value_picker.response_transformers:
        return value[key]
    return _get_value(self, value, key, shape)


# moto's trees of the expressions of updates


_make = _parser.make


def _traverse(self: Any, root: Any) -> Any:
    """As in moto, but the type that a processor handles is looked up once per tree, not once per node."""
    if isinstance(self, _OF_THE_WHOLE):
        return self.process(root)
    kinds = tuple(self._processing_map())

    def walk(node: Any, position: int) -> Any:
        kind: Any = type(node)
        if not _is_one(kind, (_nodes.Node,)):
            return node
        parent = node.parent
        for number, child in enumerate(node.children or ()):
            self.pre_processing_of_child(node, number)
            walk(child, number)
        if _is_one(kind, kinds):
            node = self.process(node)
            node.parent = parent
            if parent:
                parent.children[position] = node
        return node

    return walk(root, -1)


def _find_clauses(self: Any, wanted: list[type]) -> list[Any]:
    found = []
    for child in self.children or ():
        kind: Any = type(child)
        if kind in wanted:
            found.append(child)
        elif _is_one(kind, _BRANCHES):
            found += child.find_clauses(wanted)
    return found


@functools.cache
def _is_one(kind: Any, kinds: tuple[type, ...]) -> bool:
    """Caches comparisons of classes that have their own metaclass: they are slow, and such classes are few."""
    return issubclass(kind, kinds)


def _parsed(text: str) -> Any:
    """A parsed update expression, cached serialised: callers modify the tree that they receive."""
    return pickle.loads(_packed(text))  # noqa: S301 - our own bytes


@functools.cache
def _packed(text: str) -> bytes:
    return pickle.dumps(_make(text))


def _copied(self: Any, _: Any) -> Any:
    """A deep copy of a tree."""
    return pickle.loads(pickle.dumps(self))  # noqa: S301 - our own bytes


def _copied_attributes(self: Any, memo: dict[int, Any]) -> Any:
    """A deep copy of an item's attributes: moto sums up the sizes of all of them for each one that it copies."""
    copied = _attributes()
    dict.update(copied, {name: copy.deepcopy(value, memo) for name, value in self.items()})
    return copied


def _begin(self: Any, hash_key: Any, range_key: Any, attrs: dict[str, Any]) -> None:
    """A new item: moto sums up the sizes of all attributes for each one that it adds."""
    self.hash_key, self.range_key, self.attrs = hash_key, range_key, _attributes()
    dict.update(self.attrs, {name: _value(value) for name, value in attrs.items()})
    if self.size() > _MOST_BYTES:
        raise _too_large


def _has_equal_text(self: Any, other: Any) -> bool:
    """Most values are texts, of which moto tests six types first."""
    if self.type != other.type:
        return False
    equal: bool = (
        self.value == other.value if self.type == "S" else self.cast_value == other.cast_value
    )
    return equal


def _all_items(self: Any) -> list[Any]:
    """The items by key: moto compares the keys, and determines their types, at each step of the sort."""
    rows = self.items.values()
    items = [item for row in rows for item in row.values()] if self.range_key_attr else list(rows)
    return sorted(items, key=_key)


def _key(item: Any) -> tuple[Any, ...]:
    keys = (item.hash_key, item.range_key) if item.range_key else (item.hash_key,)
    return tuple(key.cast_value for key in keys)


def _random_text(
    self: Any, length: int = 20, include_digits: bool = True, lower_case: bool = False
) -> str:
    text = "".join(self.choices(_LETTERS + string.digits * include_digits, k=length))
    return text.lower() if lower_case else text


def _remembered(place: Any, name: str) -> tuple[Any, str, Any]:
    return place, name, functools.cache(getattr(place, name))


_SHORTER: Final = (
    # Service descriptions: constant files that take 60 ms for a session's first client of each service.
    _remembered(_session, "create_loader"),
    _remembered(_useragent, "sanitize_user_agent_string_component"),
    (_agent, "to_string", _user_agent),
    (_signature, "add_auth", _sign),
    (_aliaser, "_alias_event_name", _aliased),
    (_trie, "_recursive_copy", _copied_trie),
    (_endpoints, "RuleSet", _rules),
    # Mocks of `requests`: 1,288 objects at each start.
    _remembered(_mocks, "CallbackResponse"),
    (_stubber, "process_request", _to_the_tables),
    (_backend, "urls", property(_addresses)),
    _remembered(_responses, "method_names_from_class"),
    (_queues, "receive_message", _receive_at_once),
    (_queue, "messages", property(_visible)),
    (_queue, "approximate_number_of_messages", property(_count_visible)),
    (_queue, "approximate_number_of_messages_delayed", property(_count_delayed)),
    (_queue, "approximate_number_of_messages_not_visible", property(_count_in_flight)),
    (_json_serializer, "_serialize", _write_plain),
    (_serializer, "get_value", _get_named),
    (_nodes.DepthFirstTraverser, "traverse", _traverse),
    (_nodes.Node, "find_clauses", _find_clauses),
    (_nodes.Node, "__deepcopy__", _copied),
    (_parser, "make", _parsed),
    (_attributes, "__deepcopy__", _copied_attributes),
    (_item, "__init__", _begin),
    (_value, "__eq__", _has_equal_text),
    (_table, "all_items", _all_items),
    (_random, "get_random_string", _random_text),
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
        yield
    finally:
        hasten()
