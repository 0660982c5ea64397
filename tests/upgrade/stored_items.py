"""
The items that the tables hold, of every item class: made with each value that an attribute may have, for the record.

An item is filled in from the declarations of its class. Of an attribute with several values (an enumeration, a
`Literal`, a union), one item holds the first, another the second, and so on; the last item holds required ones only.
All other values are the same in all items of a class.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin

from pydantic import BaseModel

from conversations.configuration import projects
from conversations.store.items.base import LogItem
from conversations.store.items.catalogue import OF_THE_LOG
from conversations.store.items.conversation import Conversation
from conversations.store.items.log import ACTION_PK_PATTERN as LOG_ACTION
from email_threads.store.items import CHILDREN, Thread
from email_threads.store.items.item import PARTITION_KEY, ThreadItem
from events.conversations import sample_data
from newsletters.store.items import ITEMS as NEWSLETTER_ITEMS
from newsletters.store.items.item import TableItem
from richpanel.store.items import ROWS
from shared.access.company_keys import ApiKey
from shared.access.ownership.claims import Claim
from shared.aws.dynamodb import values
from shared.policy.business_hours import BusinessHours
from shared.policy.consent.items import Consent
from shared.policy.consent.unreachable import Unreachable
from shared.policy.consent.withdrawals import Withdrawal
from shared.providers.action_ledger import Action
from whatsapp.store.items import ACTION_PK_PATTERN as WHATSAPP_ACTION
from whatsapp.store.items import WhatsAppItem
from whatsapp.store.items.register import CONTRACTED, SUPPORT

type Attributes = dict[str, Any]

ROW_TABLES = {
    "idempotency": "RichpanelIdempotencyTable",
    "conversation_state": "RichpanelConversationStateTable",
    "audit_actions": "RichpanelAuditActionsTable",
}


@dataclass(frozen=True, kw_only=True)
class ItemClass:
    """
    A class of items of a table: *keys* are its key patterns.

    *rewritten* loads stored attributes through the class and returns them as it would store them again. *samples* are
    made from *declared*.
    """

    table: str
    name: str
    keys: list[str]
    declared: type[Any] | None
    rewritten: Callable[[Attributes], Attributes]
    key_attributes: Mapping[str, str]

    def samples(self) -> list[Attributes]:
        """Items as the table holds them, in DynamoDB's JSON."""
        if self.declared is None:
            return [to_wire(sample_data.project())]
        made = []
        for number in range(variants(self.declared)):
            filled = filled_in(self.declared, number)
            made.append(to_wire(self.rewritten({**filled, **self.key_attributes})))
        required = filled_in(self.declared, 0, only_required=True)
        return [*made, to_wire(self.rewritten({**required, **self.key_attributes}))]


def item_classes() -> dict[str, ItemClass]:
    """All item classes by `<table>/<name>`."""
    contexts = (
        _of_whatsapp(),
        _of_conversations(),
        _of_richpanel(),
        _of_email_threads(),
        _of_newsletters(),
    )
    found = [*(one for context in contexts for one in context), _api_key()]
    named = {f"{one.table}/{one.name}": one for one in found}
    if len(named) != len(found):
        raise TypeError("two item classes of a table share a name")
    return named


def to_wire(attributes: Attributes) -> Attributes:
    """Attributes in DynamoDB's JSON; sets sorted."""
    return {name: _ordered(value) for name, value in values.encoded(attributes).items()}


def from_wire(item: Attributes) -> Attributes:
    """The attributes of an item in DynamoDB's JSON, as `Table` reads them."""
    return values.decoded(item)


def _ordered(value: Any) -> Any:
    ((kind, content),) = value.items()
    return {kind: sorted(content)} if kind in {"SS", "NS"} else value


def _of_whatsapp() -> list[ItemClass]:
    def of(item: type[WhatsAppItem]) -> ItemClass:
        return ItemClass(
            table="WhatsAppTable",
            name=item.__name__,
            keys=[item.pk_pattern],
            declared=item,
            rewritten=lambda stored: item.read(stored).attributes(),
            key_attributes={"pk": item.pk_pattern},
        )

    ledger = _action("WhatsAppTable", {"pk": WHATSAPP_ACTION})
    return [*map(of, (*CONTRACTED, *SUPPORT)), ledger]


