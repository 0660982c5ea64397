"""The wordings that a shop sends: the standard ones of its languages, replaced by the shop's wordings."""

from collections.abc import Collection, Mapping

from richpanel.classification import Language
from richpanel.decisions.templates import mustache
from richpanel.decisions.templates.catalogue import (
    ASKS_NUMBER,
    Parts,
    Tier,
    Variant,
    Wordings,
    parse_wording,
    standard_wordings,
    templates,
)
from richpanel.decisions.templates.mustache import TemplateBroken

type Texts = Mapping[str, Mapping[Language, Mapping[Variant, str]]]


def adapted(texts: Texts, languages: Collection[Language]) -> Wordings:
    """
    Return the standard wordings in *languages*, replaced by the wordings in *texts*.

    Raises TemplateBroken, whose text begins with the template, the language and the variant at fault.
    """
    own = {
        name: {language: _parsed(name, language, texts[name][language]) for language in texts[name]}
        for name in texts
    }
    return {
        name: {
            language: wording
            for language, wording in {**standard, **own.get(name, {})}.items()
            if language in languages
        }
        for name, standard in standard_wordings.items()
    }


def _parsed(
    template_id: str, language: Language, texts: Mapping[Variant, str]
) -> Mapping[Variant, Parts]:
    template = templates.get(template_id)
    if template is None:
        raise TemplateBroken(f"{template_id}: is not a template of the catalogue")
    if template.tier is Tier.VERIFIED and language is not Language.ENGLISH:
        # The values, such as the status of an order, are English words.
        raise TemplateBroken(f"{template_id}.{language}: states order facts, in English only")
    return {
        variant: parse_wording(template, f"{template_id}.{language}.{variant}", texts[variant])
        for variant in Variant
    }


def has_wording(wordings: Wordings, template_id: str, language: Language) -> bool:
    """Return whether a template can be sent in a language."""
    return language in wordings.get(template_id, {})


def asks_number(wordings: Wordings, template_id: str) -> bool:
    """Return whether the template has a request for the order number that is omitted if the order is known."""
    names = {
        name
        for by_variant in wordings.get(template_id, {}).values()
        for parts in by_variant.values()
        for name, _ in mustache.names_in(parts)
    }
    return ASKS_NUMBER in names
