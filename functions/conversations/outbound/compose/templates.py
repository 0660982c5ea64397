"""Templates of WhatsApp: which one, what is known of its values, and what it says with those that somebody gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.ai.checks.faults import Fault
from conversations.ai.prompt.whatsapp_templates import (
    Template,
    TemplateBroken,
    completed,
    known_values,
)
from conversations.outbound.turns.unwritable import Unwritable, misconfigured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.ai.prompt.whatsapp_templates import Filled
    from conversations.conversation import Opened


def template_of(opened: Opened, name: str | None) -> Template:
    """A template of the project, the usual one without a name. Raises Unwritable."""
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
    # Its words are the project's, whatever language the recipient has.
    language = template.language or opened.company.default_language
    return template.model_copy(update={"language": language})


def filled(
    opened: Opened,
    template: Template,
    given: Mapping[str, str],
    *,
    project_data: Mapping[str, Any],
    longest: int,
) -> Filled:
    """
    The template with what is known and what somebody has *given*, which goes first; at most *longest* characters.

    Raises Unwritable: `template_incomplete` where values are missing or do not fit, else `too_long`.
    """
    known = known_values(template, sources(opened, project_data))
    left = {name: text for name, text in known.items() if name not in given}
    whole = completed(template, left, given, longest)
    if not isinstance(whole, tuple):
        return whole
    raise Unwritable("too_long" if whole == (Fault.BODY_TOO_LONG,) else "template_incomplete")


def sources(opened: Opened, project_data: Mapping[str, Any]) -> dict[str, Any]:
    """What values of templates are known from, see `ai.templates.known_values`."""
    company, conversation = opened.company, opened.conversation
    return {
        "recipient_first_name": conversation.recipient_first_name,
        "recipient_last_name": conversation.recipient_last_name,
        "company_name": company.company_name,
        "project_name": company.project_name,
        "project_data": project_data,
        **company.company_rep,
    }
