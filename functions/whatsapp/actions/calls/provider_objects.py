"""Objects of the providers' answers to calls of actions, in the provider's own structure."""

from typing import Any, Self

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from whatsapp.api.provider_objects import ProviderObject


class QuotedMessage(ProviderObject):
    """The message that a message answers."""

    message_id: str | None = None


class MessageJson(ProviderObject):
    """The JSON of a message at both providers. The content is in the field that *type* names, such as `text`."""

    messaging_product: str
    recipient_type: str | None = None
    to: str | None = None
    recipient: str | None = None
    type: str
    context: QuotedMessage | None = None
    biz_opaque_callback_data: str | None = None


class HealthError(ProviderObject):
    """A reason that blocks or limits sending, and its solution."""

    error_code: int | None = None
    error_description: str | None = None
    possible_solution: str | None = None


class HealthEntity(ProviderObject):
    """A part on which sending depends: APP, BUSINESS, WABA, PHONE_NUMBER, MESSAGE_TEMPLATE or FLOW."""

    entity_type: str | None = None
    id: str | None = None
    can_send_message: str | None = None
    errors: list[HealthError] | None = None
    additional_info: list[str] | None = None


class HealthStatus(ProviderObject):
    """Whether messages can be sent: AVAILABLE, LIMITED or BLOCKED, and the state of each part."""

    can_send_message: str | None = None
    entities: list[HealthEntity] | None = None

    @classmethod
    def of_aws(cls, status: dict[str, Any] | None) -> Self | None:
        """Return AWS's status, which has the same content under other names."""
        if status is None:
            return None
        entities = [
            {
                "entity_type": one.get("entityType"),
                "id": one.get("id"),
                "can_send_message": one.get("canSendMessage"),
            }
            for one in status.get("entities") or []
        ]
        return cls.model_validate(
            {"can_send_message": status.get("canSendMessage"), "entities": entities}
        )


class SubscribedBusinessApp(ProviderObject):
    """An app of Meta."""

    id: str | None = None
    name: str | None = None
    link: str | None = None


class SubscribedApp(ProviderObject):
    """An app that gets the events of an account; *override_callback_uri* replaces its own address."""

    whatsapp_business_api_data: SubscribedBusinessApp | None = None
    override_callback_uri: str | None = None


class SubscribedApps(ProviderObject):
    """The apps that get the events of an account."""

    data: list[SubscribedApp] | None = None


class DataPoint(ProviderObject):
    """
    Numbers of a period, in seconds since 1970. Which of them are present depends on the report and its dimensions:
    *sent* and *delivered* of messages, *conversation* of conversations, *volume* of priced messages, *count* of calls.
    """

    start: int | None = None
    end: int | None = None
    sent: int | None = None
    delivered: int | None = None
    conversation: int | None = None
    volume: int | None = None
    count: int | None = None
    cost: float | None = None
    average_duration: float | None = None
    phone_number: str | None = None
    country: str | None = None
    conversation_type: str | None = None
    conversation_direction: str | None = None
    conversation_category: str | None = None
    pricing_type: str | None = None
    pricing_category: str | None = None
    tier: str | None = None
    direction: str | None = None


class DataPoints(ProviderObject):
    """A part of a report."""

    data_points: list[DataPoint] | None = None


class MetaReport(ProviderObject):
    """A report of Meta: of messages with *data_points*, any other with *data*. Empty if there is nothing to report."""

    granularity: str | None = None
    phone_numbers: list[str] | None = None
    country_codes: list[str] | None = None
    data_points: list[DataPoint] | None = None
    data: list[DataPoints] | None = None


class Amount(ProviderObject):
    """An amount of money: *value* divided by *offset*."""

    value: int | None = None
    offset: int | None = None


class PaymentTransaction(ProviderObject):
    """An attempt to pay."""

    id: str | None = None
    type: str | None = None
    status: str | None = None
    amount: Amount | None = None
    currency: str | None = None


class PaymentRefund(ProviderObject):
    """A refund of a payment."""

    id: str | None = None
    status: str | None = None
    amount: Amount | None = None
    currency: str | None = None
    speed_processed: str | None = None


class ProviderPayment(ProviderObject):
    """A payment as the provider describes it."""

    reference_id: str | None = None
    status: str | None = None
    amount: Amount | None = None
    currency: str | None = None
    transactions: list[PaymentTransaction] | None = None
    refunds: list[PaymentRefund] | None = None


class FormError(ProviderObject):
    """An error in the JSON of a form, with its place. AWS describes an error by a text."""

    error: str | None = None
    error_type: str | None = None
    message: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    column_start: int | None = None
    column_end: int | None = None


class TimeOfDay(ProviderObject):
    """A time of day in the zone of the opening hours."""

    hours: int | None = None
    minutes: int | None = None


class _InCamelCase(ProviderObject):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class OpeningHours(_InCamelCase):
    """The hours of a weekday."""

    day_of_week: str | None = None
    open_time: TimeOfDay | None = None
    close_time: TimeOfDay | None = None


class HolidayHours(_InCamelCase):
    """The hours of a date."""

    date: str | None = None
    start_time: TimeOfDay | None = None
    end_time: TimeOfDay | None = None


class CallHoursView(_InCamelCase):
    """The hours in which the number takes calls."""

    enabled: bool | None = None
    timezone: str | None = None
    weekly_operating_hours: list[OpeningHours] | None = None
    holiday_schedule: list[HolidayHours] | None = None


class CallSettingsView(_InCamelCase):
    """The call settings of a number, for both providers in AWS's structure. Empty if calls have never been set up."""

    call_enabled: bool | None = None
    call_icon_visibility: str | None = None
    callback_permission_status: str | None = None
    call_hours: CallHoursView | None = None
