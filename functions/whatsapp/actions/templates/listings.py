"""Lists templates: cached ones, and templates at the providers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ConfigDict, Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from whatsapp import store
from whatsapp.actions.calls import paging, participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, Input, Language, PageInput, TemplateName, WabaId
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates import accounts, synchronisation, views
from whatsapp.actions.templates.accounts import EumAccountInput, EumTemplates
from whatsapp.actions.templates.authoring import editing
from whatsapp.actions.templates.naming import NamedTemplate
from whatsapp.actions.templates.views import TemplatesView, TemplateView
from whatsapp.api.queries import NotFound

if TYPE_CHECKING:
    from whatsapp.store.items.accounts.templates import TemplateEum, TemplateMeta

META = Group("templates_meta")
EUM = Group("eum_templates")
LIBRARY = Group("template_library")
LEGACY = Group("legacy")
_AFTER = "after"
type Word = Annotated[str, Field(min_length=1, max_length=100)]


class ListMetaTemplates(PageInput):
    """Filters of the cached templates; `refresh` synchronises them with Graph before the first page."""

    meta_waba_id: WabaId
    status: Word | None = None
    category: Word | None = None
    name: TemplateName | None = None
    refresh: Flag = False


class ListCachedTemplates(PageInput):
    """An account, and the status of its templates."""

    meta_waba_id: WabaId
    status: Literal["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"] | None = None


class ListTemplates(PageInput):
    """An account, and the status of its templates."""

    meta_waba_id: WabaId
    status: Word | None = None


class ListEumTemplates(EumAccountInput, PageInput):
    """A page of an account at AWS."""


class GetEumTemplate(EumAccountInput, NamedTemplate):
    """A translation."""


class GetEumStatus(EumAccountInput):
    """A template in one or all languages; `refresh` asks AWS about each of them."""

    template_name: TemplateName
    language: Language | None = None
    refresh: Flag = False


class TemplateToCache(Input):
    """The template to read from the provider. Other fields are ignored: content comes from the provider only."""

    model_config = ConfigDict(extra="ignore")

    name: TemplateName
    language: Language


class CacheTemplate(Input):
    """A template by name and language."""

    meta_waba_id: WabaId
    template: TemplateToCache


@META.reads("remote_graph", Scope.WHATSAPP_TEMPLATES)
def get_templates_meta(call: Call[ListMetaTemplates]) -> Page[TemplatesView]:
    """List the cached templates at Meta. A page may be short: go on while there is a cursor."""
    given = call.input
    phone = participants.account_of(call, given.meta_waba_id)[0]
    start = paging.start_of(call)
    if given.refresh and start is None:
        synchronisation.of_account(accounts.on_graph(call, given.meta_waba_id))
    found, last = store.cached_templates.of_meta_account(
        call.table, given.meta_waba_id, limit=given.limit, start=start
    )
    shown = [
        one
        for one in found
        if one.company == phone.company
        and given.status in {None, one.status}
        and given.category in {None, one.category}
        and given.name in {None, one.template_name}
    ]
    return _page(call, shown, last)


# Agents without the scope of templates send them, so they choose from the list.
@LIBRARY.reads("local", Scope.WHATSAPP_TEMPLATES, Scope.WHATSAPP_SEND)
def get_local_templates(call: Call[ListCachedTemplates]) -> Page[TemplatesView]:
    """List the cached templates of the account's provider. A page may be short: go on while there is a cursor."""
    return _cached(call, call.input.meta_waba_id, call.input.status)


@LEGACY.reads("local", Scope.WHATSAPP_TEMPLATES)
def get_templates(call: Call[ListTemplates]) -> Page[TemplatesView]:
    """List the cached templates of an account, as `get_local_templates`."""
    return _cached(call, call.input.meta_waba_id, call.input.status)


@EUM.reads("remote_eum", Scope.WHATSAPP_TEMPLATES)
def eum_list_templates(call: Call[ListEumTemplates]) -> Page[TemplatesView]:
    """List the templates at AWS, without their components."""
    return listed_page(call, accounts.on_eum(call), call.input.limit)


