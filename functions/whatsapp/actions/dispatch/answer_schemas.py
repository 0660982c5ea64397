"""JSON Schema of answers as they are: a field without a value is absent, and every other field is present."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

_WITH_INNER = frozenset({"default", "function-before", "function-after", "function-wrap"})


class AnswerSchemas(GenerateJsonSchema):
    """Schemas of answers: a field that is None is absent, and every other field is present."""

    _parts: Mapping[str, Any] = MappingProxyType({})

    def definitions_schema(self, schema: core_schema.DefinitionsSchema) -> JsonSchemaValue:
        """Return the schema of a schema with named parts, to which fields refer."""
        self._parts = {part["ref"]: part for part in schema["definitions"] if "ref" in part}
        return super().definitions_schema(schema)

    def model_field_schema(self, schema: core_schema.ModelField) -> JsonSchemaValue:
        """Return the schema of a field. In an answer it is never null, and no default is applied."""
        if self.mode == "validation":
            return super().model_field_schema(schema)
        inner = self._without_none(schema["schema"])
        return self.generate_inner(inner or schema["schema"])

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        """Whether a field is always present."""
        if self.mode == "validation":
            return super().field_is_required(field, total)
        return self._without_none(field["schema"]) is None

    def _without_none(self, schema: Any) -> Any:  # noqa: ANN401 - core schemas have no common public type
        """Return the schema of a field's value that is not None; None if the value never is None."""
        match schema["type"]:
            case "nullable":
                return schema["schema"]
            case "any":
                return schema
            case "definition-ref":
                found = self._without_none(self._parts[schema["schema_ref"]])
                return schema if found and found["type"] == "any" else found
            case kind if kind in _WITH_INNER:
                return self._without_none(schema["schema"])
        return None


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a result."""
    return model.model_json_schema(mode="serialization", schema_generator=AnswerSchemas)
