"""The templates of automatic replies: templates.toml, validated at import."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from importlib import resources
from types import MappingProxyType
from typing import Any

from richpanel.classification import Language
from richpanel.classification.taxonomy import intents
from richpanel.decisions.templates import mustache
from richpanel.decisions.templates.mustache import TemplateBroken
from richpanel.inbound.channels import Channel

MOST_CHARACTERS = 1_000  # of a wording, without the values
FIRST_NAME, SIGNATURE, ASKS_NUMBER = "first_name", "support_signature", "asks_number"
# All variables filled from order facts; a template that declares another one fails at import.
ORDER_VARIABLES = frozenset(
    {
        "order_id",
        "order_status",
        "fulfillment_status",
        "tracking_url",
        "tracking_number",
        "tracking_company",
        "status_url",
        "order_created_date_human",
        "shipping_bucket",
        "eta_remaining_human",
        "will_close",
    }
)
# English is the language of a template's own table.
_TRANSLATIONS = frozenset(Language) - {Language.ENGLISH, Language.UNKNOWN}
ASK_ORDER_NUMBER = "t_order_status_ask_order_number"
ORDER_STATUS = "t_order_status_verified"
ORDER_ETA = "t_order_eta_no_tracking_verified"
SHIPPING_DELAY = "t_shipping_delay_verified"

type Parts = tuple[mustache.Part, ...]


class Tier(IntEnum):
    """The level of automation: none, ask or inform, state facts of one matched order."""

    HANDOFF = 0
    ASSIST = 1
    VERIFIED = 2


class Variant(StrEnum):
    """The wordings of a template."""

    DEFAULT = "default"
    LIVECHAT = "livechat"


# By template and language. A template has no automatic reply in a language without wordings.
type Wordings = Mapping[str, Mapping[Language, Mapping[Variant, Parts]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """
    The template of one reply. *tier* is None for replies that only agents send: no switch enables them.

    A reply needs a value for each *required* variable; *optional* ones stand in sections.
    """

    id: str
    tier: Tier | None
    required: frozenset[str]
    optional: frozenset[str]


def variant_for(channel: Channel) -> Variant:
    """Return the wording for a channel."""
    return Variant.LIVECHAT if channel is Channel.LIVECHAT else Variant.DEFAULT


def parse_wording(template: Template, name: str, text: str) -> Parts:
    """Parse one wording of a template. Raises TemplateBroken, whose text begins with *name*."""
    with _at(name):
        if not text.strip():
            raise TemplateBroken("must not be empty")
        if len(text) > MOST_CHARACTERS:
            raise TemplateBroken(f"over {MOST_CHARACTERS} characters")
        parts = mustache.parse(text)
        _check_variables(template, parts)
    return parts


def _check_variables(template: Template, parts: Parts) -> None:
    declared = template.required | template.optional | {FIRST_NAME, SIGNATURE, ASKS_NUMBER}
    for name, is_guarded in mustache.names_in(parts):
        if name not in declared:
            raise TemplateBroken(f"{name} is not a variable of {template.id}")
        if name not in template.required | {SIGNATURE} and not is_guarded:
            raise TemplateBroken(f"optional {name} is used outside its section")


@contextmanager
def _at(name: str) -> Iterator[None]:
    """Put *name* before the text of a TemplateBroken."""
    try:
        yield
    except TemplateBroken as broken:
        raise TemplateBroken(f"{name}: {broken}") from None


def _template(template_id: str, table: dict[str, Any]) -> Template:
    unknown = table.keys() - {"tier", "required", "optional", *Variant, *_TRANSLATIONS}
    tier = None if table["tier"] == "none" else Tier(table["tier"])
    template = Template(
        id=template_id,
        tier=tier,
        required=frozenset(table.get("required", ())),
        optional=frozenset(table.get("optional", ())),
    )
    declared = template.required | template.optional
    with _at(template_id):
        if unknown:
            raise TemplateBroken(f"unknown keys {sorted(unknown)}")
        if tier is Tier.HANDOFF:
            raise TemplateBroken("tier must not be 0")
        if undeclared := declared - ORDER_VARIABLES:
            raise TemplateBroken(f"{sorted(undeclared)} are not order variables")
        if declared and tier is not Tier.VERIFIED:
            raise TemplateBroken("order variables require tier 2")
    return template


def _texts_of(
    template: Template, table: dict[str, Any]
) -> Mapping[Language, Mapping[Variant, str]]:
    texts = {Language.ENGLISH: {v: table[v] for v in Variant if v in table}}
    texts |= {language: table[language] for language in _TRANSLATIONS if language in table}
    for language, by_variant in texts.items():
        if by_variant.keys() != set(Variant):
            raise TemplateBroken(
                f"{template.id}.{language}: needs {', '.join(Variant)}, and nothing else"
            )
    return {
        language: {v: _unwrapped(text) for v, text in by_variant.items()}
        for language, by_variant in texts.items()
    }


def _unwrapped(text: str) -> str:
    """Join the lines that the file wraps for readability: the customer's client wraps them itself."""
    return re.sub(r"(?<=[\w,.;:!?-])\n(?=[a-z])", " ", text)


def _parsed(template: Template) -> Mapping[Language, Mapping[Variant, Parts]]:
    return MappingProxyType(
        {
            language: MappingProxyType(
                {
                    v: parse_wording(template, f"{template.id}.{language}.{v}", texts[v])
                    for v in Variant
                }
            )
            for language, texts in standard_texts[template.id].items()
        }
    )


def _catalogue(tables: Mapping[str, dict[str, Any]]) -> Mapping[str, Template]:
    return MappingProxyType({name: _template(name, table) for name, table in tables.items()})


_text = (
    resources.files("richpanel.decisions.templates").joinpath("templates.toml").read_text("utf-8")
)
_tables = tomllib.loads(_text)
templates = _catalogue(_tables)
# By template, language and variant.
standard_texts: Mapping[str, Mapping[Language, Mapping[Variant, str]]] = {
    name: _texts_of(templates[name], table) for name, table in _tables.items()
}
standard_wordings: Wordings = MappingProxyType(
    {name: _parsed(template) for name, template in templates.items()}
)

if absent := {facts.template for facts in intents.values() if facts.template} - templates.keys():
    raise TemplateBroken(
        f"templates.toml: templates of taxonomy.toml are missing: {sorted(absent)}"
    )
if absent := {ORDER_STATUS, ORDER_ETA, SHIPPING_DELAY, ASK_ORDER_NUMBER} - templates.keys():
    raise TemplateBroken(
        f"templates.toml: templates of the order gate are missing: {sorted(absent)}"
    )
