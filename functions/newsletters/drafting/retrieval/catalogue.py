"""The information types of newsletters, and the number of passages for each rhythm and length."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from newsletters.drafting.retrieval.type_phrases import PHRASES
from shared.ai.retrieval import Query
from shared.ai.texts.languages.certain_languages import primary_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsletters.store.items import CustomTopic, Metadata

type Kind = Literal["updates", "main", "opportunities", "resources"]


@dataclass(frozen=True, slots=True)
class InformationType:
    """A type: *name* is stored and shown, *kind* decides its section."""

    id: str
    name: str
    kind: Kind


TYPES: Final = (
    InformationType("breaking_news", "Breaking News & Updates", "updates"),
    InformationType("policy_updates", "Policy Updates", "updates"),
    InformationType("food_security", "Food Security Updates", "updates"),
    InformationType("research_findings", "Research Findings", "main"),
    InformationType("technology_innovation", "Technology & Innovation Spotlight", "main"),
    InformationType("climate_smart", "Climate-Smart Agriculture", "main"),
    InformationType("market_access", "Market Access & Trade", "main"),
    InformationType("project_updates", "Project Updates & Success Stories", "main"),
    InformationType("livestock", "Livestock & Animal Health", "main"),
    InformationType("funding", "Funding Opportunities", "opportunities"),
    InformationType("events", "Events & Conferences", "opportunities"),
    InformationType("publications", "Publications & Resources", "resources"),
)
ENGLISH: Final = "en"
_BY_WORD: Final = {word.casefold(): one for one in TYPES for word in (one.id, one.name)}

CHUNKS: Final = {"daily": 15, "weekly": 25, "custom": 25, "monthly": 40, "quarterly": 50}
WINDOW_DAYS: Final = {"daily": 2, "weekly": 14, "custom": 14, "monthly": 45, "quarterly": 120}
MOST_CHUNKS: Final = 75
_FACTORS: Final = {
    "quick_read": 0.6, "short": 0.6, "standard": 1.0, "mixed": 1.0, "deep_dive": 1.5, "long": 1.5,
}  # fmt: skip


def type_named(word: str) -> InformationType | None:
    """Return the type with this id or display name, in any case; None if there is none."""
    return _BY_WORD.get(" ".join(word.split()).casefold())


def selected_names(words: Iterable[str], custom: Iterable[str]) -> list[str]:
    """
    Return the display names of types and custom topics in their order, from ids or names in any case.

    Empty texts stand for unknown ones.
    """
    own = {name.casefold(): name for name in custom}
    named: list[str] = []
    for word in words:
        known = type_named(word)
        text = unicodedata.normalize("NFC", " ".join(word.split())).casefold()
        named.append(known.name if known else own.get(text, ""))
    return named


def kind_of(name: str, custom: list[CustomTopic]) -> Kind:
    """Return the kind of a selected type by its display name."""
    for topic in custom:
        if topic.name == name:
            return topic.kind
    found = type_named(name)
    return found.kind if found else "main"


def queries_of(
    name: str, custom: list[CustomTopic], metadata: Metadata, *, is_semantic: bool
) -> list[Query]:
    """
    Return the queries of a selected type: in the newsletter's language, then in English. A custom topic has one, its
    own words.

    The region is context, and for a retriever that compares meanings also up to three words of the audience: a keyword
    search would find every text that contains such a word, even on other subjects.
    """
    audience = [one.replace("_", " ") for one in metadata.target_audience if one != "myself"]
    words = " ".join(audience).split()[:3] if is_semantic else []
    context = " ".join(part for part in (metadata.geographic_focus, *words) if part)
    language = primary_of(metadata.language)
    own = next((topic.query for topic in custom if topic.name == name), None)
    found = type_named(name)
    if own is not None or found is None:
        return [Query(text=own or name, language=language, context=context)]
    # A retriever that compares meanings finds documents in any language.
    wanted = [language if language in PHRASES else ENGLISH, *([] if is_semantic else [ENGLISH])]
    return [
        Query(text=PHRASES[one][TYPES.index(found)], language=one, context=context)
        for one in dict.fromkeys(wanted)
    ]


def most_chunks(metadata: Metadata) -> int:
    """Return the number of passages for the newsletter's rhythm and length."""
    count = CHUNKS[metadata.frequency] * _FACTORS[metadata.length_preference]
    return min(MOST_CHUNKS, round(count))
