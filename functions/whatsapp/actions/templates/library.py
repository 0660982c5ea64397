"""The provider's library of templates: listing it, and creating templates from it."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from whatsapp.actions import paging, remote
from whatsapp.actions.call import Call
from whatsapp.actions.inputs import (
    Flag,
    Input,
    Language,
    PageInput,
    TemplateName,
    Text,
    WabaId,
    Whole,
)
from whatsapp.actions.registration import Group
from whatsapp.actions.templates import accounts, creation
from whatsapp.actions.templates.accounts import EumAccountInput, EumTemplates, Templates
from whatsapp.actions.templates.definitions import Category
from whatsapp.actions.templates.views import TemplateView
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View

LIBRARY, EUM = Group("template_library"), Group("eum_templates")
_AFTER = "after"
_MOST_PAGES = 20
type Key = Annotated[Text, Field(max_length=100)]
type LibraryName = Annotated[Text, Field(max_length=512)]


class LibraryTemplate(View):
    """A template of the library, as the provider describes it."""

    model_config = ConfigDict(extra="allow")

    name: str
    language: str | None = None
    category: str | None = None


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


class LinkInput(Input):
    """The address of a URL button, and an example of its variable part."""

    base_url: Annotated[Text, Field(max_length=2_000)]
    url_suffix_example: Annotated[Text, Field(max_length=2_000)] | None = None


class SupportedApp(Input):
    """An app that fills in codes."""

    package_name: Key
    signature_hash: Key


class ButtonInput(Input):
    """The business's values of a button."""

    type: Annotated[Text, Field(max_length=25)]
    phone_number: Annotated[Text, Field(max_length=20)] | None = None
    url: LinkInput | None = None
    otp_type: Annotated[Text, Field(max_length=25)] | None = None
    zero_tap_terms_accepted: Flag | None = None
    supported_apps: Annotated[list[SupportedApp], Field(max_length=5)] | None = None


class BodyInput(Input):
    """What the body contains besides its fixed text."""

    add_contact_number: Flag | None = None
    add_learn_more_link: Flag | None = None
    add_security_recommendation: Flag | None = None
    add_track_package_link: Flag | None = None
    code_expiration_minutes: Annotated[Whole, Field(ge=1, le=90)] | None = None


class UseLibraryTemplate(Input):
    """A template of the library, and its name in the account: `customName`, else the library's."""

    meta_waba_id: WabaId
    template_name: LibraryName
    custom_name: TemplateName | None = None
    language: Language = "en_US"
    category: Category = "UTILITY"
    button_inputs: Annotated[list[ButtonInput], Field(max_length=10)] | None = None
    body_inputs: BodyInput | None = None


class CreateFromLibrary(EumAccountInput):
    """A template of the library by id or name, and its name in the account."""

    library_template_id: Annotated[str, Field(pattern=r"^[0-9]{1,100}$")] | None = None
    library_template_name: LibraryName | None = None
    name: TemplateName
    category: Category = "UTILITY"
    language: Language = "en_US"
    button_inputs: Annotated[list[ButtonInput], Field(max_length=10)] | None = None
    body_inputs: BodyInput | None = None

    @model_validator(mode="after")
    def _names_one_template(self) -> Self:
        if (self.library_template_id is None) == (self.library_template_name is None):
            raise PydanticCustomError(
                "library", "must have exactly one of libraryTemplateId, libraryTemplateName"
            )
        return self


@LIBRARY.reads(
    "remote_eum",
    Scope.WHATSAPP_TEMPLATES,
    input_model=SearchLibraryOfAccount,
    result=LibraryTemplates,
)
def get_template_library(call: Call[SearchLibraryOfAccount]) -> Page[LibraryTemplates]:
    """Search the provider's library of templates."""
    given = call.input
    account = accounts.of_waba(call, given.meta_waba_id)
    found, cursor = _page(call, account)
    shown = [one for one in found if given.category in {None, one.category}]
    return Page(LibraryTemplates(templates=shown), cursor)


@EUM.reads(
    "remote_eum", Scope.WHATSAPP_TEMPLATES, input_model=SearchLibraryAtAws, result=LibraryTemplates
)
def eum_list_template_library(call: Call[SearchLibraryAtAws]) -> Page[LibraryTemplates]:
    """Search the library of templates at AWS."""
    found, cursor = _page(call, accounts.on_eum(call))
    return Page(LibraryTemplates(templates=found), cursor)


@LIBRARY.changes(
    "remote_eum",
    Scope.WHATSAPP_TEMPLATES,
    input_model=UseLibraryTemplate,
    result=TemplateView,
    idempotent=False,
)
def use_library_template(call: Call[UseLibraryTemplate]) -> TemplateView:
    """Create a template from the library at the account's provider."""
    given = call.input
    account = accounts.of_waba(call, given.meta_waba_id)
    name = given.custom_name or given.template_name
    return _created(call, account, given, name, given.template_name)


@EUM.changes(
    "remote_eum",
    Scope.WHATSAPP_TEMPLATES,
    input_model=CreateFromLibrary,
    result=TemplateView,
    idempotent=False,
)
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
        found = [one for one in answer.get("data", []) if one.get("name")]
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
            template = _for_aws(given, name, library_name)
            answer = accounts.of_created(
                account.resources.eum.call(operation, id=account.waba, metaLibraryTemplate=template)
            )
        else:
            answer = account.create(_for_graph(given, name, library_name))
        return str(answer["id"]) if answer.get("id") else None

    template_id = remote.once(call, account.phone, creation.FIND, attempt)
    return creation.cached(account, template_id, None)


def _for_graph(
    given: UseLibraryTemplate | CreateFromLibrary, name: str, library_name: str
) -> dict[str, Any]:
    """Return Graph's request."""
    request: dict[str, Any] = {
        "name": name,
        "language": given.language,
        "category": given.category,
        "library_template_name": library_name,
    }
    if given.button_inputs is not None:
        request["library_template_button_inputs"] = [_snake(one) for one in given.button_inputs]
    if given.body_inputs is not None:
        request["library_template_body_inputs"] = _snake(given.body_inputs)
    return request


def _for_aws(
    given: UseLibraryTemplate | CreateFromLibrary, name: str, library_name: str
) -> dict[str, Any]:
    """
    Return AWS's request.

    Not confirmed by our own traffic: that the maps of addresses and apps have Meta's names.
    """
    request: dict[str, Any] = {
        "templateName": name,
        "libraryTemplateName": library_name,
        "templateCategory": given.category,
        "templateLanguage": given.language,
    }
    if given.button_inputs is not None:
        request["libraryTemplateButtonInputs"] = [
            one.model_dump(by_alias=True, exclude_none=True)
            | ({"url": _snake(one.url)} if one.url else {})
            | (
                {"supportedApps": list(map(_snake, one.supported_apps))}
                if one.supported_apps
                else {}
            )
            for one in given.button_inputs
        ]
    if given.body_inputs is not None:
        request["libraryTemplateBodyInputs"] = given.body_inputs.model_dump(
            by_alias=True, exclude_none=True
        )
    return request


def _snake(part: Input) -> dict[str, Any]:
    """Return an input with Meta's names of fields."""
    return part.model_dump(exclude_none=True)
