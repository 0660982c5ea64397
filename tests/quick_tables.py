"""
Faster implementations of parts of moto's tables, with the same results; `tests.quick_aws` installs them.

moto searches a whole table for each query, copies whole tables for each transaction, and parses each expression anew.
Here a query sees the items of its partition, and a transaction a table of the items that it names.
"""

from __future__ import annotations

import copy
import functools
import pickle
from collections import defaultdict, deque
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Looked up by name: moto does not type its internals.
_nodes: Any = resolve_name("moto.dynamodb.parsing.ast_nodes")
_parser: Any = resolve_name("moto.dynamodb.parsing.expressions:UpdateExpressionParser")
_validators: Any = resolve_name("moto.dynamodb.parsing.validators")
_conditions: Any = resolve_name("moto.dynamodb.comparisons:ConditionExpressionParser")
_attributes: Any = resolve_name("moto.dynamodb.models.dynamo_type:LimitedSizeDict")
_value: Any = resolve_name("moto.dynamodb.models.dynamo_type:DynamoType")
_item: Any = resolve_name("moto.dynamodb.models.dynamo_type:Item")
_too_large: Any = resolve_name("moto.dynamodb.exceptions:ItemSizeTooLarge")
_table: Any = resolve_name("moto.dynamodb.models.table:Table")
_tables: Any = resolve_name("moto.dynamodb.models:DynamoDBBackend")
_stubber: Any = resolve_name("moto.core.models:botocore_stubber")
_backends: Any = resolve_name("moto.dynamodb.models:dynamodb_backends")
_model: Any = resolve_name("moto.core.common_models:BaseModel")

_MOST_BYTES: Final = 405_000  # of an item, as moto checks it
# They change nothing and check the whole subtree of a node: at the root they find every error.
_OF_THE_WHOLE: Final = (_validators.ActionCountValidator, _validators.OverlappingPathsValidator)
_SCALARS: Final = frozenset({"S", "N", "B", "BOOL", "NULL"})

# Trees of the expressions of updates and conditions

_make = _parser.make


def _traverse(self: Any, root: Any) -> Any:
    """As in moto, but classes are compared once, and leaves are not entered that the processor leaves as they are."""
    if isinstance(self, _OF_THE_WHOLE):
        return self.process(root)
    handled = _kinds(tuple(self._processing_map()))
    has_hook = type(self).pre_processing_of_child is not _no_hook

    def walk(node: Any, position: int) -> Any:
        parent = node.parent
        for number, child in enumerate(node.children or ()):
            if has_hook:
                self.pre_processing_of_child(node, number)
            kind = type(child)
            if handled[kind] or _INNER[kind]:
                walk(child, number)
        if handled[type(node)]:
            node = self.process(node)
            node.parent = parent
            if parent:
                parent.children[position] = node
        return node

    return walk(root, -1)


class _Kinds(dict[type, bool]):
    """Whether a class is one of some classes, cached: their own metaclass makes the comparison slow."""

    def __init__(self, kinds: tuple[type, ...], but: tuple[type, ...] = ()) -> None:
        super().__init__()
        self.kinds, self.but = kinds, but

    def __missing__(self, kind: type) -> bool:
        self[kind] = issubclass(kind, self.kinds) and not issubclass(kind, self.but)
        return self[kind]


_kinds = functools.cache(_Kinds)
_INNER: Final = _Kinds((_nodes.Node,), but=(_nodes.LeafNode,))
_BRANCHES: Final = _Kinds((_nodes.Expression, _nodes.UpdateExpressionFunction))
_no_hook = _nodes.DepthFirstTraverser.pre_processing_of_child


def _find_clauses(self: Any, wanted: list[type]) -> list[Any]:
    found = []
    for child in self.children or ():
        kind: Any = type(child)
        if kind in wanted:
            found.append(child)
        elif _BRANCHES[kind]:
            found += child.find_clauses(wanted)
    return found


