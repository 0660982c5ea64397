"""
The templates of automatic replies: templates.toml, validated at import, and their rendering.

A rendered text contains only the variables that its template declares: others are dropped, values are cleaned and
escaped, and a missing required variable is an error.
"""

import html
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from importlib import resources
from types import MappingProxyType
from typing import Any

from richpanel.classification import Language
from richpanel.classification.taxonomy import intents
from richpanel.decisions.replies import mustache
from richpanel.decisions.replies.mustache import TemplateBroken
from richpanel.inbound.channels import Channel

MOST_CHARACTERS = 1_000  # of a template's own words
LONGEST_VALUE = 300
LONGEST_FIRST_NAME = 30
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
_TRANSLATIONS = (Language.SPANISH,)
ASK_ORDER_NUMBER = "t_order_status_ask_order_number"
ORDER_STATUS = "t_order_status_verified"
ORDER_ETA = "t_order_eta_no_tracking_verified"
SHIPPING_DELAY = "t_shipping_delay_verified"


class Tier(IntEnum):
    """The level of automation: none, ask or inform, state facts of one matched order."""

    HANDOFF = 0
    ASSIST = 1
    VERIFIED = 2


class Variant(StrEnum):
    """The wordings of a template."""

    DEFAULT = "default"
    LIVECHAT = "livechat"


class BodyFormat(StrEnum):
    """The format in which the help desk reads a reply's body. In HTML, values are escaped and lines end with `<br>`."""

    TEXT = "text"
    HTML = "html"


class VariableMissing(Exception):
    """A required variable of a template has no value. The text has the template and the variable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """
    The template of one reply. *tier* is None for replies that only agents send: no switch enables them. A language
    without wordings has no automatic reply.
    """

    id: str
    tier: Tier | None
    required: frozenset[str]
    optional: frozenset[str]
    wordings: Mapping[Language, Mapping[Variant, tuple[mustache.Part, ...]]]


def variant_for(channel: Channel) -> Variant:
    """Return the wording for a channel."""
    return Variant.LIVECHAT if channel is Channel.LIVECHAT else Variant.DEFAULT


def missing(template_id: str, values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of a template's required variables that have no value in *values*."""
    return tuple(
        sorted(name for name in templates[template_id].required if not _cleaned(values.get(name)))
    )


def render(
    template_id: str,
    language: Language,
    variant: Variant,
    values: Mapping[str, str],
    *,
    signature: str,
    first_name: str | None,
    body_format: BodyFormat,
) -> str:
    """Render the body of a reply. Raises VariableMissing; KeyError for an unknown template or language."""
    template = templates[template_id]
    if absent := missing(template_id, values):
        raise VariableMissing(f"{template_id}: {absent[0]} is missing")
    declared = {name: _cleaned(values.get(name)) for name in template.required | template.optional}
    declared |= {
        SIGNATURE: _cleaned(signature),
        FIRST_NAME: greetable(first_name) or "",
        ASKS_NUMBER: values.get(ASKS_NUMBER, ""),
    }
    parts = template.wordings[language][variant]
    if body_format is BodyFormat.TEXT:
        return mustache.fill(parts, declared).strip()
    escaped = {name: html.escape(value) for name, value in declared.items()}
    return mustache.fill(parts, escaped).strip().replace("\n", "<br>\n")


def asks_number(template_id: str) -> bool:
    """Return whether the template has a request for the order number that is omitted if the order is known."""
    names = {
        name
        for wording in templates[template_id].wordings.values()
        for parts in wording.values()
        for name, _ in mustache.names_in(parts)
    }
    return ASKS_NUMBER in names


def has_wording(template_id: str, language: Language) -> bool:
    """Return whether a template can be sent in a language."""
    return language in templates[template_id].wordings


def greetable(first_name: str | None) -> str | None:
    """Return a first name that can be used in a greeting: letters only, 30 at most; None for anything else."""
    name = unicodedata.normalize("NFC", first_name or "").strip()
    return name if name.isalpha() and len(name) <= LONGEST_FIRST_NAME else None


