"""Templates in the structure of the provider: components, templates of the library, numbers and webhooks."""

from whatsapp.api.provider_objects import ProviderObject


class TemplateButton(ProviderObject):
    """A button of a template: QUICK_REPLY, URL, PHONE_NUMBER, OTP, COPY_CODE, FLOW, CATALOG, MPM or another type."""

    type: str | None = None
    text: str | None = None
    url: str | None = None
    phone_number: str | None = None
    otp_type: str | None = None
    flow_id: str | None = None


class TemplateCard(ProviderObject):
    """A card of a carousel."""

    components: list["TemplateComponent"] | None = None


class TemplateComponent(ProviderObject):
    """A HEADER, BODY, FOOTER, BUTTONS, CAROUSEL or LIMITED_TIME_OFFER. *format* is of a header: TEXT, IMAGE ..."""

    type: str | None = None
    format: str | None = None
    text: str | None = None
    buttons: list[TemplateButton] | None = None
    cards: list[TemplateCard] | None = None
    add_security_recommendation: bool | None = None
    code_expiration_minutes: int | None = None


class LibraryTemplate(ProviderObject):
    """A template of the library, as the provider describes it."""

    id: str | None = None
    name: str
    language: str | None = None
    category: str | None = None
    topic: str | None = None
    usecase: str | None = None
    industry: list[str] | None = None
    header: str | None = None
    body: str | None = None
    body_params: list[str] | None = None
    body_param_types: list[str] | None = None
    buttons: list[TemplateButton] | None = None


class Clicks(ProviderObject):
    """The clicks on a button: *type* is the kind of button or count."""

    type: str | None = None
    button_content: str | None = None
    count: int | None = None


class Cost(ProviderObject):
    """A cost: amount_spent, or of a message or click."""

    type: str | None = None
    value: float | None = None


class TemplatePoint(ProviderObject):
    """The provider's numbers of one template and day; *start* and *end* in seconds since 1970."""

    template_id: str | None = None
    start: int | None = None
    end: int | None = None
    sent: int | None = None
    delivered: int | None = None
    read: int | None = None
    clicked: list[Clicks] | None = None
    cost: list[Cost] | None = None


class TemplateChange(ProviderObject):
    """The values of a webhook about a template: of its status, quality, category or components."""

    event: str | None = None
    reason: str | None = None
    previous_quality_score: str | None = None
    new_quality_score: str | None = None
    previous_category: str | None = None
    new_category: str | None = None
