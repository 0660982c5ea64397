"""The JSON Schema of the requirements of a mailbox: a flat object."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

MOST_FIELDS: Final = 20

type FieldName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]


class TextSchema(BaseModel):
    """JSON Schema of the elements of a list: texts."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    type: Literal["string"] = "string"


class FieldSchema(BaseModel):
    """JSON Schema of one requirement."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    type: Literal["string", "number", "integer", "boolean", "array"]
    description: Annotated[str, Field(max_length=300)] = ""
    enum: (
        Annotated[list[Annotated[str, Field(min_length=1, max_length=100)]], Field(max_length=20)]
        | None
    ) = None
    items: TextSchema | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> "FieldSchema":
        if self.enum is not None and self.type != "string":
            raise PydanticCustomError("enum", "enum is for fields of the type string")
        if self.items is not None and self.type != "array":
            raise PydanticCustomError("items", "items is for fields of the type array")
        return self


class RequirementsSchema(BaseModel):
    """JSON Schema of the requirements of a mailbox: an object without nested ones."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    type: Literal["object"] = "object"
    properties: Annotated[dict[FieldName, FieldSchema], Field(min_length=1, max_length=MOST_FIELDS)]
    required: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _requires_known_fields(self) -> "RequirementsSchema":
        if not set(self.required) <= self.properties.keys():
            raise PydanticCustomError("required", "required must name properties")
        return self


# Fields of a mailbox without a configured schema.
USUAL: Final = RequirementsSchema(
    properties={
        "title": FieldSchema(type="string", description="the matter in a few words"),
        "request_type": FieldSchema(
            type="string",
            description="what kind of request it is",
            enum=["question", "order", "complaint", "project", "other"],
        ),
        "description": FieldSchema(type="string", description="what the customer wants"),
        "items": FieldSchema(type="array", description="things that are asked for, one each"),
        "deadline": FieldSchema(type="string", description="when it must be done"),
        "budget": FieldSchema(type="string", description="an amount with its currency"),
        "contact_name": FieldSchema(type="string", description="the name of the writer"),
        "reference": FieldSchema(type="string", description="an order or case number"),
    },
    required=["title", "request_type", "description"],
)
