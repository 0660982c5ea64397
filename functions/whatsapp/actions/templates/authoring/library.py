"""Lists the provider's library of templates, and creates templates from it."""

from collections.abc import Mapping
from typing import Any

from shared.api.auth import Scope
from shared.api.cursors import Page
from whatsapp.actions.calls import paging, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import (
    Language,
    PageInput,
    WabaId,
)
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates import accounts
from whatsapp.actions.templates.accounts import EumAccountInput, EumTemplates, Templates
from whatsapp.actions.templates.authoring import creation
from whatsapp.actions.templates.authoring.library_requests import (
    CreateFromLibrary,
    Key,
    UseLibraryTemplate,
    for_aws,
    for_graph,
)
from whatsapp.actions.templates.provider_objects import LibraryTemplate
from whatsapp.actions.templates.views import TemplateView
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View

LIBRARY = Group("template_library")
EUM = Group("eum_templates")
_AFTER = "after"
_MOST_PAGES = 20


class LibraryTemplates(View):
    """A page of the library."""

    templates: list[LibraryTemplate]


class SearchLibrary(PageInput):
    """Filters of the library."""

    search_key: Key | None = None
    topic: Key | None = None
    usecase: Key | None = None
    industry: Key | None = None
    language: Language | None = None


class SearchLibraryOfAccount(SearchLibrary):
    """Filters of the library. Pages of a category may be short: go on while there is a cursor."""

    meta_waba_id: WabaId
    category: Key | None = None


class SearchLibraryAtAws(EumAccountInput, SearchLibrary):
    """Filters of the library."""


@LIBRARY.reads("remote_eum", Scope.WHATSAPP_TEMPLATES)
def get_template_library(call: Call[SearchLibraryOfAccount]) -> Page[LibraryTemplates]:
    """Search the provider's library of templates."""
    given = call.input
    account = accounts.of_waba(call, given.meta_waba_id)
    found, cursor = _page(call, account)
    shown = [one for one in found if given.category in {None, one.category}]
    return Page(LibraryTemplates(templates=shown), cursor)


@EUM.reads("remote_eum", Scope.WHATSAPP_TEMPLATES)
def eum_list_template_library(call: Call[SearchLibraryAtAws]) -> Page[LibraryTemplates]:
    """Search the library of templates at AWS."""
    found, cursor = _page(call, accounts.on_eum(call))
    return Page(LibraryTemplates(templates=found), cursor)


@LIBRARY.changes("remote_eum", Scope.WHATSAPP_TEMPLATES, idempotent=False)
def use_library_template(call: Call[UseLibraryTemplate]) -> TemplateView:
    """Create a template from the library at the account's provider."""
    given = call.input
    account = accounts.of_waba(call, given.meta_waba_id)
    name = given.custom_name or given.template_name
    return _created(call, account, given, name, given.template_name)


@EUM.changes("remote_eum", Scope.WHATSAPP_TEMPLATES, idempotent=False)
def eum_create_from_library(call: Call[CreateFromLibrary]) -> TemplateView:
    """Create a template from the library at AWS. An id is looked up in the library of that language."""
    given, account = call.input, accounts.on_eum(call)
    library_name = given.library_template_name or _name_of(
        account, str(given.library_template_id), given.language
    )
    return _created(call, account, given, given.name, library_name)


def _page(call: Call[Any], account: Templates) -> tuple[list[LibraryTemplate], str | None]:
    start = (paging.start_of(call) or {}).get(_AFTER)
    given: SearchLibrary = call.input
    names = ("search_key", "topic", "usecase", "industry", "language")
    filters = {name: str(value) for name in names if (value := getattr(given, name))}
    if isinstance(account, EumTemplates):
        found, following = _at_aws(account, filters, start, given.limit)
    else:
        query = {("search" if name == "search_key" else name): v for name, v in filters.items()}
        query |= {"limit": str(given.limit)} | ({"after": start} if start else {})
        answer = remote.GraphAccount(call.resources, account.token).get(
            "message_template_library", **query
        )
        paging_part = answer.get("paging") or {}
        following = (paging_part.get("cursors") or {}).get("after")
        found = [one for one in accounts.objects_in(answer.get("data")) if one.get("name")]
        # The last page has a cursor too.
        following = following if len(found) >= given.limit else None
    shown = [LibraryTemplate.model_validate(one) for one in found]
    return shown, paging.cursor_of(call, {_AFTER: following} if following else None)


def _at_aws(
    account: EumTemplates, filters: Mapping[str, str], after: str | None, size: int
) -> tuple[list[dict[str, Any]], str | None]:
    """Return a page of the library at AWS, with Graph's names of fields."""
    given = {("searchKey" if name == "search_key" else name): v for name, v in filters.items()}
    more: dict[str, Any] = {"filters": given} if given else {}
    more |= {"nextToken": after} if after else {}
    answer = account.call("list_whatsapp_template_library", maxResults=size, **more)
    names = {
        "templateName": "name",
        "templateLanguage": "language",
        "templateCategory": "category",
        "templateTopic": "topic",
        "templateUseCase": "usecase",
        "templateIndustry": "industry",
        "templateHeader": "header",
        "templateBody": "body",
        "templateBodyExampleParams": "body_params",
        "templateButtons": "buttons",
        "templateId": "id",
    }
    found = [
        {ours: one[name] for name, ours in names.items() if name in one}
        for one in answer.get("metaLibraryTemplates", [])
        if one.get("templateName")
    ]
    return found, answer.get("nextToken")


def _name_of(account: EumTemplates, template_id: str, language: str) -> str:
    """Return the name of a library template. Raises NotFound."""
    after: str | None = None
    for _ in range(_MOST_PAGES):
        found, after = _at_aws(account, {"language": language}, after, accounts.PAGE)
        for one in found:
            if one.get("id") == template_id:
                return str(one["name"])
        if after is None:
            break
    raise NotFound("libraryTemplateId: not found in the library of this language")


def _created(
    call: Call[Any],
    account: Templates,
    given: UseLibraryTemplate | CreateFromLibrary,
    name: str,
    library_name: str,
) -> TemplateView:
    """Create a template from the library once per idempotency key, and cache it as the provider then describes it."""

    def attempt() -> str | None:
        if isinstance(account, EumTemplates):
            operation = "create_whatsapp_message_template_from_library"
            template = for_aws(given, name, library_name)
            answer = accounts.of_created(
                account.resources.eum.call(operation, id=account.waba, metaLibraryTemplate=template)
            )
        else:
            answer = account.create(for_graph(given, name, library_name))
        return str(answer["id"])

    template_id = remote.once(call, account.phone, creation.FIND, attempt)
    return creation.cached(account, template_id, None)
