"""Input that names one translation of a template."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from whatsapp.actions.calls.inputs import Input, Language, TemplateName

type TemplateId = Annotated[str, Field(pattern=r"^[0-9]{1,100}$")]


class NamedTemplate(Input):
    """One translation: `metaTemplateId`, or `templateName` and `language`."""

    meta_template_id: TemplateId | None = None
    template_name: TemplateName | None = None
    language: Language | None = None

    @model_validator(mode="after")
    def _names_one_translation(self) -> Self:
        has_name = self.template_name is not None and self.language is not None
        if self.meta_template_id is None and not has_name:
            raise PydanticCustomError(
                "template", "must have metaTemplateId, or templateName and language"
            )
        return self
