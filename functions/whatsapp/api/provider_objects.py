"""
Objects in the structure of the provider, as far as its documents describe it.

A field that is not described here is kept unchanged. A described field whose value has another type is left out, and
its name is logged: an answer of the provider never makes a call fail by its form.
"""

from typing import Any, Self

from pydantic import ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator

from shared.api.models import views
from shared.runtime.observability import logger
from whatsapp.api.json_view import plain


class ProviderObject(views.View):
    """An object with the provider's own names."""

    model_config = ConfigDict(extra="allow", coerce_numbers_to_str=True)

    @model_validator(mode="wrap")
    @classmethod
    def _without_other_types(
        cls,
        value: Any,  # noqa: ANN401 - any JSON value
        handler: ModelWrapValidatorHandler[Self],
    ) -> Self:
        value = plain(value)
        try:
            return handler(value)
        except ValidationError as failure:
            if not isinstance(value, dict):
                raise
            wrong = {str(error["loc"][0]) for error in failure.errors(include_input=False)}
        logger.warning(
            "fields of the provider have other types",
            extra={"model": cls.__name__, "fields": sorted(wrong & cls._names())},
        )
        return handler({name: entry for name, entry in value.items() if name not in wrong})

    @classmethod
    def _names(cls) -> set[str]:
        """Return the names of the described fields in the provider's structure."""
        return {field.alias or name for name, field in cls.model_fields.items()}


class ErrorView(ProviderObject):
    """An error of the provider: of a message, a status or a group. *advice* is ours, for agents."""

    code: int | str | None = None
    title: str | None = None
    message: str | None = None
    details: str | None = None
    href: str | None = None
    advice: str | None = None


class ReachedStatus(ProviderObject):
    """A delivery status that a message reached, also one that is unknown here, with the code of its error."""

    status: str | None = None
    at: str | None = None
    code: int | str | None = None


class Pricing(ProviderObject):
    """The price category of a message."""

    billable: bool | None = None
    pricing_model: str | None = None
    category: str | None = None
    type: str | None = None


class ConversationOrigin(ProviderObject):
    """The kind of a conversation."""

    type: str | None = None


class PricedConversation(ProviderObject):
    """A conversation as the provider counts them; *expiration_timestamp* in seconds since 1970."""

    id: str | None = None
    expiration_timestamp: str | None = None
    origin: ConversationOrigin | None = None


class Referral(ProviderObject):
    """The advertisement or post that a customer answered."""

    source_url: str | None = None
    source_id: str | None = None
    source_type: str | None = None
    headline: str | None = None
    body: str | None = None
    media_type: str | None = None
    image_url: str | None = None
    video_url: str | None = None
    thumbnail_url: str | None = None
    ctwa_clid: str | None = None


class ReferredProduct(ProviderObject):
    """The product about which a customer asks."""

    catalog_id: str | None = None
    product_retailer_id: str | None = None