def _parsed(text: str) -> Any:
    """A parsed update expression, cached serialised: callers modify the tree that they receive."""
    return pickle.loads(_packed(text))  # noqa: S301 - our own bytes


@functools.cache
def _packed(text: str) -> bytes:
    return pickle.dumps(_make(text))


def _copied(self: Any, _: Any) -> Any:
    """A deep copy of a tree."""
    return pickle.loads(pickle.dumps(self))  # noqa: S301 - our own bytes


_lex = _conditions._lex_condition_expression


def _lexed(self: Any) -> Any:
    """The tokens of a condition, cached: moto compiles six patterns for each of them."""
    return deque(_tokens(self.condition_expression))


@functools.cache
def _tokens(text: str) -> tuple[Any, ...]:
    return tuple(_lex(_conditions(text, None, None)))


# Items

_new = _model.__new__


def _untracked(cls: Any, *values: Any, **named: Any) -> Any:
    """A new model: moto never forgets one, also none of the copies of an item."""
    if cls is _item or issubclass(cls, _table):
        return object.__new__(cls)
    return _new(cls, *values, **named)


def _copied_item(self: Any, memo: dict[int, Any]) -> Any:
    """A deep copy of an item: moto never changes a scalar value, thus copies may share it."""
    copied = object.__new__(_item)
    copied.hash_key, copied.range_key = self.hash_key, self.range_key
    copied.attrs = copy.deepcopy(self.attrs, memo)
    return copied


def _copied_attributes(self: Any, memo: dict[int, Any]) -> Any:
    """A deep copy of an item's attributes: moto sums up the sizes of all of them for each one that it copies."""
    copied = _attributes()
    dict.update(
        copied,
        {
            name: value if value.type in _SCALARS else copy.deepcopy(value, memo)
            for name, value in self.items()
        },
    )
    return copied


def _begin(self: Any, hash_key: Any, range_key: Any, attrs: dict[str, Any]) -> None:
    """A new item: moto sums up the sizes of all attributes for each one that it adds."""
    self.hash_key, self.range_key, self.attrs = hash_key, range_key, _attributes()
    dict.update(self.attrs, {name: _value(value) for name, value in attrs.items()})
    if self.size() > _MOST_BYTES:
        raise _too_large


_size = _value.size


def _bytes_of(self: Any) -> int:
    """The bytes of a value: moto makes a new value of each part of a map to count its bytes."""
    if self.type == "S":
        return len(self.value.encode())
    if self.type == "M":
        return sum(len(name.encode()) + part.size() for name, part in self.value.items())
    size: int = _size(self)
    return size


def _has_equal_text(self: Any, other: Any) -> bool:
    """Most values are texts, of which moto tests six types first."""
    if self.type != other.type:
        return False
    equal: bool = (
        self.value == other.value if self.type == "S" else self.cast_value == other.cast_value
    )
    return equal


# Tables


def _holding(table: Any, items: Iterable[Any]) -> Any:
    """A table with the properties of *table*, and only these of its items."""
    part = object.__new__(_Part)
    part.__dict__.update(vars(table))
    part.items = defaultdict(dict)
    for item in items:
        _store(part, item)
    return part


def _store(table: Any, item: Any) -> None:
    if item.range_key:
        table.items[item.hash_key][item.range_key] = item
    else:
        table.items[item.hash_key] = item


class _Part(_table):  # type: ignore[misc]  # a class that is looked up by name
    """Some items of a table. Nothing needs a copy of it: changes of it do not change the table."""

    def __deepcopy__(self, _: dict[int, Any]) -> _Part:
        return self


def _items_of(table: Any) -> Iterator[Any]:
    """All items, in no order."""
    for row in table.items.values():
        if table.range_key_attr:
            yield from row.values()
        else:
            yield row


_query = _table.query


