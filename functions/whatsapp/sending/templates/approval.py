"""Checks whether a template can be sent: approved in this language, with the right variables."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from whatsapp import store, transmission
from whatsapp.sending.drafts import UsedTemplate
from whatsapp.sending.failures import (
    NotConfigured,
    NotSupported,
    ProviderRejected,
    ProviderUnavailable,
    TemplateNotFitting,
    TemplateNotSendable,
    TooFast,
    of_not_sent,
    of_refused,
)
from whatsapp.sending.templates import fit
from whatsapp.store.items.accounts.templates import TemplateEum, TemplateMeta
from whatsapp.worker.updates.templates import caches

if TYPE_CHECKING:
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.sending.gate import Gate
    from whatsapp.store.items import Phone

APPROVED = "APPROVED"
# Reasons why the provider did not describe a template; a stored description is used then.
_UNANSWERED = (TooFast, NotConfigured, NotSupported, ProviderRejected, ProviderUnavailable)


FRESH_MS = clock.DAY_SECONDS * clock.SECOND_MS


@dataclass(frozen=True, slots=True)
class Described:
    """A translation as the provider described it at *read_at* (ms since 1970); components are None if unknown."""

    status: str | None
    category: str | None
    components: list[dict[str, Any]] | None
    read_at: int

    @property
    def is_fresh(self) -> bool:
        """Whether the provider need not be asked again."""
        return self.components is not None and clock.now_ms() - self.read_at < FRESH_MS


def check(
    resources: SendingResources, gate: Gate, phone: Phone, template: UsedTemplate
) -> str | None:
    """
    Check a template against what the provider reported about it, and return its category.

    Variables are checked if the components are known; otherwise the provider checks them. Raises as `described`.
    """
    found = described(resources, gate, phone, template.name, template.language)
    if found.status != APPROVED:
        raise TemplateNotSendable(f"template: its status is {found.status}, not {APPROVED}")
    if template.category not in {None, found.category}:
        raise TemplateNotSendable(
            f"template: its category is {found.category}, not {template.category}"
        )
    if found.components is not None:
        problem = fit.problem_of(found.components, template.components)
        if problem is not None:
            raise TemplateNotFitting(problem)
    return found.category


def described(
    resources: SendingResources, gate: Gate, phone: Phone, name: str, language: str
) -> Described:
    """
    Return what is known about a translation.

    The provider is asked about one that is unknown (it may have been approved before the number was connected), that
    has no components, or that was last described more than a day ago. If it does not answer about a known one, the
    stored description is used. Raises TemplateNotSendable for an unknown one, TooFast, NotConfigured, NotSupported,
    ProviderRejected and ProviderUnavailable.
    """
    template = UsedTemplate(name=name, language=language)
    found = _reported(resources, phone, template)
    if found is None:
        if _learned(resources, gate, phone, template):
            found = _reported(resources, phone, template)
    elif not found.is_fresh:
        with suppress(*_UNANSWERED):
            _learned(resources, gate, phone, template)
        found = _reported(resources, phone, template)
    if found is None:
        raise TemplateNotSendable("template: unknown in this language at the number's account")
    return found


def needs_body_values(components: list[dict[str, Any]]) -> bool:
    """Whether the body of a template has variables."""
    return bool(fit.body_variables(components))


def _reported(
    resources: SendingResources, phone: Phone, template: UsedTemplate
) -> Described | None:
    """Return the stored description of a translation; None if it is unknown, or has no status."""
    get = store.account_reports.get_template
    for language in dict.fromkeys((template.language, template.language.replace("-", "_"))):
        found: TemplateEum | TemplateMeta | None
        if phone.provider == "eum":
            if not phone.aws_waba:
                return None
            key = TemplateEum.key(phone.aws_waba, template.name, language)
            found = eum = get(resources.table, TemplateEum, key)
            status = eum.template_status if eum else None
            category = eum.template_category if eum else None
        else:
            key = TemplateMeta.of_language(phone.waba_meta_id, template.name, language)
            found = meta = get(resources.table, TemplateMeta, key)
            status, category = (meta.status, meta.category) if meta else (None, None)
        if found is not None and found.company == phone.company and status is not None:
            components = caches.components_of(resources, found)
            return Described(status, category, components, _read_at(found))
    return None


def _read_at(template: TemplateEum | TemplateMeta) -> int:
    """Return when the provider last described the template, in an answer or a webhook."""
    synced_at = template.synced_at if isinstance(template, TemplateEum) else None
    times = (template.cached_at, synced_at, template.status_at, template.components_at)
    return max((clock.from_text(at) for at in times if at), default=0)


def _learned(resources: SendingResources, gate: Gate, phone: Phone, template: UsedTemplate) -> bool:
    """Ask the provider about a template and store the answer; False if it does not exist in this language."""
    gate.permit_question(phone)
    try:
        listed = _listed(resources, phone, template)
    except Permanent as fault:
        raise NotConfigured(f"phone: {fault.reason}") from None
    except Refused as refusal:
        raise of_refused(refusal) from None
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
        caches.record(resources, phone, listed)
    return True


def _listed(
    resources: SendingResources, phone: Phone, template: UsedTemplate
) -> dict[str, Any] | None:
    """Return the provider's description of a template; None if it does not exist in this language."""
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
