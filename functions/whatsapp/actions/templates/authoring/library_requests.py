"""Inputs and requests of templates from the library."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from whatsapp.actions.calls.inputs import Flag, Input, Language, TemplateName, Text, WabaId, Whole
from whatsapp.actions.templates.accounts import EumAccountInput
from whatsapp.actions.templates.definitions import Category

type Key = Annotated[Text, Field(max_length=100)]
type LibraryName = Annotated[Text, Field(max_length=512)]


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
    """The optional parts of the body."""

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


def for_graph(
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


def for_aws(
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