def _query_part(self: Any, hash_key: Any, *values: Any, **named: Any) -> Any:
    """A query of the items of its partition: moto sorts and compares those of the whole table."""
    index_name = values[6]
    conditions = named.get("hash_key_conditions")
    if index_name is None:
        row = self.items.get(hash_key)
        items = list(row.values()) if row and self.range_key_attr else [row] if row else []
    elif conditions:
        name, wanted = conditions[0]
        found = ((item.attrs.get(name), item) for item in _items_of(self))
        items = [item for value, item in found if value is not None and value == wanted]
    else:
        return _query(self, hash_key, *values, **named)
    return _query(_holding(self, items), hash_key, *values, **named)


_transact = _tables.transact_write_items


def _transact_parts(self: Any, transact_items: list[dict[str, Any]]) -> None:
    """
    A transaction on copies of the items that it names, which replace these if it succeeds.

    moto copies each table as a whole, once for each item, to restore it after a failure.
    """
    named: dict[str, list[tuple[Any, Any]]] = {}
    for item in transact_items:
        for operation in item.values():
            name = operation.get("TableName")
            if name in self.tables:
                keys = operation.get("Key") or operation.get("Item") or {}
                named.setdefault(name, []).append(self.get_keys_value(self.tables[name], keys))
    parts = {name: _part_with(self.tables[name], keys) for name, keys in named.items()}
    records = {
        name: len(part.stream_shard.items) for name, part in parts.items() if part.stream_shard
    }
    backend = copy.copy(self)
    backend.tables = self.tables | parts
    try:
        _transact(backend, transact_items)
    except Exception:
        for name, count in records.items():
            del parts[name].stream_shard.items[count:]
        raise
    for name, keys in named.items():
        for hash_key, range_key in keys:
            _replace(self.tables[name], hash_key, range_key, parts[name])


def _part_with(table: Any, keys: list[tuple[Any, Any]]) -> Any:
    found = (table.get_item(*key) for key in keys)
    return _holding(table, [copy.deepcopy(item) for item in found if item is not None])


def _replace(table: Any, hash_key: Any, range_key: Any, part: Any) -> None:
    new = part.get_item(hash_key, range_key)
    if new is None:
        row = table.items.get(hash_key, {}) if range_key else table.items
        row.pop(range_key or hash_key, None)
    else:
        _store(table, new)


def _all_items(self: Any) -> list[Any]:
    """The items by key: moto compares the keys, and determines their types, at each step of the sort."""
    rows = self.items.values()
    items = [item for row in rows for item in row.values()] if self.range_key_attr else list(rows)
    return sorted(items, key=_key)


def _key(item: Any) -> tuple[Any, ...]:
    keys = (item.hash_key, item.range_key) if item.range_key else (item.hash_key,)
    return tuple(key.cast_value for key in keys)


# Creation of tables


_empty: Final[dict[str, Any]] = {}


def add_empty_table(account: str, region: str, name: str, description: str) -> bool:
    """Add a copy of a kept table; False if there is none, or moto would refuse the name."""
    tables = _backends[account][region].tables
    if not _stubber.enabled or description not in _empty or name in tables:
        return False
    tables[name] = copy.deepcopy(_empty[description])
    return True


def keep_empty_table(account: str, region: str, name: str, description: str) -> None:
    """Keep a table that was just created, for copies."""
    if _stubber.enabled:
        _empty[description] = copy.deepcopy(_backends[account][region].tables[name])


REPLACED: Final = (
    (_nodes.DepthFirstTraverser, "traverse", _traverse),
    (_nodes.Node, "find_clauses", _find_clauses),
    (_nodes.Node, "__deepcopy__", _copied),
    (_parser, "make", _parsed),
    (_conditions, "_lex_condition_expression", _lexed),
    (_model, "__new__", _untracked),
    (_attributes, "__deepcopy__", _copied_attributes),
    (_item, "__init__", _begin),
    (_item, "__deepcopy__", _copied_item),
    (_value, "size", _bytes_of),
    (_value, "__eq__", _has_equal_text),
    (_table, "all_items", _all_items),
    (_table, "query", _query_part),
    (_tables, "transact_write_items", _transact_parts),
)