# As above: AWS's list has no texts.
@EUM.reads("remote_eum", Scope.WHATSAPP_TEMPLATES, Scope.WHATSAPP_SEND)
def eum_get_template(call: Call[GetEumTemplate]) -> TemplateView:
    """Read a template's definition from AWS, and cache it."""
    account = accounts.on_eum(call)
    listed = editing.named(account, call.input)
    accounts.remember(account, listed)
    return views.of_listed(listed)


@EUM.reads("remote_eum", Scope.WHATSAPP_TEMPLATES)
def eum_get_template_status(call: Call[GetEumStatus]) -> TemplatesView:
    """Show the status of a template in each language, as cached; with `refresh` as AWS returns it now."""
    given, account = call.input, accounts.on_eum(call)
    return statuses(account, given.template_name, given.language, refresh=given.refresh)


@META.changes("remote_graph", Scope.WHATSAPP_TEMPLATES)
def cache_template_meta(call: Call[CacheTemplate]) -> TemplateView:
    """Read a template from Graph and cache it; the content of the call is ignored."""
    wanted = call.input.template
    account = accounts.on_graph(call, call.input.meta_waba_id)
    listed = editing.found(account, wanted.name, wanted.language)
    accounts.remember(account, listed)
    return views.of_listed(listed, has_components=False)


def listed_page(call: Call[Any], account: EumTemplates, size: int) -> Page[TemplatesView]:
    """Return a page of the provider, with the cursor of the next one."""
    start = (paging.start_of(call) or {}).get(_AFTER)
    found, following = account.page(start, size)
    shown = [views.of_listed(one) for one in found if one.get("name") and one.get("language")]
    cursor = paging.cursor_of(call, {_AFTER: following} if following else None)
    return Page(TemplatesView(templates=shown), cursor)


def statuses(
    account: EumTemplates, name: str, language: str | None, *, refresh: bool
) -> TemplatesView:
    """Return the cached translations of a template, after asking AWS about them with *refresh*. Raises NotFound."""
    found = _translations(account, name, language)
    if refresh:
        languages = [one.template_language for one in found] or ([language] if language else [])
        for each in languages:
            listed = account.find(name, each)
            gone = {"name": name, "language": each, "status": "DELETED"}
            # Of one that neither knows there is nothing to store.
            if listed is not None or found:
                accounts.remember(account, listed or gone)
        found = _translations(account, name, language)
    if not found:
        raise NotFound("templateName: template not found")
    return TemplatesView(templates=[_without_content(account, one) for one in found])


def _translations(account: EumTemplates, name: str, language: str | None) -> list[TemplateEum]:
    found = store.cached_templates.of_name(account.resources.table, name, account.waba)
    return [
        one
        for one in found
        if one.company == account.phone.company and language in {None, one.template_language}
    ]


def _without_content(account: EumTemplates, one: TemplateEum) -> TemplateView:
    return views.of_item(account.resources, one).model_copy(update={"components": None})


def _cached(call: Call[Any], waba: str, status: str | None) -> Page[TemplatesView]:
    phone = remote.number_of(participants.account_of(call, waba))
    start, limit = paging.start_of(call), call.input.limit
    if phone.provider == "eum" and phone.aws_waba:
        eum, last = store.cached_templates.of_aws_account(
            call.table, phone.aws_waba, status=status, limit=limit, start=start
        )
        return _page(call, [one for one in eum if one.company == phone.company], last)
    meta, last = store.cached_templates.of_meta_account(call.table, waba, limit=limit, start=start)
    shown = [one for one in meta if one.company == phone.company and status in {None, one.status}]
    return _page(call, shown, last)


def _page(
    call: Call[Any],
    found: list[TemplateEum] | list[TemplateMeta],
    last: Any,  # noqa: ANN401 - a start key
) -> Page[TemplatesView]:
    shown = [views.of_item(call.resources, one) for one in found]
    return Page(TemplatesView(templates=shown), paging.cursor_of(call, last))