def _of_conversations() -> list[ItemClass]:
    def of(item: type[LogItem]) -> ItemClass:
        keys = {"pk": item.pk_pattern, "sk": item.sk_pattern}
        return ItemClass(
            table="ConversationLogTable",
            name=item.__name__,
            keys=list(keys.values()),
            declared=item,
            rewritten=lambda stored: item.read(stored).attributes(keys),
            key_attributes=keys,
        )

    return [
        *map(of, OF_THE_LOG),
        _action("ConversationLogTable", {"pk": LOG_ACTION, "sk": "#"}),
        *_of_shared(),
        ItemClass(
            table="ConversationsTable",
            name="Conversation",
            keys=["{primary_channel}", "{conversation_id}"],
            declared=Conversation,
            rewritten=lambda stored: Conversation.read(stored).attributes(),
            key_attributes={},
        ),
        ItemClass(
            table="CompanyDataTable",
            name="Project",
            keys=["{company_id}", "{project_id}"],
            declared=None,  # written by operators
            rewritten=_read_project,
            key_attributes={},
        ),
    ]


def _of_shared() -> list[ItemClass]:
    """The items that `shared.policy.consent` and `shared.access.ownership` keep in the log."""
    consent = {"pk": Consent.pk_pattern, "sk": Consent.sk_pattern}
    claim = {"pk": Claim.pk_pattern, "sk": Claim.sk_pattern}
    unreachable = {"pk": Unreachable.pk_pattern, "sk": Unreachable.sk_pattern}
    withdrawal = {"pk": Withdrawal.pk_pattern, "sk": Withdrawal.sk_pattern}
    return [
        ItemClass(
            table="ConversationLogTable",
            name="Withdrawal",
            keys=list(withdrawal.values()),
            declared=Withdrawal,
            rewritten=lambda stored: Withdrawal.read(stored).attributes(),
            key_attributes=withdrawal,
        ),
        ItemClass(
            table="ConversationLogTable",
            name="Consent",
            keys=list(consent.values()),
            declared=Consent,
            rewritten=lambda stored: Consent.model_validate(stored).model_dump(
                mode="json", exclude_none=True
            ),
            key_attributes=consent,
        ),
        ItemClass(
            table="ConversationLogTable",
            name="Unreachable",
            keys=list(unreachable.values()),
            declared=Unreachable,
            rewritten=lambda stored: Unreachable.read(stored).attributes(),
            key_attributes=unreachable,
        ),
        ItemClass(
            table="ConversationLogTable",
            name="Claim",
            keys=list(claim.values()),
            declared=Claim,
            rewritten=lambda stored: {
                "item_type": Claim.item_type,
                **Claim.read(stored).attributes(),
            },
            key_attributes=claim,
        ),
    ]


def _of_richpanel() -> list[ItemClass]:
    return [
        _action(ROW_TABLES[table], {}, row)
        if issubclass(row, Action)
        else ItemClass(
            table=ROW_TABLES[table],
            name=row.__name__,
            keys=list(row.patterns),
            declared=row,
            rewritten=lambda stored, row=row: row.read(stored).attributes(),  # type: ignore[misc] # bound per row
            key_attributes={},
        )
        for table, rows in ROWS.items()
        for row in rows
    ]


def _of_email_threads() -> list[ItemClass]:
    def of(item: type[ThreadItem]) -> ItemClass:
        return ItemClass(
            table="EmailThreadsTable",
            name=item.__name__,
            keys=[item.pattern],
            declared=item,
            rewritten=lambda stored: item.read(stored).attributes(),
            key_attributes={PARTITION_KEY: item.pattern},
        )

    kinds: list[type[ThreadItem]] = [Thread, *CHILDREN]
    return [*map(of, kinds)]


def _of_newsletters() -> list[ItemClass]:
    def of(item: type[TableItem]) -> ItemClass:
        keys = {"PK": item.partition, "SK": item.sort}
        return ItemClass(
            table="NewslettersTable",
            name=item.__name__,
            keys=list(keys.values()),
            declared=item,
            rewritten=lambda stored: item.read(stored).attributes(),
            key_attributes=keys,
        )

    kinds: list[type[TableItem]] = [*NEWSLETTER_ITEMS]
    return [*map(of, kinds)]


