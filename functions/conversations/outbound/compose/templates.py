"""WhatsApp templates: selects one, collects known values and renders it with given ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.ai.checks.faults import Fault
from conversations.ai.prompt.whatsapp_templates import (
    Template,
    TemplateBroken,
    completed,
    known_values,
)
from conversations.outbound.compose.facts import template_sources
from conversations.outbound.unwritable import Unwritable, misconfigured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.ai.prompt.whatsapp_templates import Filled
    from conversations.lifecycle.conversation import OpenConversation


def template_of(opened: OpenConversation, name: str | None) -> Template:
    """Return the project's template *name*, or the default one. Raises Unwritable."""
    whatsapp = opened.company.channel_config.whatsapp
    if whatsapp is None:
        raise misconfigured("channel_config.whatsapp")
    name = name or whatsapp.default_template
    if name is None or name not in whatsapp.templates:
        raise Unwritable("template_missing")
    try:
        template = Template.read(name, whatsapp.templates[name])
    except TemplateBroken as broken:
        raise misconfigured(f"channel_config.whatsapp.templates.{broken.attribute}") from None
    # The project wrote the template text, so the recipient's language does not apply.
    language = template.language or opened.company.default_language
    return template.model_copy(update={"language": language})


def filled(
    opened: OpenConversation,
    template: Template,
    supplied: Mapping[str, str],
    *,
    project_data: Mapping[str, Any],
    longest: int,
) -> Filled:
    """
    Render the template with *supplied* and known values, *supplied* first; at most *longest* characters.

    Raises Unwritable: `template_incomplete` if values are missing or invalid, else `too_long`.
    """
    project_values = known_values(template, template_sources(opened, project_data))
    remaining = {name: text for name, text in project_values.items() if name not in supplied}
    whole = completed(template, remaining, supplied, longest)
    if not isinstance(whole, tuple):
        return whole
    raise Unwritable("too_long" if whole == (Fault.BODY_TOO_LONG,) else "template_incomplete")