def _cleaned(value: str | None) -> str:
    """Return *value* as one line without control or invisible characters, so that it cannot add lines."""
    printable = "".join(
        " " if char.isspace() else char
        for char in value or ""
        if char.isspace() or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
    )
    return " ".join(printable.split())[:LONGEST_VALUE]


def _template(template_id: str, table: dict[str, Any]) -> Template:
    translations = {language: table[language] for language in _TRANSLATIONS if language in table}
    unknown = table.keys() - {"tier", "required", "optional", *Variant, *_TRANSLATIONS}
    if unknown:
        raise TemplateBroken(f"{template_id}: unknown keys {sorted(unknown)}")
    tier = None if table["tier"] == "none" else Tier(table["tier"])
    if tier is Tier.HANDOFF:
        raise TemplateBroken(f"{template_id}: tier must not be 0")
    template = Template(
        id=template_id,
        tier=tier,
        required=frozenset(table.get("required", ())),
        optional=frozenset(table.get("optional", ())),
        wordings=MappingProxyType(
            {
                Language.ENGLISH: _wordings(
                    template_id, {name: table.get(name) for name in Variant}
                ),
                **{
                    language: _wordings(f"{template_id}.{language}", wording)
                    for language, wording in translations.items()
                },
            }
        ),
    )
    for wording in template.wordings.values():
        for parts in wording.values():
            _check(template, parts)
    return template


def _wordings(
    name: str, table: Mapping[str, str | None]
) -> Mapping[Variant, tuple[mustache.Part, ...]]:
    """Parse the wordings of one language, all variants."""
    texts = {variant: table.get(variant) for variant in Variant}
    if table.keys() != set(Variant) or None in texts.values():
        raise TemplateBroken(f"{name}: needs {', '.join(Variant)}, and nothing else")
    return MappingProxyType({v: _wording(name, text) for v, text in texts.items() if text})


def _wording(template_id: str, text: str) -> tuple[mustache.Part, ...]:
    # Lines are wrapped in the file for readability; they are joined because the customer's client wraps them itself.
    text = re.sub(r"(?<=[\w,.;:!?-])\n(?=[a-z])", " ", text)
    parts = mustache.parse(text)
    if len(text) > MOST_CHARACTERS:
        raise TemplateBroken(f"{template_id}: over {MOST_CHARACTERS} characters")
    return parts


def _check(template: Template, parts: tuple[mustache.Part, ...]) -> None:
    declared = template.required | template.optional
    if undeclared := declared - ORDER_VARIABLES:
        raise TemplateBroken(f"{template.id}: {sorted(undeclared)} are not order variables")
    if declared and template.tier is not Tier.VERIFIED:
        raise TemplateBroken(f"{template.id}: order variables require tier 2")
    for name, is_guarded in mustache.names_in(parts):
        if name not in declared | {FIRST_NAME, SIGNATURE, ASKS_NUMBER}:
            raise TemplateBroken(f"{template.id}: {name} is not declared")
        if name not in template.required | {SIGNATURE} and not is_guarded:
            raise TemplateBroken(f"{template.id}: optional {name} is used outside its section")


def _catalogue(tables: Mapping[str, dict[str, Any]]) -> Mapping[str, Template]:
    return MappingProxyType({name: _template(name, table) for name, table in tables.items()})


_text = resources.files("richpanel.decisions.replies").joinpath("templates.toml").read_text("utf-8")
templates = _catalogue(tomllib.loads(_text))

if absent := {facts.template for facts in intents.values() if facts.template} - templates.keys():
    raise TemplateBroken(
        f"templates.toml: templates of taxonomy.toml are missing: {sorted(absent)}"
    )
if absent := {ORDER_STATUS, ORDER_ETA, SHIPPING_DELAY, ASK_ORDER_NUMBER} - templates.keys():
    raise TemplateBroken(
        f"templates.toml: templates of the order gate are missing: {sorted(absent)}"
    )
