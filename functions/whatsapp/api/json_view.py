"""The base of the API's response models: camelCase, JSON numbers, times in milliseconds."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

from shared.api.models import views
from whatsapp.store import ordering


def plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return *value* with JSON numbers: DynamoDB's decimals would be rendered as text."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, list) else value


def _cut(value: Any) -> Any:  # noqa: ANN401 - a time, or None
    """Return a time of an item as `YYYY-MM-DDTHH:MM:SS.mmmZ`; further digits are the order within its second."""
    return ordering.moment_of(value) if isinstance(value, str) else value


type Moment = Annotated[str, BeforeValidator(_cut)]


type Json = Annotated[Any, BeforeValidator(plain)]


class View(views.View):
    """Part of a response, in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
