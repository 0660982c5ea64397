"""Whether a template can be sent: approved in this language, with the right variables."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from shared.failures import Permanent, Transient
from shared.providers.outcomes import InDoubt, NotSent, Refused
from whatsapp import store, transmission
from whatsapp.sending.failures import (
    NotConfigured,
    NotSupported,
    ProviderRejected,
    ProviderUnavailable,
    TemplateNotSendable,
    of_not_sent,
)
from whatsapp.store.items.templates import TemplateEum, TemplateMeta
from whatsapp.worker.updates import templates as updates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.aws.dynamodb import Table
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.sending.gate import Gate
    from whatsapp.sending.inputs import TemplateInput
    from whatsapp.store.items import Phone

APPROVED = "APPROVED"
_VARIABLE = re.compile(r"{{\s*(\w+)\s*}}")


def check(
    resources: SendingResources, gate: Gate, phone: Phone, template: TemplateInput
) -> str | None:
    """
    Check a template against what the provider reported about it, and return its category.

    The provider is asked about an unknown one, which it may have approved before the number was connected. Variables
    are checked if the provider reported the components, which it does at each change; otherwise the provider checks
    them. Raises TemplateNotSendable, TooFast, NotConfigured, NotSupported, ProviderRejected and ProviderUnavailable.
    """
    status, category, components = _reported(resources.table, phone, template)
    if status is None and _learned(resources, gate, phone, template):
        status, category, components = _reported(resources.table, phone, template)
    if status is None:
        raise TemplateNotSendable("template: unknown in this language at the number's account")
    if status != APPROVED:
        raise TemplateNotSendable(f"template: its status is {status}, not {APPROVED}")
    if components is not None:
        _check_variables(components, template)
    return category


def _reported(
    table: Table, phone: Phone, template: TemplateInput
) -> tuple[str | None, str | None, list[dict[str, Any]] | None]:
    """Return status, category and components of the translation; the status is None if it is unknown."""
    for language in dict.fromkeys((template.language, template.language.replace("-", "_"))):
        if phone.provider == "eum":
            key = TemplateEum.key(str(phone.aws_waba), template.name, language)
            eum = store.account_reports.get_template(table, TemplateEum, key)
            if eum is not None and eum.company == phone.company:
                return eum.template_status, eum.template_category, eum.components
        else:
            key = TemplateMeta.of_language(phone.waba_meta_id, template.name, language)
            meta = store.account_reports.get_template(table, TemplateMeta, key)
            if meta is not None and meta.company == phone.company:
                return meta.status, meta.category, meta.components
    return None, None, None


def _learned(
    resources: SendingResources, gate: Gate, phone: Phone, template: TemplateInput
) -> bool:
    """Ask the provider about a template and store the answer; False if it does not exist in this language."""
    gate.permit_question(phone)
    try:
        listed = _listed(resources, phone, template)
    except Permanent as fault:
        raise NotConfigured(f"phone: {fault.reason}") from None
    except Refused as refusal:
        raise ProviderRejected(refusal.code) from None
    except NotSent as failure:
        raise of_not_sent(failure) from None
    except InDoubt:
        raise ProviderUnavailable(
            "the provider did not describe the template; nothing was sent"
        ) from None
    if listed is None:
        return False
    # After a concurrent write the template is stored, by the same question or by a webhook.
    with suppress(Transient):
        updates.record(resources, phone, listed)
    return True


def _listed(
    resources: SendingResources, phone: Phone, template: TemplateInput
) -> dict[str, Any] | None:
    """Return what the number's provider answers about a template; None if it does not exist in this language."""
    language = template.language.replace("-", "_")
    if phone.provider == "eum":
        if phone.aws_waba is None:
            raise NotSupported("template: unknown, and the number has no id of its account at AWS")
        found = resources.eum.template(phone.aws_waba, template.name, language)
        return {**found, "name": template.name, "language": language} if found else None
    token = transmission.token_of(resources, phone)
    # Graph searches by name, so the answer may have other names.
    return next(
        (
            each
            for each in resources.graph.templates(phone.waba_meta_id, token, template.name)
            if (each.get("name"), each.get("language")) == (template.name, language)
        ),
        None,
    )


def _check_variables(components: list[dict[str, Any]], template: TemplateInput) -> None:
    """Raise TemplateNotSendable unless there is exactly one value for each variable."""
    by_type = {str(component.get("type")).upper(): component for component in components}
    header = by_type.get("HEADER", {})
    if header and header.get("format", "TEXT") != "TEXT":
        raise TemplateNotSendable("template: its header is a file, which replies cannot have yet")
    wanted = _variables(header)
    if len(wanted) != (template.header is not None):
        raise TemplateNotSendable(f"template.header: needs {len(wanted)} values")
    _check_body(_variables(by_type.get("BODY", {})), template)
    buttons = by_type.get("BUTTONS", {}).get("buttons", [])
    dynamic = {
        index for index, button in enumerate(buttons) if _VARIABLE.search(str(button.get("url")))
    }
    if dynamic != template.buttons.keys():
        raise TemplateNotSendable(
            f"template.buttons: needs values for the buttons {sorted(dynamic)}"
        )


def _check_body(wanted: list[str], template: TemplateInput) -> None:
    given = template.body
    is_named = any(not name.isdecimal() for name in wanted)
    if is_named and (not isinstance(given, dict) or given.keys() != set(wanted)):
        raise TemplateNotSendable(f"template.body: needs values by name: {', '.join(wanted)}")
    if not is_named and (isinstance(given, dict) or len(given) != len(wanted)):
        raise TemplateNotSendable(f"template.body: needs {len(wanted)} values in a list")


def _variables(component: Mapping[str, Any]) -> list[str]:
    """Return the names or numbers of a text's variables, each once, in order."""
    return list(dict.fromkeys(_VARIABLE.findall(str(component.get("text") or ""))))
