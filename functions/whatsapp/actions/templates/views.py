"""Responses about templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whatsapp.actions.templates.provider_objects import TemplateComponent  # noqa: TC001 - pydantic needs it
from whatsapp.sending.views import View
from whatsapp.store.items.accounts.templates import TemplateEum, TemplateMeta
from whatsapp.worker.updates.templates import caches, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whatsapp.configuration.resources import SendingResources


class TemplateView(View):
    """
    A translation of a template. *status_raw* is the provider's status, *status* its meaning for sending.

    *cached_at*, *synced_at*: when the provider described it, alone or with all others. Absent in a provider's answer.
    """

    name: str
    language: str
    id: str | None = None
    status: str | None = None
    status_raw: str | None = None
    category: str | None = None
    quality_score: str | None = None
    reason: str | None = None
    components: list[TemplateComponent] | None = None
    message_send_ttl_seconds: int | None = None
    cached_at: str | None = None
    synced_at: str | None = None


class TemplatesView(View):
    """A page of templates."""

    templates: list[TemplateView]


class RemovedTemplate(View):
    """A deleted template: the languages that the cache knew, and whether the provider still had it."""

    name: str
    languages: list[str]
    existed: bool


def of_item(resources: SendingResources, item: TemplateEum | TemplateMeta) -> TemplateView:
    """Return a cached template."""
    if isinstance(item, TemplateEum):
        own = {
            "language": item.template_language,
            "id": item.meta_template_id,
            "status": item.template_status,
            "category": item.template_category,
            "synced_at": item.synced_at,
        }
    else:
        own = {
            "language": item.language,
            "id": item.template_id,
            "status": item.status,
            "category": item.category,
        }
    return TemplateView(
        name=item.template_name,
        status_raw=item.status_raw,
        quality_score=item.quality_score,
        reason=item.reason,
        components=caches.components_of(resources, item),
        message_send_ttl_seconds=item.message_send_ttl_seconds,
        cached_at=item.cached_at,
        **own,
    )


def of_listed(listed: Mapping[str, Any], *, has_components: bool = True) -> TemplateView:
    """Return a template as a provider describes it; *has_components*: with its content."""
    word = words.word_of(listed.get("status"))
    reason = words.word_of(listed.get("rejected_reason"))
    ttl = listed.get("message_send_ttl_seconds")
    return TemplateView(
        name=str(listed["name"]),
        language=str(listed["language"]),
        id=str(listed["id"]) if listed.get("id") else None,
        status=words.STATUSES.get(word),
        status_raw=word or None,
        category=words.word_of(listed.get("category")) or None,
        quality_score=words.score_of(listed) or None,
        reason=reason if reason not in {"", "NONE"} else None,
        components=caches.components_in(listed) if has_components else None,
        message_send_ttl_seconds=ttl if isinstance(ttl, int) else None,
    )
