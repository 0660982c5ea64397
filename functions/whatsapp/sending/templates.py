"""Whether a template can be sent: approved in this language, with the right variables."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from shared.failures import Permanent, Transient
from shared.providers.outcomes import InDoubt, NotSent, Refused
from whatsapp import store, transmission
from whatsapp.sending import template_fit
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
    from shared.aws.dynamodb import Table
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.sending.gate import Gate
    from whatsapp.sending.payloads import UsedTemplate
    from whatsapp.store.items import Phone

APPROVED = "APPROVED"


def check(
    resources: SendingResources, gate: Gate, phone: Phone, template: UsedTemplate
) -> str | None:
    """
    Check a template against what the provider reported about it, and return its category.

    The provider is asked about an unknown one, which it may have approved before the number was connected. Variables
    are checked if the provider reported the components, which it does at each change; otherwise the provider checks
    them. Raises TemplateNotSendable, TooFast, NotConfigured, NotSupported, ProviderRejected and ProviderUnavailable.
    """
    status, category, components = _known(resources, gate, phone, template)
    if status != APPROVED:
        raise TemplateNotSendable(f"template: its status is {status}, not {APPROVED}")
    if template.category not in {None, category}:
        raise TemplateNotSendable(f"template: its category is {category}, not {template.category}")
    if components is not None:
        problem = template_fit.problem_of(components, template.components)
        if problem is not None:
            raise TemplateNotSendable(problem)
    return category


def definition(
    resources: SendingResources, gate: Gate, phone: Phone, template: UsedTemplate
) -> tuple[str | None, list[dict[str, Any]]]:
    """
    Return category and components of a template, None and no components if they were not reported.

    Raises as `check`; a template that cannot be sent now is described too.
    """
    _, category, components = _known(resources, gate, phone, template)
    return category, components or []


def needs_body_values(components: list[dict[str, Any]]) -> bool:
    """Whether the body of a template has variables."""
    return (
        template_fit.problem_of(
            [part for part in components if str(part.get("type")).upper() == "BODY"], []
        )
        is not None
    )


def _known(
    resources: SendingResources, gate: Gate, phone: Phone, template: UsedTemplate
) -> tuple[str, str | None, list[dict[str, Any]] | None]:
    """As `_reported`; asks the provider about an unknown template. Raises TemplateNotSendable if it knows none."""
    found = _reported(resources.table, phone, template)
    if found[0] is None and _learned(resources, gate, phone, template):
        found = _reported(resources.table, phone, template)
    status, category, components = found
    if status is None:
        raise TemplateNotSendable("template: unknown in this language at the number's account")
    return status, category, components


def _reported(
    table: Table, phone: Phone, template: UsedTemplate
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


def _learned(resources: SendingResources, gate: Gate, phone: Phone, template: UsedTemplate) -> bool:
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
    resources: SendingResources, phone: Phone, template: UsedTemplate
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