def _action(table: str, key: Mapping[str, str], kind: type[Action] = Action) -> ItemClass:
    """The ledger's item in this table."""
    return ItemClass(
        table=table,
        name="Action",
        keys=list(key.values()) or list(getattr(kind, "patterns", ())),
        declared=kind,
        rewritten=lambda stored: kind.model_validate(stored).model_dump(
            by_alias=True, exclude_none=True, mode="json"
        ),
        key_attributes=key,
    )


def _api_key() -> ItemClass:
    return ItemClass(
        table="ApiKeysTable",
        name="ApiKey",
        keys=["{key_id}"],
        declared=ApiKey,
        rewritten=lambda stored: ApiKey.read(stored).attributes(),
        key_attributes={},
    )


def _read_project(stored: Attributes) -> Attributes:
    projects.parse(stored)
    return stored


# Filling in

# Parts whose rules no made-up text fits.
EXAMPLES = {
    BusinessHours: {
        "time_zone": "Europe/Berlin",
        "periods": [{"days": ["monday"], "start": "09:00", "end": "17:00"}],
        "holidays": ["2026-12-25"],
    }
}


def filled_in(declared: type[Any], number: int, *, only_required: bool = False) -> Attributes:
    """Values of the attributes of a model or dataclass, by their stored names; of several values the *number*th."""
    if issubclass(declared, BaseModel):
        return {
            field.alias or name: _value(name, field.annotation, number)
            for name, field in declared.model_fields.items()
            if field.is_required() or not only_required
        }
    hints = inspect.get_annotations(declared, eval_str=True)
    optional = {
        n for n, p in inspect.signature(declared).parameters.items() if p.default is not p.empty
    }
    return {
        name: _value(name, hint, number)
        for name, hint in hints.items()
        if not (only_required and name in optional)
    }


def variants(declared: Any) -> int:
    """How many items show each value that an attribute may have."""
    fields = (
        [field.annotation for field in declared.model_fields.values()]
        if isinstance(declared, type) and issubclass(declared, BaseModel)
        else list(inspect.get_annotations(declared, eval_str=True).values())
    )
    return max((len(_choices(annotation)) for annotation in fields), default=1)


def _choices(annotation: Any) -> list[Any]:
    """The alternatives of an annotation: literal values, members, types; never None."""
    plain = _unwrapped(annotation)
    if get_origin(plain) in (Union, UnionType):
        return [choice for part in get_args(plain) for choice in _choices(part)]
    if get_origin(plain) is Literal:
        return [_Value(value) for value in get_args(plain)]
    if isinstance(plain, type) and issubclass(plain, Enum):
        return [_Value(member.value) for member in plain]
    if isinstance(plain, type) and issubclass(plain, BaseModel):
        return [plain] * variants(plain)
    others = {NoneType: [], bool: [_Value(True), _Value(False)]}
    return others.get(plain, [plain])


def _unwrapped(annotation: Any) -> Any:
    """The annotation without the name of an alias and without metadata."""
    if isinstance(annotation, TypeAliasType):
        return _unwrapped(annotation.__value__)
    return _unwrapped(annotation.__origin__) if hasattr(annotation, "__metadata__") else annotation


@dataclass(frozen=True)
class _Value:
    value: Any


def _value(name: str, annotation: Any, number: int) -> Any:
    choices = _choices(annotation)
    choice = choices[number % len(choices)]
    if isinstance(choice, _Value):
        return choice.value
    kind, parts = get_origin(choice) or choice, get_args(choice)
    if kind is dict:
        keys, values = parts or (str, Any)
        named = _choices(keys)[0]
        key = named.value if isinstance(named, _Value) else name
        return {key: _value(name, values, number)}
    if kind in (list, tuple, set):
        entries = [_value(name, parts[0] if parts else Any, number)]
        return set(entries) if kind is set else entries
    if kind in EXAMPLES:
        return EXAMPLES[kind]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return filled_in(kind, number)
    simple = {int: 1, float: 0.5}
    return simple.get(kind, f"{name}-0")
